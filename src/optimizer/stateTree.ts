import { Tensor, tensor } from '../tensors/tensor/index.js'
import {
  checkSameTree,
  leavesOf,
  mapTreeWith,
  pathsOf,
  replaceLeaves,
  type Tree,
} from '../tensors/tree/index.js'
import type { State } from './transformation.js'

type Leaf = Tensor | number | boolean

/**
 * A state as a tree of tensors, for `writeSafetensors` and `treeToJson`: a whole number becomes an int32 scalar, as
 * optax keeps its counts, any other number a float64 one, a boolean a bool one. `stateFromTree` is the way back.
 *
 * @example tree.pathsOf(stateToTree(adam({ learningRate: 1 }).init({ w: tensor([1]) }))).map(({ path, leaf }) => `${path} ${leaf.dtype}`) // ['0.count int32', '0.mu.w float32', '0.nu.w float32']
 */
export function stateToTree(state: State): Tree {
  return mapTreeWith({ op: 'stateToTree', isLeaf }, toTensor, state as Tree<Leaf>) as Tree
}

/**
 * The state that `stateToTree` made a tree of, every bit of it. `like` says what is a number or a boolean and which
 * shapes and dtypes there are: it is `optimizer.init(params)`. What does not fit is an error that names the path.
 *
 * @example const start = adam({ learningRate: 1 }).init([tensor([1])])
 * stateFromTree(stateToTree(start), start)[0].count // 0
 * stateFromTree([{}, {}], start) // throws stateFromTree: trees differ at 0.count [leaf, nothing]
 */
export function stateFromTree<S extends State>(tree: Tree, like: S): S {
  const op = 'stateFromTree'
  const options = { op, isLeaf }
  checkSameTree(op, like, tree, options)
  const stored = leavesOf(tree, { op })
  const leaves = pathsOf(like as Tree<Leaf>, options).map(({ path, leaf }, i) =>
    fromTensor(`${op}: %s differ at ${path || 'the root'}`, leaf, stored[i]!),
  )
  return replaceLeaves(like as Tree<Leaf>, leaves, options) as S
}

function isLeaf(value: unknown): value is Leaf {
  return value instanceof Tensor || typeof value === 'number' || typeof value === 'boolean'
}

function toTensor(leaf: Leaf): Tensor {
  if (leaf instanceof Tensor) return leaf
  if (typeof leaf === 'boolean') return tensor(leaf ? 1 : 0, { dtype: 'bool' })
  return tensor(leaf, { dtype: Object.is(leaf, leaf | 0) ? 'int32' : 'float64' })
}

function fromTensor(message: string, like: Leaf, stored: Tensor): Leaf {
  const expected = toTensor(like)
  // A count may have left the int32 numbers, or another number become a whole one.
  const number = typeof like === 'number' && (stored.dtype === 'int32' || stored.dtype === 'float64')
  if (expected.dtype !== stored.dtype && !number) {
    throw new TypeError(`${message.replace('%s', 'dtypes')} [${expected.dtype} and ${stored.dtype}]`)
  }
  if (expected.shape.join() !== stored.shape.join() || expected.rank !== stored.rank) {
    throw new RangeError(
      `${message.replace('%s', 'shapes')} [${expected.shape.join(', ')} and ${stored.shape.join(', ')}]`,
    )
  }
  if (like instanceof Tensor) return stored
  return typeof like === 'boolean' ? stored.item() === 1 : stored.item()
}
