import { isSealed, sameShape, Tensor, withLocation } from '../../../tensors/tensor/index.js'
import type { Block, Func, Module, Value as Name, Operation, Region, Type } from '../module.js'
import { type StaticType, staticType } from '../values/elementType.js'
import { located } from '../values/located.js'
import {
  type BoundFunction,
  type BoundRegion,
  type Context,
  type Devices,
  type Elements,
  type Exchange,
  type Frame,
  inStep,
  type Run,
} from '../values/lowering.js'
import { perElement } from '../values/perElement.js'
import type { SemanticsOptions } from '../values/semantics.js'
import { siteError, sourceLines } from '../values/sourceOf.js'
import { Complex, partsOf, type Value } from '../values/value.js'
import { isElementwise, loweringOf } from './lowerings.js'

interface Step {
  readonly op: Operation
  readonly run: Run
  /** Undefined where the text has no line: the operation counts to the line that called its function. */
  readonly site: Error | undefined
  readonly reads: readonly number[]
  readonly writes: readonly number[]
  /** What the results have to be; undefined for tokens and tuples, and where scalars stand for lanes. */
  readonly types: readonly (StaticType | undefined)[]
  /** Values that nothing reads any more. */
  readonly frees: readonly number[]
}

interface BoundBlock {
  readonly inputs: readonly number[]
  readonly steps: readonly Step[]
  readonly gives: readonly number[]
}

/** Where a function keeps its values; a region that is made ready twice has slots of its own each time. */
interface Slots {
  readonly of: Map<Name, number>
  count: number
  /** Whether another function calls this one. */
  readonly isCalled: boolean
}

const terminators: ReadonlySet<string> = new Set([
  'stablehlo.return',
  'func.return',
  'chlo.return',
  'sdy.return',
  'mhlo.return',
])

/** Regions nested deeper than this are a damaged text. */
const deepest = 256

/**
 * The functions of a module, each bound when it is first called for: every operation becomes a closure that knows its
 * attributes, every value a slot of a frame, and the last reader of a value frees it.
 */
