import { checkFunction, checkText } from '../options/index.js'
import {
  type GroupBy,
  namedPolicies,
  type Shadow,
  shadow,
  type Target,
  type Trial,
  type Tuning,
  tune,
} from '../precision/index.js'
import type { FloatDType } from '../tensor/index.js'
import type { Tree } from '../tree/index.js'

/** Told of trials as they are run: how many, and of what. */
export type OnTrial = (trial: Trial, count: number) => void

/** One question that was put to a search, with its answer. */
export interface Finding {
  readonly question: string
  readonly tuning: Tuning
}

/** Where the bits of one run went, and what the searches found. */
export interface Examined {
  readonly shadow: Shadow
  readonly findings: readonly Finding[]
}

/** What the precision doctor can examine: where the bits go, and the least to keep wide. */
export interface Examination {
  readonly title: string
  /** Examines it; told of trials as they are run. */
  readonly examine: (onTrial?: OnTrial) => Examined
}

/** A computation, the inputs it is examined on, and what is wanted of it. */
export interface Computation<T extends Tree, R extends Tree> {
  /** What is computed. */
  readonly f: (inputs: T) => R
  readonly inputs: T
  /** The target in words. */
  readonly question: string
  readonly target: Target<T, R>
  /** Default: bfloat16. */
  readonly narrow?: FloatDType
  /** Default: float32. */
  readonly wide?: FloatDType
  /** Default: 'operation'. */
  readonly groupBy?: GroupBy
  /** Sets that are tried for a cheaper one. Default: 4096. */
  readonly exhaustive?: number
}

/** The examination of one computation with one target. The computation is made when it is asked for. */
export function examination<T extends Tree, R extends Tree>(
  title: string,
  make: () => Computation<T, R>,
): Examination {
  checkText('examination', 'title', title)
  checkFunction('examination', 'make', make)
  return {
    title,
    examine: (onTrial) => {
      const { f, inputs, question, target, ...how } = make()
      const { narrow = 'bfloat16', wide = 'float32', groupBy = 'operation', exhaustive = 4096 } = how
      return {
        shadow: shadow(f, inputs),
        findings: [
          {
            question,
            tuning: tune(f, inputs, {
              ...{ target, narrow, wide, groupBy, exhaustive, policies: namedPolicies },
              ...(onTrial && { onTrial }),
            }),
          },
        ],
      }
    },
  }
}
