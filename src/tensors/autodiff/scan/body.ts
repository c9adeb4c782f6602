import { apply, type KnownOp, type Op, seal, Tensor, untraced, withTrace } from '../../tensor/index.js'
import { checkpointOp, type Rematerialise } from '../graph/checkpointOp.js'

/** The record of what a recording stands on: an element of a batch, or one step's values of a loop. */
const standInOp: KnownOp = { name: 'standIn', form: 'view', rounds: 'never', kernel: ([x]) => x! }

/** One operation of a body. Values are numbered: what was captured, the inputs, constants, and then each step's result. */
export interface Step {
  readonly op: Op
  readonly attributes: unknown
  readonly reads: readonly number[]
  /** What it gave when it was recorded, which says the dtype and the shape. */
  readonly result: Tensor
}

/** A function of tensors, recorded: what it read, what it gave, and the operations between. */
export interface Body {
  /** What it read from outside, as far as that is recorded itself. */
  readonly captured: readonly Tensor[]
  /** What stood for its arguments. */
  readonly inputs: readonly Tensor[]
  readonly constants: readonly Tensor[]
  /** The operations that depend on the inputs or on what was captured, each after what it reads. */
  readonly steps: readonly Step[]
  /** The results, and the numbers of their values. */
  readonly outputs: readonly Tensor[]
  readonly gives: readonly number[]
}

/**
 * Runs f once on stand-ins that have the dtypes, shapes and elements of some tensors, and keeps what it did. Looking at an
 * element is an error that names `recorder`.
 */
export function recordBody(
  recorder: string,
  examples: readonly Tensor[],
  f: (inputs: readonly Tensor[]) => readonly Tensor[],
): Body {
  const before = withTrace(nothing, standInOp, [], undefined).trace!.serial
  const inputs = examples.map((x) => seal(x, { ...withTrace(x, standInOp, [], undefined).trace!, recorder }))
  return walked(inputs, f(inputs), before)
}

const nothing: Tensor = new Tensor('float32', [0], new Float32Array(0))

/** Where a value is found: a number among those of its kind. */
interface Place {
  readonly kind: 'captured' | 'input' | 'constant' | 'step'
  readonly at: number
}

function walked(inputs: readonly Tensor[], outputs: readonly Tensor[], before: number): Body {
  const places = new Map<Tensor, Place>(inputs.map((x, at) => [x, { kind: 'input', at }]))
  const captured: Tensor[] = []
  const constants: Tensor[] = []
  const steps: Tensor[] = []
  /** The outputs of functions whose inside was not kept, computed again with it. */
  const inside = new Map<readonly Tensor[], readonly Tensor[]>()

  function place(x: Tensor): Place {
    const { trace } = x
    if (trace && trace.serial <= before) return { kind: 'captured', at: captured.push(x) - 1 }
    if (trace?.op === checkpointOp) {
      const { outputs: kept, run, index } = trace.attributes as Rematerialise
      const again = inside.get(kept) ?? run()
      if (!inside.has(kept)) placeAll(again, trace.serial)
      inside.set(kept, again)
      return places.get(again[index]!)!
    }
    const dependent = trace?.inputs.some((input) => places.get(input)!.kind !== 'constant')
    if (dependent) return { kind: 'step', at: steps.push(x) - 1 }
    return { kind: 'constant', at: constants.push(untraced(x)) - 1 }
  }

  /**
   * Places what ran after serial `after` and `from` depends on, in the order in which it ran: a gradient adds the
   * cotangents of a value in the opposite order, so that another order would be other bits.
   */
  function placeAll(from: readonly Tensor[], after: number): void {
    const found = new Set<Tensor>()
    const open = [...from]
    for (let x = open.pop(); x; x = open.pop()) {
      if (found.has(x) || places.has(x)) continue
      found.add(x)
      if (x.trace && x.trace.serial > after) open.push(...x.trace.inputs)
    }
    const serial = ({ trace }: Tensor): number => trace?.serial ?? 0
    for (const x of [...found].sort((a, b) => serial(a) - serial(b))) places.set(x, place(x))
  }

  placeAll(outputs, before)
  const starts = {
    captured: 0,
    input: captured.length,
    constant: captured.length + inputs.length,
    step: captured.length + inputs.length + constants.length,
  }
  const numberOf = (x: Tensor): number => {
    const { kind, at } = places.get(x)!
    return starts[kind] + at
  }
  return {
    captured,
    inputs,
    constants,
    steps: steps.map((result): Step => {
      const { op, attributes, inputs: read } = result.trace!
      return { op, attributes, reads: read.map(numberOf), result }
    }),
    outputs,
    gives: outputs.map(numberOf),
  }
}

/** Does one step: an operation, by default as it is. */
export type RunStep<V> = (step: Step, inputs: readonly V[]) => V

/** What a body gives for other values of what it captured and of its inputs. */
export function runBody<V>(
  body: Body,
  captured: readonly V[],
  inputs: readonly V[],
  constant: (x: Tensor) => V,
  doing: RunStep<V>,
): V[] {
  const values = [...captured, ...inputs, ...body.constants.map(constant)]
  for (const step of body.steps) {
    values.push(
      doing(
        step,
        step.reads.map((number) => values[number]!),
      ),
    )
  }
  return body.gives.map((number) => values[number]!)
}

/** An operation again, on other tensors. */
export function again({ op, attributes }: Step, inputs: readonly Tensor[]): Tensor {
  return apply(op, inputs, attributes)
}
