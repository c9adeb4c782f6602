import { readFileSync } from 'node:fs'
import { type Attribute, type Operation, parse } from 'tpu-toolkit/stablehlo'
import { describe, expect, it } from 'vitest'
import { canonical } from './canonical.js'
import { literals, names, textOf } from './texts.js'

/** The operations of a function whose body is given, all but its return. */
const body = (text: string, head = '%x: tensor<4xf32>, %i: tensor<i32>'): readonly Operation[] =>
  parse(`func.func @f(${head}) {\n${text}\nreturn\n}`)
    .functions.get('f')!
    .body.blocks[0]!.operations.slice(0, -1)

const only = (text: string, head?: string): Operation => body(text, head)[0]!
const attribute = (text: string): Attribute => parse(`module attributes {a = ${text}} {}`).attributes['a']!
const constant = (literal: string): Attribute & { kind: 'denseElements' } =>
  only(`%0 = stablehlo.constant ${literal}`).attributes['value'] as Attribute & { kind: 'denseElements' }
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('parse', () => {
  it.each(names)('gives the same module of both spellings of %s', (name) => {
    expect(canonical(parse(textOf(name)))).toEqual(canonical(parse(textOf(name, 'generic'))))
  })

  it('gives the operations of a text written by hand as MLIR prints them', () => {
    const written = readFileSync(
      new URL('../../scripts/golden/stablehlo_operations.mlir', import.meta.url),
      'utf8',
    )
    const options = { locations: false }
    expect(canonical(parse(written), options)).toEqual(
      canonical(parse(textOf('operations', 'generic')), options),
    )
  })

  it('reads more than 130 kinds of operations among them', () => {
    const kinds = new Set<string>()
    const walk = ({ name, regions }: Operation): void => {
      kinds.add(name)
      for (const { blocks } of regions) for (const { operations } of blocks) operations.forEach(walk)
    }
    for (const name of names) {
      for (const { body } of parse(textOf(name)).functions.values()) {
        for (const { operations } of body.blocks) operations.forEach(walk)
      }
    }
    expect(kinds.size).toBeGreaterThan(130)
  })
})

describe('parse, constants', () => {
  it.each(literals)('$literal has the codes of the reference interpreter', ({ literal, codes }) => {
    const { bytes, splat } = constant(literal)
    const size = splat ? bytes.length : bytes.length / codes.length
    const read = Array.from({ length: bytes.length / size }, (_, i) =>
      hex(bytes.slice(i * size, (i + 1) * size).reverse()).replace(/^0+(?=.)/, ''),
    )
    expect(splat ? codes.map(() => read[0]) : read).toEqual(codes)
  })

  it.each([
    ['dense<[-8, 7]> : tensor<2xi4>', 'f807'],
    ['dense<[0, 15]> : tensor<2xui4>', '000f'],
    ['dense<[-2, 1]> : tensor<2xi2>', 'fe01'],
    ['dense<[6.0, 0.3, -0.5]> : tensor<3xf4E2M1FN>', '070109'],
    ['dense<[28.0, 0.0625, -1.0]> : tensor<3xf6E3M2FN>', '1f012c'],
    ['dense<[(1.0, -2.0), (0x7F800000, 0.0)]> : tensor<2xcomplex<f32>>', '0000803f000000c00000807f00000000'],
    ['dense<[1, -1]> : tensor<2xi24>', '010000ffffff'],
    ['dense<"0x01020304"> : tensor<2xi16>', '01020304'],
    ['dense<"0x0501"> : tensor<9xi1>', '010001000000000001'],
  ])('%s has the bytes %s', (literal, bytes) => {
    expect(constant(literal)).toMatchObject({ splat: false })
    expect(hex(constant(literal).bytes)).toBe(bytes)
  })

  it('of equal elements is a splat in every spelling', () => {
    for (const literal of ['2.0', '[2.0, 2.0]', '"0x0000004000000040"', '"0x00000040"']) {
      expect(constant(`dense<${literal}> : tensor<2xf32>`)).toMatchObject({
        splat: true,
        bytes: Uint8Array.of(0, 0, 0, 64),
      })
    }
    expect(constant('dense<[0.0, -0.0]> : tensor<2xf32>').splat).toBe(false)
  })

  it('of 2^40 equal elements takes the bytes of one', () => {
    expect(constant('dense<1.0> : tensor<1099511627776xf32>').bytes).toHaveLength(4)
  })

  it('of no elements has no bytes', () => {
    for (const literal of ['dense<> : tensor<0x3xf32>', 'dense<[[], []]> : tensor<2x0xf32>']) {
      expect(constant(literal)).toMatchObject({ splat: false, bytes: new Uint8Array(0) })
    }
  })

  it('are looked up among the resources at the end of the text', () => {
    const text =
      'module { func.func @f() { %0 = stablehlo.constant dense_resource<w> : tensor<2xf32> return } }\n'
    const resources = '{-# dialect_resources: { builtin: { w: "0x040000000000803F00000040" } } #-}'
    const value = parse(text + resources).functions.get('f')!.body.blocks[0]!.operations[0]!.attributes[
      'value'
    ]
    expect(value).toMatchObject({
      kind: 'denseElements',
      splat: false,
      bytes: Uint8Array.of(0, 0, 128, 63, 0, 0, 0, 64),
    })
    expect(() => parse(text)).toThrow('parse: no such resource in the text [w] [1:66]')
    expect(() => parse(text.replace('<w>', '<__elided__>'))).toThrow(
      'constant that was left out when the text was written',
    )
  })
})

