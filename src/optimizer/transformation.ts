import type { OptionTable } from '../base/options/index.js'
import type { Schedule } from '../schedule/index.js'
import type { Tensor } from '../tensors/tensor/index.js'
import type { OfTensors, Treelike } from '../tensors/tree/index.js'
import type { Mask } from './mask.js'

/** What an optimizer carries from step to step: plain data, tensors and numbers in nested arrays and objects. */
export type State = Tensor | number | boolean | readonly State[] | { readonly [key: string]: State }

/** The state of a transform that has none. */
export type EmptyState = Readonly<Record<string, never>>

/** What a step knows besides gradients and parameters: transforms take what they need of it, wrappers hand it on. */
export interface ExtraArgs {
  /** The loss at the parameters before the step: `reduceOnPlateau`, `scaleByPolyak`, line searches. */
  readonly value?: number | Tensor
  /** Its gradient there, where the updates are no longer it: line searches. */
  readonly grad?: Treelike
  /** The loss as a function of the parameters: line searches, `scaleBySophia`. */
  readonly valueFn?: {
    /** The loss of these parameters, a scalar. */
    of(params: Treelike): Tensor
  }['of']
  /** Its gradient as a function of the parameters and of how many were asked for before: `sam` in one step. */
  readonly gradFn?: {
    /** The gradient at these parameters. */
    of(params: Treelike, asked: number): Treelike
  }['of']
}

/** The names of `ExtraArgs`. */
export const extraNames: OptionTable<ExtraArgs> = {
  value: 'optional',
  grad: 'optional',
  valueFn: 'optional',
  gradFn: 'optional',
}

/** What a training step asks of an optimizer. */
export interface Optimizer<S extends State = State> {
  /** The state before the first step. */
  init<P extends Treelike>(params: P & OfTensors<P>): S
  /** One step: the updates of the parameters and the new state. */
  update(
    grads: Treelike,
    state: S,
    params?: Treelike,
    extra?: ExtraArgs,
  ): readonly [updates: Treelike, state: S]
  /** @internal How `applyGradients` may run it together with others in one pass. */
  readonly fusion?: Fusion
  /** @internal Whether numbers and booleans of its state may be tensors, so that `update` can be recorded. */
  readonly recordable?: boolean
  /** @internal Whether a recorded step computes what a plain one leaves out most of the time. */
  readonly skips?: boolean
}

/**
 * A transformation of gradients into updates, pure: `update` gives the new updates and the new state, and changes
 * neither its arguments nor anything else. `params` are the parameters before the step.
 */
export interface GradientTransformation<S extends State = State> extends Optimizer<S> {
  /** One step: the new updates, in the structure and type of the given ones, and the new state. */
  update<P extends Treelike>(
    updates: P,
    state: S,
    params?: Treelike,
    extra?: ExtraArgs,
  ): readonly [updates: P, state: S]
}

/** What a transform says of itself so that a usual chain can be run in one pass. Only 'ieee' arithmetic says it. */
export type Fusion =
  | { readonly kind: 'chain'; readonly links: readonly GradientTransformation[] }
  | { readonly kind: 'clip'; readonly maxNorm: number }
  | { readonly kind: 'zeroNans' }
  | {
      readonly kind: 'adam'
      readonly b1: number
      readonly b2: number
      readonly eps: number
      readonly epsRoot: number
    }
  | { readonly kind: 'decay'; readonly weightDecay: number; readonly mask: Mask | undefined }
  | { readonly kind: 'scale'; readonly stepSize: number | Schedule }

/** The updates of a gradient, without state: what most transforms are made of. */
export function stateless(
  update: <P extends Treelike>(updates: P, params: Treelike | undefined) => P,
  fusion?: Fusion,
): GradientTransformation<EmptyState> {
  return {
    recordable: true,
    init: () => ({}),
    update: (updates, state, params) => [update(updates, params), state],
    ...(fusion ? { fusion } : {}),
  }
}

/** The parameters, a RangeError where an update needs them and was not given them. */
export function needParams<P extends Treelike>(op: string, params: P | undefined): P {
  if (params === undefined) {
    throw new RangeError(`${op}: update needs the parameters, its third argument [undefined]`)
  }
  return params
}
