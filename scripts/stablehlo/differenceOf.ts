import { codesOf, type ElementFacts, stepsBetween, unitRoundoff, valueOf } from './elements.js'

/** How far a result may be off: see `stablehlo` in test/golden/README.md. */
export type Tolerance =
  | { readonly kind: 'exact' }
  | { readonly kind: 'ulps'; readonly ulps: number; readonly reason: string }
  | { readonly kind: 'scale'; readonly ulps: number; readonly reason: string }

/** The first element outside the tolerance, in words; undefined where there is none. NaNs are one, whatever their bits. */
export function differenceOf(
  facts: ElementFacts,
  tolerance: Tolerance,
  actual: Uint8Array,
  expected: Uint8Array,
): string | undefined {
  if (actual.length !== expected.length) return `${actual.length} bytes for ${expected.length}`
  const found = codesOf(facts, actual)
  const wanted = codesOf(facts, expected)
  const isFloat = facts.kind === 'float'
  const values = isFloat ? wanted.map((code) => valueOf(facts, code)) : []
  const most = values.reduce((m, v) => (Number.isFinite(v) ? Math.max(m, Math.abs(v)) : m), 0)
  let worst: { readonly i: number; readonly by: bigint } | undefined
  let count = 0
  for (const [i, code] of found.entries()) {
    const want = wanted[i]!
    if (code === want) continue
    if (isFloat) {
      const [a, b] = [valueOf(facts, code), values[i]!]
      if (Number.isNaN(a) && Number.isNaN(b)) continue
      if (isWithin(facts, tolerance, most, [code, a], [want, b])) continue
    }
    count++
    const by = isFloat ? stepsBetween(facts, code, want) : 1n
    if (!worst || by > worst.by) worst = { i, by }
  }
  if (!worst) return undefined
  const { i, by } = worst
  const text = (code: bigint): string => `${valueOf(facts, code)} (0x${code.toString(16)})`
  return `${count} of ${found.length} differ; element ${i} is ${text(found[i]!)} for ${text(wanted[i]!)}${isFloat ? `, ${by} steps` : ''}`
}

function isWithin(
  facts: ElementFacts,
  tolerance: Tolerance,
  most: number,
  [code, a]: readonly [bigint, number],
  [want, b]: readonly [bigint, number],
): boolean {
  if (tolerance.kind === 'exact' || Number.isNaN(a) || Number.isNaN(b)) return false
  const steps = stepsBetween(facts, code, want)
  if (tolerance.kind === 'ulps') return steps <= BigInt(tolerance.ulps)
  if (steps <= 1n) return true
  return Math.abs(a - b) <= tolerance.ulps * unitRoundoff(facts) * most
}
