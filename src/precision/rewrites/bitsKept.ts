import { cast, dtypeFacts, type FloatDType, isFloat, type Tensor } from '../../tensors/tensor/index.js'
import { type Operand, type Program, recorded } from '../program/program.js'
import { bitsApart } from '../reals/bitsOfError.js'

/** How many bits of the outputs are right. */
export interface BitsKept {
  /** Over the elements of each output, and over the outputs. */
  readonly mean: number
  /** Of the worst element. */
  readonly worst: number
  /** Significand bits that the outputs' dtype has; of several dtypes their mean. */
  readonly of: number
}

/**
 * Counts right bits of some results: the precision of each element's dtype less the bits between it and the reference rounded
 * to that dtype, none below 0. Results count alike, whatever their sizes.
 */
export function bitsKept(
  program: Program,
  operands: readonly Operand[],
  valueOf: (operand: Operand) => Tensor,
  exactOf: (operand: Operand, dtype: FloatDType) => Tensor,
): BitsKept {
  let [total, results, worst, precisions] = [0, 0, Infinity, 0]
  for (const output of operands) {
    const { dtype, size } = recorded(program, output)
    if (!isFloat(dtype) || size === 0) continue
    const facts = dtypeFacts(dtype)
    const got = cast(valueOf(output), 'float64').data
    const exact = cast(exactOf(output, dtype), 'float64').data
    let sum = 0
    for (let i = 0; i < got.length; i++) {
      const kept = Math.max(0, facts.precision - bitsApart(Number(got[i]), Number(exact[i]), facts))
      sum += kept
      worst = Math.min(worst, kept)
    }
    total += sum / size
    precisions += facts.precision
    results++
  }
  return results === 0
    ? { mean: 0, worst: 0, of: 0 }
    : { mean: total / results, worst, of: precisions / results }
}
