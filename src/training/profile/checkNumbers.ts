import { readable } from '../../base/text/index.js'
import { share } from './quantities.js'
import type { Found, Problem, RunRecord } from './runRecord.js'
import { laterHalf, medianOf, type SeriesPoint, seriesOf } from './series.js'

/** The first sample with a NaN or an infinity; past the last where there is none. */
function firstNonFinite(samples: RunRecord['samples']): number {
  const at = samples.findIndex(
    ({ values, nonFinite }) =>
      Object.keys(nonFinite).length > 0 || (values['loss'] !== undefined && !Number.isFinite(values['loss'])),
  )
  return at < 0 ? samples.length : at
}

/** NaN and infinities: when they came, and where. */
export function checkFinite({ samples, checkpoints = [] }: RunRecord): Found {
  if (samples.length === 0) return 'not recorded'
  const first = samples[firstNonFinite(samples)]
  if (!first) return []
  const where = Object.entries(first.nonFinite).map(([leaf, count]) => `${leaf} ${readable(count)}`)
  const last = samples.at(-1)!.values['loss']
  const good = checkpoints.filter(({ step, refused }) => step < first.step && refused === undefined).at(-1)
  return [
    {
      ...{ problem: 'not finite', severity: 'critical', step: first.step },
      evidence: `seen first at step ${first.step}: ${where.join(', ') || `loss ${first.values['loss']}`}; the last loss is ${last ?? 'unknown'}`,
      remedy: `findFirstNonFinite of tpu-toolkit/autodiff names the operation${good ? `; the last checkpoint before it is of step ${good.step}` : ''}`,
    },
  ]
}

/** What a share looks like when it is too large for long. */
interface Limit {
  readonly metric: string
  readonly above: number
  readonly problem: Problem['problem']
  readonly seen: (median: number, points: readonly SeriesPoint[]) => string
  readonly remedy: string
}

const limits: readonly Limit[] = [
  {
    ...{ metric: 'unchanged', above: 0.9, problem: 'parameters stand still' },
    seen: (median, { length }) =>
      `${share(median)} of the parameters are the same after a step, in the middle of the last ${length} looks`,
    remedy:
      'updates are below half an ulp: keep a float32 copy (storedParams master), compensate (kahan) or round stochastically; if the rate is 0 by now the run is over',
  },
  {
    ...{ metric: 'updatesLost', above: 0.3, problem: 'updates lost' },
    seen: (median) => `${share(median)} of the updates that are not 0 change nothing`,
    remedy:
      'keep a float32 copy of the parameters (storedParams master), compensate (kahan) or round stochastically',
  },
  {
    ...{ metric: 'gradUnderflow', above: 0.1, problem: 'gradients underflow' },
    seen: (median) => `${share(median)} of the gradients are below the smallest normal number of their dtype`,
    remedy: 'scale the loss (descend with lossScale), or take bfloat16, which has the exponents of float32',
  },
]

/** Parameters that stall, updates that round away, gradients that underflow. */
export const shareChecks: readonly ((run: RunRecord) => Found)[] = limits.map((limit) => ({ samples }) => {
  if (seriesOf(samples, limit.metric).length === 0) return 'not recorded'
  // From the first NaN on nothing is known of updates: a NaN stays what it is, and no wider dtype helps it.
  const points = seriesOf(samples.slice(0, firstNonFinite(samples)), limit.metric)
  const later = laterHalf(points)
  const median = medianOf(later.map(({ value }) => value))
  if (!(median > limit.above)) return []
  const step = points.find(({ value }) => value > limit.above)?.step
  return [
    {
      ...{ problem: limit.problem, severity: 'warning', ...(step === undefined ? {} : { step }) },
      evidence: `${limit.seen(median, later)} [${limit.metric} ${readable(median)}, limit ${limit.above}]`,
      remedy: limit.remedy,
    },
  ]
})

/** Gradients of which fewer than two bits are right: a run tells `effectiveBits`, as `descend` with `bits` samples them. */
export function checkGradientBits({ samples }: RunRecord): Found {
  const points = seriesOf(samples, 'effectiveBits')
  if (points.length === 0) return 'not recorded'
  const median = medianOf(laterHalf(points).map(({ value }) => value))
  if (!(median < 2)) return []
  const step = points.find(({ value }) => value < 2)?.step
  const last = samples.filter(({ values }) => values['effectiveBits'] !== undefined).at(-1)!.values
  const layers = Object.entries(last).filter(([name]) => name.startsWith('effectiveBits/'))
  const least = layers.reduce((a, b) => (b[1] < a[1] ? b : a), ['', Number.POSITIVE_INFINITY])
  const layer = least[0] === '' ? '' : `, the fewest in ${least[0].slice('effectiveBits/'.length)}`
  return [
    {
      ...{ problem: 'bits of gradients lost', severity: 'warning', ...(step === undefined ? {} : { step }) },
      evidence: `${readable(median)} bits of the gradients are right${layer} [effectiveBits ${readable(median)}, limit 2]`,
      remedy:
        'shadow of tpu-toolkit/precision shows the operations that lose them, tune which of them to keep in float32',
    },
  ]
}

/** A loss scale that falls often, or is as good as none. */
export function checkLossScale({ samples }: RunRecord): Found {
  const points = seriesOf(samples, 'lossScale')
  if (points.length === 0) return 'not recorded'
  const falls = points.filter(({ value }, i) => i > 0 && value < points[i - 1]!.value)
  const steps = points.at(-1)!.step - points[0]!.step
  const last = points.at(-1)!.value
  const often = falls.length >= 5 && falls.length > steps / 50
  if (!often && last >= 1) return []
  const step = falls[0]?.step
  return [
    {
      ...{ problem: 'loss scale thrashes', severity: last < 1 ? 'critical' : 'warning' },
      ...(step === undefined ? {} : { step }),
      evidence: `it fell ${readable(falls.length)} times in ${readable(steps)} steps, and is ${readable(last)} now`,
      remedy:
        last < 1
          ? 'gradients overflow at any scale: a smaller rate, clipping, or bfloat16 instead of float16'
          : 'raise growthInterval of dynamicLossScale, or fix the scale below the largest that overflowed',
    },
  ]
}

/** Codes of a codebook that nothing is sent to: a run tells `codebookUsage`, the share that is used. */
export function checkCodes({ samples }: RunRecord): Found {
  const points = seriesOf(samples, 'codebookUsage')
  if (points.length === 0) return 'not recorded'
  const median = medianOf(laterHalf(points).map(({ value }) => value))
  if (!(median < 0.5)) return []
  const step = points.find(({ value }) => value < 0.5)?.step
  return [
    {
      ...{ problem: 'dead codes', severity: 'warning', ...(step === undefined ? {} : { step }) },
      evidence: `${share(1 - median)} of the codes are not used [codebookUsage ${readable(median)}, limit 0.5]`,
      remedy:
        'revive them (emaCodebook with deadThreshold), begin with k-means (kmeansPlusPlus), or take fewer codes',
    },
  ]
}