export function bindModule(
  module: Module,
  semantics: Required<SemanticsOptions>,
): (name: string) => BoundFunction {
  const text = `${module.name ?? 'module'}.mlir`
  const bound = new Map<string, BoundFunction>()
  const open = new Set<string>()
  let exchange: Exchange | undefined

  function callee(name: string): BoundFunction {
    const before = bound.get(name)
    if (before) return before
    const func = module.functions.get(name)
    if (!func) throw new RangeError(`calls a function that is not in the module [@${name}]`)
    if (open.has(name)) throw new RangeError(`calls itself [@${name}]`)
    const isCalled = open.size > 0
    open.add(name)
    const made = bindFunction(func, isCalled)
    open.delete(name)
    bound.set(name, made)
    return made
  }

  function bindFunction(func: Func, isCalled: boolean): BoundFunction {
    const slots: Slots = { of: new Map(), count: 0, isCalled }
    const body = func.body.blocks[0]
    if (!body || func.body.blocks.length > 1) throw new RangeError(`has not one block [@${func.name}]`)
    const block = bindBlock(body, slots, false, 0)
    const frame = (): Frame => new Array<Value>(slots.count)
    return Object.assign((values: readonly Value[]) => runBlock(block, values, frame()), {
      together: (values: readonly (readonly Value[])[], devices: Devices) =>
        runTogether(block, values, values.map(frame), devices),
    })
  }

  function context(slots: Slots, depth: number): Context {
    if (depth > deepest) throw new RangeError(`has regions more than ${deepest} deep`)
    const bindRegion = (region: Region, isLifted: boolean): BoundRegion => {
      const [only] = region.blocks
      if (!only || region.blocks.length > 1) {
        throw new RangeError(`has a region of not one block [${region.blocks.length}]`)
      }
      const block = bindBlock(only, slots, isLifted, depth + 1)
      return inStep(
        (values, frame) => runBlock(block, values, frame),
        (values, frames, devices) => runTogether(block, values, frames, devices),
      ) as BoundRegion
    }
    return {
      module,
      semantics,
      callee,
      get exchange() {
        return exchange
      },
      set exchange(given) {
        exchange = given
      },
      region: (region) => bindRegion(region, false),
      lifted: (region) => {
        const [only] = region.blocks
        const outer = only ? outsideOf(only, slots.of) : []
        const isSimple = only?.operations.every(isElementwiseOfScalars)
        const run = bindRegion(region, isSimple === true)
        const elements = (frame: Frame): Elements =>
          isSimple
            ? (values) => run(values, frame)
            : (values) => perElement(values, (scalars) => run(scalars, frame))
        const own = elements([])
        if (outer.length === 0) return () => own
        return (frame) => {
          const kept: Frame = []
          for (const slot of outer) kept[slot] = known(frame[slot])
          return elements(kept)
        }
      },
    }
  }

  function bindBlock(block: Block, slots: Slots, isLifted: boolean, depth: number): BoundBlock {
    const own = new Set<number>()
    const define = (value: Name): number => {
      const slot = slots.count++
      slots.of.set(value, slot)
      own.add(slot)
      return slot
    }
    const slotOf = (value: Name): number => {
      const slot = slots.of.get(value)
      if (slot === undefined) {
        throw new RangeError(`reads a value that is not defined before [%${value.name}]`)
      }
      return slot
    }
    const inputs = block.arguments.map(define)
    const steps: Step[] = []
    let gives: readonly number[] | undefined
    const ordered: Operation[] = []
    for (const op of block.operations) {
      try {
        if (gives) throw new RangeError('stands after the end of its block')
        if (terminators.has(op.name)) {
          gives = op.operands.map(slotOf)
          continue
        }
        const reads = op.operands.map(slotOf)
        const types = op.results.map(({ type }) => (isStatic(type) ? staticType(type) : undefined))
        const run = loweringOf(op)(op, context(slots, depth))
        steps.push({
          op,
          run,
          site: slots.isCalled && sourceLines(op.location).length === 0 ? undefined : siteError(op, text),
          reads,
          writes: op.results.map(define),
          types: isLifted ? [] : types,
          frees: [],
        })
        ordered.push(op)
      } catch (error) {
        throw located(error, op)
      }
    }
    if (!gives) throw new RangeError('programOf: a block has no end [no return]')
    return { inputs, steps: freed(steps, inputs, gives, own, slots.of), gives }
  }

  return (name) => {
    try {
      return callee(name)
    } catch (error) {
      if (error instanceof RangeError && !error.message.startsWith('programOf')) {
        throw new RangeError(`programOf: ${error.message}`)
      }
      throw error
    }
  }
}

/** The steps with what each is the last to read: its own operands, and what its regions read from outside. */
function freed(
  steps: readonly Step[],
  inputs: readonly number[],
  gives: readonly number[],
  own: ReadonlySet<number>,
  slots: ReadonlyMap<Name, number>,
): readonly Step[] {
  const kept = new Set(gives)
  const last = new Map<number, number>()
  for (const slot of inputs) last.set(slot, 0)
  for (const [i, { op, writes }] of steps.entries()) {
    for (const slot of writes) last.set(slot, i)
    for (const value of readsOf(op)) {
      const slot = slots.get(value)
      if (slot !== undefined && own.has(slot)) last.set(slot, i)
    }
  }
  const frees: number[][] = steps.map(() => [])
  for (const [slot, i] of last) if (!kept.has(slot)) frees[i]?.push(slot)
  return steps.map((step, i) => ({ ...step, frees: frees[i]! }))
}

const read = new WeakMap<Operation, readonly Name[]>()

/** The values that an operation reads, those of its regions included. */
function readsOf(op: Operation): readonly Name[] {
  if (op.regions.length === 0) return op.operands
  const before = read.get(op)
  if (before) return before
  const all = new Set(op.operands)
  for (const { blocks } of op.regions) {
    for (const { operations } of blocks) {
      for (const inner of operations) for (const value of readsOf(inner)) all.add(value)
    }
  }
  const found = [...all]
  read.set(op, found)
  return found
}

