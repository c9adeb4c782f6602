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

/** What the doctor can examine. */
export interface DoctorCase {
  readonly id: string
  readonly title: string
  /** Where the bits of one run go, and what the searches found. */
  readonly examine: (onTrial: OnTrial) => Pick<Examined, 'shadow' | 'findings'>
}

/** A case with what was found. */
export interface Examined {
  readonly id: string
  readonly title: string
  readonly shadow: Shadow
  readonly findings: readonly Finding[]
}

/** A case that is one function, its inputs and one target. */
export function doctorCase<T extends Tree, R extends Tree>({
  id,
  title,
  f,
  inputs,
  question,
  target,
  narrow = 'bfloat16',
  wide = 'float32',
  groupBy = 'operation',
  exhaustive = 4096,
}: {
  readonly id: string
  readonly title: string
  readonly f: (inputs: T) => R
  readonly inputs: T
  readonly question: string
  readonly target: Target<T, R>
  readonly narrow?: FloatDType
  readonly wide?: FloatDType
  readonly groupBy?: GroupBy
  readonly exhaustive?: number
}): DoctorCase {
  return {
    id,
    title,
    examine: (onTrial) => ({
      shadow: shadow(f, inputs),
      findings: [
        {
          question,
          tuning: tune(f, inputs, {
            target,
            narrow,
            wide,
            groupBy,
            exhaustive,
            policies: namedPolicies,
            onTrial,
          }),
        },
      ],
    }),
  }
}
