import { scan as loop } from '../../../tensors/autodiff/index.js'
import {
  cast,
  equal,
  isSealed,
  logicalNot,
  maximum,
  minimum,
  type Tensor,
  where,
} from '../../../tensors/tensor/index.js'
import type { Value as Name, Operation } from '../module.js'
import { keyword, region } from '../values/attributes.js'
import { integerIn } from '../values/integerIn.js'
import {
  type BoundFunction,
  type BoundRegion,
  type Context,
  type Devices,
  type Frame,
  inStep,
  type Lowering,
  type Run,
  type Together,
} from '../values/lowering.js'
import type { ControlName, LoweringTable } from '../values/operations.js'
import { Complex, eachPartOf, real, type Value } from '../values/value.js'
import { scan } from './scan.js'

/** Whether any of the values stands for others to come: within `compile`, `vmap` and the body of a loop. */
function isAnySealed(values: readonly Value[]): boolean {
  return values.some((value) =>
    value instanceof Complex
      ? isSealed(value.re) || isSealed(value.im)
      : Array.isArray(value)
        ? isAnySealed(value as readonly Value[])
        : value !== undefined && isSealed(value as Tensor),
  )
}

/**
 * `stablehlo.while`: as long as its condition holds. Where values are not known yet, the number of rounds has to follow from known
 * ones alone; the loop is then one `scan`.
 */
const whileLoop: Lowering = (op, context) => {
  const [condition, body] = [region(op, 0), region(op, 1)]
  const test = context.region(condition)
  const step = context.region(body)
  let counts: ReturnType<typeof roundsOf> | undefined
  return inStep(
    (inputs, frame) => {
      let values = inputs
      let isTried = false
      for (;;) {
        // What the regions read from outside may be what is not known: then it is what is carried after the first round.
        if (!isTried && isAnySealed(values)) {
          isTried = true
          counts ??= roundsOf(op, context)
          const rounds = counts(values, frame)
          if (rounds !== undefined) return scanned(step, values, frame, rounds)
        }
        if (!isTrue(test(values, frame)[0])) return values
        values = step(values, frame)
      }
    },
    loopTogether(test, step),
  )
}

/** A loop on several devices: those whose condition holds go round together. */
function loopTogether(test: BoundRegion, step: BoundRegion): Together {
  return (inputs, frames, devices) => {
    const values = [...inputs]
    let going = inputs.map((_, i) => i)
    while (going.length > 0) {
      const asked = test.together(...some(going, values, frames, devices))
      going = going.filter((_, k) => isTrue(asked[k]![0]))
      if (going.length === 0) break
      const next = step.together(...some(going, values, frames, devices))
      for (const [k, i] of going.entries()) values[i] = next[k]!
    }
    return values
  }
}

/** Values, frames and numbers of some of the devices, by their places among those that run. */
function some(
  places: readonly number[],
  values: readonly (readonly Value[])[],
  frames: readonly Frame[],
  devices: Devices,
): [(readonly Value[])[], Frame[], Devices] {
  const running = places.map((i) => devices.running[i]!)
  return [places.map((i) => values[i]!), places.map((i) => frames[i]!), { ...devices, running }]
}

function isTrue(value: Value): boolean {
  const x = real(value)
  if (isSealed(x)) {
    throw new TypeError(
      'has a condition that depends on values which are not known while it is compiled or batched, run it as it is',
    )
  }
  return x.item() !== 0
}

/** The rounds as one loop of ours, recorded once. */
function scanned(
  step: BoundRegion,
  values: readonly Value[],
  frame: Frame,
  rounds: number,
): readonly Value[] {
  if (rounds === 0) return values
  const [last] = loop(
    (carry: Tensor[]): [Tensor[], Tensor[]] => [flat(step(nested(carry, values), frame)), []],
    flat(values),
    null,
    { length: rounds },
  )
  return nested(last, values)
}

/** Values as a list of tensors, and back. */
function flat(values: readonly Value[]): Tensor[] {
  return values.flatMap((value) =>
    value instanceof Complex
      ? [value.re, value.im]
      : Array.isArray(value)
        ? flat(value as readonly Value[])
        : value === undefined
          ? []
          : [value as Tensor],
  )
}

function nested(tensors: readonly Tensor[], like: readonly Value[]): readonly Value[] {
  let next = 0
  const build = (value: Value): Value => {
    if (value instanceof Complex) return new Complex(tensors[next++]!, tensors[next++]!)
    if (Array.isArray(value)) return (value as readonly Value[]).map(build)
    return value === undefined ? undefined : tensors[next++]
  }
  return like.map(build)
}

/** More rounds than this are not counted ahead. */
const mostRounds = 2 ** 24

/**
 * How often a loop goes round, from the carried values that its condition depends on: they are computed alone, round by round.
 * Undefined where one of them is not known.
 */
