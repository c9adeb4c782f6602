import type { StoredAsked } from './optimizersMessages.js'

/** The program that trains in the four ways. */
export function storedCode({ optimizer, rate, dtype, steps, seed }: StoredAsked): string {
  return `import { grad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { type StoredParamsOptions, storedParams } from 'tpu-toolkit/lowprecision'
import { applyGradients, ${optimizer}, type GradientTransformation } from 'tpu-toolkit/optimizer'
import { key, normal } from 'tpu-toolkit/random'
import { abs, cast, type FloatDType, matmul, max, mean, square, sub, type Tensor, tensor } from 'tpu-toolkit/tensor'

// Least squares of 64 equations: the same numbers in every dtype.
const drawn = (stream: number, shape: number[], scale: number) =>
  tensor(normal(key(${3 * seed} + stream), shape.reduce((a, b) => a * b)).map((x) => x * scale), { shape })
const slopeIn = (dtype: FloatDType) => {
  const a = cast(drawn(0, [64, 64], 1 / 8), dtype)
  const b = matmul(a, cast(drawn(1, [64, 1], 1), dtype), { accumulate: dtype })
  return compile(grad((w: Tensor) => mean(square(sub(matmul(a, w, { accumulate: dtype }), b)))))
}
const start = cast(drawn(2, [64, 1], 1), '${dtype}')
const optimizer = ${optimizer}({ learningRate: ${rate} }) as GradientTransformation

const exact = slopeIn('float64')
let wide = { params: [cast(start, 'float64')] as readonly Tensor[], state: optimizer.init([cast(start, 'float64')]) }
for (let i = 0; i < ${steps}; i++) wide = applyGradients(optimizer, [exact(wide.params[0]!)], wide)

const slope = slopeIn('float32')
const ways: StoredParamsOptions[] = [
  { mode: 'nearest' },
  { mode: 'stochastic', random: key(${seed}) },
  { mode: 'kahan' },
  { mode: 'master' },
]
for (const way of ways) {
  const { init, step } = storedParams(optimizer, { ...way, dtype: '${dtype}' })
  let point = init([start])
  for (let i = 0; i < ${steps}; i++) point = step([slope(cast(point.params[0]!, 'float32'))], point)
  const off = max(abs(sub(cast(point.params[0]!, 'float64'), wide.params[0]!))).item()
  console.log(way.mode, Number(off.toPrecision(3)))
}
`
}
