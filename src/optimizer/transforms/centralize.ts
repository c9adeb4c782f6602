import { checkOptions } from '../../base/options/index.js'
import { reshape, sizeOf } from '../../tensors/tensor/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { leafMean } from '../arithmetic/leafMean.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { type EmptyState, type GradientTransformation, stateless } from '../transformation.js'

/**
 * Gradient centralization: of every leaf of rank 2 or more each row less its mean over all axes but the first; vectors and
 * scalars as they are.
 *
 * Rounding  the mean to the leaf's dtype, from a sum in float32 in C order ('ieee': float64); then the difference.
 * Source    Gradient centralization, arXiv:2004.01461
 *
 * @example tree.leavesOf(centralize().update([tensor([[1, 3], [2, 2]])], {})[0])[0].toNested() // [[-1, 1], [0, 0]]
 */
export function centralize(options: ArithmeticOption = {}): GradientTransformation<EmptyState> {
  checkOptions('centralize', options, arithmeticNames)
  const a = arithmeticOf(options.arithmetic)
  return stateless(
    (updates) =>
      leafwise('centralize', [updates], ([g]) => {
        if (g!.rank < 2) return [g!]
        const [rows, ...inner] = g!.shape
        const flat = reshape(g!, [rows!, sizeOf(inner)])
        return [reshape(a.sub(flat, reshape(leafMean(a, flat, 1), [rows!, 1])), g!.shape)]
      })[0],
  )
}
