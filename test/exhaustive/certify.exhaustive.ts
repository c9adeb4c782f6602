import { certify } from 'tpu-toolkit/precision'
import { seeded } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { holdsFor, randomCases } from '../support/randomExpressions.js'
import { seed } from '../support/seed.js'

describe(`certify (seed ${seed})`, () => {
  it('contains the exact result of 100,000 random expressions', () => {
    const counts = { finite: 0 }
    for (const { expression, inputs } of randomCases(seeded(`certify, all ${seed}`), 100_000)) {
      const { results, bounds } = certify((x) => expression.of(x), inputs, { check: false })
      const bound = bounds[0]!.item()
      if (bound < Infinity) counts.finite++
      expect(holdsFor(expression, inputs, results[0]!, bound)).toBe(true)
    }
    expect(counts.finite).toBeGreaterThan(80_000)
  }, 600_000)
})
