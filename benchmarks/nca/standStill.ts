import { compile } from 'tpu-toolkit/compile'
import { lostUpdates, type NcaParams, ncaParams, ncaRollout } from 'tpu-toolkit/nca'
import { normalWeights } from 'tpu-toolkit/nn'
import { key, normal } from 'tpu-toolkit/random'
import { cast, type FloatDType, slice, type Tensor, tensor } from 'tpu-toolkit/tensor'

/** How an automaton of small updates fares in a state of few bits. */
export interface Stand {
  /** The standard deviation of the second product's weights. */
  readonly scale: number
  /** The root of the mean square of the state, in float64. */
  readonly state: number
  /** The share of updates that a bfloat16 state loses. */
  readonly lost: number
  /** How far off the last state is, over how far it moved in float64: with a bfloat16 state, one of float32, one rounded at random. */
  readonly bfloat16: number
  readonly float32: number
  readonly random: number
}

const [cells, channels, steps] = [16, 16, 96]

/** Random automata on a torus of 16 x 16 cells, 96 steps: computed with bfloat16, in three states beside float64. */
export function standsStill(scale: number): Stand {
  const drawn = ncaParams(key(1), { channels, hidden: 64, last: normalWeights({ deviation: scale }) })
  const params = {
    w1: cast(drawn.w1, 'bfloat16'),
    b1: cast(drawn.b1, 'bfloat16'),
    w2: cast(drawn.w2, 'bfloat16'),
    b2: cast(drawn.b2, 'bfloat16'),
  }
  const start = cast(
    tensor(
      normal(key(2), cells * cells * channels).map((value) => value / 2),
      { shape: [cells, cells, channels] },
    ),
    'bfloat16',
  )
  const run = (dtype: FloatDType, stateDtype: FloatDType, random = false): Tensor =>
    compile((p: NcaParams, x: Tensor) =>
      ncaRollout(p, x, {
        ...{ steps, dtype, stateDtype, padding: 'wrap', keep: 'all' },
        ...(random && { rounding: 'stochastic', key: key(3) }),
      }),
    )(params, start)
  const last = (states: Tensor): Float64Array => slice(states, [steps - 1]).toNumbers()
  const narrow = run('bfloat16', 'bfloat16')
  const rule = { dtype: 'bfloat16', stateDtype: 'bfloat16', padding: 'wrap' } as const
  let [stalled, updates] = [0, 0]
  for (let step = 0; step < steps; step += 8) {
    const count = lostUpdates(params, slice(narrow, [step]), rule)
    stalled += count.stalled
    updates += count.updates
  }
  const exact = last(run('float64', 'float64'))
  const moved = apart(exact, start.toNumbers())
  const off = (states: Tensor): number => apart(last(states), exact) / moved
  return {
    ...{ scale, state: apart(exact, new Float64Array(exact.length)), lost: stalled / updates },
    bfloat16: off(narrow),
    float32: off(run('bfloat16', 'float32')),
    random: off(run('bfloat16', 'bfloat16', true)),
  }
}

/** The root of the mean square difference. */
function apart(a: Float64Array, b: Float64Array): number {
  return Math.sqrt(a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0) / a.length)
}
