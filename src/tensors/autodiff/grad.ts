import { checkFunction, checkOptions, type OptionTable } from '../../base/options/index.js'
import { isFloat, ones, Tensor, zeros } from '../tensor/index.js'
import { recorded } from './backward.js'
import { type BackwardOptions, backwardNames } from './backwardOptions.js'
import { asVariables, checkDifferentiable, replaceTensors, tensorsIn } from './graph/leaves.js'

/** Options of grad and valueAndGrad. */
export interface GradOptions extends BackwardOptions {
  /** Which argument the gradient is for, or which; negative ones from the end. Default 0. */
  readonly argnums?: number | readonly number[]
  /** f returns [value, aux], and aux is returned with the result. Default false. */
  readonly hasAux?: boolean
}

export const gradNames: OptionTable<GradOptions> = {
  ...backwardNames,
  argnums: 'optional',
  hasAux: 'optional',
}

/** A function of trees of tensors, and of other arguments without a gradient, with one scalar result. */
// biome-ignore lint/suspicious/noExplicitAny: parameters of any types must be assignable.
type Scalar<A extends readonly any[]> = (...args: A) => Tensor
// biome-ignore lint/suspicious/noExplicitAny: as above.
type ScalarAndAux<A extends readonly any[], X> = (...args: A) => readonly [Tensor, X]

/** The gradient for one argument, or for several. */
export type Gradient<A extends readonly unknown[], N extends number | readonly number[]> = N extends number
  ? A[N]
  : { [K in keyof N]: N[K] extends number ? A[N[K]] : never }

type NoAux<N> = BackwardOptions & { readonly argnums: N; readonly hasAux?: false }
type Aux<N> = BackwardOptions & { readonly argnums?: N; readonly hasAux: true }

/**
 * The gradient of a scalar function by reverse mode: a function of the same arguments.
 *
 * Shape     a tree of the argument's structure and shapes; for several `argnums` an array of trees in their order.
 * Dtype     each gradient has its argument's. Leaves must be floats; other arguments may be anything.
 * Rounding  every operation of the backward pass rounds once to the dtype of the tensor it belongs to, as the forward pass
 *           does. Where elements were repeated, cotangents are added as `sum` says (default float32, sequential), once to
 *           the dtype at the end; running sums and matrix products add as their forward did. Several cotangents of one
 *           tensor are added in its dtype, the one of its last user first.
 * Special   an argument that f does not depend on has the gradient 0; NaN and Inf are values and pass.
 * Cost      the tensors of the forward pass are kept until it is done: see `checkpoint`.
 * Source    Griewank, Walther, Evaluating Derivatives, 2nd ed., 3.2, doi:10.1137/1.9780898717761
 *
 * @example grad((x) => sum(square(x)))(tensor([1, 2, 3])).toNested() // [2, 4, 6]
 * @example grad((x) => mul(x, 3))(tensor([1, 2])) // throws grad: f does not return a scalar, sum it up [2]
 */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export function grad<A extends readonly any[]>(f: Scalar<A>, options?: BackwardOptions): (...args: A) => A[0]
// biome-ignore lint/suspicious/noExplicitAny: as above.
export function grad<A extends readonly any[], N extends number | readonly [number, ...number[]]>(
  f: Scalar<A>,
  options: NoAux<N>,
): (...args: A) => Gradient<A, N>
// biome-ignore lint/suspicious/noExplicitAny: as above.
export function grad<A extends readonly any[], X, N extends number | readonly [number, ...number[]] = 0>(
  f: ScalarAndAux<A, X>,
  options: Aux<N>,
): (...args: A) => [Gradient<A, N>, X]
export function grad(
  f: (...args: never[]) => unknown,
  options: GradOptions = {},
): (...args: never[]) => unknown {
  const of = differentiated('grad', f, options)
  return (...args) => {
    const { aux, gradient } = of(args)
    return options.hasAux ? [gradient, aux] : gradient
  }
}

