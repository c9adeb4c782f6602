import { checkFunction, checkOptions } from '../../base/options/index.js'
import type { Schedule } from '../../schedule/index.js'
import { type FloatDType, full, reshape, Tensor } from '../../tensors/tensor/index.js'
import { leavesOf, type Treelike } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticOf } from '../arithmetic/arithmetic.js'
import { nextCount } from '../arithmetic/count.js'
import { inDtype, promote, type Scalar } from '../arithmetic/operand.js'
import { constantOf, scheduled } from '../arithmetic/scheduled.js'
import type { GradientTransformation, State } from '../transformation.js'

/** Hyper-parameters as part of the state, where they can be read and changed between steps. */
export type InjectHyperparamsState = {
  readonly count: number
  readonly hyperparams: { readonly [name: string]: Tensor }
  readonly innerState: State
}

/** Every number of an options record may also be a schedule. */
export type Injectable<O> = {
  readonly [K in keyof O]: Scalar extends O[K] ? O[K] | Schedule : O[K]
}

/**
 * A factory of transforms whose numeric options lie in the state: `injectHyperparams(adamw)({ learningRate: 1e-3 })`.
 * Functions are schedules, evaluated at this wrapper's own count. Options that are left out stay what they are.
 *
 * Dtype     hyper-parameters are strong: scalars of the parameters' dtype (the widest), in which 1 - b1 is computed
 *           too. In bfloat16 b2 = 0.999 is 1, and the first step NaN; with plain Adam it is not. What a schedule gives
 *           stays float32 at least, and makes updates float32, as in optax.
 *
 * @example injectHyperparams(adamw)({ learningRate: 0.5 }).init([tensor([1])]).hyperparams.learningRate.item() // 0.5
 */
export function injectHyperparams<O extends ArithmeticOption>(
  factory: (options: O) => GradientTransformation,
): (options: Injectable<O>) => GradientTransformation<InjectHyperparamsState> {
  checkFunction('injectHyperparams', 'the factory', factory)
  return (options) => {
    checkRecord(options)
    const a = arithmeticOf((options as ArithmeticOption).arithmetic)
    const entries = Object.entries(options as Readonly<Record<string, unknown>>)
    const numbers = entries.filter(([name, value]) => isInjected(name, value))
    const rest = Object.fromEntries(entries.filter(([name, value]) => !isInjected(name, value)))
    const strong = (value: Scalar, dtype: FloatDType): Tensor =>
      value instanceof Tensor
        ? reshape(constantOf(a, value, dtype), [])
        : inDtype(full([], a.weak(value, dtype), { dtype }), dtype)
    const hyperparamsAt = (
      count: number,
      dtype: FloatDType,
      known?: InjectHyperparamsState['hyperparams'],
    ): Record<string, Tensor> =>
      Object.fromEntries(
        numbers.map(([name, value]): [string, Tensor] => {
          if (typeof value === 'function') {
            return [
              name,
              strong(scheduled('injectHyperparams', value as Schedule, count), promote(dtype, 'float32')),
            ]
          }
          const held = known?.[name] ?? (value as Scalar)
          return [name, strong(held, dtype)]
        }),
      )
    const build = (hyperparams: Record<string, Tensor>): GradientTransformation =>
      factory({ ...rest, ...hyperparams } as unknown as O)
    // Strong scalars are data and pass every check: the factory sees the numbers once as numbers, and refuses what is none.
    const { recordable } = factory({
      ...rest,
      ...Object.fromEntries(
        numbers.map(([name, value]) => [
          name,
          typeof value === 'function' ? scheduled('injectHyperparams', value as Schedule, 0) : value,
        ]),
      ),
    } as unknown as O)
    return {
      recordable: recordable === true,
      init(params) {
        const hyperparams = hyperparamsAt(0, widest(params))
        return { count: 0, hyperparams, innerState: build(hyperparams).init(params) }
      },
      update(updates, state, params, extra) {
        const hyperparams = hyperparamsAt(state.count, widest(params ?? updates), state.hyperparams)
        const [changed, innerState] = build(hyperparams).update(updates, state.innerState, params, extra)
        return [changed, { count: nextCount(state.count), hyperparams, innerState }]
      },
    }
  }
}

/** Which names there are is the factory's to say. */
function checkRecord(options: unknown): void {
  const own = Object.keys(Object(options)).map((name) => [name, 'optional'] as const)
  checkOptions('injectHyperparams', options, Object.fromEntries(own))
}

/** Numbers and schedules; a mask may be a function too, and stays one. */
function isInjected(name: string, value: unknown): boolean {
  return (
    typeof value === 'number' ||
    value instanceof Tensor ||
    (typeof value === 'function' && !/mask/i.test(name))
  )
}

/** The widest dtype of the leaves, float32 where there are none. */
function widest(tree: Treelike): FloatDType {
  const [first = 'float32', ...others] = leavesOf(tree).map((leaf) => leaf.dtype as FloatDType)
  return others.reduce(promote, first)
}
