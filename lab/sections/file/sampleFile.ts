import { encodeSafetensors } from 'tpu-toolkit/files'
import { key, normal, split } from 'tpu-toolkit/random'
import { cast, tensor } from 'tpu-toolkit/tensor'

/** The bytes of a small model: normal weights, one tensor with outliers as activations have them, norms, tiny gradients, indices. */
export function sampleFile(): Uint8Array {
  const [weights, activations, gradients] = split(key(7), 3)
  const outliers = normal(activations!, 64 * 256).map((x, i) => (i % 256 === 17 ? 60 * x : x))
  const narrow = normal(weights!, 256 * 256).map((x) => x * 0.02)
  return encodeSafetensors({
    'layer.0.weight': cast(tensor(narrow, { shape: [256, 256] }), 'bfloat16'),
    'layer.0.norm': tensor(Float32Array.from({ length: 256 }, (_, i) => 1 + ((i % 7) - 3) / 64)),
    'layer.0.activations': tensor(outliers, { shape: [64, 256] }),
    'layer.0.gradient': tensor(
      normal(gradients!, 256 * 64).map((x) => x * 2 ** -20),
      { shape: [256, 64] },
    ),
    positions: tensor([0, 1, 2, 3], { dtype: 'int32' }),
  })
}
