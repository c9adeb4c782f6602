import { fmaFloat32 } from '../../numbers/functions/index.js'
import { apply, cast, full, type KnownOp, mul, roundingTo, type Tensor } from '../../tensors/tensor/index.js'
import { type Elementwise, flushed } from './arithmetic.js'
import { floatOf, inDtype } from './operand.js'
import { scaledNorm } from './scaledNorm.js'

/**
 * The norm of one leaf as layerwise optimizers take it: one element of the leaf's dtype.
 *
 * Rounding  'ieee': float64, then once. 'xla-cpu': squares added by fused multiply-adds in float32, ascending, the first
 *           two as x0^2 + round(x1^2), a leaf of one element by its magnitude; bfloat16: squares rounded to float32, their float32 sum rounded to bfloat16, root.
 */
export function leafNorm(a: Elementwise, x: Tensor): Tensor {
  const dtype = floatOf(x.dtype)
  if (a.name !== 'ieee' && dtype !== 'float64') return apply(xlaNormOp, [x], undefined)
  const { scale, root } = scaledNorm(x)
  return inDtype(mul(scale, root), dtype)
}

/** The norm of 'xla-cpu' as an operation: nothing else adds by fused multiply-adds. */
const xlaNormOp: KnownOp = {
  name: 'leafNorm',
  form: 'whole',
  rounds: 'each step',
  kernel: ([x]) => {
    const dtype = floatOf(x!.dtype)
    const round = roundingTo(dtype)
    const values = cast(x!, 'float32').data
    const norm =
      dtype === 'float32'
        ? fusedNorm(values)
        : Math.sqrt(flushed(round(values.reduce((total, y) => Math.fround(total + squared(y)), 0))))
    return full([], round(flushed(Math.fround(norm))), { dtype })
  },
}

function fusedNorm(values: Float32Array): number {
  // One element has no sum: XLA takes its magnitude, without a square that could leave the range.
  if (values.length === 1) return Math.abs(values[0]!)
  let total = values.length > 1 ? squared(values[1]!) : 0
  for (let i = 0; i < values.length; i++) {
    if (i !== 1) total = fmaFloat32(flushed(values[i]!), flushed(values[i]!), total)
  }
  return Math.sqrt(flushed(total))
}

function squared(y: number): number {
  return flushed(Math.fround(flushed(y) * flushed(y)))
}
