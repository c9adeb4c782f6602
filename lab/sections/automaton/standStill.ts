import { compile } from 'tpu-toolkit/compile'
import { lostUpdates, type NcaParams, ncaParams, ncaRollout } from 'tpu-toolkit/nca'
import { normalWeights } from 'tpu-toolkit/nn'
import { key, normal } from 'tpu-toolkit/random'
import { cast, type FloatDType, mul, slice, type Tensor } from 'tpu-toolkit/tensor'
import type { StandAnswer, StandAsked } from './automatonMessages.js'

const [cells, channels] = [12, 16]
const ways = [
  { name: 'bfloat16 state', stateDtype: 'bfloat16', random: false },
  { name: 'bfloat16 state at random', stateDtype: 'bfloat16', random: true },
  { name: 'float32 state', stateDtype: 'float32', random: false },
] as const

/** A random automaton of small updates on a torus, computed with bfloat16, in three states beside float64. */
export function standStill(asked: StandAsked): StandAnswer {
  const { deviation, steps } = asked
  const drawn = ncaParams(key(1), { channels, hidden: 64, last: normalWeights({ deviation }) })
  const [w1, b1, w2, b2] = [drawn.w1, drawn.b1, drawn.w2, drawn.b2].map((part) => cast(part, 'bfloat16'))
  const params: NcaParams = { w1: w1!, b1: b1!, w2: w2!, b2: b2! }
  const start = cast(mul(normal(key(2), [cells, cells, channels]), 0.5), 'bfloat16')
  const run = (dtype: FloatDType, stateDtype: FloatDType, random: boolean): Tensor =>
    compile((x: Tensor) =>
      ncaRollout(params, x, {
        ...{ steps, dtype, stateDtype, padding: 'wrap', keep: 'all' },
        ...(random && { rounding: 'stochastic', key: key(3) }),
      }),
    )(start)
  const at = (states: Tensor, step: number): Float64Array => slice(states, [step]).toNumbers()
  const exact = run('float64', 'float64', false)
  const moved = apart(at(exact, steps - 1), start.toNumbers())
  const states = ways.map(({ stateDtype, random }) => run('bfloat16', stateDtype, random))
  const rule = { dtype: 'bfloat16', stateDtype: 'bfloat16', padding: 'wrap' } as const
  let [stalled, updates] = [0, 0]
  for (let step = 0; step < steps; step += 8) {
    const count = lostUpdates(params, slice(states[0]!, [step]), rule)
    stalled += count.stalled
    updates += count.updates
  }
  return {
    asked,
    ways: ways.map(({ name }, i) => ({
      name,
      off: Array.from({ length: steps }, (_, step) => apart(at(states[i]!, step), at(exact, step)) / moved),
    })),
    lost: updates === 0 ? 0 : stalled / updates,
  }
}

/** The root of the mean square difference. */
function apart(a: Float64Array, b: Float64Array): number {
  return Math.sqrt(a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0) / a.length)
}
