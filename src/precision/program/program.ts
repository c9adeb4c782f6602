import { checkFunction } from '../../base/options/index.js'
import { type GraphNode, graphOf, record } from '../../tensors/autodiff/index.js'
import {
  isFloat,
  type Op,
  ops,
  recordEverything,
  siteOf,
  Tensor,
  type Trace,
  withDeepStacks,
} from '../../tensors/tensor/index.js'
import { leavesOf, pathsOf, type Tree, type Treelike } from '../../tensors/tree/index.js'

/** What a step reads: the number of a value (inputs first, then steps), or a constant. */
export type Operand = number | Tensor

/** One operation of a recorded run. */
export interface Step {
  readonly op: Op
  readonly operands: readonly Operand[]
  readonly attributes: unknown
  /** What the run computed, without its trace. */
  readonly output: Tensor
  /** The source line that called it: `model.ts:12:7`; undefined where that was not recorded. */
  readonly site: string | undefined
}

/** A recorded run: which values went in, what was done with them in which order, and what came out. */
export interface Program {
  readonly inputs: readonly Tensor[]
  readonly steps: readonly Step[]
  readonly outputs: readonly Operand[]
  /** The paths of the outputs in the tree that the function returned: `grads.w`; '' for a tensor alone. */
  readonly names: readonly string[]
}

/** How a run is recorded. */
export interface ProgramOptions {
  /** Keep the source line of every operation, some microseconds each. Default false. */
  readonly sites?: boolean
  /** Take inputs that are not finite, as a training run may have them. Default false: an error. */
  readonly nonFinite?: boolean
}

/** A function of tensors: of a tree of them, with a tree of them as its result. */
export type TensorFunction<T> = (inputs: T) => Tree

/**
 * Runs `f` on recorded inputs and reads back what was done with them: the steps that reach its outputs, in the order in
 * which they ran, those of gradients inside included, and of constants: what `f` computes from tensors that it closes over,
 * and plain numbers that rounding to a dtype changed (steps 'constant'). `op` is the caller's name, for errors.
 *
 * Throws    inputs that are not finite, no floating-point output, an asynchronous `f`, a checkpoint inside.
 *
 * @example programOf('mine', (x) => exp(neg(x)), tensor(1)).steps.map(({ op }) => op.name) // ['neg', 'exp']
 */
export function programOf<T extends Treelike>(
  op: string,
  f: TensorFunction<T>,
  inputs: T,
  { sites = false, nonFinite = false }: ProgramOptions = {},
): Program {
  checkFunction(op, 'f', f)
  const leaves = pathsOf(inputs, { op })
  if (!nonFinite) for (const { path, leaf } of leaves) checkInput(op, leaf, path)
  const recorded = record(inputs, { sites })
  const run = (): unknown => recordEverything(() => f(recorded), { sites })
  const result = sites ? withDeepStacks(run) : run()
  if (result instanceof Promise) throw new TypeError(`${op}: the function is asynchronous [Promise]`)
  if (result === undefined) throw new TypeError(`${op}: the function returns nothing [undefined]`)
  const found = pathsOf(result as Tree, { op })
  const outputs = found.map(({ leaf }) => leaf)
  if (!outputs.some((output) => isFloat(output.dtype))) {
    throw new TypeError(
      `${op}: the function returns no floating-point tensor [${outputs.map((x) => x.dtype).join(', ')}]`,
    )
  }
  return { ...readProgram(op, leavesOf(recorded), outputs), names: found.map(({ path }) => path) }
}

function checkInput(op: string, leaf: Tensor, path: string): void {
  if (!isFloat(leaf.dtype)) return
  const values = leaf.toNumbers()
  const bad = values.findIndex((value) => !Number.isFinite(value))
  if (bad >= 0) {
    throw new RangeError(
      `${op}: an input is not finite already, element ${bad}${path && ` of ${path}`} [${values[bad]}]`,
    )
  }
}

function readProgram(
  op: string,
  inputs: readonly Tensor[],
  outputs: readonly Tensor[],
): Omit<Program, 'names'> {
  const traced = outputs.map(source)
  const nodes = graphOf(traced.filter((x) => x.trace))
  const roots = new Map<Trace, number>(inputs.map((x, i) => [x.trace!, i]))
  const numbers: Operand[] = []
  const places = new Map<Trace, Operand>()
  const steps: Step[] = []
  for (const node of nodes) {
    const { inputs: read, output, record: own, attributes } = node
    const operands = read.map((x): Operand => (typeof x === 'number' ? numbers[x]! : x))
    let number: Operand | undefined = roots.get(output.trace!)
    // The input of a recording inside this one is a step of ours that does nothing.
    if (number === undefined && own.name === 'input') number = operands[0] ?? bare(output)
    // So is a cast to the dtype that is there already: a step of its own would round what a replay widens before it.
    if (number === undefined && isIdleCast(node, nodes)) number = operands[0]
    if (number === undefined) {
      if (own.name === 'checkpoint') {
        throw new RangeError(`${op}: cannot look inside a checkpoint, leave it off here [checkpoint]`)
      }
      number = inputs.length + steps.length
      const { trace } = output
      const place = once(() => siteOf(trace!))
      steps.push({
        op: own,
        operands,
        attributes,
        output: bare(output),
        get site() {
          return place()
        },
      })
    }
    numbers.push(number)
    places.set(output.trace!, number)
  }
  return {
    inputs: inputs.map(bare),
    steps,
    outputs: traced.map((x) => (x.trace ? (places.get(x.trace) ?? bare(x)) : x)),
  }
}

function isIdleCast({ record: own, inputs, output }: GraphNode, nodes: readonly GraphNode[]): boolean {
  const [x] = inputs
  return own === ops.cast && typeof x === 'number' && nodes[x]!.output.dtype === output.dtype
}

/** The tensor that a gradient's variable stands for. */
function source(x: Tensor): Tensor {
  let at = x
  while (at.trace?.op.name === 'variable') at = at.trace.inputs[0] ?? bare(at)
  return at
}

/** A value computed at first use. */
function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined
  return () => {
    known ??= { value: compute() }
    return known.value
  }
}

function bare(x: Tensor): Tensor {
  return new Tensor(x.dtype, x.shape, x.data)
}

/** The value of an operand in the recorded run. */
export function recorded(program: Program, operand: Operand): Tensor {
  if (typeof operand !== 'number') return operand
  const n = program.inputs.length
  return operand < n ? program.inputs[operand]! : program.steps[operand - n]!.output
}
