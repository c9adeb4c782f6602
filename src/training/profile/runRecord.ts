import type { ChipName } from '../../planning/hardware/index.js'
import type { Environment } from '../../planning/xla/index.js'
import type { Work } from '../../tensors/tensor/index.js'
import type { Sample } from '../monitor/index.js'

/** A matrix product that a run does, and what it took in a profile. */
export type RunProduct = NonNullable<Work['product']> & { readonly microseconds: number }

/** A saved state of a run. */
export interface RunCheckpoint {
  readonly step: number
  /** Seconds since 1970. */
  readonly time: number
  /** What is wrong with it; undefined for a whole one. */
  readonly refused?: string
}

/** The files that a run left; checks of missing ones are skipped. */
export interface RunRecord {
  /** The numbers of its steps, as `monitor` hands them to a sink. */
  readonly samples: readonly Sample[]
  /** The saved states that are there now; none where there is a folder for them and nothing in it. */
  readonly checkpoints?: readonly RunCheckpoint[]
  /** The products of its step, as `profile` finds them: `productsOf(profile)`. */
  readonly products?: readonly RunProduct[]
  /** LIBTPU_INIT_ARGS, XLA_FLAGS, as they were set. */
  readonly environment?: Environment
  /** The chip that it ran on, or is to run on. */
  readonly chip?: ChipName
}

/** What may be wrong with a run. */
export type ProblemName =
  | 'not finite'
  | 'parameters stand still'
  | 'updates lost'
  | 'gradients underflow'
  | 'bits of gradients lost'
  | 'loss scale thrashes'
  | 'dead codes'
  | 'waits for data'
  | 'compiles again and again'
  | 'checkpoints too rare'
  | 'checkpoints too slow'
  | 'checkpoint refused'
  | 'products leave the matrix unit empty'
  | 'flags'

/** Something that is wrong with a run. */
export interface Problem {
  readonly problem: ProblemName
  readonly severity: 'critical' | 'warning'
  /** The first step that shows it, where one does. */
  readonly step?: number
  /** What was seen, in numbers. */
  readonly evidence: string
  readonly remedy: string
}

/** What a check comes to: problems, none, or that the run left nothing to look at. */
export type Found = readonly Problem[] | 'not recorded'
