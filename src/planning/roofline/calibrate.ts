import { checkArray, checkRecord } from '../../base/options/index.js'
import { type ChipName, chip, type PeakDType, peakOpsPerSecond, slice } from '../hardware/index.js'
import { isPlain } from './measured.js'
import { nonNegativeLeastSquares } from './nonNegative.js'
import { type Measured, publishedRuns } from './published.js'
import { attentionWork, type Work, workOf } from './workOf.js'

/** A constant, with the runs that it is fitted on and its largest relative error on them. */
export interface Constant {
  readonly value: number
  readonly points: readonly Measured[]
  readonly largestError: number
}

/** What routing to experts costs. */
export interface ExpertConstants {
  /** Time of the experts' products over that of dense ones of as many FLOPs. */
  readonly products: number
  /** How many times the copied rows pass through HBM. */
  readonly passes: number
  /** As `passes`, in addition, where the width of the rows is no multiple of 128. */
  readonly unalignedPasses: number
  /** Tokens whose products with an expert take as long as gathering and loading that expert's weights, on every chip. */
  readonly tokensPerExpert: number
  readonly points: readonly Measured[]
  readonly largestError: number
}

/** All constants of the estimate. */
export interface Calibration {
  /** The share of the bfloat16 peak that dense products reach. */
  readonly dense: ReadonlyMap<ChipName, Constant>
  /** Attention's share of the peak, all pairs counted, over that of dense products; 1 where no long sequence was measured. */
  readonly attention: ReadonlyMap<ChipName, number>
  /** The share of the peak that products in 8 bits reach, by chip and dtype. */
  readonly narrow: ReadonlyMap<string, Constant>
  /** Keys that the kernels count on either side of a window. */
  readonly windowBlock: Constant
  /** The share of a step that a doubling of the slices adds, over FLOPs per byte of the network. */
  readonly slices: Constant
  readonly experts: ExpertConstants
}

/** The key of a dtype's constant: the float8 formats share a rate. */
export const narrowKey = (name: ChipName, dtype: PeakDType): string =>
  `${name} ${dtype.startsWith('float8') ? 'float8' : dtype}`

/** The middle of the smallest and the largest value, which makes the largest relative error of a time smallest. */
function middle(values: readonly number[], points: readonly Measured[]): Constant {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const value = (least + most) / 2
  return { value, points, largestError: (most - least) / 2 / value }
}

/** What a run took and what it computed, where its model is known. */
interface Known {
  readonly run: Measured
  readonly work: Work
  readonly rate: number
}

type KnownRuns = ReadonlyMap<Measured, Known | undefined>

/**
 * Fits every constant of the estimate on published runs: those that are `fitted`, or the ones given.
 *
 * Error     each constant's `largestError`, on its own points.
 */
export function calibrate(
  runs: readonly Measured[] = publishedRuns.filter(({ fitted }) => fitted),
): Calibration {
  checkArray('calibrate', 'runs', runs)
  for (const run of runs) {
    checkRecord('calibrate', 'a run', run, ['model', 'chip', 'slice', 'dtype', 'sequence'])
  }
  const known: KnownRuns = new Map(runs.map((run) => [run, knownOf(run)]))
  const plain = runs.filter(isPlain)
  const dense = new Map<ChipName, Constant>()
  const attention = new Map<ChipName, number>()
  for (const name of new Set(plain.map((run) => run.chip))) {
    const points = plain.filter((run) => run.chip === name)
    const ratio = attentionRatio(points, known)
    attention.set(name, ratio)
    dense.set(
      name,
      middle(
        points.map((run) => denseShare(run, ratio, known)),
        points,
      ),
    )
  }
  const soFar = { dense, attention }
  const windowBlock = fitWindows(runs, soFar, known)
  const narrow = fitNarrow(runs, soFar, known)
  const partial = { ...soFar, windowBlock, narrow, slices: fitSlices(runs) }
  return { ...partial, experts: fitExperts(runs, partial, known) }
}

function knownOf(run: Measured): Known | undefined {
  const { config, tokensPerSecondPerChip: rate, sequence } = run
  if (config === undefined || rate === undefined) return undefined
  return { run, rate, work: workOf(config, chip(run.chip), sequence) }
}

