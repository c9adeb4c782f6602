import {
  checkFunction,
  checkOptions,
  noOptions,
  type OptionTable,
  shown,
} from '../../../base/options/index.js'
import { isWatched, slice, stack, type Tensor, transpose, zeros } from '../../tensor/index.js'
import { replaceTensors, tensorsIn } from '../graph/leaves.js'
import { recordBody } from '../scan/body.js'
import { rowOf } from '../scan/scanOp.js'
import { type BatchAxes, type Placed, placed } from './axes.js'
import { alike, type Batched, batchBody, withBatch } from './batchBody.js'
import type { BatchRules } from './batchRule.js'

/** Options of vmap. */
export interface VmapOptions {
  /**
   * Where the batch lies in the arguments: an axis for all of them, or a list with one entry for each, which may be a tree of the
   * argument's structure; null where an argument is the same for all elements. Default 0.
   */
  readonly inAxes?: BatchAxes
  /** Where it lies in the results, likewise; null for what does not depend on the batch. Default 0. */
  readonly outAxes?: BatchAxes
  /** Rules of own operations, asked before the toolkit's. One without a rule goes element by element. */
  readonly rules?: BatchRules
}

const names: OptionTable<VmapOptions> = { inAxes: 'optional', outAxes: 'optional', rules: 'optional' }

/**
 * f for a whole batch at once: a function of arguments with one axis more, each operation of f done for all elements together.
 * f is run once, on the first element, and what it did is done for all.
 *
 * Shape     tensors among the arguments have the batch at `inAxes`, those of the results at `outAxes`, 0 each unless said; other
 *           arguments are handed on.
 * Dtype, Rounding, Special   element i of the result has the bits of f at element i of the arguments, in every dtype.
 * Throws    TypeError where f looks at an element of its arguments; RangeError for batches of different lengths, for an axis that is
 *           not there, and for a result that depends on the batch where `outAxes` is null.
 * Cost      that of f's operations on larger tensors, and of one run of f. Operations of one's own that are not elementwise go element
 *           by element. Under `observe` and `recordEverything` f itself does.
 *
 * @example vmap((x, y) => sum(mul(x, y)))(tensor([[1, 2], [3, 4]]), tensor([[1, 1], [2, 2]])).toNested() // [3, 14]
 * @example vmap(add, { inAxes: [1, null] })(tensor([[1, 2], [3, 4]]), tensor([10, 20])).toNested() // [[11, 23], [12, 24]]
 */
// biome-ignore lint/suspicious/noExplicitAny: parameters of any types must be assignable.
export function vmap<A extends readonly any[], R>(
  f: (...args: A) => R,
  options: VmapOptions = noOptions,
): (...args: A) => R {
  checkFunction('vmap', 'f', f)
  checkOptions('vmap', options, names, { positional: 'inAxes' })
  const { inAxes = 0, outAxes = 0, rules } = options
  return (...args) => {
    const leaves = batchOf(inAxes, args)
    const batched = leaves.filter(({ axis }) => axis !== null)
    const size = sizeOfBatch(batched)
    const stacks = batched.map(({ leaf, axis }) => toFront(leaf, axis!))
    const call = (elements: readonly Tensor[]): R => {
      const at = { leaf: 0, element: 0 }
      const own = (leaf: Tensor): Tensor =>
        leaves[at.leaf++]!.axis === null ? leaf : elements[at.element++]!
      return f(...(replaceTensors(args, own) as unknown as A))
    }
    if (isWatched()) return elementwise(call, stacks, size, outAxes)
    let result: R | undefined
    const body = recordBody('vmap', stacks.map(elementOf), (elements) => {
      result = call(elements)
      return tensorsIn(result)
    })
    const values = batchBody(
      body,
      body.captured.map(alike),
      stacks.map((x): Batched => ({ x, batched: true })),
      size,
      rules,
    )
    return arranged(result as R, outAxes, (i, { axis, path }) => {
      const value = values[i]!
      if (axis !== null) return fromFront(withBatch(value, size), axis, path)
      if (value.batched) {
        throw new RangeError(`vmap: outAxes is null for a result that depends on the batch at ${path} [null]`)
      }
      return value.x
    })
  }
}

/** The first element, as it is recorded with; zeros where there is none. */
function elementOf(x: Tensor): Tensor {
  return x.shape[0] === 0 ? zeros(x.shape.slice(1), { dtype: x.dtype }) : rowOf(x, 0)
}

/** f for one element after the other, for those who watch. */
function elementwise<R>(
  call: (elements: readonly Tensor[]) => R,
  stacks: readonly Tensor[],
  size: number,
  outAxes: BatchAxes,
): R {
  const results = Array.from({ length: Math.max(size, 1) }, (_, element) =>
    call(stacks.map((x) => (size === 0 ? elementOf(x) : slice(x, [element])))),
  )
  const leaves = results.map(tensorsIn)
  return arranged(results[0]!, outAxes, (i, { leaf, axis, path }) => {
    if (axis === null) return leaf
    if (size === 0) return zeros([0, ...leaf.shape], { dtype: leaf.dtype })
    return fromFront(stack(leaves.map((row) => row[i]!)), axis, path)
  })
}

/** A result with other tensors, each with the place of its batch axis. */
function arranged<R>(result: R, outAxes: BatchAxes, tensor: (index: number, at: Placed) => Tensor): R {
  const leaves = placed('outAxes', outAxes, result, 'the result')
  let next = 0
  return replaceTensors(result, () => tensor(next, leaves[next++]!))
}

function batchOf(inAxes: BatchAxes, args: readonly unknown[]): Placed[] {
  if (Array.isArray(inAxes) && inAxes.length !== args.length) {
    throw new RangeError(
      `vmap: inAxes has another length than the arguments [${inAxes.length}, not ${args.length}]`,
    )
  }
  return args.flatMap((arg, i) =>
    placed('inAxes', Array.isArray(inAxes) ? (inAxes[i] as BatchAxes) : inAxes, arg, `argument ${i}`),
  )
}

function sizeOfBatch(batched: readonly Placed[]): number {
  const lengths = batched.map(({ leaf, axis, path }) => {
    const front = frontOf(axis!, leaf.rank, path)
    return leaf.shape[front]!
  })
  const size = lengths[0]
  if (size === undefined) throw new RangeError('vmap: no argument has a batch [no tensors, or inAxes null]')
  const other = lengths.findIndex((length) => length !== size)
  if (other >= 0) {
    throw new RangeError(
      `vmap: batches differ in length [${size} at ${batched[0]!.path}, ${lengths[other]} at ${batched[other]!.path}]`,
    )
  }
  return size
}

function frontOf(axis: number, rank: number, path: string): number {
  const front = axis < 0 ? axis + rank : axis
  if (front < 0 || front >= rank) {
    throw new RangeError(`vmap: axis outside ${rank} dimensions at ${path} [${shown(axis)}]`)
  }
  return front
}

function toFront(x: Tensor, axis: number): Tensor {
  const front = axis < 0 ? axis + x.rank : axis
  if (front === 0) return x
  return transpose(x, [front, ...x.shape.map((_, i) => i).filter((i) => i !== front)])
}

function fromFront(x: Tensor, axis: number, path: string): Tensor {
  const place = frontOf(axis, x.rank, path)
  if (place === 0) return x
  const axes = x.shape.map((_, i) => i).slice(1)
  return transpose(x, [...axes.slice(0, place), 0, ...axes.slice(place)])
}
