import { bitsOf, type ChipName, type StoredDType, slice } from '../hardware/index.js'
import { publishedServing, type ServedRun } from './publishedServing.js'
import { servingBound } from './servingBound.js'
import { servingRates } from './servingRates.js'

/** What published runs reached of the figure at peak rates. */
export interface ReachedShare {
  readonly least: number
  readonly most: number
  readonly runs: readonly ServedRun[]
}

/** A published run of serving, and what it could be at most. */
export interface ServingShare {
  readonly run: ServedRun
  /** Tokens a second that no server exceeds. */
  readonly bound: number
  /** Tokens a second at peak rates, with the split and the chunks of the run. */
  readonly atPeak: number
  /** Published over that at peak rates. */
  readonly share: number
}

/**
 * Every published run of serving beside its bound and the figure at peak rates.
 *
 * Shape     none. Dtype none. Rounding none.
 *
 * @example servingShares().every(({ run, bound }) => run.tokensPerSecond < bound) // true
 */
export function servingShares(): readonly ServingShare[] {
  return publishedServing.map((run) => {
    const { config, slice: name, batch, input, output, dtype, cacheDtype, chunk } = run
    const work = { config, made: slice(name), batch, input, output, dtype, weightsDtype: dtype, cacheDtype }
    const { tokensPerSecondAtPeak: atPeak } = servingRates('servingShares', work, { chunk })
    return { run, bound: servingBound(work), atPeak, share: run.tokensPerSecond / atPeak }
  })
}

/** Computed once: the table is constant. */
let shares: readonly ServingShare[] | undefined

/** What the published runs on a chip reached, whose weights have as many bits; null where there is none. */
export function reachedShares(chip: ChipName, weightsDtype: StoredDType): ReachedShare | null {
  shares ??= servingShares()
  const found = shares.filter(({ run }) => run.chip === chip && bitsOf(run.dtype) === bitsOf(weightsDtype))
  if (found.length === 0) return null
  const reached = found.map(({ share }) => share)
  return { least: Math.min(...reached), most: Math.max(...reached), runs: found.map(({ run }) => run) }
}
