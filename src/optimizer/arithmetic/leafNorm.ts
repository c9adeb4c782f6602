import { fmaFloat32 } from '../../functions/index.js'
import { apply, cast, type KnownOp, mul, type Tensor } from '../../tensor/index.js'
import { arithmeticOf, type Elementwise } from './arithmetic.js'
import { type Decoded, decodedOf, tensorOf } from './decoded.js'
import { areRecorded, Recorded } from './recorded.js'
import { recordedNorm, scaledNorm } from './scaledNorm.js'

/**
 * The norm of one leaf as layerwise optimizers take it: one element of the leaf's dtype.
 *
 * Rounding  'ieee': float64, then once. 'xla-cpu': squares added by fused multiply-adds in float32, ascending, the first
 *           two as x0^2 + round(x1^2), a leaf of one element by its magnitude; bfloat16: squares rounded to float32, their float32 sum rounded to bfloat16, root.
 */
export function leafNorm(a: Elementwise, x: Tensor): Decoded {
  if (!areRecorded(x)) return normOf(a, x)
  if (a.name !== 'ieee' && x.dtype !== 'float64') return new Recorded(apply(xlaNormOp, [x], undefined))
  const { scale, root } = recordedNorm(x)
  return new Recorded(cast(mul(scale, root), x.dtype))
}

/** The norm of 'xla-cpu' as an operation: nothing else adds by fused multiply-adds. */
const xlaNormOp: KnownOp = {
  name: 'leafNorm',
  form: 'whole',
  rounds: 'each step',
  kernel: ([x]) => tensorOf(normOf(arithmeticOf('xla-cpu'), x!)),
}

function normOf(a: Elementwise, x: Tensor): Decoded {
  const { dtype, values } = decodedOf(x)
  const asDecoded = (value: number): Decoded =>
    a.map((y) => y, { dtype, shape: [], values: Float64Array.of(value) }, 0)
  if (a.name === 'ieee' || dtype === 'float64') {
    const { scale, root } = scaledNorm(x)
    return asDecoded(scale * root)
  }
  // One element has no sum: XLA takes its magnitude, without a square that could leave the range.
  if (dtype === 'float32' && values.length === 1) return asDecoded(Math.abs(values[0]!))
  let total = 0
  if (dtype === 'float32' && values.length > 1) {
    const second = a.flush(values[1]!)
    total = a.flush(Math.fround(second * second))
    for (let i = 0; i < values.length; i++) {
      if (i !== 1) total = fmaFloat32(a.flush(values[i]!), a.flush(values[i]!), total)
    }
  } else {
    for (const y of values) total = Math.fround(total + a.flush(Math.fround(a.flush(y) * a.flush(y))))
  }
  return a.sqrt(asDecoded(total))
}
