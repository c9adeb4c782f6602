import type { OptionTable } from '../options/index.js'
import { add, calledAt, type Op, Tensor, type Trace } from '../tensor/index.js'
import { checkpointOp, type Rematerialise } from './checkpointOp.js'
import { variableOp } from './graph/variable.js'
import type { GradientRule, GradientRules } from './rules/gradientRule.js'
import { rules as knownRules } from './rules/rules.js'
import type { SumOptions } from './rules/sumOptions.js'

/** How a backward pass computes. */
export interface BackwardOptions {
  /** How gradients add where the forward pass repeated an element. */
  readonly sum?: SumOptions
  /** Rules of own operations, asked before the toolkit's and before what an operation's record brings. */
  readonly rules?: GradientRules
}

export const backwardNames: OptionTable<BackwardOptions> = { sum: 'optional', rules: 'optional' }

/** A recorded tensor as the backward pass sees it. */
interface Node {
  readonly tensor: Tensor
  readonly serial: number
  /** Whether it belongs to a graph beyond this call: of an outer gradient, or of a recording. */
  readonly foreign: boolean
  /** The tensor without its trace, once it was asked for. */
  plain: Tensor | undefined
}

/** What was computed from some variables, ready to be walked backwards. */
export interface Recorded {
  /** The tensor as the world outside may have it: without a trace, unless it belongs to an outer graph. */
  readonly plain: (x: Tensor) => Tensor
  /**
   * The cotangents of the variables from those of the outputs, undefined where an output does not depend on one.
   * Operations are walked from the last that ran to the first. Several cotangents of one tensor are added in that order,
   * the latest user's first, each addition rounded to the dtype.
   */
  readonly pull: (cotangents: readonly Tensor[], options: BackwardOptions) => (Tensor | undefined)[]
}

/**
 * Reads the graph between `variables`, just made in this order, and `outputs`. Nothing that ran before the first of them
 * can depend on one, which is where every walk ends. The backward pass computes with tensors without traces, and is so
 * not recorded itself, except where they belong to an outer graph.
 */
export function recorded(op: string, variables: readonly Tensor[], outputs: readonly Tensor[]): Recorded {
  const nodes = new Map<number, Node>()
  for (const tensor of variables) {
    const { serial, inputs } = tensor.trace!
    nodes.set(serial, { tensor, serial, foreign: inputs.length > 0, plain: undefined })
  }
  const forward = discover(outputs, variables[0]?.trace?.serial ?? Infinity)

  /** The new nodes behind `from` whose serial is `first` or above, as they ran. */
  function discover(from: readonly Tensor[], first: number): Node[] {
    const found = new Map<number, Tensor>()
    const open = [...from]
    for (let tensor = open.pop(); tensor; tensor = open.pop()) {
      const { trace } = tensor
      if (!trace || trace.serial < first || nodes.has(trace.serial) || found.has(trace.serial)) continue
      found.set(trace.serial, tensor)
      for (const input of trace.inputs) if (input.trace) open.push(input)
    }
    const serials = [...found.keys()].sort((a, b) => a - b)
    return serials.map((serial) => {
      const tensor = found.get(serial)!
      const node: Node = { tensor, serial, foreign: isForeign(tensor.trace!), plain: undefined }
      nodes.set(serial, node)
      return node
    })
  }

  function isForeign({ op: key, inputs }: Trace): boolean {
    // A root that is no variable was made by a recording, and so was what reads constants alone.
    if (inputs.every((input) => !input.trace)) return key !== variableOp
    return inputs.some(({ trace }) => trace && (nodes.get(trace.serial)?.foreign ?? true))
  }

  function plain(tensor: Tensor): Tensor {
    const node = tensor.trace && nodes.get(tensor.trace.serial)
    if (!node || node.foreign) return tensor
    node.plain ??= new Tensor(tensor.dtype, tensor.shape, tensor.data)
    return node.plain
  }

  function pull(seeds: readonly Tensor[], { sum = {}, rules }: BackwardOptions): (Tensor | undefined)[] {
    const ruleOf = (key: Op): GradientRule | 'none' | undefined =>
      rules?.get(key) ?? knownRules.get(key) ?? key.gradient?.bind(key)
    const cotangents = new Map<number, Tensor>()
    /** The serials of what depends on a variable by operations that have a gradient. */
    const active = new Set(variables.map(({ trace }) => trace!.serial))
    const isActive = ({ trace }: Tensor): boolean => trace !== undefined && active.has(trace.serial)

    function activate(list: readonly Node[]): void {
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

    function sweep(list: readonly Node[]): void {
      for (let i = list.length - 1; i >= 0; i--) {
        const { tensor, serial } = list[i]!
        const g = cotangents.get(serial)
        if (!g) continue
        const { op: key, attributes } = tensor.trace!
        if (key === checkpointOp) rematerialise(attributes as Rematerialise, serial + 1)
        else calledAt(tensor.trace!.site, () => step(tensor, g))
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
      for (const { serial } of inside) nodes.delete(serial)
    }

    activate(forward)
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
  if (part.rank !== input.rank || part.shape.some((length, axis) => length !== input.shape[axis])) {
    throw new RangeError(
      `${op}: the rule of ${key.name} gives another shape than its input has [${part.shape.join(', ')}, not ${input.shape.join(', ')}]`,
    )
  }
}
