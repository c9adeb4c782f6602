import type { OptionTable } from '../base/options/index.js'
import type { ReplayBatch } from './batch.js'
import type { ReplaySpec, TransitionSpec } from './layout.js'

/** Options of `sample` and `sampleAsync`. */
export interface SampleOptions<S extends ReplaySpec = TransitionSpec> {
  /** Whether a row may come twice. Default true; prioritized sampling has no other way. */
  readonly replacement?: boolean
  /** Prioritized: the exponent of the importance weights of this batch. Default: the buffer's. */
  readonly beta?: number
  /** An earlier batch of as many rows, to be filled again. Default: new arrays. Not for sampleAsync. */
  readonly out?: ReplayBatch<S>
}

/** Options of `sampleSequences`. */
export interface SequenceOptions {
  /** Rows in each sequence. */
  readonly length: number
}

export const sampleAheadNames: OptionTable<Omit<SampleOptions, 'out'>> = {
  replacement: 'optional',
  beta: 'optional',
}
export const sampleNames: OptionTable<SampleOptions> = { ...sampleAheadNames, out: 'optional' }
export const sequenceNames: OptionTable<SequenceOptions> = { length: 'required' }
