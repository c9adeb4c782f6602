import type { StandAsked } from './automatonMessages.js'

/** The program that runs the automaton in three states beside float64. */
export function standCode({ deviation, steps }: StandAsked): string {
  return `import { compile } from 'tpu-toolkit/compile'
import { ncaParams, ncaRollout } from 'tpu-toolkit/nca'
import { normalWeights } from 'tpu-toolkit/nn'
import { key, normal } from 'tpu-toolkit/random'
import { cast, type FloatDType, mean, mul, sqrt, square, sub, type Tensor } from 'tpu-toolkit/tensor'
import { mapTree } from 'tpu-toolkit/tree'

const drawn = ncaParams(key(1), { channels: 16, hidden: 64, last: normalWeights({ deviation: ${deviation} }) })
const { w1, b1, w2, b2 } = drawn
const [params, start] = [
  mapTree((part) => cast(part, 'bfloat16'), { w1, b1, w2, b2 }),
  cast(mul(normal(key(2), [12, 12, 16]), 0.5), 'bfloat16'),
]
const run = (dtype: FloatDType, stateDtype: FloatDType, random: boolean) =>
  compile((x: Tensor) =>
    ncaRollout(params, x, {
      ...{ steps: ${steps}, dtype, stateDtype, padding: 'wrap' },
      ...(random && { rounding: 'stochastic', key: key(3) }),
    }),
  )(start)
const apart = (a: Tensor, b: Tensor) => sqrt(mean(square(sub(cast(a, 'float64'), cast(b, 'float64'))))).item()

const exact = run('float64', 'float64', false)
const moved = apart(exact, start)
for (const [name, stateDtype, random] of [
  ['bfloat16 state', 'bfloat16', false],
  ['bfloat16 state at random', 'bfloat16', true],
  ['float32 state', 'float32', false],
] as const) {
  console.log(name + ':', Number((apart(run('bfloat16', stateDtype, random), exact) / moved).toPrecision(3)))
}
`
}