/**
 * The value and the gradient of a scalar function, in one pass: as `grad`, giving [value, gradient], or
 * [[value, aux], gradient] with `hasAux`.
 *
 * @example valueAndGrad((x, y) => mul(x, y), { argnums: [0, 1] })(tensor(3), tensor(5))[1].map((g) => g.item()) // [5, 3]
 */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export function valueAndGrad<A extends readonly any[]>(
  f: Scalar<A>,
  options?: BackwardOptions,
): (...args: A) => [Tensor, A[0]]
// biome-ignore lint/suspicious/noExplicitAny: as above.
export function valueAndGrad<A extends readonly any[], N extends number | readonly [number, ...number[]]>(
  f: Scalar<A>,
  options: NoAux<N>,
): (...args: A) => [Tensor, Gradient<A, N>]
export function valueAndGrad<
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  A extends readonly any[],
  X,
  N extends number | readonly [number, ...number[]] = 0,
>(f: ScalarAndAux<A, X>, options: Aux<N>): (...args: A) => [[Tensor, X], Gradient<A, N>]
export function valueAndGrad(
  f: (...args: never[]) => unknown,
  options: GradOptions = {},
): (...args: never[]) => unknown {
  const of = differentiated('valueAndGrad', f, options)
  return (...args) => {
    const { value, aux, gradient } = of(args)
    return [options.hasAux ? [value, aux] : value, gradient]
  }
}

interface Differentiated {
  readonly value: Tensor
  readonly aux: unknown
  readonly gradient: unknown
}

function differentiated(
  op: string,
  f: (...args: never[]) => unknown,
  options: GradOptions,
): (args: readonly unknown[]) => Differentiated {
  checkFunction(op, 'f', f)
  checkOptions(op, options, gradNames)
  const { argnums = 0, hasAux = false } = options
  const places = typeof argnums === 'number' ? [argnums] : argnums
  return (args) => {
    const chosen = positions(op, places, args.length)
    const inputs = [...args]
    const variables: Tensor[] = []
    for (const place of chosen) {
      checkDifferentiable(op, args[place], `argument ${place}`)
      const [input, roots] = asVariables(args[place])
      inputs[place] = input
      variables.push(...roots)
    }
    const result: unknown = f(...(inputs as never[]))
    const [out, aux] = hasAux ? pairOf(op, result) : [result, undefined]
    const value = checkScalar(op, out)
    const { pull, plain } = recorded(op, variables, [value, ...tensorsIn(aux)])
    const cotangents = pull([ones([], { dtype: value.dtype })], options)
    let next = 0
    const gradientOf = (leaf: Tensor): Tensor =>
      cotangents[next++] ?? zeros(leaf.shape, { dtype: leaf.dtype })
    const gradients = chosen.map((place) => replaceTensors(args[place], gradientOf))
    return {
      value: plain(value),
      aux: replaceTensors(aux, plain),
      gradient: typeof argnums === 'number' ? gradients[0] : gradients,
    }
  }
}

/** The positions of the arguments, from the front. */
export function positions(op: string, places: readonly number[], count: number): number[] {
  const chosen = places.map((place) => {
    const front = place < 0 ? place + count : place
    if (!Number.isInteger(place) || front < 0 || front >= count) {
      throw new RangeError(`${op}: argnums outside ${count} arguments [${String(place)}]`)
    }
    return front
  })
  if (new Set(chosen).size !== chosen.length) {
    throw new RangeError(`${op}: repeated argnums [${places.join(', ')}]`)
  }
  return chosen
}

function pairOf(op: string, result: unknown): readonly [unknown, unknown] {
  if (!Array.isArray(result) || result.length !== 2) {
    throw new TypeError(`${op}: f does not return [value, aux], which hasAux says [${shown(result)}]`)
  }
  return result as unknown as readonly [unknown, unknown]
}

function checkScalar(op: string, out: unknown): Tensor {
  if (!(out instanceof Tensor)) {
    throw new TypeError(`${op}: f does not return one scalar tensor [${shown(out)}]`)
  }
  if (!isFloat(out.dtype)) throw new TypeError(`${op}: f does not return a float, cast it [${out.dtype}]`)
  if (out.rank !== 0) {
    throw new RangeError(`${op}: f does not return a scalar, sum it up [${out.shape.join(', ')}]`)
  }
  return out
}

function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return value.constructor?.name ?? 'object'
  return String(value).slice(0, 50)
}
