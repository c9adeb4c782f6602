import { droppedRoundings, type ProgramOptions, parse, programOf } from 'tpu-toolkit/stablehlo'
import { fromBits, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { arrayType, bytesOfValue, valueOfBytes } from '../../scripts/stablehlo/values.js'
import { type StableHloKey, stablehloKeys } from '../support/stablehloKeys.js'

const keys = stablehloKeys('jit')

/** How many numbers of a program are those of jax.jit, and how many there are. */
function equalNumbers(
  key: StableHloKey,
  oracle: 'jit' | 'default',
  options: ProgramOptions,
): [number, number] {
  const values = key.arguments.map(({ type, bytes }) => valueOfBytes(arrayType(type), bytes))
  const found = programOf(parse(key.text), options).run(...values)
  let equal = 0
  let all = 0
  for (const [i, { type, bytes }] of key.oracles[oracle]!.results.entries()) {
    const own = bytesOfValue(found[i]!)
    const count = (found[i] as Tensor).size
    const width = bytes.length / Math.max(1, count)
    expect(own.length, type).toBe(bytes.length)
    for (let k = 0; k < count; k++) {
      const place = k * width
      all++
      if (own.subarray(place, place + width).every((byte, j) => byte === bytes[place + j])) equal++
    }
  }
  return [equal, all]
}

describe('programOf, as jax.jit on the CPU', () => {
  it('has 35 programs', () => {
    expect(keys.length).toBe(35)
  })

  it.each(keys.map((key) => [key.name, key] as const))('%s: every number, with default flags', (_, key) => {
    const [equal, all] = equalNumbers(key, 'default', { rounding: 'xla-jit' })
    expect(equal).toBe(all)
  })

  it('with excess precision off: every number of the bfloat16 steps', () => {
    for (const key of keys.filter(({ name }) => /(step|rnn|block).*bfloat16/.test(name))) {
      const [equal, all] = equalNumbers(key, 'jit', { reduce: 'xla-cpu' })
      expect([key.name, equal]).toEqual([key.name, all])
    }
  })
})

/** bfloat16 in and out, with operations between. */
const text = (
  body: string,
  out = 'f32',
): string => `func.func @main(%a: tensor<2xbf16>, %b: tensor<2xbf16>) -> tensor<2x${out}> {
${body}
  return %r : tensor<2x${out}>
}`
const sum = '  %0 = stablehlo.add %a, %b : tensor<2xbf16>\n'
const convert = (from: string): string =>
  `  %r = stablehlo.convert ${from} : (tensor<2xbf16>) -> tensor<2xf32>`
const a = tensor([256, 1], { dtype: 'bfloat16' })
const b = tensor([1, 2 ** -9], { dtype: 'bfloat16' })
const of = (program: string, rounding: 'each' | 'xla-jit' | 'fused'): unknown =>
  (programOf(parse(program), { rounding }).run(a, b)[0] as Tensor).toNested()

describe("programOf, rounding: 'xla-jit'", () => {
  it('a cast to float32 takes a bfloat16 result before it is rounded', () => {
    expect(of(text(sum + convert('%0')), 'each')).toEqual([256, 1])
    expect(of(text(sum + convert('%0')), 'xla-jit')).toEqual([257, 1 + 2 ** -9])
  })

  it('a change of shape between, or a cast that the text has before, keeps the rounding', () => {
    const shaped = `${sum}  %1 = stablehlo.reshape %0 : (tensor<2xbf16>) -> tensor<2xbf16>\n${convert('%1')}`
    expect(of(text(shaped), 'xla-jit')).toEqual([256, 1])
    const cast = `  %0 = stablehlo.convert %a : (tensor<2xbf16>) -> tensor<2xf32>
  %1 = stablehlo.convert %b : (tensor<2xbf16>) -> tensor<2xf32>
  %2 = stablehlo.add %0, %1 : tensor<2xf32>
  %3 = stablehlo.convert %2 : (tensor<2xf32>) -> tensor<2xbf16>
`
    expect(of(text(cast + convert('%3')), 'xla-jit')).toEqual([256, 1])
  })

  it('goes through calls, and gives others the rounded value', () => {
    const called = `func.func @main(%a: tensor<2xbf16>, %b: tensor<2xbf16>) -> (tensor<2xf32>, tensor<2xbf16>) {
  %0 = stablehlo.add %a, %b : tensor<2xbf16>
  %1 = func.call @wide(%0) : (tensor<2xbf16>) -> tensor<2xf32>
  return %1, %0 : tensor<2xf32>, tensor<2xbf16>
}
func.func private @wide(%x: tensor<2xbf16>) -> tensor<2xf32> {
  %0 = stablehlo.convert %x : (tensor<2xbf16>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}`
    const [wide, narrow] = programOf(parse(called), { rounding: 'xla-jit' }).run(a, b) as Tensor[]
    expect(wide!.toNested()).toEqual([257, 1 + 2 ** -9])
    expect(narrow!.toNested()).toEqual([256, 1])
  })

  it('a division by what is repeated is a product with its float16 reciprocal', () => {
    const divide = `func.func @main(%a: tensor<3xf16>, %b: tensor<f16>) -> tensor<3xf16> {
  %0 = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f16>) -> tensor<3xf16>
  %1 = stablehlo.divide %a, %0 : tensor<3xf16>
  return %1 : tensor<3xf16>
}`
    const x = tensor([41, 82, 123], { dtype: 'float16' })
    const n = fromBits(tensor(41, { dtype: 'float16' }).toBits(), { dtype: 'float16', shape: [] })
    const [exact] = programOf(parse(divide)).run(x, n) as Tensor[]
    const [product] = programOf(parse(divide), { rounding: 'xla-jit' }).run(x, n) as Tensor[]
    expect(exact!.toNested()).toEqual([1, 2, 3])
    expect(product!.toNested()).not.toEqual([1, 2, 3])
  })
})

describe("programOf, rounding: 'fused'", () => {
  it('rounds where a value leaves a chain of operations on elements', () => {
    const back = `${sum}  %r = stablehlo.subtract %0, %a : tensor<2xbf16>`
    expect(of(text(back, 'bf16'), 'each')).toEqual([0, 0])
    expect(of(text(back, 'bf16'), 'fused')).toEqual([1, 2 ** -9])
    expect(of(text(back, 'bf16'), 'xla-jit')).toEqual([0, 0])
  })

  it('compares what is not rounded, and rounds before a cast', () => {
    const compare = `${sum}  %1 = stablehlo.compare GT, %0, %a, FLOAT : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xi1>
  %r = stablehlo.convert %1 : (tensor<2xi1>) -> tensor<2xf32>`
    expect(of(text(compare), 'each')).toEqual([0, 0])
    expect(of(text(compare), 'fused')).toEqual([1, 1])
    expect(of(text(sum + convert('%0')), 'fused')).toEqual([256, 1])
  })
})

describe('droppedRoundings', () => {
  it('names the operation that rounds and the cast that reads it unrounded', () => {
    const module = parse(text(sum + convert('%0')))
    const [only, ...others] = droppedRoundings(module)
    expect(others).toEqual([])
    expect([only!.operation.name, only!.cast.name]).toEqual(['stablehlo.add', 'stablehlo.convert'])
  })

  it('finds those of a step by their lines of Python', () => {
    const key = keys.find(({ name }) => name === 'gpt block gradient bfloat16')!
    const found = droppedRoundings(parse(key.text))
    expect(found.length).toBeGreaterThan(4)
    expect(found.every(({ site }) => /\.py:\d+/.test(site))).toBe(true)
  })

  it('throws for a function that is not there', () => {
    expect(() => droppedRoundings(parse(text(sum + convert('%0'))), { function: 'other' })).toThrow(
      'droppedRoundings: the module has no such function, it has main [other]',
    )
  })
})
