import {
  add,
  cumsum,
  exp,
  logAddExp,
  matmul,
  max,
  mean,
  mul,
  neg,
  reshape,
  square,
  sub,
  type Tensor,
  tensor,
  tril,
} from 'tpu-toolkit'
import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { key, normal } from 'tpu-toolkit/random'

const length = 128

/** Parameters and data of one training step of a factorised state-space layer. */
export interface StepInputs {
  readonly [name: string]: Tensor
}

const scalar = (x: number): Tensor<'bfloat16'> => tensor(x, { dtype: 'bfloat16' })

export function stepInputs(): StepInputs {
  const data = (seed: number): Tensor<'bfloat16'> => tensor(normal(key(seed), length), { dtype: 'bfloat16' })
  const gap = tensor(
    Float64Array.from({ length }, (_, i) => (i === 0 ? 1 : 0)),
    { dtype: 'bfloat16' },
  )
  return {
    aLog: scalar(1.9),
    b: scalar(0.5),
    c: scalar(0.7),
    dtBias: scalar(-3.25),
    dtGap: scalar(6),
    gap,
    x: data(1),
    y: data(2),
  }
}

/** The loss of the layer and its gradient, every operation in bfloat16: the shape of the step that turned NaN at 2,750. */
export function step(inputs: StepInputs): { loss: Tensor; grads: Record<string, Tensor> } {
  const { gap, x, y, ...params } = inputs
  const [loss, grads] = valueAndGrad((p: Record<string, Tensor>) => {
    const dt = logAddExp(add(mul(gap!, p['dtGap']!), p['dtBias']!), 0)
    const cs = cumsum(dt)
    const decay = mul(neg(exp(p['aLog']!)), cs)
    const offset = max(neg(decay))
    const left = mul(p['c']!, exp(add(decay, offset)))
    const right = mul(mul(dt, p['b']!), exp(sub(neg(decay), offset)))
    const scores = tril(matmul(reshape(left, [length, 1]), reshape(right, [1, length])))
    return mean(square(sub(matmul(scores, x!), y!)), { accumulate: 'float32' })
  })(params)
  return { loss, grads }
}
