import { checkFlag, checkOptions, type OptionTable } from '../../base/options/index.js'
import {
  cast,
  isNaN as isNaNs,
  less,
  matmul,
  reshape,
  sum,
  type Tensor,
  where,
  wideDType,
} from '../../tensors/tensor/index.js'
import { leavesOf, pathsOf, replaceLeaves, type Tree, type Treelike } from '../../tensors/tree/index.js'
import {
  type ArithmeticOption,
  arithmeticNames,
  arithmeticOf,
  type Elementwise,
} from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'

/** How the bound of each leaf is chosen. */
export interface PerExampleLayerOptions extends ArithmeticOption {
  /** The same bound for each leaf, or one by the root of its share of all parameters. Default: true. */
  readonly uniform?: boolean
}

const layerNames: OptionTable<PerExampleLayerOptions> = { uniform: 'optional', ...arithmeticNames }

/**
 * The sum of the gradients of a batch's examples, each clipped to a norm over all leaves, and how many were clipped.
 *
 * Shape     leaves [batch, ...]; the sum is without the axis of the batch, the number an int32 scalar.
 * Rounding  as `differentiallyPrivateAggregate` without its noise.
 * Source    Deep learning with differential privacy, arXiv:1607.00133
 *
 * @example const result = perExampleGlobalNormClip([tensor([[3, 4], [0, 0.5]])], 1)
 * [result[0][0].toNested().map((x) => x.toFixed(2)), result[1].item()] // [['0.60', '1.30'], 1]
 */
export function perExampleGlobalNormClip<P extends Treelike>(
  grads: P,
  l2NormClip: number,
  options: ArithmeticOption = {},
): readonly [sum: P, clipped: Tensor<'int32'>] {
  const op = 'perExampleGlobalNormClip'
  checkOptions(op, options, arithmeticNames)
  checkScalar(op, 'l2NormClip', l2NormClip, 0)
  const [sums, clipped] = clippedSums(
    op,
    arithmeticOf(options.arithmetic),
    grads,
    leavesOf(grads),
    l2NormClip,
  )
  return [replaceLeaves(grads, sums), clipped]
}

/**
 * The same leaf by leaf: the examples' gradients of each leaf clipped to a share of the norm, so that all leaves together have at most that.
 *
 * Shape     as `perExampleGlobalNormClip`; the numbers are a tree of int32 scalars.
 *
 * @example const result = perExampleLayerNormClip([tensor([[3, 4], [0, 0.5]])], 1)
 * [result[0][0].toNested().map((x) => x.toFixed(2)), result[1][0].item()] // [['0.60', '1.30'], 1]
 */
export function perExampleLayerNormClip<P extends Treelike>(
  grads: P,
  globalL2NormClip: number,
  options: PerExampleLayerOptions = {},
): readonly [sum: P, clipped: Tree] {
  const op = 'perExampleLayerNormClip'
  checkOptions(op, options, layerNames)
  checkScalar(op, 'globalL2NormClip', globalL2NormClip, 0)
  const { uniform = true } = options
  checkFlag(op, 'uniform', uniform)
  const a = arithmeticOf(options.arithmetic)
  const leaves = leavesOf(grads)
  const sizeOf = ({ shape }: Tensor): number => shape.slice(1).reduce((n, length) => n * length, 1)
  const total = leaves.reduce((n, leaf) => n + sizeOf(leaf), 0)
  const results = leaves.map((leaf) => {
    const share = uniform ? 1 / leaves.length : sizeOf(leaf) / total
    return clippedSums(op, a, grads, [leaf], globalL2NormClip * Math.sqrt(share))
  })
  const column = (of: (result: (typeof results)[number]) => Tensor): Tensor[] => results.map(of)
  return [
    replaceLeaves(
      grads,
      column(([sums]) => sums[0]!),
    ),
    replaceLeaves(
      grads,
      column(([, clipped]) => clipped),
    ) as unknown as Tree,
  ]
}

/** The sums over the examples of some leaves, each example clipped over them together. */
function clippedSums(
  op: string,
  a: Elementwise,
  grads: Treelike,
  leaves: readonly Tensor[],
  bound: number,
): readonly [sums: readonly Tensor[], clipped: Tensor<'int32'>] {
  const batch = leaves[0]?.shape[0] ?? 0
  for (const { path, leaf } of pathsOf(grads)) {
    if (leaf.rank === 0 || leaf.shape[0] !== batch) {
      throw new RangeError(
        `${op}: no axis of ${batch} examples first at ${path || 'the root'} [${leaf.shape.join(', ')}]`,
      )
    }
  }
  const lanes = leaves.map((g) => reshape(g, [batch, batch === 0 ? 0 : g.size / batch]))
  const squares = lanes.map((g): Tensor => sum(a.mul(g, g), { axis: 1, accumulate: wideDType(g.dtype) }))
  const [first, ...others] = squares
  if (first === undefined) throw new RangeError(`${op}: there are no gradients [0 leaves]`)
  const norms = a.sqrt(others.reduce((total, square) => a.add(total, square), first))
  const shares = a.minimum(a.div(bound, norms), 1)
  const factors = where(isNaNs(shares), 1, shares)
  const sums = leaves.map((g, i): Tensor => {
    const weights = cast(reshape(factors, [1, batch]), g.dtype)
    return reshape(matmul(weights, lanes[i]!), g.shape.slice(1))
  })
  return [sums, sum(cast(less(factors, 1), 'int32')) as Tensor<'int32'>]
}
