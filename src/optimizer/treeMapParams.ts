import { checkFunction, checkOptions, type OptionTable } from '../base/options/index.js'
import { Tensor, tensor } from '../tensors/tensor/index.js'
import { mapTree, type Treelike } from '../tensors/tree/index.js'
import { checkTransformation } from './checkTransformation.js'
import type { Optimizer, State } from './transformation.js'

/** What is done with the rest of a state. */
export interface TreeMapParamsOptions {
  /** A function of every value of the state that is like no parameter. Default: it stays. */
  readonly transformNonParams?: (value: Tensor | number | boolean) => Tensor | number | boolean
}

const names: OptionTable<TreeMapParamsOptions> = { transformNonParams: 'optional' }

/**
 * An optimizer's state with a function of every tensor that belongs to a parameter, such as a moment: for its dtype, say.
 *
 * Special   what belongs to parameters is found by `init` of a tree that has one leaf in a place of its own: a transform whose state depends on
 *           elements or labels of the parameters is not for that.
 *
 * @example const adam = scaleByAdam()
 * const state = treeMapParams(adam, (m) => cast(m, 'float32'), adam.init({ w: tensor([1], { dtype: 'bfloat16' }) }))
 * [state.mu.w.dtype, state.count] // ['float32', 0]
 */
export function treeMapParams<S extends State>(
  optimizer: Optimizer<S>,
  f: (leaf: Tensor) => Tensor,
  state: S,
  options: TreeMapParamsOptions = {},
): S {
  checkTransformation('treeMapParams', 'the optimizer', optimizer)
  checkFunction('treeMapParams', 'f', f)
  checkOptions('treeMapParams', options, names)
  const { transformNonParams = (value) => value } = options
  checkFunction('treeMapParams', 'transformNonParams', transformNonParams)
  const walk = (like: unknown, value: unknown): unknown => {
    if (isPlaceholder(like)) {
      return mapTree((leaf): Tensor => f(leaf), value as Treelike)
    }
    if (value instanceof Tensor || typeof value === 'number' || typeof value === 'boolean') {
      return transformNonParams(value)
    }
    if (typeof value !== 'object' || value === null || typeof like !== 'object' || like === null) return value
    if (Array.isArray(value)) return value.map((item, i) => walk(Reflect.get(like, i), item))
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, walk(Reflect.get(like, name), item)]),
    )
  }
  return walk(optimizer.init({ [placeholder]: tensor([0]) }), state) as S
}

/** The only key of the tree that stands for the parameters. */
const placeholder = 'tpu-toolkit/treeMapParams'

const isPlaceholder = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, placeholder)
