import { naiveCumsum, naiveMatmul, naiveSum, stableMatmul, type Tensor, tensor } from 'tpu-toolkit'
import * as bf16 from 'tpu-toolkit/bf16'
import { decode, format, formatNames } from 'tpu-toolkit/formats'
import { float32Pow, float32Unary, unaryNames } from 'tpu-toolkit/functions'
import { bits, key, normal, permutation, uniform } from 'tpu-toolkit/random'
import { runStep2750 } from 'tpu-toolkit/step2750'

/** FNV-1a over 32-bit words, or over the bits of float32 numbers with every NaN one: 8 hex digits. */
function digest(parts: readonly (Uint16Array | Uint32Array | Int32Array | Float32Array)[]): string {
  let h = 0x811c9dc5
  for (const part of parts) {
    const words =
      part instanceof Float32Array ? new Uint32Array(part.buffer, part.byteOffset, part.length) : part
    const isFloat = part instanceof Float32Array
    for (const word of words) {
      const seen = isFloat && (word & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : word
      h = Math.imul(((h << 5) | (h >>> 27)) ^ seen, 0x01000193)
    }
  }
  return (h >>> 0).toString(16).padStart(8, '0')
}

/** 4,096 float32 numbers of every binade and sign, infinities and NaN among them. */
function operands(): Float32Array {
  const words = Uint32Array.from({ length: 4096 }, (_, i) => Math.imul(i, 0x9e3779b1))
  return new Float32Array(words.buffer)
}

const words = (x: Tensor): Uint32Array => Uint32Array.from(x.toBits(), Number)

function sums(): string {
  const drawn = normal(key(3), 64 * 64)
  const x = tensor(drawn, { shape: [64, 64], dtype: 'bfloat16' })
  const orders = ['sequential', 'pairwise', 'kahan', 'neumaier', { blocked: 16 }] as const
  return digest([
    ...orders.map((order) => words(naiveSum(x, { axis: 1, order }))),
    ...[naiveCumsum(x), naiveMatmul(x, x), stableMatmul(x, x)].map(words),
    words(stableMatmul(tensor(drawn, { shape: [64, 64] }), tensor(drawn, { shape: [64, 64] }))),
  ])
}

/** What an engine computes, each part as a digest of its bits. A second or two, most of it the tables. */
export function digestsOf(): Readonly<Record<string, string>> {
  const x = operands()
  const run = runStep2750({ lr: 2.75e-3, steps: 330 })
  return {
    [`every code of ${formatNames.length} formats`]: digest(
      formatNames.map((name) =>
        Float32Array.from({ length: 2 ** format(name).bits }, (_, code) => decode(code, name)),
      ),
    ),
    [`${unaryNames.length} tables of bfloat16 functions`]: digest(unaryNames.map((name) => bf16.table(name))),
    'float32 functions': digest([
      ...unaryNames.map((name) => x.map(float32Unary[name])),
      x.map((value, i) => float32Pow(value, x[(7 * i + 3) % x.length]!)),
    ]),
    'sums and products': sums(),
    'random draws': digest([
      bits(key(1), 10_000),
      uniform(key(1), 10_000),
      normal(key(1), 10_000),
      permutation(key(1), 1000),
    ]),
    'a run to NaN': digest([run.loss]),
  }
}
