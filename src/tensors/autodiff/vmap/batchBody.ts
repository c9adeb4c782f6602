import { apply, broadcastTo, formOf, reshape, type Tensor, transpose } from '../../tensor/index.js'
import { again, type Body, runBody, type Step } from '../scan/body.js'
import { scan } from '../scan/scan.js'
import { resultsOf, type Scanned, scanOp, wholeIn } from '../scan/scanOp.js'
import type { BatchContext, BatchRule, BatchRules } from './batchRule.js'
import { batchRules, oneByOne } from './batchRules.js'

/** A value of a batch: one tensor for all elements, or with the batch as its first axis. */
export interface Batched {
  readonly x: Tensor
  readonly batched: boolean
}

export const alike = (x: Tensor): Batched => ({ x, batched: false })

/** A value with its batch, repeated where it has none. */
export function withBatch({ x, batched }: Batched, size: number): Tensor {
  return batched ? x : broadcastTo(x, [size, ...x.shape])
}

/** What a body gives for a whole batch. */
export function batchBody(
  body: Body,
  captured: readonly Batched[],
  inputs: readonly Batched[],
  size: number,
  rules: BatchRules | undefined,
): Batched[] {
  const loops = new Map<readonly Tensor[], readonly Batched[]>()
  return runBody<Batched>(body, captured, inputs, alike, (step, read) => {
    if (step.op === scanOp) {
      const scanned = step.attributes as Scanned
      const results =
        loops.get(scanned.outputs) ??
        batchLoop(scanned, read, size, wholeIn(body).has(scanned.outputs), rules)
      loops.set(scanned.outputs, results)
      return results[scanned.index]!
    }
    const xs = read.map(({ x }) => x)
    if (read.every(({ batched }) => !batched)) return alike(again(step, xs))
    const context: BatchContext = {
      inputs: xs,
      batched: read.map(({ batched }) => batched),
      ...{ size, attributes: step.attributes, dtype: step.result.dtype, shape: step.result.shape },
    }
    const rule = rules?.get(step.op) ?? batchRules.get(step.op) ?? otherRule(step)
    return { x: rule(context), batched: true }
  })
}

/** An operation that no table knows: all at once if it is elementwise, else one element after the other. */
function otherRule({ op }: Step): BatchRule {
  if (formOf(op) === 'elementwise') {
    return (context) => {
      const fitted = context.inputs.map((x, i) => {
        const missing = new Array<number>(context.shape.length - x.rank + (context.batched[i] ? 1 : 0)).fill(
          1,
        )
        const lead = context.batched[i] ? [context.size] : []
        const own = context.batched[i] ? x.shape.slice(1) : x.shape
        return broadcastTo(reshape(x, [...lead, ...missing, ...own]), [context.size, ...context.shape])
      })
      return apply(op, fitted, context.attributes)
    }
  }
  return oneByOne(op)
}

/** A loop for a whole batch: what is carried has the batch where anything that it depends on has. */
function batchLoop(
  { loop }: Scanned,
  inputs: readonly Batched[],
  size: number,
  whole: boolean,
  rules: BatchRules | undefined,
): Batched[] {
  const { body, carries, length, reverse } = loop
  const captures = body.captured.length
  const captured = inputs.slice(0, captures)
  const first = inputs.slice(captures, captures + carries)
  const rows = inputs.slice(captures + carries)
  const carried = carriedBatched(body, inputs, carries)
  const count = whole ? body.outputs.length : resultsOf(loop)
  /** Which of the stacked results have the batch. */
  let stacked: readonly boolean[] = []
  const step = (carry: readonly Tensor[], row: readonly Tensor[]): [readonly Tensor[], readonly Tensor[]] => {
    const read = [
      ...carry.map((x, i): Batched => ({ x, batched: carried[i]! })),
      ...row.map((x, i): Batched => ({ x, batched: rows[i]!.batched })),
    ]
    const results = batchBody(body, captured, read, size, rules)
    const given = results.slice(carries, count)
    stacked = given.map(({ batched }) => batched)
    const next = results.slice(0, carries).map((value, i) => (carried[i] ? withBatch(value, size) : value.x))
    return [next, given.map(({ x }) => x)]
  }
  const [last, results] = scan(
    step,
    first.map((value, i) => (carried[i] ? withBatch(value, size) : value.x)),
    rows.map(({ x, batched }) => (batched ? exchanged(x) : x)),
    { reverse, length },
  )
  return [
    ...last.map((x, i): Batched => ({ x, batched: carried[i]! })),
    ...results.map((x, i): Batched => ({ x: stacked[i] ? exchanged(x) : x, batched: stacked[i]! })),
  ]
}

/** The first two axes exchanged. */
function exchanged(x: Tensor): Tensor {
  const axes = x.shape.map((_, i) => i)
  return transpose(x, [1, 0, ...axes.slice(2)])
}

/** Which of the carried values depend on something with a batch, at the first step or through later ones. */
function carriedBatched(body: Body, inputs: readonly Batched[], carries: number): boolean[] {
  const captures = body.captured.length
  const flags = inputs.map(({ batched }) => batched)
  for (;;) {
    const values = runBody<boolean>(
      body,
      flags.slice(0, captures),
      flags.slice(captures),
      () => false,
      (_, read) => read.some(Boolean),
    )
    const more = values.slice(0, carries).some((flag, i) => flag && !flags[captures + i])
    if (!more) return flags.slice(captures, captures + carries)
    for (let i = 0; i < carries; i++) flags[captures + i] ||= values[i]!
  }
}
