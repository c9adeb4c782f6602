import {
  type AccumulateOptions,
  broadcastTo,
  cast,
  cumsum,
  div,
  equal,
  flip,
  isNaN as isNotANumber,
  matmul,
  matrixTranspose,
  reshape,
  sum,
  type Tensor,
  where,
} from '../../tensor/index.js'
import { cumprodRule } from './cumprodRule.js'
import type { GradientRule, RuleContext } from './gradientRule.js'
import { unbroadcast } from './sumOptions.js'

interface Reduction {
  readonly axes: readonly number[]
}

/** Complete options of a sum, as tensor records them. */
interface Along {
  readonly axis: number
  readonly how: Required<AccumulateOptions>
}

/** The shape of x with the reduced axes kept at length 1. */
function kept(x: Tensor, axes: readonly number[]): number[] {
  return x.shape.map((length, axis) => (axes.includes(axis) ? 1 : length))
}

const sumRule: GradientRule<Reduction> = ({ g, inputs: [x], attributes: { axes } }) => [
  broadcastTo(reshape(g, kept(x!, axes)), x!.shape),
]

/** g / n with the exact count, rounded once, as mean itself. */
const meanRule: GradientRule<Reduction> = (context) => {
  const { g, inputs, output } = context
  const x = inputs[0]!
  if (x.size === 0) return [x]
  return sumRule({ ...context, g: cast(div(cast(g, 'float64'), x.size / output.size), g.dtype) })
}

/** g divided equally among the elements that are the extremum, 0 elsewhere; NaN all along where the extremum is. */
const extremumRule: GradientRule<Reduction> = ({ g, inputs: [x], output, attributes: { axes } }) => {
  const shape = kept(x!, axes)
  const extreme = reshape(output, shape)
  const best = equal(x!, extreme)
  const ties = sum(cast(best, 'float64'), { axis: axes, keepDims: true })
  const share = cast(div(cast(reshape(g, shape), 'float64'), ties), g.dtype)
  return [where(best, share, where(isNotANumber(extreme), extreme, 0))]
}

/** The running sum from the other end, in the forward's own order and accumulator. */
const cumsumRule: GradientRule<Along> = ({ g, attributes: { axis, how } }) => [
  flip(cumsum(flip(g, { axis }), { ...how, axis }), { axis }),
]

/** g B^T and A^T g, in the forward's order and accumulator; a batch that was broadcast is summed as `sum` says. */
function matmulRule({
  g,
  inputs,
  needs,
  sum,
  attributes: how,
}: RuleContext<Required<AccumulateOptions>>): (Tensor | undefined)[] {
  const [a, b] = inputs as [Tensor, Tensor]
  return [
    needs[0] ? unbroadcast(matmul(g, matrixTranspose(b), how), a.shape, sum) : undefined,
    needs[1] ? unbroadcast(matmul(matrixTranspose(a), g, how), b.shape, sum) : undefined,
  ]
}

/** The rules of reductions, running ones and the matrix product. */
export const reductionRules: Readonly<
  Record<'sum' | 'mean' | 'max' | 'min' | 'cumsum' | 'cumprod' | 'matmul', GradientRule>
> = {
  sum: sumRule,
  mean: meanRule,
  max: extremumRule,
  min: extremumRule,
  cumsum: cumsumRule,
  cumprod: cumprodRule,
  matmul: matmulRule,
}
