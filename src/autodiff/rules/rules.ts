import { stopGradientOp } from '../../numerics/index.js'
import { type Op, opNames, ops } from '../../tensor/index.js'
import { variableOp } from '../graph/variable.js'
import { arithmeticRules } from './arithmeticRules.js'
import type { GradientRule, GradientRules } from './gradientRule.js'
import { layoutRules } from './layoutRules.js'
import { polygammaRules } from './polygamma.js'
import { reductionRules } from './reductionRules.js'
import { scatterOp, scatterRule } from './scatter.js'
import { unaryRules } from './unaryRules.js'

/** Results that are steps or choices: they stay as they are under a small change, or are no real numbers. */
const steps = [
  ops.sign,
  ops.floor,
  ops.ceil,
  ops.rint,
  ops.trunc,
  ops.argmax,
  ops.argmin,
  ops.equal,
  ops.notEqual,
  ops.less,
  ops.lessEqual,
  ops.greater,
  ops.greaterEqual,
  ops.logicalAnd,
  ops.logicalOr,
  ops.logicalNot,
  ops.isFinite,
  ops.isInf,
  ops.isNaN,
]

/** The rule of every operation of tensor and numerics. What is missing here has none. */
export const rules: GradientRules = new Map<Op, GradientRule | 'none'>([
  ...opNames.flatMap((name): [Op, GradientRule][] => {
    const rule = unaryRules[name]
    return rule ? [[ops[name], rule]] : []
  }),
  ...arithmeticRules,
  ...layoutRules,
  ...reductionRules,
  ...polygammaRules,
  ...steps.map((op): [Op, 'none'] => [op, 'none']),
  [stopGradientOp, 'none'],
  [variableOp, ({ g }) => [g]],
  [scatterOp, scatterRule],
])
