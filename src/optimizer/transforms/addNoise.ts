import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { type Key, key as keyOfSeed, normal, split } from '../../tensors/random/index.js'
import {
  cast,
  type DType,
  type FloatDType,
  type Shape,
  Tensor,
  wideDType,
} from '../../tensors/tensor/index.js'
import { leavesOf, replaceLeaves } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { elementOf } from '../arithmetic/recorded.js'
import type { GradientTransformation } from '../transformation.js'

/** How much noise, and from which key. */
export interface AddNoiseOptions extends ArithmeticOption {
  /** The variance of the first step's noise. */
  readonly eta: number
  /** How fast it falls: the variance at step t is eta / t^gamma. */
  readonly gamma: number
  /** The random stream, or its seed. */
  readonly key: Key | number
}

/** The names of `AddNoiseOptions`. */
export const addNoiseNames: OptionTable<AddNoiseOptions> = {
  eta: 'required',
  gamma: 'required',
  key: 'required',
  ...arithmeticNames,
}

/** Steps done and the words of the key of the next one. */
export type AddNoiseState = { readonly count: number; readonly rngKey: Tensor<'uint32'> }

/**
 * Updates plus normal noise of variance eta / t^gamma at step t, from 1.
 *
 * Rounding  the deviation: power, quotient and root in float32 (float64 of float64 leaves), then to the leaf's dtype, which
 *           its product with the noise and the sum have, too.
 * Special   the draws are `random.normal`'s, the bits of jax.random in float32, bfloat16 and float16; for leaves of another
 *           dtype those of float32, cast.
 * Source    Adding gradient noise improves learning for very deep networks, arXiv:1511.06807
 *
 * @example addNoise({ eta: 0.01, gamma: 0.55, key: 0 }).init([tensor([1])]).count // 0
 */
export function addNoise(options: AddNoiseOptions): GradientTransformation<AddNoiseState> {
  checkOptions('addNoise', options, addNoiseNames)
  const { eta, gamma, key } = options
  const a = arithmeticOf(options.arithmetic)
  checkScalar('addNoise', 'eta', eta, 0)
  checkScalar('addNoise', 'gamma', gamma)
  const start = typeof key === 'number' ? keyOfSeed(key) : key
  return {
    init: () => ({ count: 0, rngKey: wordsOf(start) }),
    update(updates, state) {
      const count = nextCount(state.count)
      const [rngKey, sampleKey] = split(keyOfWords(state.rngKey)) as [Key, Key]
      const leaves = leavesOf(updates)
      const keys = split(sampleKey, leaves.length)
      const noise = replaceLeaves(
        updates,
        leaves.map((leaf, i): Tensor => noiseLike(keys[i]!, leaf.shape, leaf.dtype)),
      )
      const [noisy] = leafwise('addNoise', [updates, noise], ([g, draws]) => {
        const wide: FloatDType = wideDType(g!.dtype)
        const power = a.power(count, gamma, wide)
        const strong = new Tensor(wide, [], (wide === 'float64' ? Float64Array : Float32Array).of(power))
        const deviation = elementOf(a.sqrt(a.div(eta, strong)))
        return [a.add(g!, a.mul(deviation, draws!))]
      })
      return [noisy, { count, rngKey: wordsOf(rngKey) }]
    },
  }
}

/** Normal draws in a leaf's dtype: JAX's, where it draws in that. */
export function noiseLike(key: Key, shape: Shape, dtype: DType): Tensor {
  if (dtype === 'bfloat16' || dtype === 'float16') return normal(key, shape, { dtype })
  return cast(normal(key, shape), dtype)
}

/** The words of a key as a tensor, which a state may hold. */
export function wordsOf({ data }: Key): Tensor<'uint32'> {
  return new Tensor('uint32', [2], Uint32Array.from(data))
}

/** The key of stored words. */
export function keyOfWords(words: Tensor): Key {
  return { data: [words.data[0] as number, words.data[1] as number] }
}
