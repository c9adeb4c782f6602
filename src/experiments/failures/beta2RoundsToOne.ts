import { checkNumber } from '../../base/options/index.js'
import { scaleByAdam } from '../../optimizer/index.js'
import { type FloatDType, full, tensor } from '../../tensors/tensor/index.js'
import { leavesOf } from '../../tensors/tree/index.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, overSteps, red, say } from './record/shown.js'

/** The optimizer. */
export interface Beta2RoundsToOneOptions extends DTypeOption {
  /** Default: 0.999, Adam's. */
  readonly b2?: number
}

const loud = 100
const steps = 1500

/**
 * Adam in bfloat16: beta2 = 0.999 is 1, so the second moment is a sum that never forgets.
 *
 * Readings  `b2` as the dtype has it, `peak` of nu while gradients are 1 (100 steps), `final` nu after 1,400 more of
 *           gradient 0.001, and the last `update` (before the learning rate).
 *
 * @example beta2RoundsToOne.run().naive.b2 // 1
 */
export const beta2RoundsToOne: Failure<Beta2RoundsToOneOptions> = failure<Beta2RoundsToOneOptions>({
  id: 'beta2-rounds-to-one',
  title: 'beta2 = 0.999 is 1 in bfloat16, and nu never decays',
  story:
    'The neighbours of 1 below are 2^-8 apart in bfloat16, so 0.999 rounds to 1. nu = b2 nu + (1 - b2) g^2 then only grows, while the bias correction 1 - b2^t, from the unrounded number, goes on as if it decayed. After a time of large gradients the steps stay too small for good.',
  source: 'https://github.com/keras-team/keras/pull/21238',
  reported:
    'The LAMB optimizer under bfloat16: the default beta_2 of 0.999 is rounded to 1, which led to NaN; the patch proposes at most 0.996 there.',
  repairs: [
    { change: 'moments in float32', options: { dtype: 'float32' } },
    { change: 'b2 = 0.99, which bfloat16 tells from 1', options: { b2: 0.99 } },
  ],
  cure: {
    none: 'b2 is 1 in bfloat16 inside the update of adam, which is one loop and no operations to widen',
  },
  options: { dtype: 'optional', b2: 'optional' },
  run({ dtype = 'bfloat16', b2 = 0.999 }) {
    checkNumber(this.id, 'b2', b2, 0, 1)
    const naive = moments(dtype, b2)
    const stable = moments('float32', b2)
    const kept = full([], b2, { dtype }).item()
    const [peak, final] = [naive.nu[loud - 1]!, naive.nu[steps - 1]!]
    const holds = kept === 1 && final >= peak
    const stableFinal = stable.nu[steps - 1]!
    return {
      naive: { b2: kept, peak, final, update: naive.update },
      stable: {
        b2: full([], b2, { dtype: 'float32' }).item(),
        peak: stable.nu[loud - 1]!,
        final: stableFinal,
        update: stable.update,
      },
      holds,
      text: holds
        ? `b2 = ${b2} is ${say(kept)} in ${dtype}: ${say(steps - loud)} steps after the large gradients nu is still ${say(final)} (float32: ${say(stableFinal)}), and an update is ${say(naive.update)} (${say(stable.update)}).`
        : `b2 = ${b2} is ${say(kept)} in ${dtype}: nu decays from ${say(peak)} to ${say(final)}.`,
      figure: {
        caption: `Gradients of 1 for ${loud} steps, then of 0.001.`,
        axes: ['step', 'nu'],
        series: [
          blue('float32', overSteps(stable.nu), 'no dots'),
          red(dtype, overSteps(naive.nu), 'no dots'),
        ],
        markers: [{ x: loud, label: 'gradients become small' }],
      },
    }
  },
})

function moments(dtype: FloatDType, b2: number): { nu: number[]; update: number } {
  const optimizer = scaleByAdam({ b2 })
  let state = optimizer.init([tensor([1], { dtype })])
  let update = 0
  const nu = Array.from({ length: steps }, (_, t) => {
    const [updates, next] = optimizer.update([tensor([t < loud ? 1 : 0.001], { dtype })], state)
    state = next
    update = leavesOf(updates)[0]!.item()
    return leavesOf(state.nu)[0]!.item()
  })
  return { nu, update }
}
