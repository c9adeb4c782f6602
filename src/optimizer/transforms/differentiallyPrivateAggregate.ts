import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { type Key, key as keyOfSeed, split } from '../../tensors/random/index.js'
import {
  cast,
  isNaN as isNaNs,
  matmul,
  reshape,
  sum,
  type Tensor,
  where,
  wideDType,
} from '../../tensors/tensor/index.js'
import { leavesOf, pathsOf, replaceLeaves } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import type { GradientTransformation } from '../transformation.js'
import { keyOfWords, noiseLike, wordsOf } from './addNoise.js'

/** How private gradients are. */
export interface DifferentiallyPrivateOptions extends ArithmeticOption {
  /** The largest norm of one example's gradient. */
  readonly l2NormClip: number
  /** The noise's deviation as a multiple of that. */
  readonly noiseMultiplier: number
  /** The random stream, or its seed. */
  readonly key: Key | number
}

const names: OptionTable<DifferentiallyPrivateOptions> = {
  l2NormClip: 'required',
  noiseMultiplier: 'required',
  key: 'required',
  ...arithmeticNames,
}

/** The words of the key of the next step. */
export type DifferentiallyPrivateState = { readonly rngKey: Tensor<'uint32'> }

/**
 * The mean of the gradients of a batch's examples, each clipped to a norm, with noise added to their sum: the aggregation of
 * differentially private training.
 *
 * Shape     leaves [batch, ...], the gradients of the examples one by one; the updates are without the axis of the batch.
 * Rounding  squares to the dtype, an example's sums in float32, its factor to the dtype; the clipped sum in float32, once to
 *           the dtype; noise drawn in it, as `addNoise` does.
 * Source    Deep learning with differential privacy, arXiv:1607.00133
 *
 * @example tree.leavesOf(differentiallyPrivateAggregate({ l2NormClip: 1, noiseMultiplier: 0, key: 0 }).update([tensor([[3, 4], [0, 0]])], differentiallyPrivateAggregate({ l2NormClip: 1, noiseMultiplier: 0, key: 0 }).init([]))[0])[0].toNested().map((x) => x.toFixed(2)) // ['0.30', '0.40']
 */
export function differentiallyPrivateAggregate(
  options: DifferentiallyPrivateOptions,
): GradientTransformation<DifferentiallyPrivateState> {
  checkOptions('differentiallyPrivateAggregate', options, names)
  const { l2NormClip, noiseMultiplier, key } = options
  const a = arithmeticOf(options.arithmetic)
  checkScalar('differentiallyPrivateAggregate', 'l2NormClip', l2NormClip, 0)
  checkScalar('differentiallyPrivateAggregate', 'noiseMultiplier', noiseMultiplier, 0)
  const start = typeof key === 'number' ? keyOfSeed(key) : key
  return {
    init: () => ({ rngKey: wordsOf(start) }),
    update(updates, state) {
      const leaves = leavesOf(updates)
      const batch = leaves[0]?.shape[0] ?? 0
      for (const { path, leaf } of pathsOf(updates)) {
        if (leaf.rank === 0 || leaf.shape[0] !== batch) {
          throw new RangeError(
            `differentiallyPrivateAggregate: no axis of ${batch} examples first at ${path || 'the root'} [${leaf.shape.join(', ')}]`,
          )
        }
      }
      const [next, ...keys] = split(keyOfWords(state.rngKey), leaves.length + 1) as [Key, ...Key[]]
      const lanes = leaves.map((g) => reshape(g, [batch, batch === 0 ? 0 : g.size / batch]))
      const squares = lanes.map((g): Tensor => {
        const accumulate = wideDType(g.dtype)
        return sum(a.mul(g, g), { axis: 1, accumulate })
      })
      const [first, ...others] = squares
      if (first === undefined) return [updates, { rngKey: wordsOf(next) }]
      const norms = a.sqrt(others.reduce((total, square) => a.add(total, square), first))
      const shares = a.minimum(a.div(l2NormClip, norms), 1)
      const factors = where(isNaNs(shares), 1, shares)
      const mean = leaves.map((g, i): Tensor => {
        const shape = g.shape.slice(1)
        const weights = cast(reshape(factors, [1, batch]), g.dtype)
        const clipped = reshape(matmul(weights, lanes[i]!), shape)
        const noise = noiseLike(keys[i]!, shape, g.dtype)
        return a.divScalar(a.add(clipped, a.mul(l2NormClip * noiseMultiplier, noise)), batch)
      })
      return [replaceLeaves(updates, mean), { rngKey: wordsOf(next) }]
    },
  }
}