describe('parse, attributes', () => {
  it.each<[string, unknown]>([
    ['1', { kind: 'integer', value: 1, type: 'i64' }],
    ['-5 : i8', { kind: 'integer', value: -5, type: 'i8' }],
    ['18446744073709551615 : ui64', { kind: 'integer', value: 18446744073709551615n, type: 'ui64' }],
    ['true', { kind: 'integer', value: 1, type: 'i1' }],
    ['1.003 : bf16', { kind: 'float', value: 1, type: 'bf16' }],
    ['0x7F800000 : f32', { kind: 'float', value: Infinity, type: 'f32' }],
    ['0xFC00 : f16', { kind: 'float', value: -Infinity, type: 'f16' }],
    ['0.1', { kind: 'float', value: 0.1, type: 'f64' }],
    ['"a\\22b\\\\c\\n\\E2\\88\\9E"', { kind: 'string', value: 'a"b\\c\n\u221e' }],
    ['"\\FF"', { kind: 'string', value: '\u00ff' }],
    ['@a::@"b c"', { kind: 'symbol', name: 'a::@b c' }],
    ['array<i1: true, false>', { kind: 'denseArray', element: 'i1', values: [1, 0] }],
    ['array<f32: 1.5, 0x7F800000>', { kind: 'denseArray', element: 'f32', values: [1.5, Infinity] }],
    ['array<i64>', { kind: 'denseArray', element: 'i64', values: [] }],
    ['unit', { kind: 'unit' }],
    [
      '{b, c = [2]}',
      {
        kind: 'dictionary',
        entries: {
          b: { kind: 'unit' },
          c: { kind: 'array', values: [{ kind: 'integer', value: 2, type: 'i64' }] },
        },
      },
    ],
    [
      'tensor<?x2xf32, #stablehlo.bounds<3, ?>>',
      {
        kind: 'type',
        type: {
          kind: 'tensor',
          shape: [undefined, 2],
          element: 'f32',
          encoding: { kind: 'dialect', name: 'stablehlo.bounds', text: '3, ?' },
        },
      },
    ],
    [
      'tensor<2x!quant.uniform<i8:f32, 3.4:16>>',
      { kind: 'type', type: { kind: 'tensor', shape: [2], element: '!quant.uniform<i8:f32, 3.4:16>' } },
    ],
    [
      '(i32) -> (tuple<>, !stablehlo.token)',
      {
        kind: 'type',
        type: {
          kind: 'function',
          inputs: [{ kind: 'named', text: 'i32' }],
          results: [
            { kind: 'tuple', types: [] },
            { kind: 'named', text: '!stablehlo.token' },
          ],
        },
      },
    ],
    ['#stablehlo<precision HIGH>', { kind: 'dialect', name: 'stablehlo.precision', text: 'HIGH' }],
    [
      '#sdy.sharding<@mesh, [{"data"}, {}]>',
      { kind: 'dialect', name: 'sdy.sharding', text: '@mesh, [{"data"}, {}]' },
    ],
    ['affine_map<(d0) -> (d0)>', { kind: 'dialect', name: 'builtin.affine_map', text: '(d0) -> (d0)' }],
  ])('reads %s', (text, expected) => {
    expect(attribute(text)).toEqual(expected)
  })

  it('gives the fields of dimension numbers that the text leaves out', () => {
    expect(attribute('#stablehlo.gather<offset_dims = [1], index_vector_dim = 1>')).toMatchObject({
      name: 'stablehlo.gather',
      text: 'offset_dims = [1], index_vector_dim = 1',
      entries: {
        offset_dims: { values: [1] },
        collapsed_slice_dims: { values: [] },
        start_index_map: { values: [] },
        index_vector_dim: { value: 1 },
      },
    })
  })

  it('reads lists of integers that older texts write as constants', () => {
    const { attributes } = only(
      '%0 = "stablehlo.transpose"(%x) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<3x2xf32>',
      '%x: tensor<2x3xf32>',
    )
    expect(attributes).toEqual({ permutation: { kind: 'denseArray', element: 'i64', values: [1, 0] } })
  })

  it('keeps a name that objects have already as a name', () => {
    const { attributes } = parse('module attributes {__proto__ = 1, constructor = 2} {}')
    expect(Object.keys(attributes)).toEqual(['__proto__', 'constructor'])
  })
})

