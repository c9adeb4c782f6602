import { type Chip, type PeakDType, peakOpsPerSecond } from '../hardware/index.js'
import type { ModelConfig } from '../model/index.js'
import {
  type Calibration,
  defaultCalibration,
  expertParts,
  narrowKey,
  networkIntensity,
} from './calibrate.js'
import type { Measured } from './published.js'
import { attentionWork, type Work, workOf } from './workOf.js'

/** What an estimate rests on: its calibration points with their spread, or why there is none. */
export interface Basis {
  /** Compute seconds of a step on each chip, slices counted; null where nothing was measured. */
  readonly seconds: number | null
  /** Published runs that the constants in use are fitted on. */
  readonly points: readonly Measured[]
  /** Largest relative error of the constants in use on their own points; NaN where there is none. */
  readonly spread: number
  /** What is in it, one line for each constant; or the reason why there is no estimate. */
  readonly lines: readonly string[]
}

/** The step whose compute is estimated. */
export interface EstimatedStep {
  readonly chip: Chip
  readonly sequence: number
  readonly tokensPerChip: number
  readonly dtype: PeakDType
  readonly slices: number
  readonly expertWays: number
}

const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`

/** The models of runs, each once. */
function modelsOf(points: readonly Measured[]): string {
  const names = [...new Set(points.map(({ model }) => model))]
  return names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
}

const runsText = (points: readonly Measured[], error: number): string =>
  `${points.length} published run${points.length === 1 ? '' : 's'} (${modelsOf(points)}), ${
    points.length === 1 ? 'so its spread is not known' : `within ${percent(error)} of each`
  }`

/** Seconds that the chips compute in a step, with the constants that published runs give. */
export function estimateCompute(
  config: ModelConfig,
  step: EstimatedStep,
  calibration: Calibration = defaultCalibration(),
): Basis {
  const { chip, dtype, sequence, tokensPerChip } = step
  const { dense, attention, narrow } = calibration
  const base = dense.get(chip.name)
  const none = (why: string): Basis => ({ seconds: null, points: [], spread: Number.NaN, lines: [why] })
  if (base === undefined) return none(`no measurement of ${chip.name} was found: a bound, no estimate`)
  const own = dtype === 'bfloat16' ? base : narrow.get(narrowKey(chip.name, dtype))
  if (own === undefined) {
    return none(
      `no run in ${dtype} was measured on ${chip.name}, and the share of its bfloat16 runs does not carry over: a bound, no estimate`,
    )
  }
  const work = workOf(config, chip, sequence)
  const ratio = attention.get(chip.name) ?? 1
  const peak = chip.bfloat16FlopsPerSecond
  const attended = attentionWork(work, calibration.windowBlock.value) / (base.value * ratio * peak)
  const lines = [
    `compute reaches ${percent(base.value)} of the bfloat16 peak, all pairs of positions counted${ratio === 1 ? '' : `, attention ${percent(base.value * ratio)}`}: fitted on ${runsText(base.points, base.largestError)}`,
  ]
  const points = [...base.points]
  const errors = [base.largestError]
  const use = (constant: { readonly points: readonly Measured[]; readonly largestError: number }): void => {
    points.push(...constant.points)
    if (constant.points.length > 1) errors.push(constant.largestError)
  }
  let perToken =
    work.dense / (own.value * peakOpsPerSecond(chip, dtype)) + attended + work.scan / (base.value * peak)
  if (own !== base) {
    lines.push(
      `products with weights reach ${percent(own.value)} of the ${dtype} peak: fitted on ${runsText(own.points, own.largestError)}; attention is in bfloat16`,
    )
    use(own)
  }
  if (work.windows.length > 0) {
    const { value, points: runs, largestError } = calibration.windowBlock
    lines.push(
      `a window is counted ${value} keys wider on either side, the blocks of the kernel: fitted on ${runsText(runs, largestError)}`,
    )
    use(calibration.windowBlock)
  }
  if (work.expertWeights > 0) {
    perToken += expertSeconds(calibration, step, work)
    const { experts } = calibration
    lines.push(
      `experts: products at ${percent(1 / experts.products)} of the dense rate, copied rows pass ${experts.passes.toFixed(0)} times through HBM${work.unaligned ? ` and ${experts.unalignedPasses.toFixed(0)} times more, their width of no multiple of 128 (one model, gpt-oss, measured)` : ''}, loading an expert costs as much as ${experts.tokensPerExpert.toFixed(0)} tokens: fitted on ${runsText(experts.points, experts.largestError)}`,
    )
    use(experts)
  }
  const added = sliceShare(calibration, step)
  if (step.slices > 1) {
    lines.push(
      `${step.slices} slices add ${percent(added)}, ${percent(added / Math.log2(step.slices))} a doubling, of which no overlap hides: fitted on ${runsText(calibration.slices.points, calibration.slices.largestError)}`,
    )
    use(calibration.slices)
  }
  const seconds = perToken * tokensPerChip * (1 + added)
  return { seconds, points: [...new Set(points)], spread: Math.max(...errors), lines }
}

/** What the network between slices adds, as a share of the step. */
export function sliceShare(calibration: Calibration, { chip, slices }: EstimatedStep): number {
  if (slices === 1) return 0
  const intensity = networkIntensity(chip.name)
  return Number.isNaN(intensity) ? 0 : calibration.slices.value * intensity * Math.log2(slices)
}

function expertSeconds(
  calibration: Calibration,
  { chip, dtype, tokensPerChip, expertWays }: EstimatedStep,
  work: Work,
): number {
  const parts = expertParts(calibration, chip.name, dtype, work, tokensPerChip, expertWays) ?? []
  const { products, passes, unalignedPasses, tokensPerExpert } = calibration.experts
  const [ownProducts = 0, pass = 0, unaligned = 0, weights = 0] = parts
  return products * ownProducts + passes * pass + unalignedPasses * unaligned + tokensPerExpert * weights
}
