import {
  cast,
  div,
  equal,
  full,
  mul,
  neg,
  reshape,
  sum,
  type Tensor,
  take,
  takeAlongAxis,
  where,
} from '../../../tensors/tensor/index.js'
import type { Call, Operator } from './call.js'
import { logSoftmaxAlong } from './reductions.js'
import { widened } from './wide.js'

/** Minus the weighted log probabilities of the labels, reduced as the node says: scores [batch, classes, ...], labels [batch, ...]. */
function likelihood(call: Call, scores: Tensor, labels: Tensor, weights: Tensor | undefined): Tensor {
  const [batch, classes, ...rest] = scores.shape as [number, number, ...number[]]
  const ignored = call.has('ignore_index') ? call.number('ignore_index', 0) : undefined
  const zero = full([], 0, { dtype: 'int32' })
  const at = cast(labels, 'int32')
  const left = ignored === undefined ? undefined : equal(at, ignored)
  const safe = left ? where(left, zero, at) : at
  const inside = where(equal(safe, -1), full([], classes - 1, { dtype: 'int32' }), safe)
  const picked = reshape(takeAlongAxis(scores, reshape(inside, [batch, 1, ...rest]), { axis: 1 }), [
    batch,
    ...rest,
  ])
  const each = weights ? take(weights, inside) : full([batch, ...rest], 1, { dtype: scores.dtype })
  const factor = left ? where(left, full([], 0, { dtype: scores.dtype }), each) : each
  const losses = neg(mul(picked, factor))
  const how = call.text('reduction', 'mean')
  if (how === 'none') return losses
  if (how === 'sum') return sum(losses)
  if (how === 'mean') return div(sum(losses), sum(factor))
  throw call.error('has an unknown reduction', how)
}

/** Losses over classes. */
export const lossOperators: Readonly<Record<string, Operator>> = {
  NegativeLogLikelihoodLoss: (call, x, labels, weights) => {
    const scores = call.need(x, 0)
    const loss = likelihood(call, widened(scores), call.need(labels, 1), weights && widened(weights))
    return cast(loss, scores.dtype)
  },
  SoftmaxCrossEntropyLoss: (call, x, labels, weights) => {
    const scores = call.need(x, 0)
    const log = logSoftmaxAlong(widened(scores), 1)
    const loss = likelihood(call, log, call.need(labels, 1), weights && widened(weights))
    return [cast(loss, scores.dtype), cast(log, scores.dtype)]
  },
}
