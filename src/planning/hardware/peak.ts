import { nameAdvice, shown } from '../../base/options/index.js'
import { type ChipLike, chipOf } from './chip.js'

/** The dtypes whose peak rate a chip may state; the three float8 formats share a rate. */
export type PeakDType = 'bfloat16' | 'int8' | 'float8_e4m3fn' | 'float8_e5m2'

/**
 * Peak operations per second of a chip's matrix units in a dtype; a multiply and an add are two.
 *
 * Shape     none. Dtype that of the operands. Rounding none.
 * Throws    RangeError where no rate is published; what the chip has is named.
 *
 * @example peakOpsPerSecond('v5e', 'int8') // 394e12
 * @example peakOpsPerSecond('v5e', 'float8_e5m2') // throws peakOpsPerSecond: v5e has no published float8_e5m2 rate (no float8 mode), there are bfloat16, int8 [float8_e5m2]
 */
export function peakOpsPerSecond(given: ChipLike, dtype: PeakDType): number {
  const chip = chipOf('peakOpsPerSecond', given)
  const rates: Readonly<Record<PeakDType, number | null>> = {
    bfloat16: chip.bfloat16FlopsPerSecond,
    int8: chip.int8OpsPerSecond,
    float8_e4m3fn: chip.float8FlopsPerSecond,
    float8_e5m2: chip.float8FlopsPerSecond,
  }
  const rate = Object.hasOwn(rates, dtype) ? rates[dtype] : null
  if (rate !== null) return rate
  const known = Object.entries(rates).flatMap(([name, value]) => (value === null ? [] : [name]))
  const why = { int8: chip.facts.int8OpsPerSecond.note, bfloat16: '' }[String(dtype)]
  const reason = why ?? (String(dtype).startsWith('float8') ? chip.facts.float8FlopsPerSecond.note : '')
  throw new RangeError(
    `peakOpsPerSecond: ${chip.name} has no published ${shown(dtype)} rate${reason === '' ? '' : ` (${reason})`}, ${nameAdvice(Object.hasOwn(rates, dtype) ? undefined : dtype, known)} [${shown(dtype)}]`,
  )
}
