import {
  apply,
  broadcastTo,
  div,
  isFloat,
  type KnownOp,
  mul,
  neg,
  type Tensor,
  tensor,
  trunc,
} from '../../../tensors/tensor/index.js'
import { wholeRemainder } from './bits.js'
import { commonShape } from './perElement.js'

/** What is left of a after division by b, with the sign of a: exact in every format, as C's fmod. */
const remainderOp: KnownOp = {
  name: 'remainder',
  form: 'elementwise',
  rounds: 'decides',
  kernel: ([a, b]) => {
    const [x, y] = [a!.toNumbers(), b!.toNumbers()]
    for (let i = 0; i < x.length; i++) x[i] = x[i]! % y[i]!
    return tensor(x, { shape: a!.shape, dtype: a!.dtype }) as Tensor
  },
  gradient: ({ g, inputs: [a, b] }) => [g, neg(mul(g, trunc(div(a!, b!))))],
}

/** a % b with the sign of a. */
export function remainder(a: Tensor, b: Tensor): Tensor {
  if (!isFloat(a.dtype)) return wholeRemainder(a, b)
  const shape = commonShape([a.shape, b.shape])
  return apply(remainderOp, [broadcastTo(a, shape), broadcastTo(b, shape)], undefined)
}
