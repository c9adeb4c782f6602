import { checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import {
  type ArithmeticOption,
  applyGradients,
  type GradientTransformation,
  type Point,
  type State,
} from '../../optimizer/index.js'
import type { Key } from '../../tensors/random/index.js'
import {
  cast,
  checkFloatDType,
  dtypeFacts,
  type FloatDType,
  isFloat,
  type Tensor,
  zeros,
} from '../../tensors/tensor/index.js'
import {
  checkSameTree,
  leavesOf,
  mapTree,
  pathsOf,
  type Replaced,
  replaceLeaves,
  type Tree,
  type Treelike,
} from '../../tensors/tree/index.js'
import { type RandomWords, wordsOf } from './randomWords.js'
import type { Stepper } from './stepper.js'
import { addAtRandom, addCompensated, addToNearest, castTree, type StorageMode } from './storage.js'

/** How parameters are stored. */
export interface StoredParamsOptions extends ArithmeticOption {
  readonly mode: StorageMode
  /** The dtype of the parameters. Default: 'bfloat16'. */
  readonly dtype?: FloatDType
  /**
   * The dtype of the optimizer: of its moments, of the gradients and parameters it is shown, of its updates and of the
   * master copy. Default: 'float32'. The parameters' own makes training naive throughout.
   */
  readonly optimizerDtype?: FloatDType
  /** The random source of 'stochastic': a key, or a function that returns words. Required there, not allowed elsewhere. */
  readonly random?: Key | RandomWords
}

const names: OptionTable<StoredParamsOptions> = {
  mode: 'required',
  dtype: 'optional',
  optimizerDtype: 'optional',
  random: 'optional',
  arithmetic: 'optional',
}

/** The optimizer's state, the step count, and what a mode stores beside the parameters. */
export type StoredState =
  | { readonly optimizer: State; readonly count: number }
  | { readonly optimizer: State; readonly count: number; readonly master: Tree }
  | { readonly optimizer: State; readonly count: number; readonly compensation: Tree }

const modes: readonly StorageMode[] = ['nearest', 'master', 'kahan', 'stochastic']

/**
 * An optimizer for parameters stored in few bits. `init` takes them in any floating-point dtype and gives them as
 * stored; `step` takes gradients at the stored ones, in any floating-point dtype.
 *
 * Dtype     parameters `dtype`; everything the optimizer computes `optimizerDtype`.
 * Rounding  per step: gradients and parameters cast to `optimizerDtype`, the optimizer's own operations, their sum with
 *           the update once to `optimizerDtype`, then once to `dtype`, to nearest or at random. 'kahan': c + u like
 *           that, then p + c', p - p' and c' + (p - p') each once in `dtype`; nothing is lost but what c' rounds away,
 *           as long as |p| >= |c'|.
 * Special   a parameter that overflows becomes what its dtype makes of it (Inf, or NaN where there is none), and its
 *           compensation 0. A NaN stays. A zero update moves nothing and draws no number.
 * Error     of one step's storage alone, with u the unit roundoff of `dtype` (bfloat16: 2^-8): 'nearest' u |p'| that
 *           add up in one direction as soon as updates are under it; 'stochastic' 2 u |p'|, 0 on average; 'kahan'
 *           u |c'|, about u^2 |p'|; 'master' that of `optimizerDtype`.
 * Source    Revisiting BFloat16 training, arXiv:2010.06192 (Kahan, stochastic); Mixed precision training,
 *           arXiv:1710.03740 (master copy)
 *
 * @example const sgd = optimizer.sgd({ learningRate: 1 })
 * const naive = storedParams(sgd, { mode: 'nearest' })
 * const kahan = storedParams(sgd, { mode: 'kahan' })
 * const twice = (by) => [1, 2].reduce((point) => by.step([tensor([-0.003])], point), by.init([tensor([1])]))
 * twice(naive).params[0].item() // 1
 * twice(kahan).params[0].item() // 1.0078125
 */
export function storedParams(
  optimizer: GradientTransformation,
  options: StoredParamsOptions,
): Stepper<StoredState> {
  checkOptions('storedParams', options, names)
  const { mode, dtype = 'bfloat16', optimizerDtype = 'float32', arithmetic } = options
  const how = arithmetic === undefined ? {} : { arithmetic }
  checkStorage(options, dtype, optimizerDtype)
  const words = typeof options.random === 'object' ? wordsOf(options.random) : options.random

  function init<P extends Treelike>(params: P): Point<StoredState, Replaced<P, Tensor>> {
    checkFloats(params)
    const wide = castTree(params, optimizerDtype)
    const stored = storedTree(mode === 'master' ? wide : params, dtype)
    const start = {
      optimizer: optimizer.init(mode === 'master' ? wide : castTree(stored, optimizerDtype)),
      count: 0,
    }
    if (mode === 'master') return { params: stored, state: { ...start, master: wide as Tree } }
    if (mode !== 'kahan') return { params: stored, state: start }
    const zerosBeside = leavesOf(stored).map((leaf): Tensor => zeros(leaf.shape, { dtype }))
    const compensation = replaceLeaves(params, zerosBeside) as Tree
    return { params: stored, state: { ...start, compensation } }
  }

  function step<P extends Treelike>(
    grads: Treelike,
    { params, state }: Point<StoredState, P>,
  ): Point<StoredState, P> {
    checkSameTree('storedParams', params, grads)
    checkFloats(grads)
    checkStored(params, dtype)
    const wideGrads = castTree(grads, optimizerDtype)
    const count = state.count + 1
    if (mode === 'master') {
      const master = kept('master', 'master' in state ? state.master : undefined)
      const next = applyGradients(optimizer, wideGrads, { params: master, state: state.optimizer }, how)
      return {
        params: mapTree((_, wide): Tensor => cast(wide, dtype), params, next.params),
        state: { optimizer: next.state, count, master: next.params },
      }
    }
    const wideParams = castTree(params, optimizerDtype)
    const [updates, inner] = optimizer.update(wideGrads, state.optimizer, wideParams)
    if (mode === 'kahan') {
      const before = kept('compensation', 'compensation' in state ? state.compensation : undefined)
      const [next, compensation] = addCompensated(params, before, updates, dtype, optimizerDtype, how)
      return { params: next, state: { optimizer: inner, count, compensation } }
    }
    const next =
      mode === 'stochastic'
        ? addAtRandom(params, updates, dtype, optimizerDtype, count, words!, how)
        : addToNearest(params, updates, dtype, optimizerDtype, how)
    return { params: next, state: { optimizer: inner, count } }
  }

  return { init, step }
}

function checkStorage(options: StoredParamsOptions, dtype: FloatDType, optimizerDtype: FloatDType): void {
  const { mode, random } = options
  checkName('storedParams', 'mode', mode, modes)
  for (const [name, one] of Object.entries({ dtype, optimizerDtype })) {
    checkFloatDType('storedParams', name, one)
    if (!dtypeFacts(one).signed) throw new TypeError(`storedParams: ${name} has no negative numbers [${one}]`)
  }
  if (mode !== 'stochastic') {
    if (random !== undefined) throw new RangeError(`storedParams: random is of mode 'stochastic' [${mode}]`)
    return
  }
  if (dtypeFacts(dtype).format === undefined) {
    throw new TypeError(`storedParams: 'stochastic' needs a dtype of at most 16 bits [${dtype}]`)
  }
  if (random === undefined) {
    throw new RangeError("storedParams: 'stochastic' needs random, a key or words [undefined]")
  }
  if (typeof random === 'object') wordsOf(random)(0, 0, 0)
}

/** The leaves in a dtype, in a tree that is typed to hold tensors of any. */
function storedTree<P extends Treelike>(params: P, dtype: FloatDType): Replaced<P, Tensor> {
  return castTree(params, dtype) as Treelike as Replaced<P, Tensor>
}

function checkFloats(tree: Treelike): void {
  for (const { path, leaf } of pathsOf(tree, { op: 'storedParams' })) {
    if (!isFloat(leaf.dtype)) {
      throw new TypeError(
        `storedParams: needs a floating-point dtype at ${path || 'the root'}, cast first [${leaf.dtype}]`,
      )
    }
  }
}

function checkStored(params: Treelike, dtype: FloatDType): void {
  for (const { path, leaf } of pathsOf(params, { op: 'storedParams' })) {
    if (leaf.dtype !== dtype) {
      throw new TypeError(
        `storedParams: parameters are not as init gave them at ${path || 'the root'} [${leaf.dtype}, not ${dtype}]`,
      )
    }
  }
}

function kept(name: string, tree: Tree | undefined): Tree {
  if (tree === undefined) {
    throw new RangeError(`storedParams: the state is of another mode, it has no ${name} [undefined]`)
  }
  return tree
}
