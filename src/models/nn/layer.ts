import { checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import { type AnyKey, foldIn, type Key } from '../../tensors/random/index.js'
import type { Tensor } from '../../tensors/tensor/index.js'

/** The context of a layer: everything except its parameters and its input. */
export interface ApplyOptions {
  /**
   * The key for random operations of training: dropout, rounding at random in a recipe's gradients. A compiled step takes it as a tensor,
   * `random.keyTensor`. Without a key the layer is evaluated.
   */
  readonly key?: AnyKey
}

/**
 * A layer as two pure functions: fresh parameters from a key, and the result of parameters and an input. Parameters are a
 * tree of tensors that the caller keeps: optimizers, files, gradients and compile accept it unchanged.
 */
export interface Layer<P = unknown> {
  /** Fresh parameters, each with draws of its own. */
  init(key: Key): P
  /** The result for an input; without a key of `options` as the layer is evaluated. */
  apply(params: P, x: Tensor, options?: ApplyOptions): Tensor
}

/** The parameters of a layer that has none. */
export type NoParameters = Readonly<Record<never, never>>

/** The parameters of a layer. */
export type ParametersOf<L> = L extends Layer<infer P> ? P : never

const applyNames: OptionTable<ApplyOptions> = { key: 'optional' }

/** The options of `apply`, checked by their names. */
export function checkApply(op: string, options: ApplyOptions = noOptions): ApplyOptions {
  checkOptions(op, options, applyNames, { positional: 'key' })
  return options
}

/** The options of a layer inside: its own key from that of the layer around. */
export function inside({ key }: ApplyOptions, i: number): ApplyOptions {
  return key === undefined ? {} : { key: foldIn(key, i) }
}
