import { checkInteger, checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import { doublingRestartsSchedule } from '../../schedule/index.js'
import { type AdamwOptions, adamw } from '../adams/adamw.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { adamNames } from '../rescalings/scaleByAdam.js'
import type { GradientTransformation, State } from '../transformation.js'
import { decayNames } from '../transforms/addDecayedWeights.js'
import { clipByGlobalNorm } from '../transforms/clipByGlobalNorm.js'
import { zeroNans } from '../transforms/zeroNans.js'

/** The toolkit's optimizer: the options of AdamW without its learning rate, and what the schedule and the clip need. */
export interface CreateOptimizerOptions extends Omit<AdamwOptions, 'learningRate' | 'weightDecay'> {
  /** The learning rate at its peaks. */
  readonly lr: number
  /** The length of the run, warm-up included. */
  readonly totalSteps: number
  /** Steps of the line from 0 up to `lr`. Default: 0. */
  readonly warmupSteps?: number
  /** Decoupled, AdamW's. Default: 1e-4. */
  readonly weightDecay?: number
  /** The largest global norm of a gradient; 0 leaves the clip out. Default: 1. */
  readonly gradClip?: number
  /** Cosine cycles, each twice as long as the one before: 4 of them restart three times. Default: 1. */
  readonly nRestarts?: number
  /** What every cycle is headed for. Default: 0. */
  readonly endLr?: number
  /** Who takes the steps that cycles of T, 2T, 4T ... leave over, as in `doublingRestartsSchedule`. */
  readonly remainder?: 'last-cycle' | 'drop'
  /** Which comes first, the clip or `zeroNans`. Default: 'clip-then-zero', as published. */
  readonly order?: 'clip-then-zero' | 'zero-then-clip'
}

/** The names of `CreateOptimizerOptions`. */
export const createOptimizerNames: OptionTable<CreateOptimizerOptions> = {
  lr: 'required',
  totalSteps: 'required',
  warmupSteps: 'optional',
  weightDecay: 'optional',
  gradClip: 'optional',
  nRestarts: 'optional',
  endLr: 'optional',
  remainder: 'optional',
  order: 'optional',
  mask: 'optional',
  ...adamNames,
}

/**
 * The toolkit's optimizer: `clipByGlobalNorm`, `zeroNans`, and `adamw` at the rate of `doublingRestartsSchedule`.
 *
 * Special   what one bad element of a gradient does, wherever it is:
 *             'clip-then-zero'  NaN or Inf: every element becomes 0, and the parameters stay finite. `foundNan` of the
 *                               state tells of every leaf after a NaN, of its own leaf after an Inf.
 *             'zero-then-clip'  NaN: that element becomes 0 and the others act; `foundNan` of its leaf. Inf: it becomes
 *                               NaN, its parameter is NaN for good, the others become 0; no `foundNan` tells of it.
 *           A gradient of zeros still moves parameters: momentum and weight decay go on, and the step counts.
 * Rounding  as its links have it. In bfloat16 b2 = 0.999 is 1: use at most 0.99 there, or float32 state.
 * Source    SGDR, arXiv:1608.03983; AdamW, arXiv:1711.05101
 *
 * @example createOptimizer({ lr: 1e-3, totalSteps: 100 }).init([tensor([1])]).length // 3
 * createOptimizer({ lr: 1e-3, totalSteps: 20, warmupSteps: 10, nRestarts: 4 }) // throws createOptimizer: nRestarts of 4 needs at least 15 steps after the warm-up [10]
 */
export function createOptimizer(options: CreateOptimizerOptions): GradientTransformation<readonly State[]> {
  checkOptions('createOptimizer', options, createOptimizerNames)
  const op = 'createOptimizer'
  const { lr, totalSteps, warmupSteps = 0, nRestarts = 1, weightDecay = 1e-4, gradClip = 1 } = options
  const { endLr = 0, order = 'clip-then-zero', remainder = 'last-cycle' } = options
  for (const [name, value] of Object.entries({ lr, weightDecay, gradClip, endLr })) {
    checkScalar(op, name, value, 0, Number.MAX_VALUE)
  }
  checkInteger(op, 'totalSteps', totalSteps, 1)
  checkInteger(op, 'warmupSteps', warmupSteps, 0)
  checkInteger(op, 'nRestarts', nRestarts, 1)
  checkName(op, 'order', order, ['clip-then-zero', 'zero-then-clip'])
  checkName(op, 'remainder', remainder, ['last-cycle', 'drop'])
  const [needed, left] = [2 ** nRestarts - 1, totalSteps - warmupSteps]
  if (left < needed) {
    throw new RangeError(
      `${op}: nRestarts of ${nRestarts} needs at least ${needed} steps after the warm-up [${left}]`,
    )
  }
  const learningRate = doublingRestartsSchedule({
    peakValue: lr,
    endValue: endLr,
    warmupSteps,
    totalSteps,
    cycles: nRestarts,
    remainder,
  })
  const guards: GradientTransformation[] = [zeroNans()]
  if (gradClip > 0) guards.unshift(clipByGlobalNorm(gradClip, chosen(options, arithmeticNames)))
  if (order === 'zero-then-clip') guards.reverse()
  return chain(
    ...guards,
    adamw({ ...chosen(options, { ...adamNames, ...decayNames }), weightDecay, learningRate }),
  )
}
