import { isFloat, type Tensor } from '../../tensors/tensor/index.js'
import { checkSameTree, pathsOf, replaceLeaves, type Tree, type Treelike } from '../../tensors/tree/index.js'

/** A tree for each result of `f`: the first one typed as the first tree, whose structure all have. */
type Results<P, R extends readonly Tensor[]> = { readonly [K in keyof R]: K extends '0' ? P : Tree }

/**
 * `f` over corresponding leaves of trees of one structure. Each of its results lies in a tree of the first one's
 * structure. Errors name the first path where structures or shapes differ.
 */
export function leafwise<P extends Treelike, R extends readonly Tensor[]>(
  op: string,
  trees: readonly [P, ...unknown[]],
  f: (leaves: readonly Tensor[], count: number) => readonly [...R],
): Results<P, R> {
  return zip(op, trees, f, checkSameShape)
}

/** `leafwise` for leaves that need not have one shape. */
export function zipLeaves<P extends Treelike, R extends readonly Tensor[]>(
  op: string,
  trees: readonly [P, ...unknown[]],
  f: (leaves: readonly Tensor[], count: number) => readonly [...R],
): Results<P, R> {
  return zip(op, trees, f, () => undefined)
}

function zip<P extends Treelike, R extends readonly Tensor[]>(
  op: string,
  trees: readonly [P, ...unknown[]],
  f: (leaves: readonly Tensor[], count: number) => readonly [...R],
  check: (op: string, path: string, a: Tensor, b: Tensor) => void,
): Results<P, R> {
  const [first, ...others] = trees
  const leaves = pathsOf(first)
  const columns = others.map((other) => {
    if (other === undefined) throw new RangeError(`${op}: a tree is missing [undefined]`)
    checkSameTree(op, first, other)
    return pathsOf(other as Treelike)
  })
  const results = leaves.map(({ path, leaf }, i) => {
    checkFloatLeaf(op, path, leaf)
    const beside = columns.map((column) => column[i]!.leaf)
    for (const other of beside) check(op, path, leaf, other)
    return f([leaf, ...beside], leaves.length)
  })
  const width = results[0]?.length ?? maximumResults
  return Array.from({ length: width }, (_, k) =>
    replaceLeaves(
      first,
      results.map((result) => result[k]!),
    ),
  ) as unknown as Results<P, R>
}

/** More trees than any transform makes: what an empty tree gives instead of none. */
const maximumResults = 4

function checkFloatLeaf(op: string, path: string, leaf: Tensor): void {
  if (!isFloat(leaf.dtype)) {
    throw new TypeError(
      `${op}: needs a floating-point dtype at ${path || 'the root'}, cast first [${leaf.dtype}]`,
    )
  }
}

function checkSameShape(op: string, path: string, a: Tensor, b: Tensor): void {
  if (a.shape.length !== b.shape.length || a.shape.some((length, axis) => length !== b.shape[axis])) {
    throw new RangeError(
      `${op}: shapes differ at ${path || 'the root'} [${a.shape.join(', ')} and ${b.shape.join(', ')}]`,
    )
  }
}
