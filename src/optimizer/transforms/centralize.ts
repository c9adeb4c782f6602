import { checkOptions } from '../../options/index.js'
import { broadcastTo, reshape, sizeOf } from '../../tensor/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { decodedOf, tensorOf } from '../arithmetic/decoded.js'
import { leafMean } from '../arithmetic/leafMean.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { areRecorded, Recorded } from '../arithmetic/recorded.js'
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
        if (areRecorded(g!)) {
          const [rows, ...inner] = g!.shape
          const flat = reshape(g!, [rows!, sizeOf(inner)])
          const means = tensorOf(leafMean(a, new Recorded(flat), 1))
          const spread = reshape(broadcastTo(reshape(means, [rows!, 1]), flat.shape), g!.shape)
          return [tensorOf(a.sub(g!, spread))]
        }
        const rows = g!.shape[0]!
        const { dtype, values } = decodedOf(g!)
        const means = leafMean(a, { dtype, shape: [rows, values.length / rows], values }, 1)
        const spread = values.map((_, i) => means.values[Math.floor((i * rows) / values.length)]!)
        return [tensorOf(a.sub(g!, { dtype, shape: g!.shape, values: spread }))]
      })[0],
  )
}
