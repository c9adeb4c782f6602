import { checkArray, checkName, checkRecord, type OptionTable } from '../../base/options/index.js'
import { checkFloatDType, type FloatDType, isFloat, type Op } from '../../tensors/tensor/index.js'
import { checkGroupBy, type GroupBy } from '../program/stepName.js'
import type { RealRule } from '../reals/realArithmetic.js'
import type { NamedPolicy } from './namedPolicies.js'
import type { TuneStage } from './tuneSearch.js'
import { checkTarget, type Target } from './tuneTarget.js'

/** One set that was tried. */
export interface Trial {
  /** The groups that ran wide. */
  readonly wide: readonly string[]
  readonly stage: TuneStage
  /** The value of the target's measure. */
  readonly value: number
  readonly met: boolean
}

/** The target and the options of the search. */
export interface TuneOptions<T, R> {
  readonly target: Target<T, R>
  /** The dtype to widen: operations in other dtypes are unchanged. Default 'bfloat16'. */
  readonly narrow?: FloatDType
  /** The wider dtype. Default 'float32'. */
  readonly wide?: FloatDType
  /** The cost to minimise: operations that run wide, or additional bytes moved. Default 'count'. */
  readonly cost?: 'count' | 'bytes'
  /** The groups that are widened together. Default 'operation', each separately; above 100 of them 'site', all of a source line. */
  readonly groupBy?: GroupBy
  /** The maximum number of cheaper sets tried at the end, to prove that none meets the target. Default 4096 for errors, 0 for runs. */
  readonly exhaustive?: number
  /** Fixed policies to compare with, `namedPolicies` for one. Default none. */
  readonly policies?: readonly NamedPolicy[]
  /**
   * The reference for errors. Default 'auto': float64, and real numbers where float64's own error bound is too large
   * for it, as in `shadow`.
   */
  readonly reference?: 'auto' | 'float64' | 'real'
  /** Unrounded forms of custom operations, for 'real'. */
  readonly rules?: ReadonlyMap<Op, RealRule>
  /**
   * Trials of an interrupted search for the same function, inputs and target, which are not run again. The empty set,
   * the full set and the answer are rerun: RangeError if one has another result. Default none.
   */
  readonly earlier?: readonly Trial[]
  /** Called after every trial. */
  readonly onTrial?: (trial: Trial, count: number) => void
}

export const tuneNames: OptionTable<TuneOptions<unknown, unknown>> = {
  target: 'required',
  narrow: 'optional',
  wide: 'optional',
  cost: 'optional',
  groupBy: 'optional',
  exhaustive: 'optional',
  policies: 'optional',
  reference: 'optional',
  rules: 'optional',
  earlier: 'optional',
  onTrial: 'optional',
}

/** Throws unless the options are what `tune` takes, defaults filled in. */
export function checkTuneOptions<T, R>(
  { target, exhaustive = 0, reference = 'auto', earlier = [] }: TuneOptions<T, R>,
  narrow: FloatDType,
  wide: FloatDType,
  cost: string,
  groupBy: GroupBy,
): void {
  checkTarget(target)
  checkGroupBy('tune', groupBy)
  checkArray('tune', 'earlier', earlier)
  for (const trial of earlier) checkRecord('tune', 'an earlier trial', trial, ['wide', 'value', 'met'])
  for (const dtype of [narrow, wide]) {
    if (!isFloat(dtype)) throw new TypeError(`tune: needs a floating-point dtype [${String(dtype)}]`)
    checkFloatDType('tune', 'dtype', dtype)
  }
  if (narrow === wide) throw new TypeError(`tune: wide is no wider than narrow [${wide}]`)
  if (!['count', 'bytes'].includes(cost)) throw new RangeError(`tune: cost is 'count' or 'bytes' [${cost}]`)
  checkName('tune', 'reference', reference, ['auto', 'float64', 'real'])
  if (!(Number.isInteger(exhaustive) && exhaustive >= 0)) {
    throw new RangeError(`tune: exhaustive is not a count [${String(exhaustive)}]`)
  }
}
