import { readable } from '../../base/text/index.js'
import { share, time } from './quantities.js'
import type { Found, Problem, RunRecord } from './runRecord.js'
import { growthOf, seriesOf } from './series.js'

/** Seconds of a run that are lost without a saved state. */
const tooLong = 1800

/** Time spent waiting for data. */
export function checkData({ samples }: RunRecord): Found {
  const waits = seriesOf(samples, 'dataSeconds')
  const steps = seriesOf(samples, 'stepSeconds')
  if (waits.length === 0 || steps.length === 0) return 'not recorded'
  const waited = growthOf(waits)
  const worked = steps.reduce((sum, { value }) => sum + value, 0)
  const part = waited / (waited + worked)
  // A second in all is nobody's concern.
  if (!(part > 0.1) || waited < 1) return []
  return [
    {
      ...{ problem: 'waits for data', severity: part > 0.5 ? 'critical' : 'warning' },
      evidence: `${share(part)} of the time was spent waiting: ${time(waited * 1e6)} beside ${time(worked * 1e6)} of steps`,
      remedy:
        'transforms in workers and batches ahead (pipeline with workers and prefetch), records instead of text, or less work for each record',
    },
  ]
}

/** Programs that are recorded during a run. */
export function checkPrograms({ samples }: RunRecord): Found {
  const points = seriesOf(samples, 'programs')
  if (points.length === 0) return 'not recorded'
  const half = points[Math.floor(points.length / 2)]!
  const last = points.at(-1)!
  const later = last.value - half.value
  const steps = last.step - half.step
  if (later < 3 || later < steps / 100) return []
  return [
    {
      ...{ problem: 'compiles again and again', severity: 'warning', step: half.step },
      evidence: `${readable(later)} programs were recorded in the last ${readable(steps)} steps, ${readable(last.value)} in all`,
      remedy:
        'a program is made for each shape and each fixed value: pad batches to one length, leave the last short one out, and pass what changes as a tensor',
    },
  ]
}

/** Saved states: too far apart, too dear, or not whole. */
export function checkCheckpoints({ samples, checkpoints }: RunRecord): Found {
  const saves = seriesOf(samples, 'checkpointSeconds')
  if (checkpoints === undefined && saves.length === 0) return 'not recorded'
  const problems: Problem[] = []
  for (const { step, refused } of checkpoints ?? []) {
    if (refused === undefined) continue
    problems.push({
      ...{ problem: 'checkpoint refused', severity: 'critical', step, evidence: refused },
      remedy: 'move this folder away to resume from the last intact checkpoint',
    })
  }
  const times = [
    ...saves.filter(({ value }, i) => value > (saves[i - 1]?.value ?? 0)).map((save) => save.time),
    ...(checkpoints ?? []).filter(({ refused }) => refused === undefined).map((save) => save.time),
  ]
  const all = [samples[0]?.time, ...times, samples.at(-1)?.time]
    .filter((at): at is number => at !== undefined)
    .sort((a, b) => a - b)
  const longest = all.reduce((most, at, i) => (i === 0 ? 0 : Math.max(most, at - all[i - 1]!)), 0)
  if (longest > tooLong) {
    problems.push({
      ...{ problem: 'checkpoints too rare', severity: 'warning' },
      evidence: `${time(longest * 1e6)} without one${times.length === 0 ? ', there is none' : ''} [limit ${time(tooLong * 1e6)}]`,
      remedy:
        'checkpoint: { every } of train such that no more is lost than you would do again; a save costs the step its copy alone',
    })
  }
  const waited = growthOf(saves)
  const worked = seriesOf(samples, 'stepSeconds').reduce((sum, { value }) => sum + value, 0)
  const part = waited / (waited + worked)
  if (part > 0.05) {
    problems.push({
      ...{ problem: 'checkpoints too slow', severity: 'warning' },
      evidence: `${share(part)} of the time was spent saving: ${time(waited * 1e6)} beside ${time(worked * 1e6)} of steps`,
      remedy: 'save less often, to a faster disk, or fewer tensors: a save waits for the one before it',
    })
  }
  return problems
}
