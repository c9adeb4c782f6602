import { readable } from '../../../base/text/index.js'
import type { ProductKind } from '../record/outcome.js'
import type { Claim } from '../record/recipe.js'

/** What the runs say about a claim: 'unresolved' where the seeds differ by more than the arms. */
export type Answer = 'seen' | 'not seen' | 'unresolved'

/** A claim with what was measured of it. */
export interface JudgedClaim {
  readonly claim: Claim
  /** In words. */
  readonly text: string
  readonly answer: Answer
  /** The mean over seeds of the difference of the losses; for a share, relative to the loss of `of`. Null where a run has no loss. */
  readonly difference: number | null
  /** Its standard error; null for a single seed. */
  readonly error: number | null
}

/** The losses of an arm by seed, or the mean errors of its products of a kind; null where a run did not stay finite. */
export type MeasureOf = (arm: string, by?: ProductKind) => readonly (number | null)[]

/** The mean of values, and its standard error: null for one value. */
export function meanOf(values: readonly number[]): { readonly mean: number; readonly error: number | null } {
  const n = values.length
  const mean = values.reduce((total, value) => total + value, 0) / n
  if (n < 2) return { mean, error: null }
  const squares = values.reduce((total, value) => total + (value - mean) ** 2, 0)
  return { mean, error: Math.sqrt(squares / (n - 1) / n) }
}

/** 95 % quantiles of Student's distribution with 1, 2, ... degrees of freedom. */
const quantiles = [6.314, 2.92, 2.353, 2.132, 2.015, 1.943, 1.895, 1.86, 1.833]
/** With more: a little above the normal distribution's. */
const others = 1.8

/**
 * Judges a claim by the differences of arms of the same seed, which share weights and data: it is seen where the mean difference is on its
 * side by more than chance makes it in one of twenty tries (Student's distribution; 2.92 standard errors of three seeds), not seen where it
 * is on the other side by as much. A single seed resolves nothing.
 */
export function judgeClaim(claim: Claim, measureOf: MeasureOf): JudgedClaim {
  const [above, below] = claim.says === 'below' ? [claim.worse, claim.better] : [claim.arm, claim.of]
  const by = claim.says === 'below' ? claim.by : undefined
  const [high, low] = [measureOf(above, by), measureOf(below, by)]
  const text = textOf(claim)
  const broken = (losses: readonly (number | null)[]): boolean => losses.some((loss) => loss === null)
  // A run that ends in NaN is worse than one that does not.
  if (broken(high) || broken(low)) {
    const answer: Answer =
      broken(high) && broken(low)
        ? 'unresolved'
        : broken(high) === (claim.says === 'below')
          ? 'seen'
          : 'not seen'
    return { claim, text, answer, difference: null, error: null }
  }
  const differences = high.map((loss, i) => {
    const difference = loss! - low[i]!
    return claim.says === 'below' ? difference : difference / low[i]!
  })
  const { mean, error } = meanOf(differences)
  const margin = claim.says === 'below' ? mean : claim.share - mean
  const least = quantiles[high.length - 2] ?? others
  const answer: Answer =
    error === null
      ? 'unresolved'
      : margin > least * error
        ? 'seen'
        : margin < -least * error
          ? 'not seen'
          : 'unresolved'
  return { claim, text, answer, difference: mean, error }
}

/** The kinds of products, in words. */
export const kindNames: Readonly<Record<ProductKind, string>> = {
  forward: 'the forward pass',
  dgrad: 'gradients of activations',
  wgrad: 'gradients of weights',
  update: 'directions of updates',
}

function textOf(claim: Claim): string {
  if (claim.says === 'below') {
    return claim.by === undefined
      ? `${claim.better} ends lower than ${claim.worse}`
      : `${claim.better} loses less in ${kindNames[claim.by]} than ${claim.worse}`
  }
  return `${claim.arm} ends within ${readable(100 * claim.share)} % of ${claim.of}`
}

/** The verdict on a recipe: one sentence. */
export function verdictOf(claims: readonly JudgedClaim[], seeds: number): string {
  const of = (answer: Answer): string[] =>
    claims.filter((one) => one.answer === answer).map(({ text }) => text)
  const [seen, missing, open] = [of('seen'), of('not seen'), of('unresolved')]
  const runs = seeds === 1 ? 'one seed' : `${seeds} seeds`
  if (seen.length === claims.length) {
    return `What the source reports is seen at this size over ${runs}: ${seen.join('; ')}.`
  }
  const parts = [
    ...(seen.length > 0 ? [`seen: ${seen.join('; ')}`] : []),
    ...(missing.length > 0 ? [`contradicted: ${missing.join('; ')}`] : []),
    ...(open.length > 0 ? [`not resolved from the differences between seeds: ${open.join('; ')}`] : []),
  ]
  const how = seen.length > 0 ? 'only in part' : 'not'
  return `What the source reports is ${how} seen at this size over ${runs}; ${parts.join('. ')}.`
}
