import { checkArray, checkFunction, checkOptions, type OptionTable } from '../../base/options/index.js'
import { isFloat, Tensor } from '../tensor/index.js'
import { pathsOf, type Tree } from '../tree/index.js'
import { type BackwardOptions, backwardNames } from './backwardOptions.js'
import { grad } from './grad.js'
import { checkDifferentiable, replaceTensors, tensorsIn } from './graph/leaves.js'

/** How checkGrads compares. */
export interface CheckGradsOptions extends BackwardOptions {
  /** Which arguments are varied; default all. */
  readonly argnums?: readonly number[]
  /** The step of the differences, relative to max(1, |x|). Default 2^-17. */
  readonly step?: number
  /** The tolerated error. Default 1e-7. */
  readonly tolerance?: number
}

const checkGradsNames: OptionTable<CheckGradsOptions> = {
  ...backwardNames,
  argnums: 'optional',
  step: 'optional',
  tolerance: 'optional',
}

/** The element whose gradient is farthest off. */
export interface GradientError {
  /** Where its leaf is: `1.w` is w of argument 1. */
  readonly path: string
  /** Its place in the flat leaf. */
  readonly index: number
  readonly gradient: number
  readonly difference: number
  /** |gradient - difference| / max(1, |f|, the largest |difference|). */
  readonly error: number
}

/**
 * Compares the gradient of a scalar function with central differences (f(x + h) - f(x - h)) / 2h, element by element,
 * everything in float64: float leaves of the arguments are cast. Gives the worst element, undefined where there is none.
 *
 * Error     of the difference itself: h^2 |f'''| / 6 + 2^-52 |f| / h, about 1e-11 at the default step.
 * Throws    RangeError for an error above `tolerance`, or NaN, with the element's name.
 * Source    Press and others, Numerical Recipes, 3rd ed., 5.7: a step near the third root of the precision.
 *
 * @example checkGrads((x) => sum(square(x)), [tensor([1, 2])]).error < 1e-9 // true
 * @example checkGrads((x) => mul(x, stopGradient(x)), [tensor(1)]) // throws checkGrads: gradient is off by 0.5 at 0, element 0 [1, not 2]
 */
// biome-ignore lint/suspicious/noExplicitAny: parameters of any types must be assignable.
export function checkGrads<A extends readonly any[]>(
  f: (...args: A) => Tensor,
  args: A,
  options: CheckGradsOptions = {},
): GradientError | undefined {
  checkArray('checkGrads', 'args', args)
  checkFunction('checkGrads', 'f', f)
  checkOptions('checkGrads', options, checkGradsNames)
  const { argnums, step = 2 ** -17, tolerance = 1e-7, ...backward } = options
  for (const [name, value] of Object.entries({ step, tolerance })) {
    if (!(value > 0 && value < Infinity)) {
      throw new RangeError(`checkGrads: ${name} is not above 0 and finite [${value}]`)
    }
  }
  if (argnums !== undefined) checkArray('checkGrads', 'argnums', argnums)
  const places = argnums ?? args.map((_, i) => i)
  for (const place of places) checkDifferentiable('checkGrads', args[place], `argument ${place}`)
  // Copies, since the differences write into them.
  const wide = replaceTensors(args, (x) =>
    isFloat(x.dtype) ? new Tensor('float64', x.shape, x.toNumbers()) : x,
  )
  const gradients = grad(f, { ...backward, argnums: places as [number] })(...wide)
  const at = (): number => f(...wide).item()
  const found: Omit<GradientError, 'error'>[] = []
  let scale = Math.max(1, Math.abs(at()))
  for (const [i, place] of places.entries()) {
    const leaves = pathsOf(wide[place] as Tree)
    const slopes = tensorsIn(gradients[i])
    for (const [k, { path, leaf }] of leaves.entries()) {
      const values = leaf.data as Float64Array
      for (let index = 0; index < values.length; index++) {
        const x = values[index]!
        const h = step * Math.max(1, Math.abs(x))
        const [high, low] = [x + h, x - h]
        values[index] = high
        const above = at()
        values[index] = low
        const below = at()
        values[index] = x
        const difference = (above - below) / (high - low)
        scale = Math.max(scale, Math.abs(difference))
        const where = path === '' ? String(place) : `${place}.${path}`
        found.push({ path: where, index, gradient: Number(slopes[k]!.data[index]), difference })
      }
    }
  }
  const worst = found
    .map((one) => ({ ...one, error: Math.abs(one.gradient - one.difference) / scale }))
    .reduce<GradientError | undefined>((a, b) => (!a || !(b.error <= a.error) ? b : a), undefined)
  if (worst && !(worst.error <= tolerance)) {
    throw new RangeError(
      `checkGrads: gradient is off by ${Number(worst.error.toPrecision(3))} at ${worst.path}, element ${worst.index} [${worst.gradient}, not ${Number(worst.difference.toPrecision(9))}]`,
    )
  }
  return worst
}
