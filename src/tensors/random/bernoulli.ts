import { checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import { type Key, keyWords } from '../../numbers/threefry/index.js'
import { apply, type KnownOp, type Shape, Tensor } from '../tensor/index.js'
import { checkCount, checkFresh } from './destination.js'
import { type AnyKey, keyOfTensor, toKeyTensor } from './keyTensor.js'
import { isShape, shaped } from './shaped.js'
import { uniform } from './uniform.js'

/** Options of `bernoulli`. */
export interface BernoulliOptions {
  /** Probability of a 1, rounded to float32. Default 0.5. */
  p?: number
}

const bernoulliNames: OptionTable<BernoulliOptions> = { p: 'optional' }

/**
 * n values 0 or 1, 1 with probability p, equal to jax.random.bernoulli (mode 'low'): 1 where uniform < p.
 *
 * Shape     [n], an array; of a shape a tensor, the same numbers row-major. Element i does not depend on n.
 * Rounding  p to float32; the uniform draw has 23 bits, so p below 2^-23 acts as 2^-23.
 *           A tensor of a key's words (`keyTensor`) gives a tensor that a compiled function draws anew at every call.
 * Throws    RangeError for p outside [0, 1] or NaN (jax takes any).
 *
 * @example bernoulli(key(0), 7, { p: 0.3 }) // 0,0,0,0,0,1,0
 */
export function bernoulli(key: Key, n: number, options?: BernoulliOptions): Uint8Array
export function bernoulli(key: AnyKey, shape: Shape, options?: BernoulliOptions): Tensor<'bool'>
export function bernoulli(
  key: AnyKey,
  n: number | Shape,
  options: BernoulliOptions = noOptions,
): Uint8Array | Tensor<'bool'> {
  checkOptions('bernoulli', options, bernoulliNames, { positional: 'p' })
  if (key instanceof Tensor) {
    if (!isShape(n)) throw new TypeError(`bernoulli: a tensor key draws a tensor, give a shape [${n}]`)
    checkP(options.p ?? 0.5)
    return apply(bernoulliOp, [toKeyTensor('bernoulli', key)], { shape: n, options }) as Tensor<'bool'>
  }
  if (isShape(n)) return shaped('bernoulli', n, 'bool', undefined, (size) => bernoulli(key, size, options))
  const { p = 0.5 } = options
  keyWords('bernoulli', key)
  checkCount('bernoulli', n)
  checkFresh('bernoulli', n)
  checkP(p)
  const threshold = Math.fround(p)
  const draws = uniform(key, n)
  const values = new Uint8Array(n)
  for (let i = 0; i < n; i++) values[i] = draws[i]! < threshold ? 1 : 0
  return values
}

function checkP(p: number): void {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`bernoulli: p is not in 0..1 [${p}]`)
}

const bernoulliOp: KnownOp<{ readonly shape: Shape; readonly options: BernoulliOptions }> = {
  name: 'bernoulli',
  form: 'whole',
  rounds: 'never',
  kernel: ([key], { shape, options }) => bernoulli(keyOfTensor(key!), shape, options),
  gradient: () => [],
}
