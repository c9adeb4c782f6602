import { finish } from './finish.js'
import { groupSum, type Terms } from './groupSums.js'
import { exponentOfZero, type UnitOperand } from './inputs.js'
import type { UnitRule } from './unit.js'

/** Where the elements of a row or a column lie: element p at `from + p * by`. */
export interface Lane extends UnitOperand {
  readonly from: number
  readonly by: number
}

/** Scratch for the products of a rule's groups. */
export function termsOf(rule: UnitRule): Terms {
  return { values: new Float64Array(rule.group), exponents: new Int32Array(rule.group), count: 0 }
}

/** The element of an instruction that is the `p`th of its groups' products. */
export function placeInOrder(rule: UnitRule, p: number): number {
  if (rule.order !== 'by bit 1') return p
  const second = p >= rule.group ? 1 : 0
  const q = p - second * rule.group
  return (q >> 1) * 4 + second * 2 + (q & 1)
}

/**
 * One inner product of length k as a chain of instructions, from the accumulator c, which is a number of the result's format:
 * the reference of `unitProduct`.
 */
export function unitChain(
  rule: UnitRule,
  a: Lane,
  b: Lane,
  k: number,
  c: number,
  terms: Terms = termsOf(rule),
): number {
  let sum = c
  const isAfter = rule.accumulator === 'added after'
  for (let from = 0; from < k; from += rule.k) {
    let own = isAfter ? 0 : sum
    for (let first = 0; first < rule.k; first += rule.group) {
      terms.count = 0
      for (let p = first; p < first + rule.group; p++) {
        const place = from + placeInOrder(rule, p)
        const [i, j] = [a.from + place * a.by, b.from + place * b.by]
        // What is missing at the end is zeros.
        terms.values[terms.count] = place < k ? a.values[i]! * b.values[j]! : 0
        terms.exponents[terms.count++] = place < k ? a.exponents[i]! + b.exponents[j]! : exponentOfZero
      }
      own = finish(groupSum(terms, own, rule), rule)
    }
    sum = isAfter ? addedAfter(sum, own, rule) : own
  }
  return sum
}

/** As `unitChain`, every `width` products a chain of their own from 0, whose results are added to c in float32. */
export function promotedChain(
  rule: UnitRule,
  a: Lane,
  b: Lane,
  k: number,
  c: number,
  width: number,
  terms: Terms = termsOf(rule),
): number {
  let total = c
  for (let from = 0; from < k; from += width) {
    const part = (lane: Lane): Lane => ({ ...lane, from: lane.from + from * lane.by })
    total = Math.fround(total + unitChain(rule, part(a), part(b), Math.min(width, k - from), 0, terms))
  }
  return total
}

/** An ordinary addition in the format of the output, nearest even. */
export function addedAfter(c: number, sum: number, rule: UnitRule): number {
  return rule.result === 'float16'
    ? finish(c + sum, { result: 'float16', rounding: 'nearest' })
    : Math.fround(c + sum)
}
