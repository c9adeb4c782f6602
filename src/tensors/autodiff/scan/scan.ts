import {
  checkFlag,
  checkFunction,
  checkInteger,
  checkOptions,
  noOptions,
  type OptionTable,
  shown,
} from '../../../base/options/index.js'
import {
  concat,
  elementsOf,
  isWatched,
  reshape,
  sameShape,
  slice,
  stack,
  Tensor,
  zeros,
} from '../../tensor/index.js'
import { checkSameTree, pathsOf, type Tree } from '../../tree/index.js'
import { replaceTensors, tensorsIn } from '../graph/leaves.js'
import type { Treelike } from '../graph/treelike.js'
import { partOf } from '../rules/part.js'
import { recordBody } from './body.js'
import { rowOf, runLoop } from './scanOp.js'

/** Options of scan. */
export interface ScanOptions {
  /** How many steps; needed where there are no xs. */
  readonly length?: number
  /** From the last row to the first; results are stacked where their rows were. Default false. */
  readonly reverse?: boolean
  /** For gradients: keep what is carried every sqrt(length) steps alone, and run the steps between again. Default false. */
  readonly checkpoint?: boolean
}

const names: OptionTable<ScanOptions> = { length: 'optional', reverse: 'optional', checkpoint: 'optional' }

/**
 * A loop over the first axis of xs: f gets what is carried and a row, and gives [what is carried on, a result]. The
 * results come back stacked.
 *
 * f is recorded once, at one step, and the recording is run for all of them. Inside of `compile` the loop is one step of the
 * program, however long it is, and so is the way back of a gradient.
 *
 * Shape     carry: any tree of tensors, the same at each step. xs: a tree of tensors [n, ...], or null, with `length`. Results
 *           [n, ...]; without steps [0, ...], and the carry as it was.
 * Dtype     the carry keeps its dtypes: what f computes in another it casts.
 * Rounding  that of f's operations: the bits of the loop written out.
 * Special   gradients and derivatives have the bits of the loop written out: rows as tensors of their own (a slice of xs would
 *           add zeros to the cotangents of the other rows, which makes -0 a 0), what is carried passed through a `reshape`
 *           before each step and after the last, results stacked at the end. A value without a cotangent has none inside
 *           either, unlike in JAX, where it is 0. With `checkpoint` the same bits, but for the sign of zeros in rows that
 *           nothing depends on. A tensor from outside that is a result as it is gets its cotangents step by step. Under
 *           `observe` and `recordEverything` the loop is written out.
 * Throws    TypeError where f looks at an element, or carries on another dtype; RangeError for another shape or structure, and
 *           for xs of different lengths.
 * Cost      for a gradient, what is carried before each of the n steps is kept, with `checkpoint` before 2 sqrt(n) of them; f is run
 *           once more, with `checkpoint` twice.
 *
 * @example scan((c, x) => [add(c, x), mul(c, x)], tensor(1), tensor([1, 2, 3])).map((x) => x.toNested()) // [7, [1, 4, 12]]
 */
export function scan<C extends Treelike, X extends Treelike | null | undefined, Y>(
  f: (carry: C, x: X) => readonly [carry: C, result: Y],
  init: C,
  xs: X,
  options: ScanOptions = noOptions,
): [carry: C, results: Y] {
  checkFunction('scan', 'f', f)
  checkOptions('scan', options, names, { positional: 'length' })
  const { reverse = false, checkpoint = false } = options
  checkFlag('scan', 'reverse', reverse)
  checkFlag('scan', 'checkpoint', checkpoint)
  const start = pathsOf(init as Tree, { op: 'scan' }).map(({ leaf }) => leaf)
  const length = lengthOf(xs, options.length)
  if (isWatched()) return written(f, init, xs, length, reverse)
  if (checkpoint && length > 3) return inSegments(f, init, xs, length, reverse)
  const stacks = tensorsIn(xs)
  const carries = start.length
  let result: unknown
  const body = recordBody('scan', [...start, ...stacks].map(example(carries, length, reverse)), (inputs) => {
    const at = { next: 0 }
    const next = (): Tensor => inputs[at.next++]!
    const given: unknown = f(replaceTensors(init, next), replaceTensors(xs, next))
    const [carried, y] = checkStep(given, init, start)
    result = y
    return [...carried, ...tensorsIn(y), ...inputs.slice(0, carries)]
  })
  const loop = { body, carries, length, reverse }
  const outputs = runLoop(loop, [...body.captured, ...start, ...stacks])
  let carried = 0
  let stacked = carries
  // Without steps it is what it was, and no result of a loop.
  const carry = length === 0 ? init : replaceTensors(init, () => outputs[carried++]!)
  return [carry, replaceTensors(result as Y, () => outputs[stacked++]!)]
}

