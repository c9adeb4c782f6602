import { checkFunction, checkOptions, type OptionTable } from '../../base/options/index.js'
import {
  type ApplyGradientsOptions,
  applyGradients,
  type GradientTransformation,
  type State,
} from '../../optimizer/index.js'
import { type Tensor, zeros } from '../../tensors/tensor/index.js'
import { fromTf, toTf } from './convert.js'
import { namedFromState, stateFromNamed } from './namedState.js'
import type { Inner, InnerVariable, Tf, TfNamed } from './tfjs.js'

/** How an optimizer sees the model's variables, and how it computes. */
export interface TfOptimizerOptions extends Omit<ApplyGradientsOptions, 'donate' | 'extra'> {
  /**
   * The path of a variable in the tree of parameters that the transformation sees, for its masks and labels, and in
   * its state. Default: the variable's name, such as 'dense_Dense1/kernel'. Two variables of one path are a RangeError.
   */
  readonly pathOf?: (name: string) => string
}

const names: OptionTable<TfOptimizerOptions> = {
  pathOf: 'optional',
  engine: 'optional',
  arithmetic: 'optional',
}

/** The members of our optimizers besides the methods of tf.Optimizer. */
export interface TfOptimizerState {
  /** The transformation's state, plain data: undefined before the first step. Setting it resumes from there. */
  state: State | undefined
}

/**
 * The class of optimizers over one tf namespace. A step reads the variables, calls `applyGradients`, and assigns:
 * nothing of the arithmetic is tf's.
 */
export function optimizerClass(
  tf: Tf,
): new (
  transformation: GradientTransformation,
  options?: TfOptimizerOptions,
) => TfOptimizerState & object {
  return class TpuToolkitOptimizer extends tf.Optimizer {
    readonly #transformation: GradientTransformation
    readonly #options: TfOptimizerOptions
    #state: State | undefined
    /** What setWeights brought before a first step could say what the state looks like. */
    #named: readonly TfNamed<Tensor>[] | undefined

    /** tf asks for the name of the class where it prints or saves a model. */
    static get className(): string {
      return 'TpuToolkitOptimizer'
    }

    constructor(transformation: GradientTransformation, options: TfOptimizerOptions = {}) {
      super()
      checkOptions('tfOptimizer', options, names)
      if (options.pathOf !== undefined) checkFunction('tfOptimizer', 'pathOf', options.pathOf)
      const given = transformation as Partial<GradientTransformation> | null | undefined
      if (typeof given?.init !== 'function' || typeof given.update !== 'function') {
        throw new TypeError(
          `tfOptimizer: needs a transformation with init and update [${typeof transformation}]`,
        )
      }
      this.#transformation = transformation
      this.#options = options
    }

    get state(): State | undefined {
      return this.#state
    }

    set state(state: State | undefined) {
      this.#state = state
      this.#named = undefined
    }

    applyGradients(gradients: readonly TfNamed<Inner>[] | Readonly<Record<string, Inner>>): void {
      const given: readonly TfNamed<Inner | undefined>[] = Array.isArray(gradients)
        ? gradients
        : Object.entries(gradients).map(([name, tensor]) => ({ name, tensor }))
      const variables = this.#variables(given.map(({ name }) => name))
      const paths = [...variables.keys()]
      const params = Object.fromEntries(paths.map((path) => [path, fromTf(variables.get(path)!)]))
      // A variable that the loss does not depend on comes without a gradient; jax.grad gives zeros.
      const grads = Object.fromEntries(
        paths.map((path, i) => [
          path,
          given[i]!.tensor ? fromTf(given[i]!.tensor) : zeros(params[path]!.shape),
        ]),
      )
      const state = this.#state ?? this.#firstState(params)
      const { pathOf, ...how } = this.#options
      const next = applyGradients(this.#transformation, grads, { params, state }, how)
      const updated = next.params as Readonly<Record<string, Tensor>>
      tf.tidy(() => {
        for (const [path, variable] of variables) variable.assign(toTf(tf, updated[path]!))
      })
      this.state = next.state
      this.incrementIterations()
    }

    async getWeights(): Promise<readonly TfNamed<Inner>[]> {
      const named = this.#state === undefined ? (this.#named ?? []) : namedFromState(this.#state)
      return [
        await this.saveIterations(),
        ...named.map(({ name, tensor }) => ({ name, tensor: toTf(tf, tensor) })),
      ]
    }

    async setWeights(weights: readonly TfNamed<Inner>[]): Promise<void> {
      const rest = await this.extractIterations(weights)
      const named = rest.map(({ name, tensor }) => ({ name, tensor: fromTf(tensor) }))
      if (this.#state !== undefined) this.state = stateFromNamed(named, this.#state)
      else this.#named = named.length > 0 ? named : undefined
    }

    getConfig(): never {
      throw new TypeError(
        'tfOptimizer: a chain of functions does not go into a model file, save optimizer.state beside it [includeOptimizer]',
      )
    }

    #firstState(params: Readonly<Record<string, Tensor>>): State {
      const first = this.#transformation.init(params)
      return this.#named ? stateFromNamed(this.#named, first) : first
    }

    #variables(names: readonly string[]): ReadonlyMap<string, InnerVariable> {
      const registered = tf.engine().registeredVariables
      const found = new Map<string, InnerVariable>()
      for (const name of names) {
        const variable = registered[name]
        if (!variable) {
          throw new RangeError(`tfOptimizer: tf knows no variable of that name, is it the same tf? [${name}]`)
        }
        if (variable.dtype !== 'float32') {
          throw new TypeError(`tfOptimizer: trains float32 variables, not ${name} [${variable.dtype}]`)
        }
        const path = this.#options.pathOf?.(name) ?? name
        if (found.has(path)) {
          throw new RangeError(`tfOptimizer: pathOf gives two variables one path [${path}]`)
        }
        found.set(path, variable)
      }
      return found
    }
  }
}
