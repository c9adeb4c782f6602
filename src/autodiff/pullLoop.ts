import { full, isFloat, type Tensor, zeros } from '../tensor/index.js'
import type { BackwardOptions, Recorded } from './backwardOptions.js'
import { variable } from './graph/variable.js'
import { runBody } from './scan/body.js'
import { scan } from './scan/scan.js'
import { doer, type Loop, resultsOf } from './scan/scanOp.js'

/** A loop on the way back: what it read and gave, and the cotangents of what it gave. */
export interface LoopPull {
  readonly op: string
  readonly loop: Loop
  readonly inputs: readonly Tensor[]
  /** Its results, what was carried before each step among them. */
  readonly results: readonly Tensor[]
  readonly seeds: readonly (Tensor | undefined)[]
  /** Which inputs a cotangent is asked for. */
  readonly needs: readonly boolean[]
  /** The cotangents that captured tensors have so far. */
  readonly start: readonly (Tensor | undefined)[]
  readonly options: BackwardOptions
}

type Recorder = (op: string, variables: readonly Tensor[], outputs: readonly Tensor[]) => Recorded

/**
 * The cotangents of what a loop read, by a loop in the other direction: at each step the body runs again on what was carried
 * then, and is walked back. For captured tensors the sum of what they had and of all steps, in that order.
 */
export function pullLoop(recorded: Recorder, pull: LoopPull): (Tensor | undefined)[] {
  const { op, loop, inputs, results, seeds, needs, start, options } = pull
  const { body, carries, length, reverse } = loop
  if (length === 0) return []
  const captures = body.captured.length
  const places = inputs.map((_, i) => i)
  const kind = (i: number): 'captured' | 'carry' | 'row' =>
    i < captures ? 'captured' : i < captures + carries ? 'carry' : 'row'
  /** The inputs that are variables of a step. */
  const asked = places.filter((i) => isFloat(inputs[i]!.dtype) && (needs[i]! || kind(i) === 'carry'))
  const those = (which: string): number[] => asked.filter((i) => kind(i) === which)
  const given = body.outputs.map((_, i) => i).filter((i) => i >= carries && seeds[i])
  /** The cotangents of captured tensors that a step adds to. */
  let touched: readonly boolean[] = []

  interface Carried {
    readonly carry: readonly Tensor[]
    readonly captured: readonly Tensor[]
  }
  interface Rows {
    readonly before: readonly Tensor[]
    readonly rows: readonly Tensor[]
    readonly cotangents: readonly Tensor[]
  }
  function step({ carry, captured }: Carried, { before, rows, cotangents }: Rows): [Carried, Tensor[]] {
    const read = [...inputs.slice(0, captures), ...before, ...rows]
    const variables = asked.map((i) => variable(read[i]!))
    for (const [k, i] of asked.entries()) read[i] = variables[k]!
    const outputs = runBody(body, read.slice(0, captures), read.slice(captures), itself, doer(body))
    const { pull: walk } = recorded(op, variables, outputs)
    const sown = outputs.map((_, i): Tensor | undefined => {
      const k = i < carries ? those('carry').indexOf(captures + i) : given.indexOf(i)
      return (i < carries ? carry : cotangents)[k]
    })
    const parts = walk(sown, options, captured)
    const of = (which: string): Tensor[] =>
      those(which).map((i) => parts[asked.indexOf(i)] ?? zeros(read[i]!.shape, { dtype: read[i]!.dtype }))
    const sums = of('captured')
    touched = sums.map((sum, k) => sum !== captured[k])
    return [{ carry: of('carry'), captured: sums }, of('row')]
  }

  const zerosOf = (i: number): Tensor => zeros(inputs[i]!.shape, { dtype: inputs[i]!.dtype })
  const [{ carry, captured }, rows] = scan(
    step,
    {
      carry: those('carry').map((i) => seeds[i - captures] ?? zerosOf(i)),
      // Negative zeros, to which the first cotangent is added as it is.
      captured: those('captured').map(
        (i) => start[i] ?? full(inputs[i]!.shape, -0, { dtype: inputs[i]!.dtype }),
      ),
    },
    {
      before: results.slice(resultsOf(loop)),
      rows: inputs.slice(captures + carries),
      cotangents: given.map((i) => seeds[i]!),
    },
    { reverse: !reverse, length },
  )
  return places.map((i) => {
    if (!needs[i] || !asked.includes(i)) return undefined
    const k = those(kind(i)).indexOf(i)
    if (kind(i) === 'captured') return touched[k] ? captured[k] : undefined
    return (kind(i) === 'carry' ? carry : rows)[k]
  })
}

const itself = (x: Tensor): Tensor => x