/** The share of the peak of dense products, where attention runs at `ratio` times their rate. */
function denseShare(run: Measured, ratio: number, known: KnownRuns): number {
  const one = known.get(run)
  if (one === undefined) return run.mfu ?? Number.NaN
  const { work, rate } = one
  return ((work.dense + attentionWork(work, 0) / ratio) * rate) / chip(run.chip).bfloat16FlopsPerSecond
}

/** Attention's rate over that of products: the one under which the points differ least; 1 unless their shares of attention differ. */
function attentionRatio(points: readonly Measured[], known: KnownRuns): number {
  const shares = points.flatMap((run) => {
    const one = known.get(run)
    if (one === undefined) return []
    const attended = attentionWork(one.work, 0)
    return [attended / (attended + one.work.dense)]
  })
  if (Math.max(...shares) - Math.min(...shares) < 0.3) return 1
  let best = { ratio: 1, error: Number.POSITIVE_INFINITY }
  for (let step = 50; step <= 200; step++) {
    const ratio = step / 100
    const { largestError: error } = middle(
      points.map((run) => denseShare(run, ratio, known)),
      points,
    )
    if (error < best.error) best = { ratio, error }
  }
  return best.ratio
}

type Base = Pick<Calibration, 'dense' | 'attention'>

/** Seconds of a token's attention on a chip. */
function attentionSeconds({ dense, attention }: Base, run: ChipName, work: Work, block: number): number {
  const share = (dense.get(run)?.value ?? Number.NaN) * (attention.get(run) ?? 1)
  return attentionWork(work, block) / (share * chip(run).bfloat16FlopsPerSecond)
}

function fitWindows(runs: readonly Measured[], base: Base, known: KnownRuns): Constant {
  const points = runs.filter(
    ({ kind, dtype, slices = 1, chip: name }) =>
      kind === 'windows' && dtype === 'bfloat16' && slices === 1 && base.dense.has(name),
  )
  const inWindows = points.flatMap((run) => known.get(run) ?? [])
  const errorAt = (block: number): number =>
    Math.max(
      0,
      ...inWindows.map(({ run, work, rate }) => {
        const seconds =
          work.dense / ((base.dense.get(run.chip)?.value ?? 1) * chip(run.chip).bfloat16FlopsPerSecond) +
          attentionSeconds(base, run.chip, work, block)
        return Math.abs(seconds * rate - 1)
      }),
    )
  if (points.length === 0) return { value: 0, points, largestError: Number.NaN }
  let best = { value: 0, error: errorAt(0) }
  for (let block = 128; block <= 4096; block += 128) {
    const error = errorAt(block)
    if (error < best.error) best = { value: block, error }
  }
  return { value: best.value, points, largestError: best.error }
}

function fitNarrow(runs: readonly Measured[], base: Base, known: KnownRuns): ReadonlyMap<string, Constant> {
  const found = new Map<string, { readonly shares: number[]; readonly points: Measured[] }>()
  for (const run of runs) {
    const one = known.get(run)
    if (one === undefined || run.dtype === 'bfloat16' || run.kind !== 'dense' || !base.dense.has(run.chip)) {
      continue
    }
    const left = 1 / one.rate - attentionSeconds(base, run.chip, one.work, 0)
    const key = narrowKey(run.chip, run.dtype)
    const at = found.get(key) ?? { shares: [], points: [] }
    at.shares.push(one.work.dense / (peakOpsPerSecond(run.chip, run.dtype) * left))
    at.points.push(run)
    found.set(key, at)
  }
  return new Map([...found].map(([key, { shares, points }]) => [key, middle(shares, points)]))
}

/** FLOPs a chip computes for each byte of its share of the network. */
export function networkIntensity(name: ChipName): number {
  const { bfloat16FlopsPerSecond, dcnBytesPerSecond } = chip(name)
  return dcnBytesPerSecond === null ? Number.NaN : bfloat16FlopsPerSecond / dcnBytesPerSecond
}

