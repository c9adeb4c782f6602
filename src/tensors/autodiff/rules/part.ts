import { apply, concat, full, type KnownOp, type Range, slice, type Tensor } from '../../tensor/index.js'
import type { GradientRule } from './gradientRule.js'

/** Rows of an axis, from one to before another. */
export interface Part {
  readonly axis: number
  readonly from: number
  readonly to: number
}

/** Rows of a tensor that is cut into parts: as `slice`, but the cotangents of the parts meet without an addition of zeros. */
export const partOp: KnownOp<Part> = {
  name: 'part',
  form: 'view',
  rounds: 'never',
  kernel: ([x], { axis, from, to }) => {
    const ranges: Range[] = x!.shape.map(() => null)
    ranges[axis] = [from, to]
    return slice(x!, ranges)
  },
}

/** Rows of a tensor along its first axis. */
export function partOf(x: Tensor, from: number, to: number): Tensor {
  return apply(partOp, [x], { axis: 0, from, to })
}

/** The cotangent among negative zeros, which change nothing that is added to them, the sign of a zero included. */
export const partRule: GradientRule<Part> = ({ g, inputs: [x], attributes: { axis, from, to } }) => {
  const rows = (length: number): Tensor => {
    const shape = x!.shape.map((own, i) => (i === axis ? length : own))
    return full(shape, -0, { dtype: g.dtype })
  }
  return [concat([rows(from), g, rows(x!.shape[axis]! - to)], { axis })]
}
