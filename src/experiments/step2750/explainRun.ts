import { readable } from '../../base/text/index.js'
import { cumsums, runningSums } from '../../models/ssm/index.js'
import { explain, findFirstNonFinite, type NonFinite, record } from '../../tensors/autodiff/index.js'
import { experiments } from './experiments.js'
import { type Parameters, parametersOf } from './parameters.js'
import type { Sequence } from './step2750Model.js'
import type { Step2750Run } from './step2750Options.js'
import { fromHex, readClock, type Step2750Record } from './step2750Record.js'
import { readSums, type SumReading } from './sumReading.js'
import { lossAndGradients } from './trainStep2750.js'

/** Why a run ended as it did, from its own numbers. */
export interface Explanation {
  readonly text: string
  /** The clocks before and at the end: the last finite step and the first that is not; a clean run has only its last. */
  readonly clocks: readonly ClockFacts[]
  /** Where the first value that is not finite arose, null in a clean run. */
  readonly event: NonFinite | null
}

/** The clock of one step in numbers. */
export interface ClockFacts extends SumReading {
  readonly A: number
  /** |A| (cs_end - cs_0). */
  readonly span: number
}

/** The forms whose exponents are made of running sums of the steps. */
const summing: ReadonlySet<string> = new Set(['factorized', 'clamped', 'pairwise', 'pairwise-mask-after'])

/**
 * Explains a run. The step that failed is computed once more, recorded, and searched for the first value that is not
 * finite; the running sums of it and of the step before are compared with exact ones.
 */
export function explainRun(
  records: readonly Step2750Record[],
  firstNonFiniteStep: number | null,
  sequence: (step: number) => Sequence,
  run: Step2750Run,
): Explanation {
  const clocksAt = (...steps: number[]): ClockFacts[] => {
    const clocks: ClockFacts[] = []
    for (const step of steps) {
      const entry = records.find((candidate) => candidate.step === step)
      if (entry) clocks.push(clockOf(entry, sequence(step), run, clocks[0]?.example?.position))
    }
    return clocks
  }
  const last = records.at(-1)!.step
  if (firstNonFiniteStep === null) {
    const clocks = clocksAt(last)
    const lines = [
      `Clean: the loss and every gradient of ${last} steps are finite.`,
      ...clockLines(clocks, run),
    ]
    return { text: lines.join('\n'), clocks, event: null }
  }
  const failing = records.find(({ step }) => step === firstNonFiniteStep)!
  const parameters = record(parametersFrom(failing))
  const [loss, grads] = lossAndGradients(parameters, sequence(firstNonFiniteStep), run)
  // The loss first: what reached it is the shorter way.
  const event = findFirstNonFinite({ loss }) ?? findFirstNonFinite({ ...grads }) ?? null
  const clocks = clocksAt(firstNonFiniteStep - 1, firstNonFiniteStep)
  const lines = [
    `Step ${firstNonFiniteStep} is the first whose loss or gradient is not finite.`,
    ...clockLines(clocks, run),
    ...(event ? ['', explain(event)] : []),
    ...aftermath(records, firstNonFiniteStep, last, run),
  ]
  return { text: lines.join('\n'), clocks, event }
}

function clockOf(
  entry: Step2750Record,
  sequence: Sequence,
  run: Step2750Run,
  position: number | undefined,
): ClockFacts {
  const { dt, cs, A, span } = readClock(parametersFrom(entry), sequence, run)
  const { accumulate } = runningSums(dt, { cumsum: run.cumsum })
  const plain = (cumsums[run.cumsum].order ?? 'sequential') === 'sequential' && accumulate === cs.dtype
  const values = { dt: dt.toNumbers(), cs: cs.toNumbers() }
  return { ...readSums(entry.step, values, { accumulate, plain }, position), A: A.item(), span }
}

function parametersFrom({ paramsBits }: Step2750Record): Parameters {
  return parametersOf(Float32Array.from(paramsBits, fromHex))
}

/** Digits enough to tell neighbours of bfloat16 apart. */
const shown = (value: number): string => readable(value, 6)

/** What the running sums did at each clock, and what changed between them. */
function clockLines(clocks: readonly ClockFacts[], { form, experiment }: Step2750Run): string[] {
  if (!summing.has(form)) return []
  const lines = clocks.map(clockLine)
  const [before, after] = clocks
  // Sequences with clocks of their own lose other additions: nothing follows from comparing two of them.
  if (!experiments[experiment].sharedClock) return lines
  if (before && after && before.lost !== null && after.lost !== null && after.lost < before.lost) {
    lines.push(
      `Between the two steps ${before.lost - after.lost} additions stopped being lost: cs_end went from ${shown(before.csEnd)} to ${shown(after.csEnd)}, the exact sum from ${shown(before.exact)} to ${shown(after.exact)}.`,
    )
  }
  return lines
}

function clockLine({ step, csEnd, exact, additions, lost, example, A, span }: ClockFacts): string {
  const sums = `cs_end = ${shown(csEnd)} where the steps add up to ${shown(exact)}`
  const rate = `A = ${shown(A)}, so |A| (cs_end - cs_0) = ${shown(span)}`
  if (lost === null || example === null) return `Step ${step}: ${sums}; ${rate}.`
  const { position, s, dt, halfUlp } = example
  const relation = dt > halfUlp ? 'more than' : dt < halfUlp ? 'less than' : 'exactly'
  const one = `at position ${position} s + dt = ${shown(s)} + ${shown(dt)}, dt ${relation} half an ulp of s, ${shown(halfUlp)}`
  return `Step ${step}: ${lost} of ${additions} additions change nothing (${one}); ${sums}; ${rate}.`
}

/** What became of a run that went on behind the step that failed. */
function aftermath(
  records: readonly Step2750Record[],
  first: number,
  last: number,
  { zeroNans }: Step2750Run,
): string[] {
  if (!zeroNans || last === first) return []
  const behind = records.filter(({ step }) => step > first)
  const dead = behind.filter(({ loss }) => loss === null).length
  const final = behind.at(-1)!.paramsBits.join()
  const still = behind.filter(({ paramsBits }) => paramsBits.join() === final)
  const frozen =
    still.length > 1 ? `; from step ${still[0]!.step} on, the recorded parameters do not change by a bit` : ''
  return [
    '',
    `NaN gradients became 0 and the run went on: of ${behind.length} recorded steps behind it ${dead} have no finite loss${frozen}.`,
  ]
}
