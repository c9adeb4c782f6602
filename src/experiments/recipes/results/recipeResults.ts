import { checkArray, checkRecord } from '../../../base/options/index.js'
import type { BitsLost, Outcome, ProductKind } from '../record/outcome.js'
import type { Arm, Recipe, RecipeSizes } from '../record/recipe.js'
import { type JudgedClaim, judgeClaim, meanOf, verdictOf } from './judge.js'

/** One run: an arm of a seed, and what it came to. A loss that is not finite is null. */
export interface RecipeRun {
  readonly arm: string
  readonly seed: number
  readonly loss: number | null
  readonly curve: readonly (number | null)[]
  readonly bits: readonly BitsLost[]
  readonly nonFiniteStep: number | null
}

/** An arm over its seeds. */
export interface ArmResult extends Arm {
  /** The mean of the losses; null where a run did not stay finite. */
  readonly loss: number | null
  /** The standard deviation over seeds; null for a single one. */
  readonly spread: number | null
  /** The mean difference from the first arm over seeds, and its standard error. */
  readonly difference: number | null
  readonly differenceError: number | null
  readonly losses: readonly (number | null)[]
  /** Runs that did not stay finite. */
  readonly broken: number
  /** The mean over seeds, point by point, as far as all runs went. */
  readonly curve: readonly number[]
  /** Means over seeds. */
  readonly bits: readonly BitsLost[]
}

/** What a recipe came to. */
export interface RecipeResults {
  readonly recipe: Recipe
  readonly sizes: RecipeSizes
  readonly arms: readonly ArmResult[]
  readonly claims: readonly JudgedClaim[]
  /** One sentence: whether the order of the source is seen. */
  readonly verdict: string
  /** By arm, then seed. */
  readonly runs: readonly RecipeRun[]
}

/** An outcome as a run: what JSON holds. */
export function runOf(arm: string, seed: number, outcome: Outcome): RecipeRun {
  const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)
  const { loss, curve, bits, nonFiniteStep } = outcome
  return { arm, seed, loss: finite(loss), curve: curve.map(finite), bits, nonFiniteStep }
}

/** What all runs of a recipe say together; `runs` has every seed of every arm. */
export function resultsOf(recipe: Recipe, sizes: RecipeSizes, runs: readonly RecipeRun[]): RecipeResults {
  checkRecord('resultsOf', 'recipe', recipe, ['arms', 'claims'])
  checkArray('resultsOf', 'arms of the recipe', recipe.arms)
  checkArray('resultsOf', 'claims of the recipe', recipe.claims)
  checkRecord('resultsOf', 'sizes', sizes, ['seeds'])
  checkArray('resultsOf', 'runs', runs)
  for (const run of runs) checkRecord('resultsOf', 'a run', run, ['arm', 'seed', 'loss', 'curve', 'bits'])
  const ofArm = (arm: string): RecipeRun[] =>
    runs.filter((run) => run.arm === arm).sort((a, b) => a.seed - b.seed)
  const first = recipe.arms[0]!.name
  const measureOf = (arm: string, by?: ProductKind): (number | null)[] =>
    ofArm(arm).map((run) => (by === undefined || run.loss === null ? run.loss : meanError(run.bits, by)))
  const arms = recipe.arms.map((arm) => armResult(arm, ofArm(arm.name), measureOf(first)))
  const claims = recipe.claims.map((claim) => judgeClaim(claim, measureOf))
  return {
    ...{ recipe, sizes, arms, claims },
    verdict: verdictOf(claims, sizes.seeds),
    runs: recipe.arms.flatMap(({ name }) => ofArm(name)),
  }
}

function armResult(arm: Arm, runs: readonly RecipeRun[], baseline: readonly (number | null)[]): ArmResult {
  const losses = runs.map(({ loss }) => loss)
  const finite = losses.filter((loss) => loss !== null)
  const whole = finite.length === losses.length
  const { mean, error } = meanOf(finite)
  const compared = whole && baseline.every((loss) => loss !== null)
  const apart = compared ? meanOf(finite.map((loss, i) => loss - baseline[i]!)) : undefined
  return {
    ...arm,
    loss: whole ? mean : null,
    spread: whole && error !== null ? error * Math.sqrt(losses.length) : null,
    difference: apart?.mean ?? null,
    differenceError: apart?.error ?? null,
    losses,
    broken: losses.length - finite.length,
    curve: meanCurve(runs.map(({ curve }) => curve)),
    bits: meanBits(runs.map(({ bits }) => bits)),
  }
}

function meanCurve(curves: readonly (readonly (number | null)[])[]): number[] {
  const points = Math.min(...curves.map((curve) => curve.length))
  const means: number[] = []
  for (let i = 0; i < points; i++) {
    const values = curves.map((curve) => curve[i]!)
    if (values.some((value) => value === null)) break
    means.push(meanOf(values as number[]).mean)
  }
  return means
}

function meanBits(all: readonly (readonly BitsLost[])[]): BitsLost[] {
  const known = all.filter((bits) => bits.length > 0)
  return (known[0] ?? []).map(({ layer, kind }, i) => ({
    layer,
    kind,
    error: meanOf(known.map((bits) => bits[i]!.error)).mean,
  }))
}

/** The mean error of the products of a kind; null where there are none. */
function meanError(bits: readonly BitsLost[], kind: ProductKind): number | null {
  const errors = bits.filter((one) => one.kind === kind).map(({ error }) => error)
  return errors.length === 0 ? null : meanOf(errors).mean
}
