import { attention, causalMask, fakeQuantize } from '../../../models/kernels/index.js'
import { key } from '../../../tensors/random/index.js'
import { cast, hadamard, type Tensor } from '../../../tensors/tensor/index.js'
import type { Attend } from './product.js'

/** How queries, keys and values become fp8. */
export interface Fp8AttendOptions {
  /** One scale for the tensor, or one for each head's features of a token. */
  readonly scales: 'tensor' | 'block'
  /** Whether queries and keys pass through a random Hadamard transform first. */
  readonly transform: boolean
}

/** Features of a block: those of a head. */
const block = 16

/**
 * Attention of queries, keys and values in float8_e4m3fn, the softmax in float32; the backward pass takes the rounded operands and passes
 * their rounding.
 */
export function fp8Attend({ scales, transform }: Fp8AttendOptions): Attend {
  const narrow = (x: Tensor): Tensor =>
    fakeQuantize(
      x as Tensor<'float32'>,
      { format: 'float8_e4m3fn' },
      scales === 'tensor' ? { per: 'tensor' } : { per: 'group', group: block },
    )
  const turned = (x: Tensor): Tensor => (transform ? hadamard(x, { size: block, signs: key(0) }) : x)
  return (q, k, v) => {
    const [a, b, c] = [narrow(turned(q)), narrow(turned(k)), narrow(v)].map((x) => cast(x, 'bfloat16'))
    return cast(attention(a!, b!, c!, { mask: causalMask(), internal: 'float32' }).out, 'float32')
  }
}
