import {
  checkFunction,
  checkInteger,
  checkName,
  checkOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { add, concat, div, slice, type Tensor } from '../../tensors/tensor/index.js'
import {
  leavesOf,
  mapTree,
  pathsOf,
  replaceLeaves,
  type Tree,
  type Treelike,
} from '../../tensors/tree/index.js'
import { leafwise } from '../arithmetic/leafwise.js'

/** How a batch is cut, and its results put together. */
export interface MicrobatchOptions {
  /** The arguments, by number, that are cut along their first axis. */
  readonly argnums: number | readonly number[]
  /** Rows of a part; they divide the batch. */
  readonly size: number
  /** What becomes of the results of the parts: their sum, their mean, or all of them, row after row. Default: 'sum'. */
  readonly accumulate?: 'sum' | 'mean' | 'concat'
}

const names: OptionTable<MicrobatchOptions> = {
  argnums: 'required',
  size: 'required',
  accumulate: 'optional',
}

/**
 * A function of a batch that runs on parts of it, one after the other, so that only one of them is in memory: gradients of a batch that is too
 * large.
 *
 * Shape     results of the parts are trees alike; of 'concat' along the first axis.
 * Rounding  sums in the dtype of the results, part after part from 0; the mean divides once, where optax does.
 *
 * @example microbatch((x) => sum(x), { argnums: 0, size: 2 })(tensor([1, 2, 3, 4])).item() // 10
 */
// biome-ignore lint/suspicious/noExplicitAny: parameters of any types must be assignable.
export function microbatch<A extends readonly any[], R>(
  f: (...args: A) => R,
  options: MicrobatchOptions,
): (...args: A) => R {
  checkFunction('microbatch', 'f', f)
  checkOptions('microbatch', options, names)
  const { size, accumulate = 'sum' } = options
  const cut = new Set([options.argnums].flat() as readonly number[])
  for (const index of cut) checkInteger('microbatch', 'argnums', index, 0)
  checkInteger('microbatch', 'size', size, 1)
  checkName('microbatch', 'accumulate', accumulate, ['sum', 'mean', 'concat'])
  return (...args) => {
    const rows = rowsOf(args, cut)
    if (rows === 0 || rows % size !== 0) {
      throw new RangeError(
        `microbatch: the batch is no multiple of the size of its parts [${rows} and ${size}]`,
      )
    }
    const results: Treelike[] = []
    for (let start = 0; start < rows; start += size) {
      const part = args.map((argument: unknown, i) =>
        cut.has(i) ? mapTree((leaf): Tensor => rowsFrom(leaf, start, size), argument as Treelike) : argument,
      )
      const result = f(...(part as unknown as A)) as Treelike
      const before = results[0]
      if (accumulate === 'concat' || before === undefined) results.push(result)
      else results[0] = leafwise('microbatch', [before, result], ([x, y]) => [add(x!, y!)])[0]
    }
    if (accumulate === 'concat') return joined(results) as R
    if (accumulate === 'sum') return results[0] as R
    return leafwise('microbatch', [results[0]!], ([x]) => [div(x!, rows / size)])[0] as R
  }
}

function rowsOf(args: readonly unknown[], cut: ReadonlySet<number>): number {
  let rows: number | undefined
  for (const index of cut) {
    if (index >= args.length) {
      throw new RangeError(
        `microbatch: argnums names an argument that is not there [${index} of ${args.length}]`,
      )
    }
    for (const { path, leaf } of pathsOf(args[index] as Tree)) {
      rows ??= leaf.shape[0] ?? 0
      if (leaf.shape[0] !== rows) {
        throw new RangeError(
          `microbatch: no axis of ${rows} rows first at ${index}${path && `.${path}`} [${leaf.shape.join(', ')}]`,
        )
      }
    }
  }
  return rows ?? 0
}

const rowsFrom = (x: Tensor, start: number, size: number): Tensor => slice(x, [[start, start + size]])

function joined(results: readonly Treelike[]): Treelike {
  const columns = results.map((result) => leavesOf(result))
  return replaceLeaves(
    results[0]!,
    columns[0]!.map((_, i): Tensor => concat(columns.map((column) => column[i]!))),
  )
}
