import type { Step2750Record } from 'tpu-toolkit/step2750'
import type { RecordKey } from '../support/step2750Keys.js'

/** What a record has in common with one of the keys. */
export function bitsOfRecord(record: Step2750Record): RecordKey['bits'] {
  const { paramsBits, gradsBits, normBits, lossBits, dtBits, csEndBits, ABits } = record
  return { paramsBits, gradsBits, normBits, lossBits, dtBits, csEndBits, ABits }
}
