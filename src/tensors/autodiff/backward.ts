import { add, type Op, sameShape, type Tensor, untraced, withLocation } from '../tensor/index.js'
import type { BackwardOptions, Recorded } from './backwardOptions.js'
import { checkpointOp, type Rematerialise } from './graph/checkpointOp.js'
import { type RecordedNode, recordingOf } from './graph/recording.js'
import { pullLoop } from './pullLoop.js'
import type { GradientRule } from './rules/gradientRule.js'
import { rules as knownRules } from './rules/rules.js'
import { type Scanned, scanOp } from './scan/scanOp.js'

/**
 * What `variables`, just made in this order, and `outputs` have between them: see `recordingOf`. The backward pass computes with
 * tensors without traces, and is so not recorded itself, except where they belong to an outer graph.
 */
export function recorded(op: string, variables: readonly Tensor[], outputs: readonly Tensor[]): Recorded {
  const { forward, plain, discover, forget } = recordingOf(variables, outputs)

  function pull(
    seeds: readonly (Tensor | undefined)[],
    options: BackwardOptions,
    start: readonly (Tensor | undefined)[] = [],
  ): (Tensor | undefined)[] {
    const { sum = {}, rules } = options
    const ruleOf = (key: Op): GradientRule | 'none' | undefined =>
      rules?.get(key) ?? knownRules.get(key) ?? key.gradient?.bind(key)
    const cotangents = new Map<number, Tensor>()
    /** The serials of what depends on a variable by operations that have a gradient. */
    const active = new Set(variables.map(({ trace }) => trace!.serial))
    const isActive = ({ trace }: Tensor): boolean => trace !== undefined && active.has(trace.serial)

    function activate(list: readonly RecordedNode[]): void {
      for (const { tensor, serial } of list) {
        const { op: key, inputs } = tensor.trace!
        if (inputs.some(isActive) && ruleOf(key) !== 'none') active.add(serial)
      }
    }

    function contribute(tensor: Tensor, g: Tensor): void {
      const { serial } = tensor.trace!
      const before = cotangents.get(serial)
      cotangents.set(serial, before ? add(before, g) : g)
    }

    function sweep(list: readonly RecordedNode[]): void {
      for (let i = list.length - 1; i >= 0; i--) {
        const { tensor, serial } = list[i]!
        const g = cotangents.get(serial)
        if (!g) continue
        const { op: key, attributes } = tensor.trace!
        if (key === checkpointOp) rematerialise(attributes as Rematerialise, serial + 1)
        else if (key === scanOp) withLocation(tensor.trace!.site, () => throughLoop(tensor))
        else withLocation(tensor.trace!.site, () => step(tensor, g))
        cotangents.delete(serial)
      }
    }

    function step(tensor: Tensor, g: Tensor): void {
      const { op: key, inputs, attributes } = tensor.trace!
      const rule = ruleOf(key)
      if (!rule || rule === 'none') {
        throw new RangeError(`${op}: no gradient rule for this operation, give one by rules [${key.name}]`)
      }
      const needs = inputs.map(isActive)
      const given = rule({ g, inputs: inputs.map(plain), output: plain(tensor), attributes, needs, sum })
      for (const [i, input] of inputs.entries()) {
        const part = given[i]
        if (!needs[i] || !part) continue
        checkPart(op, key, input, part)
        contribute(input, part)
      }
    }

    /** All results of a loop at once: whatever reads one ran later than the last of them was made. */
    function throughLoop(result: Tensor): void {
      const { trace } = result
      const { loop, outputs: results } = trace!.attributes as Scanned
      const inputs = trace!.inputs
      const cotangentOf = ({ trace: of }: Tensor): Tensor | undefined => cotangents.get(of!.serial)
      const seeds = results.map(cotangentOf)
      for (const { trace: of } of results) cotangents.delete(of!.serial)
      const captured = loop.body.captured.length
      const given = pullLoop(recorded, {
        ...{ op, loop, options, seeds, needs: inputs.map(isActive) },
        inputs: inputs.map(plain),
        // Those that nothing read are not among the nodes.
        results: plain(result) === result ? results : results.map((x) => untraced(x)),
        start: inputs.slice(0, captured).map((x) => (x.trace ? cotangentOf(x) : undefined)),
      })
      for (const [i, input] of inputs.entries()) {
        const part = given[i]
        if (!part) continue
        checkPart(op, scanOp, input, part)
        // What was captured went on from its cotangent so far.
        if (i < captured) cotangents.set(input.trace!.serial, part)
        else contribute(input, part)
      }
    }

    /** Runs the inside again and walks it in place, so that every addition comes in the order it would have had. */
    function rematerialise({ outputs: kept, run }: Rematerialise, first: number): void {
      const again = run()
      const inside = discover(again, first)
      activate(inside)
      for (const [i, output] of kept.entries()) {
        const g = output.trace && cotangents.get(output.trace.serial)
        if (!g) continue
        cotangents.delete(output.trace!.serial)
        if (isActive(again[i]!)) contribute(again[i]!, g)
      }
      sweep(inside)
      forget(inside)
    }

    activate(forward)
    for (const [i, x] of variables.entries()) if (start[i]) contribute(x, start[i])
    for (const [i, output] of outputs.entries()) {
      const seed = seeds[i]
      if (seed && isActive(output)) contribute(output, seed)
    }
    sweep(forward)
    return variables.map((x) => cotangents.get(x.trace!.serial))
  }

  return { plain, pull }
}

/** Throws unless a rule kept to its contract: adding another dtype or shape would be an error far from its cause. */
function checkPart(op: string, key: Op, input: Tensor, part: Tensor): void {
  if (part.dtype !== input.dtype) {
    throw new TypeError(
      `${op}: the rule of ${key.name} gives another dtype than its input has [${part.dtype}, not ${input.dtype}]`,
    )
  }
  if (!sameShape(part.shape, input.shape)) {
    throw new RangeError(
      `${op}: the rule of ${key.name} gives another shape than its input has [${part.shape.join(', ')}, not ${input.shape.join(', ')}]`,
    )
  }
}
