import { parse, programOf } from 'tpu-toolkit/stablehlo'
import { type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { runFile } from '../../scripts/stablehlo/runFile.js'

// Operations and options at the edges of the specification.

const kinds = (body: string): readonly string[] =>
  runFile(`func.func @main() {\n${body}\nfunc.return\n}`).map(({ kind, reason }) => reason || kind)

describe('compare, WEAKORDER', () => {
  // -NaN, Inf, NaN, -0, -Inf against NaN, -NaN, Inf, 0, NaN
  it.each([
    ['EQ', 'true, false, false, true, false'],
    ['NE', 'false, true, true, false, true'],
    ['GE', 'true, false, true, true, false'],
    ['GT', 'false, false, true, false, false'],
    ['LE', 'true, true, false, true, true'],
    ['LT', 'false, true, false, false, true'],
  ])('%s: both zeros are one, every NaN is one above Inf', (direction, expected) => {
    expect(
      kinds(`
      %a = stablehlo.constant dense<[0xFFC00000, 0x7F800000, 0x7FC00000, -0.0, 0xFF800000]> : tensor<5xf32>
      %b = stablehlo.constant dense<[0x7FC00000, 0xFFC00000, 0x7F800000, 0.0, 0x7FC00000]> : tensor<5xf32>
      %r = stablehlo.compare ${direction}, %a, %b, WEAKORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
      check.expect_eq_const %r, dense<[${expected}]> : tensor<5xi1>`),
    ).toEqual(['passed'])
  })
})

describe('programOf, divideByZero', () => {
  const run = (op: string, divideByZero: 'xla' | 'zero'): unknown => {
    const text = `func.func @main(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
      %0 = stablehlo.${op} %a, %b : tensor<4xi32>
      return %0 : tensor<4xi32> }`
    const [found] = programOf(parse(text), { divideByZero }).run(
      tensor([5, -5, -(2 ** 31), 7], { dtype: 'int32' }),
      tensor([0, 0, -1, -2], { dtype: 'int32' }),
    )
    return (found as Tensor).toNested()
  }

  it('xla: as jax.jit', () => {
    expect(run('divide', 'xla')).toEqual([-1, -1, -(2 ** 31), -3])
    expect(run('remainder', 'xla')).toEqual([5, -5, 0, 1])
  })

  it("zero: as the specification's reference interpreter", () => {
    expect(run('divide', 'zero')).toEqual([0, 0, 0, -3])
    expect(run('remainder', 'zero')).toEqual([0, 0, 0, 1])
  })
})

describe('operations of chlo', () => {
  it('mulhi: the upper half of the product, of every width', () => {
    for (const [type, a, b, expected] of [
      ['i8', '[64, -64, 127]', '[4, 4, 127]', '[1, -1, 63]'],
      ['ui8', '[255, 16, 2]', '[255, 16, 2]', '[254, 1, 0]'],
      ['i32', '[65536, -65536, 3]', '[65536, 65536, 3]', '[1, -1, 0]'],
      [
        'ui64',
        '[4294967296, 18446744073709551615, 1]',
        '[4294967296, 18446744073709551615, 1]',
        '[1, 18446744073709551614, 0]',
      ],
    ]) {
      expect(
        kinds(`
        %a = stablehlo.constant dense<${a}> : tensor<3x${type}>
        %b = stablehlo.constant dense<${b}> : tensor<3x${type}>
        %r = "chlo.mulhi"(%a, %b) : (tensor<3x${type}>, tensor<3x${type}>) -> tensor<3x${type}>
        check.expect_eq_const %r, dense<${expected}> : tensor<3x${type}>`),
      ).toEqual(['passed'])
    }
  })

  it.each([
    ['', '[[1, 3, 6], [4, 9, 15]]', '[6, 15]'],
    [' attributes {is_reverse = true}', '[[6, 5, 3], [15, 11, 6]]', '[6, 15]'],
  ])('scan: running sums along an axis%s', (attributes, sums, last) => {
    expect(
      kinds(`
      %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
      %z = stablehlo.constant dense<0> : tensor<2xi32>
      %r:2 = chlo.scan(%x) inits(%z) dimension=1${attributes} {
      ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
        %s = stablehlo.add %a, %b : tensor<2xi32>
        stablehlo.return %s, %s : tensor<2xi32>, tensor<2xi32>
      } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
      check.expect_eq_const %r#0, dense<${sums}> : tensor<2x3xi32>
      check.expect_eq_const %r#1, dense<${last}> : tensor<2xi32>`),
    ).toEqual(['passed'])
  })

  it('ragged_dot: every group of rows times its own matrix, zeros behind the last', () => {
    expect(
      kinds(`
      %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
      %b = stablehlo.constant dense<[[[1.0], [1.0]], [[10.0], [100.0]]]> : tensor<2x2x1xf32>
      %n = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
      %r = "chlo.ragged_dot"(%a, %b, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<4x2xf32>, tensor<2x2x1xf32>, tensor<2xi32>) -> tensor<4x1xf32>
      check.expect_eq_const %r, dense<[[3.0], [430.0], [650.0], [0.0]]> : tensor<4x1xf32>`),
    ).toEqual(['passed'])
  })
})

describe('shapes that are operands', () => {
  it('are taken where they are known', () => {
    expect(
      kinds(`
      %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
      %i = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
      %flat = stablehlo.constant dense<[6]> : tensor<1xi32>
      %f = stablehlo.dynamic_reshape %i, %flat : (tensor<?x?xi32>, tensor<1xi32>) -> tensor<?xi32>
      %s = stablehlo.add %f, %f : tensor<?xi32>
      %from = stablehlo.constant dense<[1]> : tensor<1xi32>
      %to = stablehlo.constant dense<[6]> : tensor<1xi32>
      %step = stablehlo.constant dense<[2]> : tensor<1xi32>
      %r = stablehlo.real_dynamic_slice %s, %from, %to, %step : (tensor<?xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
      %e = stablehlo.constant dense<[2, 0, 4]> : tensor<3xi32>
      "check.expect_eq"(%r, %e) : (tensor<?xi32>, tensor<3xi32>) -> ()`),
    ).toEqual(['passed'])
  })

  it('an argument of dynamic shape is refused', () => {
    const text = 'func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }'
    expect(() => programOf(parse(text))).toThrow(/has a dynamic shape/)
  })
})

describe('foreign calls that are computed', () => {
  const numbers = (x: unknown): readonly number[] => [...(x as Tensor).toNumbers()]

  it('gesdd: u s v is the matrix again, s descends, both bases are orthonormal, for both ways of writing the call', () => {
    const a = tensor([
      [1, 2],
      [3, 4],
      [5, 6],
    ])
    const ffi = `func.func @main(%a: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<3x3xf32>, tensor<2x2xf32>) {
      %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%a) {mhlo.backend_config = {mode = 65 : ui8}} : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<3x3xf32>, tensor<2x2xf32>, tensor<i32>)
      return %0#1, %0#2, %0#3 : tensor<2xf32>, tensor<3x3xf32>, tensor<2x2xf32> }`
    const old = `func.func @main(%a: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<3x3xf32>, tensor<2x2xf32>) {
      %1 = stablehlo.constant dense<1> : tensor<i32>
      %0:7 = stablehlo.custom_call @lapack_sgesdd(%1, %1, %1, %1, %1, %1, %a) {} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<3x3xf32>, tensor<2x2xf32>, tensor<i32>, tensor<16xi32>, tensor<40xf32>)
      return %0#1, %0#2, %0#3 : tensor<2xf32>, tensor<3x3xf32>, tensor<2x2xf32> }`
    for (const text of [ffi, old]) {
      const [s, u, vt] = programOf(parse(text)).run(a).map(numbers) as [number[], number[], number[]]
      // numpy.linalg.svd: 9.52551809, 0.51430058
      expect(s[0]).toBeCloseTo(9.52551809, 5)
      expect(s[1]).toBeCloseTo(0.51430058, 5)
      for (let i = 0; i < 3; i++) {
        for (let j = 0; j < 2; j++) {
          const back = [0, 1].reduce((sum, k) => sum + u[3 * i + k]! * s[k]! * vt[2 * k + j]!, 0)
          expect(back).toBeCloseTo(numbers(a)[2 * i + j]!, 5)
        }
        for (let j = 0; j < 3; j++) {
          const product = [0, 1, 2].reduce((sum, k) => sum + u[3 * k + i]! * u[3 * k + j]!, 0)
          expect(product).toBeCloseTo(i === j ? 1 : 0, 5)
        }
      }
    }
  })

  it('other foreign code is refused with its name', () => {
    const text = `func.func @main(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
      %0 = stablehlo.custom_call @tpu_custom_call(%a) : (tensor<3x3xf32>) -> tensor<3x3xf32>
      return %0 : tensor<3x3xf32> }`
    expect(() => programOf(parse(text))).toThrow(/foreign code.*\[tpu_custom_call\]/)
  })
})
