import { checkArray, checkRecord } from '../../base/options/index.js'
import { checkFlags, checkProducts } from './checkHardware.js'
import { checkCodes, checkFinite, checkGradientBits, checkLossScale, shareChecks } from './checkNumbers.js'
import { checkCheckpoints, checkData, checkPrograms } from './checkTime.js'
import type { Found, Problem, RunRecord } from './runRecord.js'

/** What is wrong with a run, what was looked at, and what could not be. */
export interface Diagnosis {
  /** The critical ones first. */
  readonly problems: readonly Problem[]
  /** What was looked at. */
  readonly looked: readonly string[]
  /** What the run left nothing of. */
  readonly notRecorded: readonly string[]
  /** Steps with samples, from the first to the last. */
  readonly steps: number
  readonly from: number
  readonly to: number
}

const [standing, lost, underflow] = shareChecks as [
  (run: RunRecord) => Found,
  (run: RunRecord) => Found,
  (run: RunRecord) => Found,
]

/** Each thing that is looked at, by its name. */
const checks: Readonly<Record<string, (run: RunRecord) => Found>> = {
  'NaN and infinities': checkFinite,
  'parameters that stand still': standing,
  'updates lost': lost,
  'gradients that underflow': underflow,
  'bits of gradients': checkGradientBits,
  'loss scale': checkLossScale,
  'codes of a codebook': checkCodes,
  'waiting for data': checkData,
  'programs recorded': checkPrograms,
  checkpoints: checkCheckpoints,
  'sizes of products': checkProducts,
  flags: checkFlags,
}

/**
 * The problems of a run, from the files it left: each with its evidence in numbers and a remedy. What the run did not
 * record is listed too, since nothing can be concluded about it.
 *
 * @example const sample = (step, loss) => ({ step, time: step, values: { loss }, nonFinite: {} })
 * diagnose({ samples: [sample(1, 2), sample(2, NaN)] }).problems.map(({ problem, step }) => [problem, step]) // [['not finite', 2]]
 * diagnose({ samples: [sample(1, 2), sample(2, 1)] }).problems // []
 */
export function diagnose(run: RunRecord): Diagnosis {
  checkRecord('diagnose', 'run', run, ['samples'])
  const { samples } = run
  checkArray('diagnose', 'samples', samples)
  if (run.checkpoints !== undefined) checkArray('diagnose', 'checkpoints', run.checkpoints)
  if (run.products !== undefined) checkArray('diagnose', 'products', run.products)
  for (const sample of samples) checkRecord('diagnose', 'a sample', sample, ['step', 'values', 'nonFinite'])
  const found = Object.entries(checks).map(([name, check]) => ({ name, result: check(run) }))
  const problems = found.flatMap(({ result }) => (result === 'not recorded' ? [] : result))
  const names = (recorded: boolean): string[] =>
    found.filter(({ result }) => (result !== 'not recorded') === recorded).map(({ name }) => name)
  return {
    problems: [...problems].sort((a, b) => rank(a) - rank(b)),
    ...{ looked: names(true), notRecorded: names(false), steps: samples.length },
    ...{ from: samples[0]?.step ?? 0, to: samples.at(-1)?.step ?? 0 },
  }
}

const rank = ({ severity }: Problem): number => (severity === 'critical' ? 0 : 1)
