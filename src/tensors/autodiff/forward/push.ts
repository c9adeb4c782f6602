import { cast, formOf, isFloat, type Op, sameShape, type Tensor, untraced } from '../../tensor/index.js'
import { checkpointOp, type Rematerialise } from '../graph/checkpointOp.js'
import { type RecordedNode, recordingOf } from '../graph/recording.js'
import { variable } from '../graph/variable.js'
import { runBody } from '../scan/body.js'
import { doer, type Loop, resultsOf, type Scanned, scanOp } from '../scan/scanOp.js'
import { type Partial, scanPartial } from '../scan/scanPartial.js'
import type { TangentRule, TangentRules } from './tangentRule.js'
import { symmetric, tangentRules } from './tangentRules.js'

/** What was computed from some variables, ready to be walked forwards. */
export interface Pushed {
  /** The tensor as the world outside may have it. */
  readonly plain: (x: Tensor) => Tensor
  /** The tangents of the outputs from those of the variables, undefined where there is none. */
  readonly push: (tangents: readonly (Tensor | undefined)[], rules?: TangentRules) => (Tensor | undefined)[]
}

/** The graph between `variables`, just made in this order, and `outputs`, for tangents: operation by operation, as they ran. */
export function pushed(op: string, variables: readonly Tensor[], outputs: readonly Tensor[]): Pushed {
  const recording = recordingOf(variables, outputs)
  const { plain } = recording

  function push(
    given: readonly (Tensor | undefined)[],
    rules: TangentRules | undefined,
  ): (Tensor | undefined)[] {
    const tangents = new Map<number, Tensor>()
    const loops = new Set<readonly Tensor[]>()
    const tangentOf = ({ trace }: Tensor): Tensor | undefined => trace && tangents.get(trace.serial)
    const set = ({ trace }: Tensor, t: Tensor | undefined): void => {
      if (t) tangents.set(trace!.serial, t)
    }

    function walk(list: readonly RecordedNode[]): void {
      for (const { tensor, serial } of list) {
        const { op: key, attributes } = tensor.trace!
        if (key === checkpointOp) within(tensor, attributes as Rematerialise, serial + 1)
        else if (key === scanOp) throughLoop(tensor, attributes as Scanned)
        else step(tensor)
      }
    }

    function step(tensor: Tensor): void {
      const { op: key, inputs, attributes } = tensor.trace!
      const own = inputs.map(tangentOf)
      if (own.every((t) => !t)) return
      const rule = rules?.get(key) ?? tangentRules.get(key) ?? broughtRule(key)
      if (!rule) {
        throw new RangeError(`${op}: no tangent rule for this operation, give one by rules [${key.name}]`)
      }
      if (rule === 'none') return
      const t = rule({ tangents: own, inputs: inputs.map(plain), output: plain(tensor), attributes })
      if (t) checkTangent(op, key, tensor, t)
      set(tensor, t)
    }

    function within(tensor: Tensor, { run, index }: Rematerialise, first: number): void {
      const result = run()[index]!
      const inside = recording.discover([result], first)
      walk(inside)
      set(tensor, tangentOf(result))
      recording.forget(inside)
    }

    function throughLoop(tensor: Tensor, { loop, outputs: results }: Scanned): void {
      const { inputs } = tensor.trace!
      const own = inputs.map(tangentOf)
      if (loops.has(results) || own.every((t) => !t)) return
      loops.add(results)
      // Those that nothing read are not among the nodes.
      const known = plain(tensor) === tensor ? results : results.map((x) => untraced(x))
      const made = pushLoop({ op, loop, inputs: inputs.map(plain), results: known, tangents: own, rules })
      for (const [i, result] of results.entries()) set(result, made[i])
    }

    for (const [i, x] of variables.entries()) set(x, given[i])
    walk(recording.forward)
    return outputs.map(tangentOf)
  }

  return { plain, push: (tangents, rules) => push(tangents, rules) }
}

interface LoopPush {
  readonly op: string
  readonly loop: Loop
  readonly inputs: readonly Tensor[]
  /** The results, what was carried before each step among them. */
  readonly results: readonly Tensor[]
  /** The tangents of the inputs. */
  readonly tangents: readonly (Tensor | undefined)[]
  readonly rules: TangentRules | undefined
}

/** The tangents of the results of a loop, by a loop of the same length: at each step the body runs again on what was carried then. */
function pushLoop({ op, loop, inputs, results, tangents, rules }: LoopPush): (Tensor | undefined)[] {
  const { body, carries, length, reverse } = loop
  if (length === 0) return tangents.slice(body.captured.length, body.captured.length + carries)
  const captures = body.captured.length
  const isCarry = (i: number): boolean => i >= captures && i < captures + carries
  /** The inputs that are variables of a step. */
  const asked = inputs.flatMap((x, i) => (isFloat(x.dtype) && (isCarry(i) || tangents[i]) ? [i] : []))
  const carried = asked.filter(isCarry)
  const rows = asked.filter((i) => i >= captures + carries)

  interface Rows {
    readonly before: readonly Tensor[]
    readonly rows: readonly Tensor[]
    readonly tangents: readonly Tensor[]
  }
  function step(carry: Partial, x: Rows): [carry: Partial, results: Partial] {
    const read = [...inputs.slice(0, captures), ...x.before, ...x.rows]
    const variables = asked.map((i) => variable(read[i]!))
    for (const [k, i] of asked.entries()) read[i] = variables[k]!
    const outputs = runBody(body, read.slice(0, captures), read.slice(captures), (c) => c, doer(body))
    const own = asked.map((i) => {
      if (isCarry(i)) return carry[carried.indexOf(i)]
      return i < captures ? tangents[i] : x.tangents[rows.indexOf(i)]
    })
    const made = pushed(op, variables, outputs).push(own, rules)
    return [carried.map((i) => made[i - captures]), made.slice(carries)]
  }

  const [last, stacked] = scanPartial(
    step,
    carried.map((i) => tangents[i]),
    {
      before: results.slice(resultsOf(loop)),
      rows: inputs.slice(captures + carries),
      tangents: rows.map((i) => tangents[i]!),
    },
    { reverse, length },
  )
  return results.map((_, i) => {
    if (i >= carries) return stacked[i - carries]
    const k = carried.indexOf(captures + i)
    return k < 0 ? undefined : last[k]
  })
}

/** The rule that an operation's record brings: as it is, or by its gradient where it is elementwise, or by its exact function. */
function broughtRule(op: Op): TangentRule | undefined {
  if (op.tangent) return (context) => op.tangent!(context)
  if (formOf(op) === 'elementwise' && op.gradient) return symmetric((context) => op.gradient!(context))
  if (!op.exact) return undefined
  return ({ tangents, inputs, output, attributes }) => {
    const variables = inputs.map((x) => variable(isFloat(x.dtype) ? cast(x, 'float64') : x))
    const { push, plain } = pushed(op.name, variables, [op.exact!(variables, attributes)])
    const [t] = push(tangents.map((t) => t && cast(t, 'float64')))
    return t && cast(plain(t), output.dtype)
  }
}

/** Throws unless a rule kept to its contract. */
function checkTangent(op: string, key: Op, output: Tensor, t: Tensor): void {
  if (t.dtype !== output.dtype) {
    throw new TypeError(
      `${op}: the rule of ${key.name} gives another dtype than its result has [${t.dtype}, not ${output.dtype}]`,
    )
  }
  if (!sameShape(t.shape, output.shape)) {
    throw new RangeError(
      `${op}: the rule of ${key.name} gives another shape than its result has [${t.shape.join(', ')}, not ${output.shape.join(', ')}]`,
    )
  }
}
