import { checkInteger, checkName, checkNumber } from '../../../base/options/index.js'
import { castScaled, delayedScale } from '../../../models/kernels/index.js'
import { foldIn, key, normal } from '../../../tensors/random/index.js'
import { cast, type FloatDType, mul, type Tensor, tensor } from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, overSteps, red, say } from '../record/shown.js'

/** The activations and their scale; `dtype` is what they are rounded to, without a scale if it is no 8-bit format. */
export interface Fp8ScaleLateOptions extends DTypeOption {
  /** 'delayed': by the steps before; 'current': by the step's own maximum. Default: 'delayed'. */
  readonly scaling?: 'delayed' | 'current'
  /** What eight activations of step 24 are multiplied by. Default: 30000. */
  readonly spike?: number
  /** How many steps a maximum is remembered. Default: 16. */
  readonly history?: number
}

const [steps, at, n, outliers] = [60, 24, 1024, 8]

/**
 * Delayed fp8 scales and one spike: it is clipped, and what follows is rounded for a range that nothing fills.
 *
 * Readings  `lost`, outliers of step 24 that come out at less than half; `zerosBefore` and `zerosAfter`, activations flushed to 0
 *           in the 16 steps before and after it; `noise`, the relative error of the ordinary activations by step. The stable
 *           twin scales every step by its own maximum.
 *
 * @example fp8ScaleLate.run().naive.lost // 8
 */
export const fp8ScaleLate: Failure<Fp8ScaleLateOptions> = failure<Fp8ScaleLateOptions>({
  id: 'fp8-scale-late',
  title: 'A delayed fp8 scale clips the spike and punishes the steps after it',
  story:
    'Delayed scaling takes the scale of a step from the largest magnitudes of the steps before, because the own one is known only when the tensor has been written. A spike comes unannounced: the scale is that of small numbers, the outliers saturate, and what made them is gone. For as long as the history remembers, all steps are scaled for that spike, and ordinary activations slide into the subnormals of the format and below: many become 0. A scale of the step itself, or one for each block, costs a pass over the data and has neither.',
  source: 'https://arxiv.org/abs/2409.12517',
  reported:
    'Scaling FP8 training to trillion-token LLMs (Fishman and others): after 200 billion tokens SwiGLU begins to amplify outliers sporadically, which breaks the assumption of delayed scaling that steps resemble each other, and training diverges; a scale per channel before the last product of the MLP makes it stable.',
  repairs: [
    { change: 'the scale of the step itself', options: { scaling: 'current' } },
    { change: 'bfloat16, which needs no scale', options: { dtype: 'bfloat16' } },
    { change: 'no spike', options: { spike: 1 } },
  ],
  cure: {
    none: 'the numbers are clipped by a scale, which is data: no operation is too narrow for the doctor to widen.',
  },
  options: { dtype: 'optional', scaling: 'optional', spike: 'optional', history: 'optional' },
  run({ dtype = 'float8_e4m3fn', scaling = 'delayed', spike = 30_000, history = 16 }) {
    checkName(this.id, 'scaling', scaling, ['delayed', 'current'])
    checkNumber(this.id, 'spike', spike, 1, 1e6)
    checkInteger(this.id, 'history', history, 1, 1024)
    const naive = readings(dtype, scaling, spike, history)
    const stable = readings(dtype, 'current', spike, history)
    const holds = naive.lost > 0
    return {
      naive,
      stable,
      holds,
      text: holds
        ? `${say(naive.lost)} of ${outliers} outliers are clipped to less than half; in the 16 steps after them ${say(naive.zerosAfter)} activations become 0, in the 16 before ${say(naive.zerosBefore)}.`
        : `No outlier is clipped to less than half; in the 16 steps after them ${say(naive.zerosAfter)} activations become 0, in the 16 before ${say(naive.zerosBefore)}.`,
      figure: {
        caption: 'The relative error of the activations that are no outliers, by step.',
        axes: ['step', 'relative error'],
        series: [
          blue('current scale', overSteps(stable.noise)),
          red(`${scaling} scale, ${dtype}`, overSteps(naive.noise)),
        ],
        markers: [{ x: at, label: 'spike' }],
      },
    }
  },
})

interface Scaled {
  readonly [name: string]: number | readonly number[]
  readonly lost: number
  readonly zerosBefore: number
  readonly zerosAfter: number
  readonly noise: readonly number[]
}

function readings(dtype: FloatDType, scaling: string, spike: number, history: number): Scaled {
  const format = dtype === 'float8_e4m3fn' || dtype === 'float8_e5m2' ? dtype : undefined
  const delayed = delayedScale({ format: format ?? 'float8_e4m3fn', history })
  const own = delayedScale({ format: format ?? 'float8_e4m3fn', history: 1 })
  const noise: number[] = []
  let [state, lost, zerosBefore, zerosAfter] = [delayed.init(), 0, 0, 0]
  for (let step = 1; step <= steps; step++) {
    const x = stepOf(step, spike)
    const values = x.toNumbers()
    const amax = values.reduce((most, y) => Math.max(most, Math.abs(y)), 0)
    const { scale } = scaling === 'current' ? own.update(amax, own.init()) : state
    const rounded = format
      ? Array.from(castScaled(x, { scale, format }).toNumbers(), (y) => y / scale.item())
      : [...cast(x, dtype).toNumbers()]
    state = delayed.update(amax, state)
    let [wrong, all] = [0, 0]
    for (const [i, y] of rounded.entries()) {
      if (i < outliers) {
        if (step === at && Math.abs(y) < Math.abs(values[i]!) / 2) lost++
        continue
      }
      wrong += (y - values[i]!) ** 2
      all += values[i]! ** 2
      if (y !== 0) continue
      if (step < at && step >= at - 16) zerosBefore++
      if (step > at && step <= at + 16) zerosAfter++
    }
    noise.push(Math.sqrt(wrong / all))
  }
  return { lost, zerosBefore, zerosAfter, noise }
}

/** The activations of a step: draws, the first eight of step 24 multiplied. */
function stepOf(step: number, spike: number): Tensor<'float32'> {
  const x = normal(foldIn(key(25), step), [n])
  if (step !== at) return x
  return mul(x, tensor(Float32Array.from({ length: n }, (_, i) => (i < outliers ? spike : 1))))
}
