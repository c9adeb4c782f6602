import {
  all,
  any,
  concat,
  isFloat,
  isSealed,
  logicalAnd,
  logicalOr,
  max,
  maximum,
  min,
  minimum,
  type Order,
  prod,
  reshape,
  type Shape,
  sameShape,
  sizeOf,
  slice,
  sum,
  Tensor,
} from '../../../tensors/tensor/index.js'
import type { Region } from '../module.js'
import { repeated, transposed } from '../moving/moves.js'
import { integers, region } from '../values/attributes.js'
import type { Context, Elements, Lowering } from '../values/lowering.js'
import { highestOf, lowestOf } from '../values/lowest.js'
import { broadcastLanes } from '../values/perElement.js'
import { simpleBody } from '../values/simpleBody.js'
import { Complex, eachPart, eachPartOf, shapeOf, type Value } from '../values/value.js'
import { libraryElements, librarySum } from './librarySum.js'
import { windowedSum } from './windowedSum.js'

/** A reduction over axes by kernels of ours; the initial value comes first. */
export type Kernel = (x: Tensor, init: Tensor, axes: readonly number[]) => Tensor

/** x with the initial value in front of every lane: along one axis, where there are several they become one. */
function started(x: Tensor, init: Tensor, axes: readonly number[]): Tensor {
  const kept = x.shape.flatMap((_, axis) => (axes.includes(axis) ? [] : [axis]))
  const shape = kept.map((axis) => x.shape[axis]!)
  const length = sizeOf(axes.map((axis) => x.shape[axis]!))
  const lanes = reshape(transposed(x, [...axes, ...kept]), [length, ...shape])
  return concat([repeated(reshape(init, [1, ...shape.map(() => 1)]), [1, ...shape]), lanes])
}

/** Whether an initial value is known and is this number; -0 and 0 differ. */
function isKnown(init: Tensor, value: number): boolean {
  return !isSealed(init) && Object.is(Number(init.toNumbers()[0]), value)
}

/** A sum whose every addition rounds to the dtype, as the body of the reduction does. */
function sums(order: Order): Kernel {
  return (x, init, axes) => {
    const how = { order, ...(isFloat(x.dtype) && { accumulate: x.dtype }) }
    if (isKnown(init, 0)) {
      if (order === 'sequential') return sum(x, { axis: [...axes], ...how })
      return x.dtype === 'float32' && x.size >= libraryElements ? librarySum(x, axes) : windowedSum(x, axes)
    }
    return sum(started(x, init, axes), { axis: 0, ...how })
  }
}

const products: Kernel = (x, init, axes) => {
  const how = isFloat(x.dtype) ? { accumulate: x.dtype } : {}
  return isKnown(init, 1)
    ? prod(x, { axis: [...axes], ...how })
    : prod(started(x, init, axes), { axis: 0, ...how })
}

/** The largest or the smallest of each lane and the initial value; no order is another result. */
function extremes(
  reduce: (x: Tensor, options: { axis: number[] }) => Tensor,
  join: (a: Tensor, b: Tensor) => Tensor,
  neutral: (x: Tensor) => number,
): Kernel {
  return (x, init, axes) => {
    const shape = x.shape.filter((_, axis) => !axes.includes(axis))
    if (x.size === 0) return repeated(init, shape)
    const found = reduce(x, { axis: [...axes] })
    return isKnown(init, neutral(x)) ? found : join(found, init)
  }
}

const either: Kernel = (x, init, axes) => logicalOr(any(x, { axis: [...axes] }), init)
const every: Kernel = (x, init, axes) => logicalAnd(all(x, { axis: [...axes] }), init)

/** The kernels of bools, whose sum is 'or' and whose product is 'and'. */
const bools: Readonly<Record<string, Kernel>> = {
  ...{ add: either, maximum: either, or: either },
  ...{ multiply: every, minimum: every, and: every },
}

