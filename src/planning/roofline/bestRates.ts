import { type Chip, type Fact, type PeakDType, peakOpsPerSecond } from '../hardware/index.js'

/** The rates of a chip that a lower bound takes: of each the largest that any source gives. */
export function bestRates(
  chip: Chip,
  dtype: PeakDType,
): { readonly flopsPerSecond: number; readonly hbmBytesPerSecond: number } {
  const { bfloat16FlopsPerSecond: peak, hbmBytesPerSecond } = chip.facts
  return {
    flopsPerSecond: (peakOpsPerSecond(chip, dtype) * best(peak)) / peak.value,
    hbmBytesPerSecond: best(hbmBytesPerSecond),
  }
}

const best = ({ value, others }: Fact<number>): number =>
  Math.max(value, ...others.map((other) => other.value))
