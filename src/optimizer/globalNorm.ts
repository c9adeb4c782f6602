import { type FloatDType, sum, Tensor } from '../tensor/index.js'
import { leavesOf, type Tree } from '../tree/index.js'
import { type ArithmeticOption, arithmeticOf, type LaneArithmetic } from './arithmetic.js'
import { type Lane, laneOf, promote, tensorOf } from './lane.js'

/**
 * The Euclidean norm of all leaves together, a scalar.
 *
 * Dtype     that of the leaves, the wider one where they differ.
 * Rounding  'ieee': squares and sum in float64, no overflow, one rounding. 'xla-cpu': squares in the leaf's dtype, each
 *           leaf summed in float32 (in C order; vectors of more than 32 by windows of 32) and rounded, totals added leaf
 *           by leaf in the dtype, root.
 * Special   'xla-cpu' overflows to Inf from |x| = 1.8e19 and underflows to 0 below 1.1e-19. Any NaN gives NaN.
 *
 * @example globalNorm({ a: tensor([3]), b: tensor([4]) }).item() // 5
 */
export function globalNorm(tree: Tree, options: ArithmeticOption = {}): Tensor {
  const a = arithmeticOf(options.arithmetic)
  const leaves = leavesOf(tree)
  const dtype = leaves.map((leaf) => leaf.dtype as FloatDType).reduce(promote, leaves[0]?.dtype as FloatDType)
  if (leaves.length === 0) return new Tensor('float32', [], Float32Array.of(0))
  if (a.name === 'ieee') {
    const { scale, root } = scaledNorm(tree)
    return tensorOf({ dtype, shape: [], values: Float64Array.of(scale * root) }, dtype)
  }
  let total: Lane | undefined
  for (const leaf of leaves) {
    const squares = sumOfSquares(a, leaf)
    total = total ? a.add(total, squares) : squares
  }
  return tensorOf(a.sqrt(total!))
}

/** The norm in float64 as a product of a power of two and a root, neither of which overflows. */
export function scaledNorm(tree: Tree, zeroNans = false): { readonly scale: number; readonly root: number } {
  const leaves = leavesOf(tree).map(laneOf)
  // Squares of float32 neither overflow nor vanish in float64: only float64 leaves need scaling.
  const scale = leaves.some(({ dtype }) => dtype === 'float64') ? scaleOf(leaves) : 1
  let total = 0
  for (const { values } of leaves) {
    if (values instanceof Float32Array && !zeroNans) total = addSquares(values, total)
    else
      for (const x of values) {
        const y = zeroNans && Number.isNaN(x) ? 0 : x / scale
        total += y * y
      }
  }
  return { scale, root: Math.sqrt(total) }
}

/** A power of two near the largest magnitude, 1 where squares are safe without. */
function scaleOf(leaves: readonly Lane[]): number {
  let largest = 0
  for (const { values } of leaves)
    for (const x of values) largest = Math.abs(x) > largest ? Math.abs(x) : largest
  const safe = largest === 0 || largest === Number.POSITIVE_INFINITY || Math.abs(Math.log2(largest)) < 400
  return safe ? 1 : 2 ** Math.floor(Math.log2(largest))
}

function addSquares(values: Float32Array, start: number): number {
  let total = start
  for (let i = 0; i < values.length; i++) total += values[i]! * values[i]!
  return total
}

/** The sum of a leaf's squares as 'xla-cpu' has it, one element. */
function sumOfSquares(a: LaneArithmetic, leaf: Tensor): Lane {
  return laneOf(sumXla(tensorOf(a.mul(leaf, leaf))))
}

/** XLA's sum of a leaf: float32 inside, one rounding out. */
export function sumXla(x: Tensor): Tensor {
  const accumulate = x.dtype === 'float64' ? 'float64' : 'float32'
  return x.rank <= 1
    ? sum(x, { order: { windowed: 32 }, accumulate })
    : sum(x, { order: 'sequential', accumulate })
}
