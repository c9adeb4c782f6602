import { type State, stateFromTree, stateToTree } from '../../optimizer/index.js'
import { cast, isFloat, type Tensor } from '../../tensors/tensor/index.js'
import { pathsOf, replaceLeaves } from '../../tensors/tree/index.js'
import type { TfNamed } from './tfjs.js'

/** The tensors of a state under their paths, in dtypes that tf has too; a float64 number has none and is a TypeError. */
export function namedFromState(state: State): readonly TfNamed<Tensor>[] {
  return pathsOf(stateToTree(state)).map(({ path, leaf }) => {
    if (leaf.dtype === 'float64') {
      throw new TypeError(
        `tfOptimizer: getWeights cannot hold a float64 number, save optimizer.state instead [${path}]`,
      )
    }
    // uint32 and int32 exchange their bits; every narrow format fits into float32.
    return { name: path, tensor: leaf.dtype === 'uint32' ? cast(leaf, 'int32') : leaf }
  })
}

/** The state that `namedFromState` took apart, in any order; `like` says its structure, shapes and dtypes. */
export function stateFromNamed(named: readonly TfNamed<Tensor>[], like: State): State {
  const tree = stateToTree(like)
  const byName = new Map(named.map(({ name, tensor }) => [name, tensor]))
  const expected = pathsOf(tree)
  if (byName.size !== expected.length) {
    throw new RangeError(
      `tfOptimizer: setWeights needs the ${expected.length} tensors of this state [${byName.size}]`,
    )
  }
  const leaves = expected.map(({ path, leaf }) => {
    const tensor = byName.get(path)
    if (!tensor) throw new RangeError(`tfOptimizer: setWeights brings nothing of this name [${path}]`)
    const narrow = tensor.dtype === 'float32' && isFloat(leaf.dtype)
    const bits = tensor.dtype === 'int32' && leaf.dtype === 'uint32'
    return narrow || bits ? cast(tensor, leaf.dtype) : tensor
  })
  return stateFromTree(replaceLeaves(tree, leaves), like)
}