/** What a value is recorded with: what is carried at first, and the first row. */
function example(carries: number, length: number, reverse: boolean): (x: Tensor, index: number) => Tensor {
  return (x, index) => {
    if (index < carries) return new Tensor(x.dtype, x.shape, elementsOf(x))
    if (length === 0) return zeros(x.shape.slice(1), { dtype: x.dtype })
    return rowOf(x, reverse ? length - 1 : 0)
  }
}

function lengthOf(xs: unknown, given: number | undefined): number {
  if (given !== undefined) checkInteger('scan', 'length', given)
  const leaves = xs === null || xs === undefined ? [] : pathsOf(xs as Tree, { op: 'scan' })
  let length = given
  for (const { path, leaf } of leaves) {
    const at = path && ` at ${path}`
    if (leaf.rank === 0) throw new RangeError(`scan: a scalar has no rows${at} [${leaf.dtype} []]`)
    length ??= leaf.shape[0]!
    if (leaf.shape[0] !== length) {
      throw new RangeError(`scan: xs differ in length${at} [${leaf.shape[0]}, not ${length}]`)
    }
  }
  if (length === undefined) throw new RangeError('scan: without xs the option length is required [no xs]')
  return length
}

/** What a step gave: the tensors that are carried on, which must be as they were, and the result. */
function checkStep(
  given: unknown,
  init: unknown,
  start: readonly Tensor[],
): [carried: Tensor[], result: unknown] {
  if (!Array.isArray(given) || given.length !== 2) {
    throw new TypeError(`scan: f does not return [carry, result] [${shown(given)}]`)
  }
  const [carry, result] = given as [unknown, unknown]
  checkSameTree('scan', init, carry)
  const carried = pathsOf(carry as Tree).map(({ path, leaf }, i) => {
    const { dtype, shape } = start[i]!
    const at = path && ` at ${path}`
    if (leaf.dtype !== dtype) {
      throw new TypeError(`scan: the carry changes its dtype${at}, cast it [${dtype}, then ${leaf.dtype}]`)
    }
    if (!sameShape(leaf.shape, shape)) {
      throw new RangeError(
        `scan: the carry changes its shape${at} [${shape.join(', ')}, then ${leaf.shape.join(', ')}]`,
      )
    }
    return leaf
  })
  return [carried, result]
}

/** The loop written out, every operation by itself: for those who watch. */
function written<C, X, Y>(
  f: (carry: C, x: X) => readonly [C, Y],
  init: C,
  xs: X,
  length: number,
  reverse: boolean,
): [C, Y] {
  const start = tensorsIn(init)
  if (length === 0) {
    const [, y] = f(
      init,
      replaceTensors(xs, (x) => zeros(x.shape.slice(1), { dtype: x.dtype })),
    )
    return [init, replaceTensors(y, (x) => zeros([0, ...x.shape], { dtype: x.dtype }))]
  }
  let carry = init
  const results: Y[] = new Array<Y>(length)
  for (let step = 0; step < length; step++) {
    const i = reverse ? length - 1 - step : step
    const given: readonly [C, Y] = f(
      carry,
      replaceTensors(xs, (x) => slice(x, [i])),
    )
    checkStep(given, init, start)
    carry = given[0]
    results[i] = given[1]
  }
  const rows = results.map(tensorsIn)
  let next = 0
  return [
    carry,
    replaceTensors(results[0]!, () => {
      const k = next++
      return stack(rows.map((row) => row[k]!))
    }),
  ]
}

/** The loop as one over segments of about sqrt(length) steps, each a loop: a gradient keeps the carry of one of them. */
function inSegments<C extends Treelike, X extends Treelike | null | undefined, Y>(
  f: (carry: C, x: X) => readonly [C, Y],
  init: C,
  xs: X,
  length: number,
  reverse: boolean,
): [C, Y] {
  const rows = Math.floor(Math.sqrt(length))
  const segments = Math.floor(length / rows)
  const whole = rows * segments
  const segmented = (carry: C): [C, Y] => {
    const main = replaceTensors(xs, (x) =>
      reshape(whole === length ? x : partOf(x, 0, whole), [segments, rows, ...x.shape.slice(1)]),
    )
    const [last, results] = scan(
      (c: C, x: X): [C, Y] => scan(f, c, x, { reverse, length: rows }),
      carry,
      main,
      { reverse, length: segments },
    )
    return [last, replaceTensors(results, (y) => reshape(y, [whole, ...y.shape.slice(2)]))]
  }
  const rest = (carry: C): [C, Y] =>
    scan(
      f,
      carry,
      replaceTensors(xs, (x) => partOf(x, whole, length)),
      { reverse, length: length - whole },
    )
  if (whole === length) return segmented(init)
  const [middle, first] = reverse ? rest(init) : segmented(init)
  const [last, second] = reverse ? segmented(middle) : rest(middle)
  const [front, back] = (reverse ? [second, first] : [first, second]).map(tensorsIn) as [Tensor[], Tensor[]]
  let next = 0
  return [last, replaceTensors(first, () => concat([front[next]!, back[next++]!]))]
}
