import { checkName, checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import {
  add,
  cast,
  checkFloatDType,
  checkTensor,
  type DType,
  expandDims,
  type FloatDType,
  logicalAnd,
  matmul,
  relu,
  reshape,
  type Shape,
  sameShape,
  sizeOf,
  type Tensor,
  where,
  wideDType,
} from '../../tensors/tensor/index.js'
import { type AliveRule, checkedAlive, living } from './aliveCells.js'
import { checkParams, type NcaParams } from './ncaParams.js'
import {
  type CheckedPerception,
  checkedPerception,
  type PerceptionOptions,
  perceived,
  perceptionNames,
} from './perceive.js'
import { roundedBy } from './roundedBy.js'

/** What is the same in every step of an automaton. */
export interface NcaRuleOptions extends PerceptionOptions {
  /** What the state is kept in, and the update is added in. Default that of the state. */
  readonly stateDtype?: FloatDType
  /** Which cells live; the others are 0 in every channel. Default: all live. */
  readonly alive?: AliveRule
}

/** Options of `ncaStep`. */
export interface NcaStepOptions extends NcaRuleOptions {
  /** Which cells change, bool [cells] or with the axes before them. Default: all. */
  readonly mask?: Tensor
  /**
   * A number of [0, 1) for each number of the state: it is rounded up where that is below the share of the way from the value below
   * to the value above, so that the mean is exact. Default: to nearest, ties to even.
   */
  readonly draws?: Tensor
}

/** The names of `NcaRuleOptions`. */
export const ruleNames: OptionTable<NcaRuleOptions> = {
  ...perceptionNames,
  stateDtype: 'optional',
  alive: 'optional',
}

const names: OptionTable<NcaStepOptions> = { ...ruleNames, mask: 'optional', draws: 'optional' }

/** A rule with all options filled in, checked for parameters and a state. */
export interface CheckedRule extends CheckedPerception {
  readonly stateDtype: FloatDType
  readonly alive: Required<AliveRule> | undefined
}

/** The options of a rule, checked. */
export function checkedRule(op: string, params: NcaParams, x: Tensor, options: NcaRuleOptions): CheckedRule {
  const perception = checkedPerception(op, x, options)
  const { stateDtype = x.dtype } = options
  checkFloatDType(op, 'stateDtype', stateDtype)
  const channels = x.shape.at(-1)!
  checkParams(op, params, channels, perception.kernels.length)
  const alive = options.alive && checkedAlive(op, options.alive, channels)
  return { ...perception, stateDtype: stateDtype, alive }
}

/**
 * One step of an automaton, every cell at once: what it sees, through a product, relu and a second product, is what it adds to
 * itself. A state of many bits beside arithmetic of few is `{ stateDtype: 'float32', dtype: 'bfloat16' }`: a state of few bits stands
 * still under updates below half an ulp.
 *
 * Shape     x [..., cells, channels] to the same; two axes of cells, or one.
 * Dtype     the result has `stateDtype`; parameters are rounded to `dtype`.
 * Rounding  perception as `perceive`; each product is summed in float32 (float64 where `dtype` is) and rounded once to `dtype`, each
 *           bias added and rounded again; the update added once, to `stateDtype`.
 * Special   cells that do not change or do not live are chosen, not multiplied by 0: their NaN is not spread. A cell lives where it
 *           lived before the step and lives after it; else it is +0.
 * Gradient  that of its operations; what is chosen by masks has the gradient of what was chosen, rounding that of x.
 * Throws    TypeError for dtypes that are not of floats; RangeError for parameters, masks and draws of other shapes.
 * Cost      2 cells (kernels channels hidden + hidden channels) operations.
 * Source    A. Mordvintsev et al., Growing neural cellular automata, doi:10.23915/distill.00023
 *
 * @example ncaStep(ncaParams(random.key(0), { channels: 1 }), tensor([[1], [2]]), { dimensions: 1 }).toNested() // [[1],[2]]
 */
export function ncaStep(params: NcaParams, x: Tensor, options: NcaStepOptions = noOptions): Tensor {
  checkOptions('ncaStep', options, names)
  const { mask, draws } = options
  const rule = checkedRule('ncaStep', params, x, options)
  if (mask !== undefined) {
    checkTensor('ncaStep', mask)
    checkMask('ncaStep', 'mask', mask.dtype, mask.shape, x.shape.slice(0, -1), rule.dimensions)
  }
  if (draws !== undefined) checkDraws('ncaStep', draws, x.shape)
  return stepped(params, cast(x, rule.stateDtype), rule, mask, draws)
}

/** Throws unless it is a bool for each cell, the same for a whole batch or not. */
export function checkMask(
  op: string,
  what: string,
  dtype: DType,
  shape: Shape,
  cells: Shape,
  dimensions: number,
): void {
  if (dtype !== 'bool') throw new TypeError(`${op}: ${what} is not of bools [${dtype}]`)
  if (sameShape(shape, cells) || sameShape(shape, cells.slice(-dimensions))) return
  throw new RangeError(
    `${op}: ${what} is not one for each cell [${shape.join(', ')}, cells ${cells.join(', ')}]`,
  )
}

/** Throws unless it is a float32 for each number of the state. */
function checkDraws(op: string, draws: Tensor, shape: readonly number[]): void {
  checkTensor(op, draws)
  checkName(op, 'dtype of draws', draws.dtype, ['float32'])
  if (!sameShape(draws.shape, shape)) {
    throw new RangeError(
      `${op}: draws are not one for each number [${draws.shape.join(', ')}, state ${shape.join(', ')}]`,
    )
  }
}

/** A step of a state in `stateDtype`, by a rule that was checked. */
export function stepped(
  params: NcaParams,
  x: Tensor,
  rule: CheckedRule,
  mask: Tensor | undefined,
  draws: Tensor | undefined,
): Tensor {
  const { dtype, stateDtype, alive, dimensions, padding } = rule
  const accumulate = wideDType(dtype)
  const y = perceived(x, rule)
  const rows = reshape(y, [sizeOf(y.shape.slice(0, -1)), y.shape.at(-1)!])
  const [w1, b1, w2, b2] = [params.w1, params.b1, params.w2, params.b2].map((p) => cast(p, dtype))
  const hidden = relu(add(matmul(rows, w1!, { accumulate }), b1!))
  const update = reshape(add(matmul(hidden, w2!, { accumulate }), b2!), x.shape)
  // Added where both are held, and rounded once to the state: bfloat16 plus float32 is float32 either way.
  const sums = dtype === 'float64' || stateDtype === 'float64' ? 'float64' : 'float32'
  const moved = roundedBy(add(cast(x, sums), cast(update, sums)), stateDtype, draws)
  const next = mask ? where(expandDims(mask, -1), moved, x) : moved
  if (!alive) return next
  const lives = logicalAnd(living(x, alive, dimensions, padding), living(next, alive, dimensions, padding))
  return where(expandDims(lives, -1), next, 0)
}
