import { type Step2750Run, type SweepRow, sweepRow } from '../../step2750/index.js'

/** What a worker thread of `sweep` does: one run. */
export default function work(options: Step2750Run): SweepRow {
  return sweepRow(options)
}
