import { checkName, checkNumber } from '../../../base/options/index.js'

/**
 * Which factor stands for those of the result and of the gradients of operands that lie on the path of the residual stream. Unlike factors
 * would add branches of the gradient in wrong proportions. 'output': that of the result for all. 'geometric': their geometric mean.
 * 'none': each its own, for a product whose operands are read nowhere else.
 */
export type UnitConstraint = 'output' | 'geometric' | 'none'

/** The factors after the constraint: result first, then gradients. */
export function constrained(
  op: string,
  constraint: UnitConstraint,
  factors: readonly [number, ...number[]],
): readonly number[] {
  checkName(op, 'constraint', constraint, ['output', 'geometric', 'none'])
  if (constraint === 'none') return factors
  const one =
    constraint === 'output'
      ? factors[0]
      : factors.reduce((product, factor) => product * factor, 1) ** (1 / factors.length)
  return factors.map(() => one)
}

/** Between two limits with a constant ratio: lower^(1 - share) upper^share. */
export function between(share: number, lower: number, upper: number): number {
  return Math.exp(share * Math.log(upper) + (1 - share) * Math.log(lower))
}

/** Throws unless a multiplier is a positive number. */
export function checkMultiplier(op: string, name: string, value: number): void {
  checkNumber(op, name, value)
  if (!(value > 0)) throw new RangeError(`${op}: ${name} is not above 0 [${value}]`)
}
