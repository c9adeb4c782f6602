import { elementsOf, type KnownOp, Tensor, withTrace, zeros } from '../../tensor/index.js'
import { again, type Body, runBody, type Step } from './body.js'

/** A loop: what is done at each step, and how often. */
export interface Loop {
  /**
   * Its inputs are the carried values and then a row of each stacked one; its outputs the carried values after the step, a
   * row of each stacked result, and the carried values before the step, which the way back reads.
   */
  readonly body: Body
  /** How many values are carried. */
  readonly carries: number
  readonly length: number
  /** From the last row to the first. */
  readonly reverse: boolean
}

/** One result of a loop that was recorded. */
export interface Scanned {
  readonly loop: Loop
  /** All results of the run: the carried values at the end, stacked results, and carried values before each step. */
  readonly outputs: readonly Tensor[]
  readonly index: number
}

/** The record of scan: one for each of its results, on what the loop captured, the carried values and the stacked ones. */
export const scanOp: KnownOp<Scanned> = {
  name: 'scan',
  form: 'whole',
  rounds: 'each step',
  kernel: (inputs, { loop, index }) => looped(loop, inputs, loop.body.outputs.length)[index]!,
}

/** How many results of a loop are not for the way back. */
export function resultsOf({ body, carries }: Loop): number {
  return body.outputs.length - carries
}

/** Runs a loop, all of its results at once; recorded if an input is, and then, or if `whole`, with those for the way back. */
export function runLoop(loop: Loop, inputs: readonly Tensor[], whole = false): readonly Tensor[] {
  const plain = inputs.map((x) => (x.trace ? new Tensor(x.dtype, x.shape, elementsOf(x)) : x))
  const all = loop.body.outputs.length
  if (inputs.every(({ trace }) => !trace)) return looped(loop, plain, whole ? all : resultsOf(loop))
  const outputs: Tensor[] = []
  for (const [index, x] of looped(loop, plain, all).entries()) {
    outputs.push(withTrace(x, scanOp, inputs, { loop, outputs, index }))
  }
  return outputs
}

/** The first `wanted` results of a loop. */
function looped(
  { body, carries, length, reverse }: Loop,
  inputs: readonly Tensor[],
  wanted: number,
): Tensor[] {
  const captured = inputs.slice(0, body.captured.length)
  let carry = inputs.slice(captured.length, captured.length + carries)
  const xs = inputs.slice(captured.length + carries)
  const stacked = body.outputs
    .slice(carries, wanted)
    .map(({ dtype, shape }) => zeros([length, ...shape], { dtype }))
  for (let step = 0; step < length; step++) {
    const i = reverse ? length - 1 - step : step
    const doing = doer(body)
    const results = runBody(body, captured, [...carry, ...xs.map((x) => rowOf(x, i))], itself, doing)
    carry = results.slice(0, carries)
    for (const [k, all] of stacked.entries()) {
      const row = results[carries + k]!
      all.data.set(row.data as never, i * row.size)
    }
  }
  return [...carry, ...stacked]
}

const itself = (x: Tensor): Tensor => x

/** Does the steps of one run of a body: a loop among them once, whose results are several steps. */
export function doer(body: Body): (step: Step, inputs: readonly Tensor[]) => Tensor {
  const done = new Map<readonly Tensor[], readonly Tensor[]>()
  return (step, inputs) => {
    if (step.op !== scanOp) return again(step, inputs)
    const { loop, outputs, index } = step.attributes as Scanned
    const results = done.get(outputs) ?? runLoop(loop, inputs, wholeIn(body).has(outputs))
    done.set(outputs, results)
    return results[index]!
  }
}

const wholes = new WeakMap<Body, ReadonlySet<readonly Tensor[]>>()

/** The loops within a body of which what is for the way back is read too. */
export function wholeIn(body: Body): ReadonlySet<readonly Tensor[]> {
  let whole = wholes.get(body)
  if (!whole) {
    const loops = body.steps.filter(({ op }) => op === scanOp).map(({ attributes }) => attributes as Scanned)
    whole = new Set(loops.filter(({ loop, index }) => index >= resultsOf(loop)).map(({ outputs }) => outputs))
    wholes.set(body, whole)
  }
  return whole
}

/** Row i of a stacked value, a copy. */
export function rowOf(x: Tensor, i: number): Tensor {
  const size = x.size / x.shape[0]!
  return new Tensor(x.dtype, x.shape.slice(1), elementsOf(x).slice(i * size, (i + 1) * size))
}
