import { runningSums } from '../../models/ssm/index.js'
import { globalNorm } from '../../optimizer/index.js'
import { cast, type Tensor } from '../../tensors/tensor/index.js'
import { type Parameters, valuesOf } from './parameters.js'
import { type Sequence, stepsAndRate } from './step2750Model.js'
import type { Step2750Run } from './step2750Options.js'
import type { StepFacts } from './trainStep2750.js'

/**
 * One step in plain data; arrays are in the order of `parameterNames`. Numbers that are not finite are null; beside each
 * stand its float32 bits, 8 hex digits, every NaN 7fc00000.
 */
export interface Step2750Record {
  readonly step: number
  readonly loss: number | null
  readonly lossBits: string
  /** Before the step. */
  readonly params: readonly (number | null)[]
  readonly paramsBits: readonly string[]
  readonly grads: readonly (number | null)[]
  readonly gradsBits: readonly string[]
  /** Of all gradients, before the clip. */
  readonly norm: number | null
  readonly normBits: string
  /** The last step of the sequence: the usual one of the experiments with equal steps. */
  readonly dt: number | null
  readonly dtBits: string
  /** The last running sum of the steps. */
  readonly csEnd: number | null
  readonly csEndBits: string
  /** The rate, negative. */
  readonly A: number | null
  readonly ABits: string
  /** |A| (cs_end - cs_0), the largest exponent of the factorized form, in float64 from the values above. */
  readonly span: number | null
  readonly spanBits: string
}

/** What a step's clock says: its steps, their running sums as the run adds them, rate and span. */
export interface ClockReading {
  readonly dt: Tensor
  readonly cs: Tensor
  readonly A: Tensor
  readonly span: number
}

/** Reads the clock of parameters. */
export function readClock(params: Parameters, sequence: Sequence, run: Step2750Run): ClockReading {
  const { dt, A } = stepsAndRate(params, sequence, run)
  const cs = runningSums(dt, { cumsum: run.cumsum }).sums
  const sums = cs.toNumbers()
  return { dt, cs, A, span: Math.abs(A.item()) * (sums.at(-1)! - sums[0]!) }
}

/** The record of a step. */
export function recordOf(facts: StepFacts, sequence: Sequence, run: Step2750Run): Step2750Record {
  const { dt, cs, A, span } = readClock(facts.params, sequence, run)
  const params = valuesOf(facts.params)
  const grads = valuesOf(facts.grads)
  const norm = globalNorm({ ...facts.grads }, { arithmetic: 'xla-cpu' }).item()
  const loss = facts.loss.item()
  const last = (x: Tensor): number => cast(x, 'float32').data.at(-1)!
  return {
    step: facts.step,
    ...{ loss: numeral(loss), lossBits: bits(loss) },
    ...{ params: Array.from(params, numeral), paramsBits: Array.from(params, bits) },
    ...{ grads: Array.from(grads, numeral), gradsBits: Array.from(grads, bits) },
    ...{ norm: numeral(norm), normBits: bits(norm) },
    ...{ dt: numeral(last(dt)), dtBits: bits(last(dt)) },
    ...{ csEnd: numeral(last(cs)), csEndBits: bits(last(cs)) },
    ...{ A: numeral(A.item()), ABits: bits(A.item()) },
    ...{ span: numeral(span), spanBits: bits(span) },
  }
}

/** A number as JSON can have it: its zero has no sign. */
export function numeral(value: number): number | null {
  return Number.isFinite(value) ? value + 0 : null
}

const float = new Float32Array(1)
const word = new Uint32Array(float.buffer)

/** The float32 bits of a number as 8 hex digits; every NaN is 7fc00000. */
export function bits(value: number): string {
  float[0] = Number.isNaN(value) ? Number.NaN : value
  return word[0]!.toString(16).padStart(8, '0')
}

/** The number of 8 hex digits. */
export function fromHex(digits: string): number {
  word[0] = Number.parseInt(digits, 16)
  return float[0]!
}