/** How much longer a step is on several slices than on one, over the FLOPs per byte of the network and the doublings. */
function fitSlices(runs: readonly Measured[]): Constant {
  const found = runs.flatMap((run) => {
    const { slices = 1 } = run
    if (slices === 1) return []
    const speed = ({ tokensPerSecondPerChip, mfu }: Measured): number =>
      tokensPerSecondPerChip ?? mfu ?? Number.NaN
    const alone = runs.find(
      (one) =>
        (one.slices ?? 1) === 1 &&
        one.model === run.model &&
        one.slice === run.slice &&
        one.dtype === run.dtype &&
        one.sequence === run.sequence,
    )
    if (alone === undefined) return []
    const slower = speed(alone) / speed(run) - 1
    return [{ run, slower, per: networkIntensity(run.chip) * Math.log2(slices) }]
  })
  const rates = found.map(({ slower, per }) => slower / per).sort((a, b) => a - b)
  const value =
    rates.length === 0 ? 0 : ((rates[(rates.length - 1) >> 1] ?? 0) + (rates[rates.length >> 1] ?? 0)) / 2
  const errors = found.map(({ slower, per }) => Math.abs((1 + value * per) / (1 + slower) - 1))
  return { value, points: found.map(({ run }) => run), largestError: Math.max(0, ...errors) }
}

/** What experts cost, each part by itself: [products, passes, unaligned passes, weights], seconds per token. */
export function expertParts(
  base: Pick<Calibration, 'dense' | 'narrow'>,
  name: ChipName,
  dtype: PeakDType,
  work: Work,
  tokensPerChip: number,
  expertWays: number,
): readonly number[] | undefined {
  const made = chip(name)
  const share = base.dense.get(name)?.value
  const own = dtype === 'bfloat16' ? share : base.narrow.get(narrowKey(name, dtype))?.value
  if (share === undefined || own === undefined) return undefined
  const pass = work.routed / made.hbmBytesPerSecond
  return [
    work.experts / (own * peakOpsPerSecond(made, dtype)),
    pass,
    work.unaligned ? pass : 0,
    (6 * work.expertWeights) / expertWays / (share * made.bfloat16FlopsPerSecond) / tokensPerChip,
  ]
}

function fitExperts(
  runs: readonly Measured[],
  base: Omit<Calibration, 'experts'>,
  known: KnownRuns,
): ExpertConstants {
  const rows: { readonly run: Measured; readonly row: number[]; readonly target: number }[] = []
  for (const run of runs) {
    const one = known.get(run)
    if (one === undefined || run.kind !== 'experts' || run.batch === undefined) continue
    const { work, rate } = one
    const made = slice(run.slice)
    const tokens = (run.batch * run.sequence) / (made.chips * (run.slices ?? 1))
    const parts = expertParts(base, run.chip, run.dtype, work, tokens, run.split?.expert ?? 1)
    const own =
      run.dtype === 'bfloat16' ? base.dense.get(run.chip) : base.narrow.get(narrowKey(run.chip, run.dtype))
    if (parts === undefined || own === undefined) continue
    const rest =
      work.dense / (own.value * peakOpsPerSecond(run.chip, run.dtype)) +
      attentionSeconds(base, run.chip, work, base.windowBlock.value)
    // Relative to the run's own time, so that every run weighs alike.
    rows.push({ run, row: parts.map((part) => part * rate), target: 1 - rest * rate })
  }
  const [products = 0, passes = 0, unalignedPasses = 0, tokensPerExpert = 0] = nonNegativeLeastSquares(
    rows.map(({ row }) => row),
    rows.map(({ target }) => target),
  )
  const x = [products, passes, unalignedPasses, tokensPerExpert]
  const errors = rows.map(({ row, target }) =>
    Math.abs(row.reduce((sum, part, j) => sum + part * (x[j] ?? 0), 0) - target),
  )
  return {
    ...{ products, passes, unalignedPasses, tokensPerExpert },
    ...{ points: rows.map(({ run }) => run), largestError: Math.max(0, ...errors) },
  }
}

let fitted: Calibration | undefined

/** The calibration on all fitted runs, made once. */
export function defaultCalibration(): Calibration {
  fitted ??= calibrate()
  return fitted
}
