import { checkNumber, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { broadcastTo } from '../layout/layout.js'
import { checkTensor } from '../storage/checkCall.js'
import { broadcastShapes } from '../storage/shape.js'
import type { Tensor } from '../storage/tensor.js'

/** What is close. */
export interface CloseOptions {
  /** Share of |b|. Default 1e-5. */
  readonly rtol?: number
  /** Default 1e-8. */
  readonly atol?: number
  /** Whether NaN is close to NaN. Default false. */
  readonly equalNaN?: boolean
}

const names: OptionTable<CloseOptions> = { rtol: 'optional', atol: 'optional', equalNaN: 'optional' }

/**
 * Whether |a - b| <= atol + rtol |b| for all elements, in float64, as NumPy's allclose. The dtypes may differ.
 *
 * Special   equal infinities are close, to nothing else.
 *
 * @example allClose(tensor([1, 2]), tensor([1, 2.00001])) // true
 * @example allClose(tensor([1]), tensor([1.01])) // false
 */
export function allClose(a: Tensor, b: Tensor, options: CloseOptions = noOptions): boolean {
  checkTensor('allClose', a)
  checkTensor('allClose', b)
  checkOptions('allClose', options, names, { positional: 'rtol' })
  const { rtol = 1e-5, atol = 1e-8, equalNaN = false } = options
  checkNumber('allClose', 'rtol', rtol, 0)
  checkNumber('allClose', 'atol', atol, 0)
  const shape = broadcastShapes('allClose', a.shape, b.shape)
  const right = broadcastTo(b, shape).toNumbers()
  return broadcastTo(a, shape)
    .toNumbers()
    .every((x, i) => {
      const y = right[i]!
      if (Number.isFinite(x) && Number.isFinite(y)) return Math.abs(x - y) <= atol + rtol * Math.abs(y)
      return x === y || (equalNaN && Number.isNaN(x) && Number.isNaN(y))
    })
}
