import { bytesText, percentText, readable, secondsText } from '../../base/text/index.js'
import { costRows } from './costs.js'
import type { Plan } from './makePlan.js'

/** One line of a plan: what, how much, and what that means. */
export interface PlanRow {
  readonly what: string
  readonly value: string
  readonly note: string
}

/** The lines of a plan, for the terminal and the page. */
export function planRows(plan: Plan): { readonly memory: PlanRow[]; readonly step: PlanRow[] } {
  const { memory } = plan
  const { bytesPerDevice, usableBytesPerDevice } = memory
  const parts = Object.entries(memory.perDevice)
    .filter(([, bytes]) => bytes > 0)
    .map(([what, bytes]) => ({
      what,
      value: bytesText(bytes),
      note: percentText(bytes / usableBytesPerDevice),
    }))
  const fits = memory.fits ? 'fits' : 'does not fit'
  return {
    memory: [
      ...parts,
      {
        what: 'in all',
        value: bytesText(bytesPerDevice),
        note: `${fits}: ${bytesText(usableBytesPerDevice)} available to programs`,
      },
    ],
    step: stepRows(plan),
  }
}

function stepRows({
  step,
  batch,
  samplesPerSecond,
  tokensPerChip,
  criticalTokensPerChip,
  costs,
}: Plan): PlanRow[] {
  const terms = Object.entries(step.seconds)
    .filter(([, seconds]) => seconds > 0)
    .map(([what, seconds]) => ({
      what,
      value: secondsText(seconds),
      note: what === step.boundBy ? 'bounds the step' : '',
    }))
  const estimate = step.estimateSeconds
  return [
    ...terms,
    {
      what: 'lower bound',
      value: secondsText(step.lowerBoundSeconds),
      note: step.pipeline === undefined ? 'for any split and overlap' : 'for any overlap, with these stages',
    },
    {
      what: 'estimate',
      value: estimate === null ? '-' : secondsText(estimate),
      note:
        estimate === null
          ? 'a bound alone: no published run to fit on, see the assumptions'
          : `${percentText(step.mfu ?? 0)} of the peak, half of the pairs counted; from ${step.calibration.points.length} published runs, within ${percentText(step.calibration.spread)}`,
    },
    {
      what: 'tokens a second',
      value: step.tokensPerSecond === null ? '-' : readable(Math.round(step.tokensPerSecond)),
      note: `${readable(step.tokens)} tokens a step, ${readable(tokensPerChip)} on each chip; products are bound by compute from ${criticalTokensPerChip.toFixed(0)} on`,
    },
    {
      what: 'samples a second',
      value: samplesPerSecond === null ? '-' : readable(samplesPerSecond),
      note: `sequences, ${readable(batch)} a step`,
    },
    ...(costs === undefined ? [] : costRows(costs)),
  ]
}

/** The columns and lines of the table of parameters; none where they cannot be spread so. */
export function shardingRows({ sharding }: Plan): Record<string, string | number>[] {
  if (typeof sharding === 'string') return []
  return sharding.parameters.map(({ name, shape, spec, shardShape, replicas, notes }) => ({
    ...{ parameter: name, shape: shape.join(' x '), on: spec.map(entryText).join(', ') },
    ...{ each: shardShape.join(' x '), replicas, note: notes.join('; ') },
  }))
}

const entryText = (entry: string | readonly string[] | null): string =>
  entry === null ? '-' : typeof entry === 'string' ? entry : entry.join('+')

/** The lines above the tables. */
export function planHead({
  model,
  slice,
  chips,
  parameters,
  batch,
  largestBatch,
  sequence,
  memory,
}: Plan): string[] {
  const ways = Object.entries(memory.split)
    .filter(([, count]) => (count ?? 1) > 1)
    .map(([name, count]) => `${name} ${count}`)
  const active = parameters.active < parameters.total ? `, ${readable(parameters.active)} active` : ''
  return [
    `${model}: ${readable(parameters.total)} parameters${active}, on ${slice} (${chips} chips of ${memory.slice.topology.join('x')}, ${memory.devices} devices)`,
    `batch ${batch}${largestBatch === null ? '' : ', the largest that fits'}, sequence ${sequence}; ${memory.stages === undefined ? '' : `${memory.stages.length} stages, each `}split over ${ways.length === 0 ? 'nothing' : ways.join(', ')}`,
  ]
}

/** Whether it fits, and what a step takes, in a sentence. */
export function planFinding({ memory, step }: Plan): string {
  const { bytesPerDevice, usableBytesPerDevice, fits } = memory
  const use = `${bytesText(bytesPerDevice)} of ${bytesText(usableBytesPerDevice)} on each device`
  const time =
    step.estimateSeconds === null
      ? `at least ${secondsText(step.lowerBoundSeconds)}`
      : `about ${secondsText(step.estimateSeconds)}`
  return `${fits ? 'It fits' : 'It does not fit'}: ${use}. A step takes ${time}, bound by ${step.boundBy}.`
}
