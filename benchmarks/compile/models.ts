import { softmaxCrossEntropy } from 'tpu-toolkit/losses'
import { softmax } from 'tpu-toolkit/numerics'
import { foldIn, key, normal } from 'tpu-toolkit/random'
import {
  add,
  cast,
  type FloatDType,
  matmul,
  mean,
  mul,
  ones,
  relu,
  reshape,
  rsqrt,
  square,
  sub,
  type Tensor,
  tensor,
  transpose,
  tril,
  zeros,
} from 'tpu-toolkit/tensor'

/** Normal values times `scale`; `stream` tells them apart. */
export function drawn(
  stream: number,
  shape: readonly number[],
  dtype: FloatDType,
  scale = 1,
): Tensor<FloatDType> {
  const count = shape.reduce((n, length) => n * length, 1)
  const values = normal(foldIn(key(16), stream), count).map((x) => x * scale)
  return cast(tensor(values, { shape }), dtype)
}

/** Weights and biases of 64-256-256-10. */
export interface Mlp {
  readonly [name: string]: Tensor
}

const sizes = [64, 256, 256, 10] as const
export const mlpBatch = 128

export function mlpParameters(dtype: FloatDType): Mlp {
  const made: Record<string, Tensor> = {}
  for (let layer = 0; layer < sizes.length - 1; layer++) {
    const [from, to] = [sizes[layer]!, sizes[layer + 1]!]
    made[`w${layer}`] = drawn(layer, [from, to], dtype, Math.sqrt(2 / from))
    made[`b${layer}`] = zeros([to], { dtype })
  }
  return made
}

/** Inputs, and a distribution over classes for each. */
export function mlpBatchOf(dtype: FloatDType): readonly [x: Tensor, labels: Tensor] {
  const labels = new Float32Array(mlpBatch * 10)
  for (let row = 0; row < mlpBatch; row++) labels[row * 10 + ((row * 7) % 10)] = 1
  const hot = cast(tensor(labels, { shape: [mlpBatch, 10] }), dtype)
  return [drawn(9, [mlpBatch, 64], dtype), hot]
}

export function mlpLoss(p: Mlp, x: Tensor, labels: Tensor): Tensor {
  let h = x
  for (let layer = 0; layer < 3; layer++) {
    h = add(matmul(h, p[`w${layer}`]!), p[`b${layer}`]!)
    if (layer < 2) h = relu(h)
  }
  return mean(softmaxCrossEntropy(h, labels))
}

const [width, heads, length, batch] = [128, 4, 128, 8]

export function transformerParameters(dtype: FloatDType): Mlp {
  const made: Record<string, Tensor> = {}
  for (let layer = 0; layer < 2; layer++) {
    for (const [i, name] of ['q', 'k', 'v', 'o'].entries()) {
      made[`${name}${layer}`] = drawn(20 + 8 * layer + i, [width, width], dtype, width ** -0.5)
    }
    made[`up${layer}`] = drawn(24 + 8 * layer, [width, 4 * width], dtype, width ** -0.5)
    made[`down${layer}`] = drawn(25 + 8 * layer, [4 * width, width], dtype, (4 * width) ** -0.5)
  }
  return made
}

export function transformerBatch(dtype: FloatDType): readonly [x: Tensor, y: Tensor] {
  return [drawn(40, [batch, length, width], dtype), drawn(41, [batch, length, width], dtype)]
}

const normed = (x: Tensor): Tensor => mul(x, rsqrt(mean(square(x), { axis: -1, keepDims: true })))

/** Two causal layers without embedding, and the mean squared distance to what is wanted. */
export function transformerLoss(p: Mlp, x: Tensor, y: Tensor): Tensor {
  const { dtype } = x
  // 0 where a position may look, and far below everything else where it may not.
  const mask = mul(sub(tril(ones([length, length], { dtype })), 1), 30000)
  const split = (z: Tensor, axes: readonly number[]): Tensor =>
    transpose(reshape(z, [batch, length, heads, width / heads]), axes)
  let h = x
  for (let layer = 0; layer < 2; layer++) {
    const z = normed(h)
    const q = split(matmul(z, p[`q${layer}`]!), [0, 2, 1, 3])
    const k = split(matmul(z, p[`k${layer}`]!), [0, 2, 3, 1])
    const v = split(matmul(z, p[`v${layer}`]!), [0, 2, 1, 3])
    const scores = add(mul(matmul(q, k), (width / heads) ** -0.5), mask)
    const mixed = reshape(transpose(matmul(softmax(scores), v), [0, 2, 1, 3]), [batch, length, width])
    h = add(h, matmul(mixed, p[`o${layer}`]!))
    h = add(h, matmul(relu(matmul(normed(h), p[`up${layer}`]!)), p[`down${layer}`]!))
  }
  return mean(square(sub(h, y)))
}
