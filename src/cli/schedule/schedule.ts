import { Command } from 'commander'
import { schedulePlot, scheduleSparkline, textTable } from '../../report/index.js'
import {
  cosineDecaySchedule,
  cosineOnecycleSchedule,
  doublingPeriods,
  doublingRestartsSchedule,
  exponentialDecay,
  inverseSqrtSchedule,
  linearOnecycleSchedule,
  linearSchedule,
  type Schedule,
  warmupCosineDecaySchedule,
  wsdSchedule,
} from '../../schedule/index.js'
import { mistakesAsBadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { openReportFile } from '../io/openReport.js'
import { readName } from '../io/readNames.js'
import { readCount, readNumber } from '../io/readNumber.js'
import type { Subcommand } from '../io/subcommand.js'

/** The numbers that describe a schedule on the command line. */
interface Shape {
  readonly peak: number
  readonly init: number
  readonly end: number
  readonly warmup: number
  readonly steps: number
  readonly cycles: number
  readonly rate: number
}

interface Given {
  readonly steps: string
  readonly peak: string
  readonly init: string
  readonly end: string
  readonly warmup: string
  readonly cycles: string
  readonly rate: string
  readonly log?: boolean
  readonly json?: boolean
  readonly out?: string
}

/** Each schedule by its name on the command line. */
const kinds: Readonly<Record<string, (shape: Shape) => Schedule>> = {
  'doubling-restarts': ({ peak, init, end, warmup, steps, cycles }) =>
    doublingRestartsSchedule({
      ...{ peakValue: peak, initValue: init, endValue: end, warmupSteps: warmup, totalSteps: steps, cycles },
    }),
  'warmup-cosine': ({ peak, init, end, warmup, steps }) =>
    warmupCosineDecaySchedule({
      ...{ peakValue: peak, initValue: init, endValue: end, warmupSteps: warmup, decaySteps: steps },
    }),
  cosine: ({ peak, end, steps }) =>
    cosineDecaySchedule({ initValue: peak, decaySteps: steps, alpha: peak === 0 ? 0 : end / peak }),
  linear: ({ peak, end, steps }) =>
    linearSchedule({ initValue: peak, endValue: end, transitionSteps: steps }),
  exponential: ({ peak, steps, rate }) =>
    exponentialDecay({ initValue: peak, transitionSteps: steps, decayRate: rate }),
  wsd: ({ peak, init, end, warmup, steps }) => {
    // The last tenth decays.
    const decaySteps = Math.max(1, Math.round(steps / 10))
    const stableSteps = steps - warmup - decaySteps
    return wsdSchedule({
      ...{ peakValue: peak, initValue: init, endValue: end, warmupSteps: warmup, stableSteps, decaySteps },
    })
  },
  'inverse-sqrt': ({ peak, init, warmup }) =>
    inverseSqrtSchedule({ peakValue: peak, initValue: init, warmupSteps: warmup }),
  'linear-onecycle': ({ peak, steps }) => linearOnecycleSchedule({ transitionSteps: steps, peakValue: peak }),
  'cosine-onecycle': ({ peak, steps }) => cosineOnecycleSchedule({ transitionSteps: steps, peakValue: peak }),
}

/** `schedule`: a learning rate over its steps, as a line of text, a table of steps, and an SVG file. */
export const scheduleCommand: Subcommand = (terminal) =>
  new Command('schedule')
    .description('Draws a learning-rate schedule in the terminal, and in SVG with --out.')
    .argument('[name]', Object.keys(kinds).join(', '), 'doubling-restarts')
    .option('--steps <n>', 'total number of steps, including the warmup', '50000')
    .option('--peak <rate>', 'the peak rate', '3e-4')
    .option('--init <rate>', 'the rate at step 0', '0')
    .option('--end <rate>', 'the final rate', '0')
    .option('--warmup <n>', 'warmup steps', '1000')
    .option('--cycles <n>', 'cycles of doubling-restarts, one more than restarts', '4')
    .option('--rate <r>', 'exponential: the decay factor over all steps', '0.1')
    .option('--log', 'draw the rate on a logarithmic scale')
    .option('--json', 'print one JSON object: 101 steps and their rates')
    .option('--out <file>', 'write an SVG file')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit schedule\n  tpu-toolkit schedule wsd --steps 10000 --warmup 500 --out wsd.svg',
    )
    .action((name: string, given: Given) => {
      const make = kinds[readName('schedule', name, Object.keys(kinds))]!
      const report = openReportFile({ ...given, terminal })
      const shape = readShape(given)
      const schedule = mistakesAsBadInput('', () => make(shape))
      const asked = Array.from({ length: 101 }, (_, i) => Math.round((i * shape.steps) / 100))
      const points = [...new Set(asked)].map((step) => ({ step, rate: schedule(step) }))
      const restarts = name === 'doubling-restarts' ? restartsOf(shape) : []
      if (given.json) {
        terminal.out(jsonText({ schedule: name, ...shape, restarts, points }))
      } else {
        const line = scheduleSparkline(schedule, {
          steps: shape.steps,
          scale: given.log ? 'log' : 'linear',
        })
        terminal.out(`${line}\n\n${textTable(pointColumns, tenths(points), { width: terminal.width })}\n`)
        if (restarts.length > 0) terminal.out(`\nRestarts at step ${restarts.join(', ')}.\n`)
      }
      report?.write(
        schedulePlot(
          { [name]: schedule },
          { steps: shape.steps, title: `${name}: rate by step`, scale: given.log ? 'log10' : 'linear' },
        ),
      )
    })

const pointColumns = [{ key: 'step' }, { key: 'rate', digits: 6 }]

/** Every tenth of at most 101 points, the last one among them. */
function tenths<Point>(points: readonly Point[]): Point[] {
  return points.filter((_, i) => i % 10 === 0 || i === points.length - 1)
}

function restartsOf({ warmup, steps, cycles }: Shape): number[] {
  const periods = doublingPeriods({ warmupSteps: warmup, totalSteps: steps, cycles })
  return periods.slice(0, -1).map((_, i) => periods.slice(0, i + 1).reduce((sum, n) => sum + n, warmup))
}

function readShape(given: Given): Shape {
  const number = (name: keyof Shape): number => readNumber(name, given[name])
  const count = (name: 'steps' | 'warmup' | 'cycles', least: number): number =>
    readCount(name, given[name], least)
  return {
    peak: number('peak'),
    init: number('init'),
    end: number('end'),
    rate: number('rate'),
    steps: count('steps', 1),
    warmup: count('warmup', 0),
    cycles: count('cycles', 1),
  }
}
