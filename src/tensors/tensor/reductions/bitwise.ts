import { apply, checkOut, type OutOption } from '../storage/apply.js'
import { type AxisOptions, axisNames, keepsDims } from '../storage/axisOptions.js'
import { axisFirst, checkCall } from '../storage/checkCall.js'
import { allocate, type DType, elementsIn, type IntegerDType, isBig, isInteger } from '../storage/dtype.js'
import { normalizeAxes, sizeOf } from '../storage/shape.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'
import { writer } from './accumulate.js'
import type { Extremum } from './extremum.js'
import { lanesOf, placeIn, reducedShape } from './lanes.js'

function bitwise(name: string, start: number, step: (a: number, b: number) => number): KnownOp<Extremum> {
  return {
    name,
    form: 'reduce',
    rounds: 'decides',
    kernel: ([x], { axes, keepDims }, out) => {
      const { dtype } = x!
      if (!isInteger(dtype) && dtype !== 'bool') {
        throw new TypeError(`${name}: needs integers or bool [${dtype}]`)
      }
      const shape = reducedShape(x!.shape, axes, keepDims)
      checkOut(name, out, dtype, shape)
      const data = out?.data ?? allocate(dtype, sizeOf(shape))
      const lanes = lanesOf(x!.shape, axes)
      const values = elementsIn(x!.data)
      // Bigints have the same operators.
      const first = dtype === 'bool' ? start & 1 : isBig(data) ? (BigInt(start) as unknown as number) : start
      const write = writer(dtype, data)
      for (const [k, from] of lanes.starts.entries()) {
        let result = first
        for (let i = 0; i < lanes.length; i++) result = step(result, values[from + placeIn(lanes, i)]!)
        write(k, result)
      }
      return out ?? new Tensor<DType>(dtype, shape, data)
    },
  }
}

export const reduceAndOp: KnownOp<Extremum> = bitwise('reduceAnd', -1, (a, b) => a & b)
export const reduceOrOp: KnownOp<Extremum> = bitwise('reduceOr', 0, (a, b) => a | b)
export const reduceXorOp: KnownOp<Extremum> = bitwise('reduceXor', 0, (a, b) => a ^ b)

/** A reduction of integers or bool by their bits, over axes (all by default). */
export type BitwiseReduction = <D extends IntegerDType | 'bool', O extends D = D>(
  x: Tensor<D>,
  options?: AxisOptions & OutOption<O>,
) => Tensor<D>

function named(op: KnownOp<Extremum>): BitwiseReduction {
  const names = { ...axisNames, out: 'optional' } as const
  const of = <D extends DType>(x: Tensor<D>, options?: AxisOptions & OutOption<D>): Tensor<D> => {
    checkCall(op.name, x, options, names, axisFirst)
    const { axis, out } = options ?? {}
    const keepDims = keepsDims(op.name, options)
    return apply(op, [x], { axes: normalizeAxes(op.name, axis, x.rank), keepDims }, out) as Tensor<D>
  }
  return Object.defineProperty(of, 'name', { value: op.name }) as BitwiseReduction
}

/**
 * Bits that are 1 in all elements over axes; all ones of no elements.
 *
 * @example reduceAnd(tensor([[12, 10], [7, 5]], { dtype: 'uint8' }), { axis: 1 }).toNested() // [8, 5]
 */
export const reduceAnd: BitwiseReduction = named(reduceAndOp)

/**
 * Bits that are 1 in any element over axes; 0 of no elements.
 *
 * @example reduceOr(tensor([12, 10, 1], { dtype: 'uint8' })).item() // 15
 */
export const reduceOr: BitwiseReduction = named(reduceOrOp)

/**
 * Bits that are 1 in an odd number of elements over axes; 0 of no elements.
 *
 * @example reduceXor(tensor([12, 10, 1], { dtype: 'uint8' })).item() // 7
 */
export const reduceXor: BitwiseReduction = named(reduceXorOp)
