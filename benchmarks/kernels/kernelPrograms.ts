import {
  applyRope,
  attention,
  causalMask,
  flashAttention,
  gemm,
  layerNorm,
  rmsNorm,
  ropeCache,
  ropeFrequencies,
  route,
} from 'tpu-toolkit/kernels'
import { type FloatDType, matmul, type Tensor } from 'tpu-toolkit/tensor'
import { drawn } from '../compile/models.js'
import { both, milliseconds, type Program } from '../compile/program.js'

// The sizes are those of benchmarks/peers/kernels.py.
const [heads, length, width] = [4, 512, 64]
const [rows, features] = [2048, 512]
const dtypes = ['float32', 'bfloat16'] as const

type Operand = Tensor<FloatDType>

const operands = (dtype: FloatDType): [Operand, Operand, Operand] => {
  const shape = [heads, length, width]
  return [drawn(1, shape, dtype), drawn(2, shape, dtype), drawn(3, shape, dtype)]
}

const kernel = (name: string, prepare: Program['prepare']): Program => ({ name, ...milliseconds, prepare })

const ofDType = (dtype: FloatDType): Program[] => {
  const x = () => drawn(4, [rows, features], dtype)
  const scale = () => drawn(5, [features], dtype)
  return [
    kernel(`attention ${dtype}`, () =>
      both((q, k, v) => attention(q, k, v, { mask: causalMask(), internal: 'float32' }).out, operands(dtype)),
    ),
    kernel(`flash attention ${dtype}`, () =>
      both((q, k, v) => flashAttention(q, k, v, { mask: causalMask() }).out, operands(dtype)),
    ),
    kernel(`layer norm ${dtype}`, () => both((z, s) => layerNorm(z, { scale: s }), [x(), scale()])),
    kernel(`rms norm ${dtype}`, () => both((z, s) => rmsNorm(z, { scale: s }), [x(), scale()])),
    kernel(`rope ${dtype}`, () => {
      const positions = Array.from({ length }, (_, i) => i)
      const cache = ropeCache(ropeFrequencies({ dim: width }), positions)
      return both((z) => applyRope(z, cache), [drawn(1, [heads, length, width], dtype)])
    }),
    kernel(`product ${dtype}`, () =>
      both(
        (a: Operand, b: Operand) => matmul(a, b),
        [drawn(6, [512, 512], dtype), drawn(7, [512, 512], dtype)],
      ),
    ),
  ]
}

/** What `npm run bench:kernels:speed` runs, in this order. */
export const kernelPrograms: readonly Program[] = [
  ...dtypes.flatMap(ofDType),
  ...(
    [
      ['a100', 'bfloat16', 'float32'],
      ['h100', 'float16', 'float32'],
      ['h100', 'float8_e4m3fn', 'float32'],
      ['h100', 'float8_e4m3fn', 'float16'],
      ['b200', 'float8_e4m3fn', 'float32'],
    ] as const
  ).map(([unit, dtype, out]) =>
    kernel(`product on ${unit}, ${dtype} into ${out}`, () =>
      both(
        (a: Operand, b: Operand) => gemm(a, b, { unit, out }),
        [drawn(6, [512, 512], dtype), drawn(7, [512, 512], dtype)],
      ),
    ),
  ),
  kernel('gemm high float32', () =>
    both(
      (a, b) => gemm(a, b, { precision: 'high' }),
      [drawn(6, [512, 512], 'float32'), drawn(7, [512, 512], 'float32')],
    ),
  ),
  kernel('route float32', () =>
    both((logits) => route(logits, { k: 2 }).weights, [drawn(8, [rows, 64], 'float32')]),
  ),
]