/** The kernel of a body with one operation, for elements of a dtype. */
export function kernelOf(body: string | undefined, x: Value, { semantics }: Context): Kernel | undefined {
  const name = body?.replace('stablehlo.', '')
  const isBool = x instanceof Tensor && x.dtype === 'bool'
  if (isBool) return bools[name ?? '']
  if (x instanceof Complex) return name === 'add' ? sums('sequential') : undefined
  switch (name) {
    case 'add':
      return sums(semantics.reduce === 'xla-cpu' ? { windowed: 32 } : 'sequential')
    case 'multiply':
      return products
    case 'maximum':
      return extremes(
        (each, options) => max(each, options),
        maximum,
        (each) => lowestOf(each.dtype),
      )
    case 'minimum':
      return extremes(
        (each, options) => min(each, options),
        minimum,
        (each) => highestOf(each.dtype),
      )
    default:
      return undefined
  }
}

/**
 * `stablehlo.reduce`. A body of one operation that a kernel of ours has is that kernel; a body that only compares and chooses goes
 * by pairs of neighbours, since any tree over the indices is allowed and chooses the same; any other goes by index, the initial
 * value first, all lanes at once.
 */
export const reduce: Lowering = (op, context) => {
  const dimensions = integers(op, 'dimensions')
  const body = region(op)
  const step = context.lifted(body)
  const simple = simpleBody(body)
  const isChoice = onlyChooses(body)
  return (inputs, frame) => {
    const n = inputs.length / 2
    const values = inputs.slice(0, n)
    const inits = inputs.slice(n)
    const axes = [...dimensions].sort((a, b) => a - b)
    const [first] = values
    const shape = shapeOf(first)
    if (values.some((value) => !sameShape(shapeOf(value), shape))) {
      throw new RangeError('takes operands of one shape')
    }
    // Our sums begin at +0, which -0 is not.
    const fromBelow = inits.some((init) => init instanceof Tensor && isFloat(init.dtype) && isKnown(init, -0))
    const kernel = n === 1 && axes.length > 0 && !fromBelow ? kernelOf(simple, first, context) : undefined
    if (kernel) return [eachPartOf([first, inits[0]], ([x, init]) => kernel(x!, init!, axes))]
    return inLanes(values, inits, axes, step(frame), isChoice)
  }
}

/** Any body, on all lanes at once. */
function inLanes(
  values: readonly Value[],
  inits: readonly Value[],
  axes: readonly number[],
  step: Elements,
  isChoice: boolean,
): readonly Value[] {
  const shape = shapeOf(values[0])
  const kept = shape.flatMap((_, axis) => (axes.includes(axis) ? [] : [axis]))
  const result = kept.map((axis) => shape[axis]!)
  const length = sizeOf(axes.map((axis) => shape[axis]!))
  const lanes = values.map((value) =>
    eachPart(value, (x) => reshape(transposed(x, [...axes, ...kept]), [length, ...result])),
  )
  const start = inits.map((value) => eachPart(value, (x) => repeated(x, result)))
  if (sizeOf(result) === 0) return start
  const apply = (a: readonly Value[], b: readonly Value[], lead: Shape): readonly Value[] =>
    step([...a, ...b]).map((value) => broadcastLanes(value, [...lead, ...result]))
  if (!isChoice) {
    let now: readonly Value[] = start
    for (let i = 0; i < length; i++) {
      now = apply(
        now,
        lanes.map((value) => eachPart(value, (x) => slice(x, [i]))),
        [],
      )
    }
    return now
  }
  if (length === 0) return start
  let now: readonly Value[] = lanes
  for (let left = length; left > 1; left = Math.ceil(left / 2)) {
    const half = Math.floor(left / 2)
    const part = (from: number): readonly Value[] =>
      now.map((value) => eachPart(value, (x) => slice(x, [[from, 2 * half, 2]])))
    const joined = apply(part(0), part(1), [half])
    now =
      left % 2 === 0
        ? joined
        : joined.map((value, k) =>
            eachPartOf([value, now[k]], ([pair, all]) => concat([pair!, slice(all!, [[left - 1, left]])])),
          )
  }
  const last = now.map((value) => eachPart(value, (x) => reshape(x, result)))
  return apply(start, last, [])
}

const choices: ReadonlySet<string> = new Set(
  ['compare', 'select', 'and', 'or', 'not', 'xor', 'maximum', 'minimum', 'constant', 'return'].map(
    (name) => `stablehlo.${name}`,
  ),
)

/** Whether a body does nothing but compare and choose. */
function onlyChooses({ blocks }: Region): boolean {
  return blocks.every(({ operations }) => operations.every(({ name }) => choices.has(name)))
}
