import { type Tensor, tensor } from 'tpu-toolkit'
import { type Program, type ProgramOptions, parse, programOf } from 'tpu-toolkit/stablehlo'
import { describe, expect, it } from 'vitest'

/** A program of one function: its arguments, its result types, its body. */
function program(head: string, results: string, body: string, options?: ProgramOptions): Program {
  return programOf(parse(`func.func public @main(${head}) -> (${results}) {\n${body}\n}`), options)
}

const f32 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  tensor([...values], { shape })

const i32 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  tensor([...values], { shape, dtype: 'int32' })

/** What a program gives, nested. */
function nested(from: Program, ...values: Tensor[]): unknown[] {
  return from.run(...values).map((value) => (value as Tensor).toNested())
}

describe('programOf, one operation', () => {
  const one = (
    what: string,
    head: string,
    result: string,
    body: string,
    values: readonly Tensor[],
    expected: unknown,
    options?: ProgramOptions,
  ): readonly [string, () => unknown, unknown] => [
    what,
    () => nested(program(head, result, `${body}\nreturn %0 : ${result}`, options), ...values)[0],
    expected,
  ]

  // The values are those of the specification's examples and of its reference interpreter.
  it.each([
    one(
      'pad takes away and puts between',
      '%x: tensor<2x3xi32>, %v: tensor<i32>',
      'tensor<5x9xi32>',
      '%0 = stablehlo.pad %x, %v, low = [0, 1], high = [2, 1], interior = [1, 2] : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>',
      [i32([1, 2, 3, 4, 5, 6], [2, 3]), i32([0], [])],
      [
        [0, 1, 0, 0, 2, 0, 0, 3, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 4, 0, 0, 5, 0, 0, 6, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0],
      ],
    ),
    one(
      'pad takes away what the other side added',
      '%x: tensor<2xi32>, %v: tensor<i32>',
      'tensor<4xi32>',
      '%0 = stablehlo.pad %x, %v, low = [-3], high = [5], interior = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<4xi32>',
      [i32([1, 2]), i32([9], [])],
      [9, 9, 9, 9],
    ),
    one(
      'dynamic_slice moves the part inside',
      '%x: tensor<4x4xi32>, %a: tensor<i64>, %b: tensor<i64>',
      'tensor<3x3xi32>',
      '%0 = stablehlo.dynamic_slice %x, %a, %b, sizes = [3, 3] : (tensor<4x4xi32>, tensor<i64>, tensor<i64>) -> tensor<3x3xi32>',
      [
        i32(
          Array.from({ length: 16 }, (_, i) => i),
          [4, 4],
        ),
        tensor([-1], { shape: [], dtype: 'int64' }),
        tensor([3], { shape: [], dtype: 'int64' }),
      ],
      [
        [1, 2, 3],
        [5, 6, 7],
        [9, 10, 11],
      ],
    ),
    one(
      'sort keeps the order of equals',
      '%x: tensor<6xf32>, %y: tensor<6xi32>',
      'tensor<6xi32>',
      `%s:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
       ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
         %p = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
         stablehlo.return %p : tensor<i1>
       }) : (tensor<6xf32>, tensor<6xi32>) -> (tensor<6xf32>, tensor<6xi32>)
       %0 = stablehlo.add %s#1, %y : tensor<6xi32>`,
      [f32([1, 3, 2, 3, 1, 2]), i32([0, 0, 0, 0, 0, 0])],
      [0, 0, 0, 0, 0, 0],
    ),
    one(
      'sort takes any comparison',
      '%x: tensor<7xi32>',
      'tensor<7xi32>',
      `%0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
       ^bb0(%a: tensor<i32>, %b: tensor<i32>):
         %3 = stablehlo.constant dense<3> : tensor<i32>
         %l = stablehlo.remainder %a, %3 : tensor<i32>
         %r = stablehlo.remainder %b, %3 : tensor<i32>
         %p = stablehlo.subtract %l, %r : tensor<i32>
         %z = stablehlo.constant dense<0> : tensor<i32>
         %q = stablehlo.compare LT, %p, %z, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
         stablehlo.return %q : tensor<i1>
       }) : (tensor<7xi32>) -> tensor<7xi32>`,
      [i32([5, 4, 3, 2, 1, 0, 9])],
      [3, 0, 9, 4, 1, 5, 2],
    ),
    one(
      'reduce takes any body, the initial value first',
      '%x: tensor<4xf32>',
      'tensor<f32>',
      `%i = stablehlo.constant dense<1.0> : tensor<f32>
       %0 = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
       reducer(%a: tensor<f32>, %b: tensor<f32>) {
         %m = stablehlo.multiply %a, %b : tensor<f32>
         %s = stablehlo.add %m, %b : tensor<f32>
         stablehlo.return %s : tensor<f32>
       }`,
      [f32([2, 3, 4, 5])],
      // ((((1 * 2 + 2) * 3 + 3) * 4 + 4) * 5 + 5)
      325,
    ),
    one(
      'reduce adds in the dtype of its body',
      '%x: tensor<300xbf16>',
      'tensor<bf16>',
      `%i = stablehlo.constant dense<0.0> : tensor<bf16>
       %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : (tensor<300xbf16>, tensor<bf16>) -> tensor<bf16>`,
      [tensor(new Array(300).fill(1), { dtype: 'bfloat16' })],
      256,
    ),
    ...(['float32', 'operands'] as const).map((dot) =>
      one(
        `dot_general adds in ${dot === 'operands' ? 'the dtype of its result' : 'float32'} under dot: '${dot}'`,
        '%x: tensor<300xbf16>',
        'tensor<bf16>',
        '%0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<300xbf16>, tensor<300xbf16>) -> tensor<bf16>',
        [tensor(new Array(300).fill(1), { dtype: 'bfloat16' })],
        dot === 'operands' ? 256 : 300,
        { dot },
      ),
    ),
    one(
      'scatter leaves out updates that do not lie inside',
      '%x: tensor<3xi32>, %i: tensor<4x1xi32>, %u: tensor<4xi32>',
      'tensor<3xi32>',
      `%0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
       ^bb0(%a: tensor<i32>, %b: tensor<i32>):
         %s = stablehlo.subtract %a, %b : tensor<i32>
         stablehlo.return %s : tensor<i32>
       }) : (tensor<3xi32>, tensor<4x1xi32>, tensor<4xi32>) -> tensor<3xi32>`,
      [i32([10, 20, 30]), i32([0, 3, 0, -1], [4, 1]), i32([1, 100, 2, 100])],
      [7, 20, 30],
    ),
    one(
      'select_and_scatter adds at the selected places',
      '%x: tensor<4xf32>, %s: tensor<2xf32>, %i: tensor<f32>',
      'tensor<4xf32>',
      `%0 = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, padding = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
       ^bb0(%a: tensor<f32>, %b: tensor<f32>):
         %g = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
         stablehlo.return %g : tensor<i1>
       }, {
       ^bb0(%a: tensor<f32>, %b: tensor<f32>):
         %g = stablehlo.add %a, %b : tensor<f32>
         stablehlo.return %g : tensor<f32>
       }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>`,
      [f32([1, 1, 5, 2]), f32([10, 20]), f32([0.5], [])],
      [0.5, 0.5, 30.5, 0.5],
    ),
    one(
      'reduce_window has windows with holes',
      '%x: tensor<3x2xi32>, %i: tensor<i32>',
      'tensor<2x2xi32>',
      `%0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>}> ({
       ^bb0(%a: tensor<i32>, %b: tensor<i32>):
         %g = stablehlo.add %a, %b : tensor<i32>
         stablehlo.return %g : tensor<i32>
       }) : (tensor<3x2xi32>, tensor<i32>) -> tensor<2x2xi32>`,
      [i32([1, 2, 3, 4, 5, 6], [3, 2]), i32([0], [])],
      [
        [0, 0],
        [3, 4],
      ],
    ),
    one(
      'compare puts -0 below +0 and NaN last in total order',
      '%x: tensor<4xf32>, %y: tensor<4xf32>',
      'tensor<4xi1>',
      '%0 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>',
      [f32([-0, 0, Infinity, Number.NaN]), f32([0, -0, Number.NaN, 1])],
      [true, false, true, false],
    ),
    one(
      'round_nearest_afz goes away from zero at halves alone',
      '%x: tensor<5xf32>',
      'tensor<5xf32>',
      '%0 = stablehlo.round_nearest_afz %x : tensor<5xf32>',
      [f32([-2.5, 0.49999997, 0.5, 8388609, -0])],
      [-3, 0, 1, 8388609, -0],
    ),
    one(
      'divide and remainder of integers by zero are -1 and the dividend',
      '%x: tensor<3xi32>, %y: tensor<3xi32>',
      'tensor<3xi32>',
      `%q = stablehlo.divide %x, %y : tensor<3xi32>
       %r = stablehlo.remainder %x, %y : tensor<3xi32>
       %c = stablehlo.constant dense<100> : tensor<3xi32>
       %m = stablehlo.multiply %q, %c : tensor<3xi32>
       %0 = stablehlo.add %m, %r : tensor<3xi32>`,
      [i32([7, -7, 5]), i32([0, 2, -3])],
      [-93, -301, -98],
    ),
  ])('%s', (_, found, expected) => expect(found()).toEqual(expected))

  it('fft and its inverse give back what went in', () => {
    const there = program(
      '%x: tensor<6xf32>',
      'tensor<6xf32>',
      `%0 = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<6xf32>) -> tensor<4xcomplex<f32>>
       %1 = stablehlo.fft %0, type = IRFFT, length = [6] : (tensor<4xcomplex<f32>>) -> tensor<6xf32>
       return %1 : tensor<6xf32>`,
    )
    const values = [1, -2, 3, 5, 8, 0.5]
    // Both transforms round once to float32, of numbers up to 20.
    for (const [i, value] of (nested(there, f32(values))[0] as number[]).entries()) {
      expect(Math.abs(value - values[i]!)).toBeLessThanOrEqual(20 * 2 ** -23)
    }
  })
})
