import { checkNumber } from '../../base/options/index.js'
import { abs, cast, type FloatDType, mul, sign, Tensor } from '../../tensors/tensor/index.js'
import { leavesOf, mapTree, type Treelike } from '../../tensors/tree/index.js'
import { leafwise } from '../arithmetic/leafwise.js'

/**
 * The nearest tree whose elements are not negative and add up to `scale`, 1 by default: all leaves together.
 *
 * Dtype     of each leaf, floats. Rounding once, of the threshold's difference in float64. Special NaN or infinite elements give NaN.
 * Cost      a sort of all elements. No gradient goes through it.
 * Source    Duchi et al., Efficient projections onto the l1-ball, doi:10.1145/1390156.1390191
 *
 * @example tree.leavesOf(projectionSimplex([tensor([2, 1.5, -1])]))[0].toNested() // [0.75, 0.25, 0]
 */
export function projectionSimplex<P extends Treelike>(x: P, scale: number = 1): P {
  checkNumber('projectionSimplex', 'scale', scale, Number.MIN_VALUE)
  return onSimplex('projectionSimplex', x, scale)
}

/**
 * The nearest tree whose magnitudes add up to `scale`, 1 by default. A zero stays one.
 *
 * Dtype, Special, Cost as `projectionSimplex`.
 *
 * @example tree.leavesOf(projectionL1Sphere([tensor([2, -1.5, 1])]))[0].toNested() // [0.75, -0.25, 0]
 */
export function projectionL1Sphere<P extends Treelike>(x: P, scale: number = 1): P {
  checkNumber('projectionL1Sphere', 'scale', scale, Number.MIN_VALUE)
  return onSphere('projectionL1Sphere', x, scale)
}

/**
 * The nearest tree whose magnitudes add up to at most `scale`, 1 by default.
 *
 * Dtype, Special, Cost as `projectionSimplex`.
 *
 * @example tree.leavesOf(projectionL1Ball([tensor([0.25, -0.5])]))[0].toNested() // [0.25, -0.5]
 */
export function projectionL1Ball<P extends Treelike>(x: P, scale: number = 1): P {
  checkNumber('projectionL1Ball', 'scale', scale, Number.MIN_VALUE)
  const total = leavesOf(x).reduce((sum, leaf) => leaf.toNumbers().reduce((s, v) => s + Math.abs(v), sum), 0)
  return total <= scale ? x : onSphere('projectionL1Ball', x, scale)
}

function onSphere<P extends Treelike>(op: string, x: P, scale: number): P {
  const sizes = onSimplex(
    op,
    mapTree((leaf): Tensor => abs(leaf), x),
    scale,
  )
  return leafwise(op, [x, sizes], ([leaf, size]) => [mul(sign(leaf!), size!)])[0]
}

function onSimplex<P extends Treelike>(op: string, x: P, scale: number): P {
  const values = leavesOf(x).flatMap((leaf) => [...leaf.toNumbers()])
  const threshold = thresholdOf(values, scale)
  return leafwise(op, [x], ([leaf]) => [
    cast(
      new Tensor(
        'float64',
        leaf!.shape,
        // A NaN stays: Math.max gives it.
        leaf!.toNumbers().map((v) => Math.max(v - threshold, 0)),
      ),
      leaf!.dtype as FloatDType,
    ),
  ])[0]
}

/** What is taken from every element, those below it being 0 then: as many of the largest as stay above it. */
function thresholdOf(values: readonly number[], scale: number): number {
  if (!values.every(Number.isFinite)) return Number.NaN
  const sorted = Float64Array.from(values).sort().reverse()
  let total = 0
  let threshold = 0
  for (const [i, value] of sorted.entries()) {
    total += value
    const next = (total - scale) / (i + 1)
    if (value <= next) break
    threshold = next
  }
  return threshold
}
