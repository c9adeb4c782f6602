import { parse } from 'tpu-toolkit/stablehlo'
import { describe, expect, it } from 'vitest'

const inFunction = (text: string): string => `func.func @f(%x: tensor<4xf32>) {\n${text}\nreturn\n}`
const deep = 100_000

/** The first line of the error. */
function problem(text: string): string {
  try {
    parse(text)
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError)
    return (error as SyntaxError).message.split('\n')[0]!
  }
  return 'read'
}

describe('parse, texts that are refused', () => {
  it('names the line and column, and shows the line with a caret', () => {
    expect(() =>
      parse('module {\n  func.func @f() {\n    %0 = stablehlo.add %1, %1 : tensor<f32>\n  }\n}'),
    ).toThrow(
      'parse: no value of this name here [%1] [3:24]\n    %0 = stablehlo.add %1, %1 : tensor<f32>\n                       ^',
    )
  })

  it('shows a part of a long line', () => {
    const text = `module attributes {a = "${'x'.repeat(1000)}", b = ?, c = "${'y'.repeat(1000)}"} {}`
    expect(() => parse(text)).toThrow(
      `parse: expected a type [1:1032]\n... ${'x'.repeat(43)}", b = ?, c = "${'y'.repeat(42)} ...\n${' '.repeat(54)}^`,
    )
  })

  it.each<[string, string]>([
    ['%0 = stablehlo.add %x, %y : tensor<4xf32>', 'no value of this name here [%y] [2:24]'],
    ['%0 = stablehlo.add %x, %x : tensor<5xf32>', '%x is of type tensor<4xf32>, not tensor<5xf32> [2:6]'],
    [
      '%0 = "stablehlo.add"(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>',
      'stablehlo.add has 1 operands and 2 types of operands [2:6]',
    ],
    ['%0:2 = stablehlo.abs %x : tensor<4xf32>', 'stablehlo.abs has 1 results, the text names 2 [2:8]'],
    ['%x = stablehlo.abs %x : tensor<4xf32>', 'value defined twice [%x] [2:1]'],
    ['%0 = stablehlo.abs %x {a, a} : tensor<4xf32>', 'attribute given twice [a] [2:27]'],
    ['%0 = stablehlo.transpose %x, dim = [0] : tensor<4xf32>', "stablehlo.transpose has no 'dim' [2:30]"],
    [
      '%0 = arith.addf %x, %x : tensor<4xf32>',
      'no short spelling of this operation is known [arith.addf] [2:6]',
    ],
    ['"cf.br"()[^bb1] : () -> ()', 'branches between blocks are not read [2:10]'],
    [
      '%0 = stablehlo.constant dense<[1.0]> : tensor<2xf32>',
      'list of 1 where there are 2 [tensor<2xf32>] [2:31]',
    ],
    ['%0 = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<2xf32>', 'expected a number [2:32]'],
    ['%0 = stablehlo.constant dense<300> : tensor<i8>', 'integer outside 8 bits [300] [2:31]'],
    ['%0 = stablehlo.constant dense<-1> : tensor<ui8>', 'integer outside 8 bits [-1] [2:31]'],
    ['%0 = stablehlo.constant dense<1.5> : tensor<i8>', 'expected an integer [2:31]'],
    ['%0 = stablehlo.constant dense<0x1FF> : tensor<f8E5M2>', 'bit pattern outside 8 bits [0x1FF] [2:31]'],
    [
      '%0 = stablehlo.constant dense<"0x0"> : tensor<i8>',
      'expected a string of 0x and pairs of hex digits [2:31]',
    ],
    [
      '%0 = stablehlo.constant dense<"0x000000"> : tensor<2xi8>',
      'hex string of 3 bytes for a constant of 2 [tensor<2xi8>] [2:31]',
    ],
    ['%0 = stablehlo.constant dense<1> : tensor<?xi8>', 'constant whose shape is not fixed [2:33]'],
    [
      '%0 = stablehlo.constant dense<1> : tensor<2x!quant.uniform<i8:f32, 1.0>>',
      'elements of this type are not read [tensor<2x!quant.uniform<i8:f32, 1.0>>] [2:33]',
    ],
    ['%0 = stablehlo.abs %x : tensor<4xf33>', 'expected the type of an element [2:34]'],
    ['%0 = stablehlo.abs %x : tensor<4xf32> loc(#l)', 'no location of this name [#l] [2:43]'],
    [
      '%0 = stablehlo.reduce_precision %x, format = e5 : tensor<4xf32>',
      'expected a format, such as e5m10 [2:46]',
    ],
  ])('%s: %s', (text, expected) => {
    expect(problem(inFunction(text))).toBe(`parse: ${expected}`)
  })

  it.each<[string, string, string]>([
    ['lists', `module attributes {a = ${'['.repeat(deep)}`, 'nested more than 256 levels deep'],
    ['types', `module attributes {a = ${'tuple<'.repeat(deep)}`, 'nested more than 256 levels deep'],
    ['function types', `module attributes {a = ${'('.repeat(deep)}`, 'nested more than 256 levels deep'],
    ['regions', '"a.b"() ({'.repeat(deep), 'nested more than 256 levels deep'],
    ['modules', 'module {'.repeat(deep), 'nested more than 256 levels deep'],
    ['locations', `module {} loc(${'callsite('.repeat(deep)}`, 'nested more than 256 levels deep'],
    ['resources', `{-# ${'a: {'.repeat(deep)}`, 'nested more than 256 levels deep'],
    [
      'lists of elements',
      inFunction(`%0 = stablehlo.constant dense<${'['.repeat(deep)}> : tensor<${'1x'.repeat(deep)}f32>`),
      'nested more than 256 levels deep',
    ],
    ['brackets', `module attributes {a = #a.b<${'<'.repeat(deep)}`, "'<' without its '>'"],
    [
      'aliases in reverse',
      `${Array.from({ length: deep }, (_, i) => `#l${i} = loc("a"(#l${i + 1}))\n`).join('')}module {}`,
      'nested more than 256 levels deep',
    ],
    [
      'an alias of itself',
      '#a = [#b]\n#b = [#a]\nmodule attributes {a = #a} {}',
      'alias that is part of itself',
    ],
    [
      'a list of 2^40',
      inFunction('%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<1099511627776xf32>'),
      'too few elements for a constant of 1099511627776',
    ],
    [
      '2^80 elements',
      inFunction('%0 = stablehlo.constant dense<1.0> : tensor<1099511627776x1099511627776xf32>'),
      'constant of too many elements',
    ],
    [
      '10^9 results',
      inFunction('%0:1000000000 = stablehlo.abs %x : tensor<4xf32>'),
      'stablehlo.abs has 1 results',
    ],
    [
      'a dimension of 100,000 digits',
      `module attributes {a = tensor<${'9'.repeat(deep)}xf32>} {}`,
      'a dimension outside the whole numbers of 53 bits',
    ],
    [
      'an integer of 100,000 digits',
      `module attributes {a = ${'9'.repeat(deep)}} {}`,
      'number of more than 1024 characters',
    ],
    ['a string without an end', '"'.repeat(deep), 'expected the name of an operation with its dialect'],
  ])('%s: a place, soon', (_, text, expected) => {
    expect(problem(text)).toMatch(new RegExp(`^parse: ${expected}.* \\[\\d+:\\d+\\]$`))
  })

  it('compares types that aliases make of 2^60 parts', () => {
    const types = (name: string): string =>
      Array.from({ length: 60 }, (_, i) => `!${name}${i + 1} = tuple<!${name}${i}, !${name}${i}>\n`).join('')
    const text = `!a0 = tuple<>\n!b0 = tuple<>\n${types('a')}${types('b')}func.func @f(%x: !a60) { %0 = stablehlo.abs %x : !b60 return }`
    expect(problem(text)).toMatch(/^parse: %x is of type tuple<.*\.\.\./)
  })

  it('says how to write text where it is given bytecode or something else', () => {
    for (const given of ['ML\u00efR\u0001', 'ML\ufffdR', Uint8Array.of(0x4d, 0x4c, 0xef, 0x52)]) {
      expect(() => parse(given as string)).toThrow(/as_text\(debug_info=True\)/)
      expect(() => parse(given as string)).toThrow(TypeError)
    }
    expect(() => parse(3 as never)).toThrow(new TypeError('parse: text is not a text [3]'))
  })
})
