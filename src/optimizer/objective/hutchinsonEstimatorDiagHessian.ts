import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { grad } from '../../tensors/autodiff/index.js'
import { bernoulli, type Key, key as keyOfSeed, split } from '../../tensors/random/index.js'
import { add, cast, mul, sub, sum, type Tensor } from '../../tensors/tensor/index.js'
import { leavesOf, replaceLeaves, type Treelike } from '../../tensors/tree/index.js'
import { lowest } from '../arithmetic/lowest.js'
import { type GradientTransformation, needParams } from '../transformation.js'
import { keyOfWords, wordsOf } from '../transforms/addNoise.js'

/** Where the random signs come from. */
export interface HutchinsonOptions {
  /** The random stream, or its seed. */
  readonly key: Key | number
}

const names: OptionTable<HutchinsonOptions> = { key: 'required' }

/** The words of the key of the next estimate. */
export type HutchinsonState = { readonly rngKey: Tensor<'uint32'> }

/**
 * Hutchinson's estimate of the Hessian's diagonal: r times H r, with random signs r. `update` needs `valueFn`, the loss as a
 * function of the parameters, among its extra arguments, and the parameters; gradients are not used.
 *
 * Rounding  H r is the gradient of the inner product of the gradient and r, each operation of both to the dtype.
 * Cost      a gradient of a gradient.
 * Source    Sophia, arXiv:2305.14342, algorithm 1
 *
 * @example hutchinsonEstimatorDiagHessian({ key: 0 }).init([tensor([1])]).rngKey.shape // [2]
 */
export function hutchinsonEstimatorDiagHessian(
  options: HutchinsonOptions,
): GradientTransformation<HutchinsonState> {
  checkOptions('hutchinsonEstimatorDiagHessian', options, names)
  const { key } = options
  const start = typeof key === 'number' ? keyOfSeed(key) : key
  return {
    init: () => ({ rngKey: wordsOf(start) }),
    update(updates, state, params, extra) {
      const at = needParams('hutchinsonEstimatorDiagHessian', params)
      const valueFn = extra?.valueFn
      if (typeof valueFn !== 'function') {
        throw new RangeError(
          'hutchinsonEstimatorDiagHessian: update needs { valueFn } as its fourth argument [undefined]',
        )
      }
      const [next, sampleKey] = split(keyOfWords(state.rngKey)) as [Key, Key]
      const leaves = leavesOf(at)
      const keys = split(sampleKey, leaves.length)
      const dtype = lowest(at)
      const signs = leaves.map((leaf, i) => {
        const draws = cast(bernoulli(keys[i]!, leaf.shape), dtype)
        return cast(sub(mul(draws, 2), 1), leaf.dtype)
      })
      const along = (p: Treelike): Tensor =>
        leavesOf(grad(valueFn)(p))
          .map((g, i): Tensor => sum(mul(g, signs[i]!)))
          .reduce((total, part) => add(total, cast(part, total.dtype)))
      const products = leavesOf(grad(along)(at)).map((h, i): Tensor => mul(h, signs[i]!))
      return [replaceLeaves(updates, products), { rngKey: wordsOf(next) }]
    },
  }
}