/** Whether what a type says can be checked: tensors whose shapes are known before they are computed. */
function isStatic(type: Type): boolean {
  return type.kind === 'tensor' && type.shape.every((length) => length !== undefined)
}

/** Whether an operation within a region of scalars may be handed whole lanes. */
function isElementwiseOfScalars({ name, results, operands }: Operation): boolean {
  if (terminators.has(name)) return true
  const isScalar = ({ type }: Name): boolean => type.kind === 'tensor' && type.shape.length === 0
  return isElementwise(name) && results.every(isScalar) && operands.every(isScalar)
}

/** The slots of values that a block reads from outside. */
function outsideOf({ operations }: Block, slots: ReadonlyMap<Name, number>): readonly number[] {
  const found = new Set<number>()
  for (const op of operations) {
    for (const name of readsOf(op)) {
      const slot = slots.get(name)
      if (slot !== undefined) found.add(slot)
    }
  }
  return [...found]
}

/** A value from outside that a region of scalars reads: it has to be known when the operation is called. */
function known(value: Value): Value {
  for (const part of value === undefined || Array.isArray(value) ? [] : partsOf(value)) {
    if (isSealed(part)) {
      throw new TypeError(
        'reads a value from outside its region that is not known while it is compiled or batched',
      )
    }
  }
  return value
}

function runBlock(
  { inputs, steps, gives }: BoundBlock,
  values: readonly Value[],
  frame: Frame,
): readonly Value[] {
  if (values.length !== inputs.length) {
    throw new RangeError(`takes ${inputs.length} arguments [${values.length}]`)
  }
  for (let i = 0; i < inputs.length; i++) frame[inputs[i]!] = values[i]
  for (let k = 0; k < steps.length; k++) {
    const { op, run, site, reads, writes, types, frees } = steps[k]!
    try {
      const operands = new Array<Value>(reads.length)
      for (let i = 0; i < reads.length; i++) operands[i] = frame[reads[i]!]
      const results = withLocation(site, () => run(operands, frame))
      for (let i = 0; i < writes.length; i++) {
        const type = types[i]
        if (type) checkResult(results[i], type)
        frame[writes[i]!] = results[i]
      }
      for (let i = 0; i < frees.length; i++) frame[frees[i]!] = undefined
    } catch (error) {
      throw located(error, op)
    }
  }
  return gives.map((slot) => frame[slot])
}

/** A block on several devices in step: what exchanges data among them sees the operands of all. */
function runTogether(
  { inputs, steps, gives }: BoundBlock,
  values: readonly (readonly Value[])[],
  frames: readonly Frame[],
  devices: Devices,
): readonly (readonly Value[])[] {
  for (const [d, frame] of frames.entries()) {
    for (const [i, slot] of inputs.entries()) frame[slot] = values[d]![i]
  }
  for (const { op, run, site, reads, writes, types, frees } of steps) {
    try {
      const operands = frames.map((frame) => reads.map((slot) => frame[slot]))
      const results = withLocation(site, () =>
        run.together
          ? run.together(operands, frames, devices)
          : operands.map((own, d) => run(own, frames[d]!)),
      )
      for (const [d, frame] of frames.entries()) {
        for (const [i, slot] of writes.entries()) {
          const type = types[i]
          if (type) checkResult(results[d]![i], type)
          frame[slot] = results[d]![i]
        }
        for (const slot of frees) frame[slot] = undefined
      }
    } catch (error) {
      throw located(error, op)
    }
  }
  return frames.map((frame) => gives.map((slot) => frame[slot]))
}

/** Throws where the text promises another result than its operands give. */
function checkResult(value: Value, { dtype, shape, isComplex }: StaticType): void {
  const x = value instanceof Complex ? value.re : value
  if (!(x instanceof Tensor) || isComplex !== value instanceof Complex) {
    throw new TypeError('gives a result of another kind than its type says')
  }
  if (x.dtype !== dtype) {
    throw new TypeError(`gives another dtype than its type says [${x.dtype}, not ${dtype}]`)
  }
  if (!sameShape(x.shape, shape)) {
    throw new RangeError(
      `gives another shape than its type says [${x.shape.join(', ')}, not ${shape.join(', ')}]`,
    )
  }
}
