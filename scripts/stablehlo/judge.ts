import type { Check } from './checks.js'
import { codesOf, type ElementFacts, stepsBetween, valueOf } from './elements.js'

const mostSteps = 2n ** 64n - 1n

/** The first element that a check does not pass, in words; undefined where all do. */
export function judge(
  facts: ElementFacts,
  check: Check,
  actual: Uint8Array,
  expected: Uint8Array,
): string | undefined {
  const [found, wanted] = [codesOf(facts, actual), codesOf(facts, expected)]
  if (found.length !== wanted.length) return `${found.length} elements for ${wanted.length}`
  if (check.kind === 'steps' && facts.kind !== 'float') return 'steps are counted between floats alone'
  const at = found.findIndex((code, i) => !passes(facts, check, code, wanted[i]!))
  if (at < 0) return undefined
  const place = facts.isComplex ? `${at >> 1} (${at % 2 === 0 ? 'real' : 'imaginary'})` : `${at}`
  const by = facts.kind === 'float' ? `, ${stepsOf(facts, found[at]!, wanted[at]!)} steps` : ''
  return `element ${place} is ${valueOf(facts, found[at]!)} for ${valueOf(facts, wanted[at]!)}${by}`
}

function passes(facts: ElementFacts, check: Check, a: bigint, b: bigint): boolean {
  if (facts.kind !== 'float') return a === b
  const [x, y] = [valueOf(facts, a), valueOf(facts, b)]
  if (check.kind === 'equal') return x === y
  if (check.kind === 'near') return isNear(facts, a, b, check.tolerance)
  const between = stepsOf(facts, a, b)
  return between >= check.least && between <= check.most
}

/** `areApproximatelyEqual` of the reference interpreter: numbers of two signs are never near, not even a zero and a tiny number. */
function isNear(facts: ElementFacts, a: bigint, b: bigint, tolerance: number): boolean {
  const [x, y] = [valueOf(facts, a), valueOf(facts, b)]
  if (x === y) return true
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) && Number.isNaN(y)
  if (!(Number.isFinite(x) && Number.isFinite(y))) return false
  const isNegative = (code: bigint): boolean => code >> BigInt(facts.bits - 1) === 1n
  return isNegative(a) === isNegative(b) && Math.abs(x - y) <= tolerance
}

function stepsOf(facts: ElementFacts, a: bigint, b: bigint): bigint {
  if (a === b) return 0n
  const [x, y] = [valueOf(facts, a), valueOf(facts, b)]
  if (Number.isFinite(x) && Number.isFinite(y)) return stepsBetween(facts, a, b)
  return Number.isNaN(x) && Number.isNaN(y) ? 0n : mostSteps
}