function roundsOf(
  op: Operation,
  context: Context,
): (values: readonly Value[], frame: Frame) => number | undefined {
  const [condition, body] = op.regions.map(({ blocks }) => blocks[0]!)
  if (!condition || !body) throw new RangeError('has no condition or no body')
  const returned = body.operations.at(-1)?.operands ?? []
  // The carried values that the condition reads, and those that they are computed from.
  const needed = new Set(
    indicesIn(
      condition.arguments,
      dependencies(condition.operations.at(-1)?.operands ?? [], condition.operations),
    ),
  )
  for (let before = -1; before !== needed.size; ) {
    before = needed.size
    for (const index of [...needed]) {
      for (const other of indicesIn(body.arguments, dependencies([returned[index]!], body.operations))) {
        needed.add(other)
      }
    }
  }
  const places = [...needed].sort((a, b) => a - b)
  const wanted = dependencies(
    places.map((i) => returned[i]!),
    body.operations,
  )
  const only = body.operations.filter(
    (each, i) => i === body.operations.length - 1 || each.results.some((result) => wanted.has(result)),
  )
  const last = only.at(-1)
  if (!last) return () => undefined
  // The body with what the condition depends on and nothing else; other carried values come out as they went in.
  const reduced = {
    blocks: [
      {
        arguments: body.arguments,
        operations: [
          ...only.slice(0, -1),
          { ...last, operands: body.arguments.map((own, i) => (needed.has(i) ? returned[i]! : own)) },
        ],
      },
    ],
  }
  const test = context.region(region(op, 0))
  const step = context.region(reduced)
  return (values, frame) => {
    if (isAnySealed(places.map((i) => values[i]))) return undefined
    let now = values
    for (let rounds = 0; rounds < mostRounds; rounds++) {
      const goes = real(test(now, frame)[0])
      if (isSealed(goes)) return undefined
      if (goes.item() === 0) return rounds
      now = step(now, frame)
      if (isAnySealed(places.map((i) => now[i]))) return undefined
    }
    return undefined
  }
}

function indicesIn(list: readonly Name[], names: ReadonlySet<Name>): number[] {
  return list.flatMap((name, i) => (names.has(name) ? [i] : []))
}

/** Some values of a block and all that they are computed from in it. */
function dependencies(from: readonly Name[], operations: readonly Operation[]): ReadonlySet<Name> {
  const found = new Set(from)
  for (let i = operations.length - 1; i >= 0; i--) {
    const { results, operands, regions } = operations[i]!
    if (!results.some((result) => found.has(result))) continue
    for (const operand of operands) found.add(operand)
    const inner = regions.flatMap(({ blocks }) => blocks.flatMap((block) => block.operations))
    for (const each of inner) for (const name of dependenciesOf(each)) found.add(name)
  }
  return found
}

function dependenciesOf(op: Operation): readonly Name[] {
  const inner = op.regions.flatMap(({ blocks }) => blocks.flatMap((block) => block.operations))
  return [...op.operands, ...inner.flatMap(dependenciesOf)]
}

/** One of some branches; where the choice is not known yet all are computed, and chosen element by element. */
function branching(
  toIndex: (choice: Tensor, count: number) => Tensor,
  ofKnown: (x: Tensor, count: number) => number,
): Lowering {
  return (op, context) => {
    const branches = op.regions.map((each) => context.region(each))
    const count = branches.length
    if (count === 0) throw new RangeError('has no branches')
    // Devices that choose the same branch go through it together.
    const together: Together = (inputs, frames, devices) => {
      const chosen = inputs.map(([choice]) => ofKnown(real(choice), count))
      const results: (readonly Value[])[] = []
      for (const branch of new Set(chosen)) {
        const places = chosen.flatMap((own, i) => (own === branch ? [i] : []))
        const none = inputs.map(() => [])
        const found = branches[branch]!.together(...some(places, none, frames, devices))
        for (const [k, i] of places.entries()) results[i] = found[k]!
      }
      return results
    }
    return inStep(([choice], frame) => {
      const x = real(choice)
      if (!isSealed(x)) return branches[ofKnown(x, count)]!([], frame)
      const index = toIndex(x, count)
      const results = branches.map((branch) => branch([], frame))
      return results.reduce((chosen, result, i) => {
        const isThis = equal(index, i)
        return chosen.map((value, k) =>
          value === undefined ? undefined : eachPartOf([result[k], value], ([a, b]) => where(isThis, a!, b!)),
        )
      })
    }, together)
  }
}

const ifBranch: Lowering = branching(
  (x) => cast(logicalNot(x), 'int32'),
  (x) => (x.item() !== 0 ? 0 : 1),
)

/** The last branch is taken for every index that names none. */
const caseBranch: Lowering = branching(
  (x, count) => where(equal(maximum(minimum(x, count - 1), 0), x), cast(x, 'int32'), count - 1),
  (x, count) => {
    const index = integerIn(x, 0)
    return index >= 0 && index < count ? index : count - 1
  },
)

const call: Lowering = (op, context) => called(context.callee(keyword(op, 'callee')))

function called(callee: BoundFunction): Run {
  return inStep(
    (inputs) => callee(inputs),
    (inputs, _, devices) => callee.together(inputs, devices),
  )
}

/** Its decomposition, a function that computes the same. */
const composite: Lowering = (op, context) => called(context.callee(keyword(op, 'decomposition')))

/** Operations that choose what runs. */
export const control: LoweringTable<ControlName> = {
  'chlo.scan': scan,
  'func.call': call,
  'stablehlo.case': caseBranch,
  'stablehlo.composite': composite,
  'stablehlo.if': ifBranch,
  'stablehlo.while': whileLoop,
}
