import { type FormatName, ulp } from '../../numbers/formats/index.js'
import { exactSum } from '../../numerics/index.js'
import type { FloatDType } from '../../tensors/tensor/index.js'

/** One addition of a running sum. */
export interface Addition {
  readonly position: number
  readonly s: number
  readonly dt: number
  readonly halfUlp: number
}

/** How the running sum of one step's clock compares with the exact one. */
export interface SumReading {
  readonly step: number
  /** The last running sum, and what the steps add up to exactly, both of the values that the model has. */
  readonly csEnd: number
  readonly exact: number
  /** Additions behind the first element. */
  readonly additions: number
  /** Additions of something that changed nothing; null where an accumulator beside the sums may have kept it. */
  readonly lost: number | null
  /** One addition s + dt, and half an ulp of s: the first that is lost, or the one that was asked for. */
  readonly example: Addition | null
}

/**
 * Reads the sums `cs` of the steps `dt`; `plain` says that each is the one before plus its step, rounded once to
 * `accumulate`. The example is the addition at `position` where one is given.
 */
export function readSums(
  step: number,
  { dt, cs }: { readonly dt: Float64Array; readonly cs: Float64Array },
  { accumulate, plain }: { readonly accumulate: FloatDType; readonly plain: boolean },
  position?: number,
): SumReading {
  const positions = Array.from(dt.keys()).slice(1)
  const lost = positions.filter((i) => dt[i] !== 0 && cs[i] === cs[i - 1])
  const shown = position ?? lost[0] ?? positions[0]
  const addition = (i: number): Addition => {
    const s = cs[i - 1]!
    return { position: i, s, dt: dt[i]!, halfUlp: ulpOf(s, accumulate) / 2 }
  }
  return {
    step,
    csEnd: cs.at(-1)!,
    exact: exactSum(dt),
    additions: positions.length,
    lost: plain ? lost.length : null,
    example: plain && shown !== undefined ? addition(shown) : null,
  }
}

function ulpOf(value: number, dtype: FloatDType): number {
  if (dtype !== 'float32' && dtype !== 'float64') return ulp(value, dtype as FormatName)
  const [digits, least] = dtype === 'float32' ? [23, -149] : [52, -1074]
  return 2 ** Math.max(least, Math.floor(Math.log2(Math.abs(value))) - digits)
}
