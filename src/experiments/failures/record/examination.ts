import { checkFunction, checkRecord, checkText } from '../../../base/options/index.js'
import {
  type GroupBy,
  namedPolicies,
  type Rewriting,
  type Shadow,
  shadow,
  suggestRewrites,
  type Target,
  type Trial,
  type Tuning,
  tune,
} from '../../../precision/index.js'
import type { FloatDType } from '../../../tensors/tensor/index.js'
import type { Tree } from '../../../tensors/tree/index.js'

/** Called as trials are run: how many, and of what. */
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
  /** What to write instead, where it was looked for. */
  readonly rewriting?: Rewriting
}

/** What the precision doctor can examine: where the bits go, and the least to keep wide. */
export interface Examination {
  readonly title: string
  /** Examines it; calls a function as trials are run, and continues from `earlier` ones, a list for each search, in order. */
  readonly examine: (onTrial?: OnTrial, earlier?: readonly (readonly Trial[])[]) => Examined
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
  /** Trials of the same search, which was broken off. Default: none. */
  readonly earlier?: readonly Trial[]
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
    examine: (onTrial, [earlier = []] = []) => {
      const { f, inputs, ...made } = make()
      const asked = { exhaustive: 4096, groupBy: 'operation', ...made, earlier } as const
      return {
        shadow: shadow(f, inputs),
        findings: [findingOf(f, inputs, asked, onTrial)],
        rewriting: suggestRewrites(f, inputs),
      }
    },
  }
}

/** Puts one question to a search: the least to keep wide, beside the fixed policies. */
export function findingOf<T extends Tree, R extends Tree>(
  f: (inputs: T) => R,
  inputs: T,
  asked: Omit<Computation<T, R>, 'f' | 'inputs'>,
  onTrial?: OnTrial,
): Finding {
  checkFunction('findingOf', 'f', f)
  checkRecord('findingOf', 'the question', asked, ['question', 'target'])
  const { question, target, ...how } = asked
  return {
    question,
    tuning: tune(f, inputs, { target, policies: namedPolicies, ...how, ...(onTrial && { onTrial }) }),
  }
}
