import { checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import {
  broadcastTo,
  cast,
  type FloatDType,
  reshape,
  type Shape,
  Tensor,
  zeros,
} from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import {
  type ArithmeticOption,
  arithmeticNames,
  arithmeticOf,
  type Elementwise,
} from '../arithmetic/arithmetic.js'
import { checkFlag, checkScalar } from '../arithmetic/checkScalar.js'
import { atCount, type Count, countOp, nextCount } from '../arithmetic/count.js'
import { stateTree } from '../arithmetic/fullLike.js'
import { leafMean } from '../arithmetic/leafMean.js'
import { zipLeaves } from '../arithmetic/leafwise.js'
import { inDtype, type Operand } from '../arithmetic/operand.js'
import { type GradientTransformation, needParams } from '../transformation.js'

/** How the mean of squares is kept. */
export interface FactoredRmsOptions extends ArithmeticOption {
  /** Whether large matrices keep means by row and column only. Default: true. */
  readonly factored?: boolean
  /** c of the decay 1 - t^-c at step t. Default: 0.8. */
  readonly decayRate?: number
  /** Subtracted from t. Default: 0. */
  readonly stepOffset?: number
  /** Two axes at least as long make a leaf factored. Default: 128. */
  readonly minDimSizeToFactor?: number
  /** Added to squares. Default: 1e-30. */
  readonly epsilon?: number
}

/** The names of `FactoredRmsOptions`. */
export const factoredRmsNames: OptionTable<FactoredRmsOptions> = {
  factored: 'optional',
  decayRate: 'optional',
  stepOffset: 'optional',
  minDimSizeToFactor: 'optional',
  epsilon: 'optional',
  ...arithmeticNames,
}

/** Means of squares: by row and column for factored leaves, else in v; the others are zeros of shape [1]. */
export type FactoredState = {
  readonly count: number
  readonly vRow: Tree
  readonly vCol: Tree
  readonly v: Tree
}

/**
 * Adafactor's rescaling by a mean of squares v' = d v + (1 - d) (g^2 + epsilon), d = 1 - t^-decayRate, 0 at the first
 * step: u = g v'^-1/2. A leaf whose two longest axes have at least `minDimSizeToFactor` elements keeps means over
 * either of them instead: u = g (row / mean(row))^-1/2 col^-1/2.
 *
 * Dtype     d is a float32 scalar: bfloat16 means are computed in float32, then cast.
 * Source    Adafactor, arXiv:1804.04235
 */
export function scaleByFactoredRms(options: FactoredRmsOptions = {}): GradientTransformation<FactoredState> {
  checkOptions('scaleByFactoredRms', options, factoredRmsNames)
  checkFlag('scaleByFactoredRms', 'factored', options.factored)
  const {
    factored = true,
    decayRate = 0.8,
    stepOffset = 0,
    minDimSizeToFactor = 128,
    epsilon = 1e-30,
  } = options
  const a = arithmeticOf(options.arithmetic)
  checkScalar('scaleByFactoredRms', 'decayRate', decayRate)
  checkScalar('scaleByFactoredRms', 'stepOffset', stepOffset)
  checkScalar('scaleByFactoredRms', 'epsilon', epsilon, 0)
  checkInteger('scaleByFactoredRms', 'minDimSizeToFactor', minDimSizeToFactor, 1)
  const axesOf = (shape: Shape) => (factored ? factoredAxes(shape, minDimSizeToFactor) : undefined)
  const one = (x: Tensor): Tensor => zeros([1], { dtype: x.dtype })
  return {
    recordable: true,
    init: (params) => ({
      count: 0,
      vRow: stateTree(params, (p) => {
        const axes = axesOf(p.shape)
        return axes ? zeros(without(p.shape, axes[1]), { dtype: p.dtype }) : one(p)
      }),
      vCol: stateTree(params, (p) => {
        const axes = axesOf(p.shape)
        return axes ? zeros(without(p.shape, axes[0]), { dtype: p.dtype }) : one(p)
      }),
      v: stateTree(params, (p) => (axesOf(p.shape) ? one(p) : zeros(p.shape, { dtype: p.dtype }))),
    }),
    update(updates, state, params) {
      needParams('scaleByFactoredRms', params)
      const d = decayAt(a, state.count, { stepOffset, decayRate })
      const trees = [updates, state.vRow, state.vCol, state.v] as const
      const [scaled, vRow, vCol, v] = zipLeaves('scaleByFactoredRms', trees, ([g, row, col, whole]) => {
        const dtype = g!.dtype as FloatDType
        const squares = a.add(a.mul(g!, g!), epsilon)
        const moved = (old: Tensor, now: Operand): Tensor =>
          inDtype(a.add(a.mul(d, old), a.mul(a.oneMinus(d), now)), dtype)
        const axes = axesOf(g!.shape)
        if (!axes) {
          const next = moved(whole!, squares)
          return [a.mul(g!, a.pow(next, -0.5)), row!, col!, next]
        }
        const [d1, d0] = axes
        const nextRow = moved(row!, leafMean(a, squares, d0))
        const nextCol = moved(col!, leafMean(a, squares, d1))
        const rowMean = leafMean(a, nextRow, d1 > d0 ? d1 - 1 : d1)
        const rowFactor = a.pow(a.div(nextRow, stretch(rowMean, nextRow.shape, d1 > d0 ? d1 - 1 : d1)), -0.5)
        const columnFactor = a.pow(nextCol, -0.5)
        const byRow = a.mul(g!, stretch(rowFactor, g!.shape, d0))
        return [a.mul(byRow, stretch(columnFactor, g!.shape, d1)), nextRow, nextCol, whole!]
      })
      return [scaled, { count: nextCount(state.count), vRow, vCol, v }]
    },
  }
}

interface Decay {
  readonly stepOffset: number
  readonly decayRate: number
}

/** 1 - t^-rate at the step after so many, a float32 scalar. */
function decayAt(a: Elementwise, count: Count, decay: Decay): Tensor {
  if (count instanceof Tensor) return cast(atCount(decayOps[a.name], count, decay), 'float32')
  return new Tensor('float32', [], Float32Array.of(decayOf(a, count, decay)))
}

function decayOf(a: Elementwise, count: number, { stepOffset, decayRate }: Decay): number {
  return 1 - a.power(count - stepOffset + 1, a.weak(-decayRate, 'float32'), 'float32')
}

const decayOps = {
  ieee: countOp('factoredDecay', (count, decay: Decay) => decayOf(arithmeticOf('ieee'), count, decay)),
  'xla-cpu': countOp('factoredDecay', (count, decay: Decay) =>
    decayOf(arithmeticOf('xla-cpu'), count, decay),
  ),
}

/** The second longest axis and the longest, undefined where the former is too short. */
function factoredAxes(shape: Shape, least: number): readonly [number, number] | undefined {
  if (shape.length < 2) return undefined
  const sorted = shape.map((_, axis) => axis).sort((a, b) => shape[a]! - shape[b]!)
  const [d1, d0] = sorted.slice(-2) as [number, number]
  return shape[d1]! >= least ? [d1, d0] : undefined
}

function without(shape: Shape, axis: number): number[] {
  return shape.filter((_, i) => i !== axis)
}

/** Elements repeated along a new axis of `shape`. */
function stretch(x: Tensor, shape: Shape, axis: number): Tensor {
  return broadcastTo(reshape(x, [...x.shape.slice(0, axis), 1, ...x.shape.slice(axis)]), shape)
}
