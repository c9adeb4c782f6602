import type { ErrorBound } from '../../../numerics/index.js'
import { resultFacts } from '../units/finish.js'
import { leastExponents } from '../units/inputs.js'
import type { UnitRule } from '../units/unit.js'
import type { UnitWay } from '../units/unitProduct.js'

/** What is lost of one group, relative to the largest magnitude that a sum can have. */
function lossOfGroup({ adder = 'aligned', align, group, rounding, result }: UnitRule): number {
  const { fraction } = resultFacts[result]
  const rounded = rounding === 'cut' ? 2 ** -fraction : 2 ** (-fraction - 1)
  if (adder === 'pairwise') return (Math.ceil(Math.log2(group)) + 2) * 2 ** -24
  // Every product and the accumulator is cut by less than one unit; those of CDNA 3 meet in up to four more cuts.
  return (group + (adder === 'aligned' ? 1 : 5)) * 2 ** -align + rounded
}

/**
 * Of every element of a product on a matrix unit: groups times what one loses, each relative to the sum of magnitudes, which bounds every
 * accumulator; what tf32 cuts off; subnormals. Sums that are promoted lose in the groups of their own stretch alone.
 */
export function unitBound(
  { rule, inputs, promote }: UnitWay,
  k: number,
  { sumAbs, maxAbs }: { readonly sumAbs: number; readonly maxAbs: number },
): Pick<ErrorBound, 'bound' | 'formula'> & { readonly peak: number } {
  const { fraction, least, limit } = resultFacts[rule.result]
  const stretch = Math.min(k, promote ?? k)
  const instructions = Math.ceil(stretch / rule.k)
  const groups = instructions * (rule.k / rule.group)
  const loss = lossOfGroup(rule)
  const ordinary = rule.result === 'float16' ? 2 ** -11 : 2 ** -24
  const stretches = promote === undefined ? 0 : Math.ceil(k / promote)
  const after = (rule.accumulator === 'added after' ? instructions * ordinary : 0) + stretches * 2 ** -24
  const steps = groups * loss + after
  // Sums of what was cut are no larger than those before; what is rounded may grow.
  const growth = Math.exp(Math.min(steps, 700))
  const left = inputs[0] === 'tf32' ? 2 ** -9 + 2 ** -20 : 0
  // Below the smallest normal number: what alignment takes for larger than it is, what a result cannot hold, what is read as 0.
  const smallest = 2 ** Math.min(...inputs.map((input) => leastExponents[input]))
  const largest = 2 ** Math.max(...inputs.map((input) => leastExponents[input]))
  const count = Math.max(1, stretches) * groups
  const tiny =
    count * (loss * Math.max(2 ** -126, 2 * largest * Math.max(maxAbs, smallest)) + 2 ** (least - fraction)) +
    (rule.adder === 'pairwise' ? 2 * k * (largest * maxAbs + 2 ** -126) : 0) +
    (left > 0 ? 3 * k * 2 ** -136 * Math.max(maxAbs, 1) : 0)
  const bound = left * sumAbs + steps * growth * sumAbs + tiny * growth
  const peak = sumAbs * (1 + left) * growth + tiny
  return {
    bound: k === 0 ? 0 : peak >= limit * (1 - 2 ** -10) ? Infinity : bound,
    formula: `${groups} groups of ${loss.toExponential(2)} S${after > 0 ? `, additions ${after.toExponential(2)} S` : ''}${left > 0 ? ', tf32 2^-9 S' : ''}`,
    peak,
  }
}
