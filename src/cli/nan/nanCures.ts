import {
  type RunStep2750Options,
  runStep2750,
  type Step2750Options,
  type Step2750Result,
} from '../../experiments/step2750/index.js'

/** A run beside the one that is explained: what is changed, and what came of it. */
export interface CureRun {
  readonly name: string
  readonly result: Step2750Result
}

/** What is shown beside a run: the recipe, what keeps more of it, a form that adds up no long sums, and the wide dtype. */
const cures: readonly { readonly name: string; readonly options: Step2750Options }[] = [
  { name: 'sums in float32', options: { cumsum: 'stable' } },
  { name: 'float32 kept', options: { cumsum: 'stable-keep' } },
  { name: 'segsum', options: { form: 'segsum' } },
  { name: 'all in float32', options: { dtype: 'float32' } },
]

/** How many runs there are beside the one. */
export const cureCount: number = cures.length

/** Runs each cure on the same data, seed, rate and steps. */
export function runCures(
  shared: Step2750Options,
  data: RunStep2750Options['data'],
  onStep: (cure: number, step: number, name: string) => void,
): CureRun[] {
  return cures.map(({ name, options }, i) => ({
    name,
    result: runStep2750(
      { ...shared, ...options },
      { ...(data && { data }), onStep: (step) => onStep(i, step, name) },
    ),
  }))
}
