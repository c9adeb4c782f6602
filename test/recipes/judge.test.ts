import { describe, expect, it } from 'vitest'
import type { Claim } from '../../src/experiments/recipes/index.js'
import { judgeClaim, meanOf, verdictOf } from '../../src/experiments/recipes/results/judge.js'

const below: Claim = { says: 'below', better: 'a', worse: 'b' }
const within: Claim = { says: 'within', arm: 'a', of: 'b', share: 0.01 }
const measured =
  (a: readonly (number | null)[], b: readonly (number | null)[]) =>
  (arm: string): readonly (number | null)[] =>
    arm === 'a' ? a : b

describe('judgeClaim', () => {
  it.each([
    ['differences of one sign that hardly vary', [1, 2, 3], [1.1, 2.1, 3.11], 'seen'],
    ['the other sign', [1.1, 2.1, 3.11], [1, 2, 3], 'not seen'],
    ['differences that vary more than they are large', [1, 2, 3], [1.1, 1.9, 3.3], 'unresolved'],
    // Mean 0.1, standard error 0.1/sqrt(3): 1.7 of them, where 2.92 are asked for.
    ['differences that two standard errors would take', [1, 2, 3], [1, 2.1, 3.2], 'unresolved'],
    ['one seed', [1], [2], 'unresolved'],
    ['a worse arm that is not finite', [1, 2, 3], [1, null, 3], 'seen'],
    ['a better arm that is not finite', [1, null, 3], [1, 2, 3], 'not seen'],
    ['both', [null, 2], [2, null], 'unresolved'],
  ] as const)('of an order: %s', (_, a, b, answer) => {
    expect(judgeClaim(below, measured(a, b)).answer).toBe(answer)
  })

  it.each([
    [[1.001, 2.003], [1, 2], 'seen'],
    [[1.02, 2.0402], [1, 2], 'not seen'],
    [[1.02, 1.98], [1, 2], 'unresolved'],
    [[null, 2], [1, 2], 'not seen'],
    [[1, 2], [null, 2], 'seen'],
  ] as const)('of a share: %j against %j is %s', (a, b, answer) => {
    expect(judgeClaim(within, measured(a, b)).answer).toBe(answer)
  })

  it('measures differences seed by seed', () => {
    const { difference, error } = judgeClaim(below, measured([1, 2, 3], [2, 4, 6]))
    expect(difference).toBe(2)
    // Differences 1, 2, 3: deviation 1, over the root of 3 seeds.
    expect(error).toBeCloseTo(1 / Math.sqrt(3), 15)
    expect(meanOf([5])).toEqual({ mean: 5, error: null })
  })

  it('tells in one sentence what is seen, contradicted and open', () => {
    const [seen, open] = [
      judgeClaim(below, measured([1, 2, 3], [2, 3, 4.01])),
      judgeClaim(within, measured([1, 2, 3], [1, 1.9, 3.1])),
    ]
    expect(verdictOf([seen], 3)).toBe(
      'What the source reports is seen at this size over 3 seeds: a ends lower than b.',
    )
    expect(verdictOf([seen, open], 1)).toBe(
      'What the source reports is only in part seen at this size over one seed; seen: a ends lower than b. not resolved from the differences between seeds: a ends within 1 % of b.',
    )
  })
})