describe('parse, values and functions', () => {
  it('names the results of an operation of several', () => {
    const [barrier, add] = body(
      '%4:2 = stablehlo.optimization_barrier %x, %x : tensor<4xf32>, tensor<4xf32>\n%5 = stablehlo.add %4#1, %4#0 : tensor<4xf32>',
    )
    expect(barrier!.results.map(({ name }) => name)).toEqual(['4#0', '4#1'])
    expect(add!.operands).toEqual([barrier!.results[1], barrier!.results[0]])
    expect(add!.operands[0]).toBe(barrier!.results[1])
  })

  it('gives functions their visibility, attributes and declarations', () => {
    const { functions, name } = parse(`module @m {
      func.func public @main(%x: tensor<2xf32> {mhlo.donor = true} loc("p['w']")) -> (tensor<2xf32> {jax.result_info = "r"}) { return %x : tensor<2xf32> }
      func.func private @d(tensor<2xf32>) -> tensor<2xf32> attributes {a} loc("d.py":3:4 to :9)
    }`)
    expect(name).toBe('m')
    const main = functions.get('main')!
    expect(main.visibility).toBe('public')
    expect(main.argumentAttributes).toEqual([{ 'mhlo.donor': { kind: 'integer', value: 1, type: 'i1' } }])
    expect(main.resultAttributes).toEqual([{ 'jax.result_info': { kind: 'string', value: 'r' } }])
    expect(main.body.blocks[0]!.arguments[0]!.location).toEqual({ kind: 'name', name: "p['w']" })
    expect(main.position).toEqual({ line: 2, column: 7 })
    expect(functions.get('d')).toMatchObject({
      visibility: 'private',
      body: { blocks: [] },
      attributes: { a: { kind: 'unit' } },
      location: { kind: 'file', file: 'd.py', line: 3, column: 4, endLine: 3, endColumn: 9 },
    })
  })

  it('shares one location among the operations that name it, wherever it is defined', () => {
    const [a, b] = body(
      '%0 = stablehlo.add %x, %x : tensor<4xf32> loc(#l)\n%1 = stablehlo.abs %0 : tensor<4xf32> loc(#l)\nreturn }\n#l = loc(callsite("f"(#m) at fused<"x">["a.py":1:2 to 3:4, unknown]))\n#m = loc("b.py":5:6)\nfunc.func @g() {',
    )
    expect(a!.location).toBe(b!.location)
    expect(a!.location).toEqual({
      kind: 'callsite',
      callee: { kind: 'name', name: 'f', child: { kind: 'file', file: 'b.py', line: 5, column: 6 } },
      caller: {
        kind: 'fused',
        locations: [
          { kind: 'file', file: 'a.py', line: 1, column: 2, endLine: 3, endColumn: 4 },
          { kind: 'unknown' },
        ],
      },
    })
  })

  it('takes chains of calls of any length in the order of MLIR', () => {
    const chain = Array.from({ length: 5000 }, (_, i) => `#l${i + 1} = loc(callsite("f" at #l${i}))`).join(
      '\n',
    )
    expect(parse(`module {} loc(#l5000)\n#l0 = loc("a.py":1:1)\n${chain}`).location.kind).toBe('callsite')
  })

  it('reads aliases of types and attributes, comments and a byte order mark', () => {
    const { functions } = parse(
      '\ufeff// a comment\n!t = tensor<2xf32>\n#a = {b = 1}\nfunc.func @f(%x: !t) attributes {c = #a} { return } // end',
    )
    expect(functions.get('f')).toMatchObject({
      type: { inputs: [{ shape: [2] }] },
      attributes: { c: { kind: 'dictionary', entries: { b: { value: 1 } } } },
    })
  })

  it('keeps modules in modules and other operations of the top level', () => {
    const { operations } = parse(
      'module { sdy.mesh @m = <["a"=2]> module @inner { func.func @f() { return } } }',
    )
    expect(operations.map(({ name }) => name)).toEqual(['sdy.mesh', 'builtin.module'])
    expect(operations[1]!.regions[0]!.blocks[0]!.operations[0]!.name).toBe('func.func')
  })

  it('reads the operations by which tests of the specification check themselves', () => {
    const [eq, close, same, probe, serialized] = body(`
      check.expect_eq_const %x, dense<1.0> : tensor<4xf32>
      check.expect_close %x, %x, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<4xf32>, tensor<4xf32>
      check.expect_eq %x, %x : tensor<4xf32>
      %0 = interpreter.probe %x, probe_id = "p" : tensor<4xf32>
      check.expect_serialized_eq %0, probe_id = "p", iter = 1 : tensor<4xf32>`)
    expect(eq!.attributes['value']).toMatchObject({ kind: 'denseElements', splat: true })
    expect(close!.attributes).toMatchObject({
      max_ulp_difference: { value: 3 },
      min_ulp_difference: { value: 1 },
    })
    expect(same!.operands).toEqual(close!.operands)
    expect(probe!.results[0]!.type).toBe(same!.operands[0]!.type)
    expect(serialized!.attributes['probe_id']).toEqual({ kind: 'string', value: 'p' })
  })
})
