import { finish } from './finish.js'
import { groupSum, type Terms } from './groupSums.js'
import { alignedBy, exponentOfZero } from './inputs.js'
import type { UnitRule } from './unit.js'
import type { Lane } from './unitChain.js'

/** Scales of a row, of blocks of `block` elements; the exponent of their format's smallest normal number is `least`. */
export interface ScaleLane {
  readonly values: Float32Array
  readonly from: number
  readonly block: number
  readonly least: number
}

/**
 * A chain of instructions whose operands have scales. Of 8 and 6 bits: the scales, powers of two, move the products' exponents.
 * Of 4 bits ('scaled'): 16 products are summed exactly and multiplied with both significands; the exponents are the scales'.
 */
export function scaledChain(
  rule: UnitRule,
  [a, b]: readonly [Lane, Lane],
  [left, right]: readonly [ScaleLane, ScaleLane],
  k: number,
  c: number,
): number {
  const by = rule.adder === 'scaled' ? rule.scaled! : 1
  const count = rule.group / by
  const terms: Terms = { values: new Float64Array(count), exponents: new Int32Array(count), count }
  let sum = c
  for (let from = 0; from < k; from += rule.group) {
    for (let t = 0; t < count; t++) {
      const first = from + t * by
      if (first >= k) {
        terms.values[t] = 0
        terms.exponents[t] = exponentOfZero
        continue
      }
      const x = Math.abs(left.values[left.from + Math.floor(first / left.block)]!)
      const y = Math.abs(right.values[right.from + Math.floor(first / right.block)]!)
      let products = 0
      let exponent = alignedBy(x, left.least) + alignedBy(y, right.least)
      for (let p = first; p < Math.min(first + by, k); p++) {
        products += a.values[a.from + p]! * b.values[b.from + p]!
        if (by === 1) exponent += a.exponents[a.from + p]! + b.exponents[b.from + p]!
      }
      terms.values[t] = products * x * y
      terms.exponents[t] = products === 0 ? exponentOfZero : exponent
    }
    sum = finish(groupSum(terms, sum, { ...rule, adder: 'aligned' }), rule)
  }
  return sum
}
