import { isFloat, type Tensor } from '../tensor/index.js'
import type { BackwardOptions, Recorded } from './backwardOptions.js'
import { variable } from './graph/variable.js'
import type { GradientRules } from './rules/gradientRule.js'
import { rules as knownRules } from './rules/rules.js'
import { type Body, runBody } from './scan/body.js'
import { doer, type Loop, resultsOf } from './scan/scanOp.js'
import { type Partial, scanPartial } from './scan/scanPartial.js'

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
  const [sums, carried, stacked] = [those('captured'), those('carry').reverse(), those('row')]
  // The loop written out stacks its results at the end, the last of them last: what they read gets its cotangents first.
  const given = body.outputs.flatMap((_, i) => (i >= carries && seeds[i] ? [i] : [])).reverse()

  interface Rows {
    readonly before: readonly Tensor[]
    readonly rows: readonly Tensor[]
    readonly cotangents: readonly Tensor[]
  }
  /** From the cotangents of captured tensors so far and of what is carried after a step to those before it, and of its rows. */
  function step(after: Partial, { before, rows, cotangents }: Rows): [before: Partial, rows: Partial] {
    const read = [...inputs.slice(0, captures), ...before, ...rows]
    const variables = asked.map((i) => variable(read[i]!))
    for (const [k, i] of asked.entries()) read[i] = variables[k]!
    const outputs = runBody(body, read.slice(0, captures), read.slice(captures), itself, doer(body))
    const sown = [...given, ...carried.map((i) => i - captures)]
    const { pull: walk } = recorded(
      op,
      variables,
      sown.map((i) => outputs[i]!),
    )
    const parts = walk([...cotangents, ...after.slice(sums.length)], options, after.slice(0, sums.length))
    const of = (which: readonly number[]): Partial => which.map((i) => parts[asked.indexOf(i)])
    return [of([...sums, ...carried]), of(stacked)]
  }

  /** Sums over the steps are, and what is carried if a step's other cotangents reach the value that it was made of. */
  function isAddedTo(place: number, after: Partial): boolean {
    if (place < sums.length) return true
    const numberOf = (k: number): number => body.gives[carried[k]! - captures]!
    const present = carried.flatMap((_, k) => (after[sums.length + k] ? [numberOf(k)] : []))
    const sown = [...given.map((i) => body.gives[i]!), ...present]
    return reachedFrom(sown, body, options.rules).has(numberOf(place - sums.length))
  }

  const [cotangents, rows] = scanPartial(
    step,
    [...sums.map((i) => start[i]), ...carried.map((i) => seeds[i - captures])],
    {
      before: results.slice(resultsOf(loop)),
      rows: inputs.slice(captures + carries),
      cotangents: given.map((i) => seeds[i]!),
    },
    { length, reverse: !reverse, isAddedTo },
  )
  return places.map((i) => {
    if (!needs[i]) return undefined
    return kind(i) === 'row' ? rows[stacked.indexOf(i)] : cotangents[[...sums, ...carried].indexOf(i)]
  })
}

/** The numbers of the values of a body that cotangents of some of them come to. */
function reachedFrom(sown: readonly number[], body: Body, rules: GradientRules | undefined): Set<number> {
  const reached = new Set(sown)
  const first = body.captured.length + body.inputs.length + body.constants.length
  for (let k = body.steps.length - 1; k >= 0; k--) {
    const { op, reads, result } = body.steps[k]!
    const passes = isFloat(result.dtype) && (rules?.get(op) ?? knownRules.get(op)) !== 'none'
    if (passes && reached.has(first + k)) for (const read of reads) reached.add(read)
  }
  return reached
}

const itself = (x: Tensor): Tensor => x
