import { stopGradientOp } from '../../numerics/index.js'
import { type Op, ops } from '../../tensor/index.js'
import { variableOp } from '../graph/variable.js'
import { arithmeticRules } from './arithmeticRules.js'
import type { GradientRule, GradientRules } from './gradientRule.js'
import { layoutRules } from './layoutRules.js'
import { reductionRules } from './reductionRules.js'
import { scatterOp, scatterRule } from './scatter.js'
import { unaryRules } from './unaryRules.js'

/** Results that are steps or choices: they stay as they are under a small change, or are no real numbers. */
const steps = [
  ...['sign', 'floor', 'ceil', 'rint', 'trunc', 'argmax', 'argmin'],
  ...['equal', 'notEqual', 'less', 'lessEqual', 'greater', 'greaterEqual'],
  ...['logicalAnd', 'logicalOr', 'logicalNot', 'isFinite', 'isInf', 'isNaN'],
]

/** The rule of every operation of tensor and numerics. What is missing here has none: digamma has not. */
export const rules: GradientRules = new Map<Op, GradientRule | 'none'>([
  ...Object.entries(unaryRules).map(([name, rule]): [Op, GradientRule] => [ops[name]!, rule!]),
  ...arithmeticRules,
  ...layoutRules,
  ...reductionRules,
  ...steps.map((name): [Op, 'none'] => [ops[name]!, 'none']),
  [stopGradientOp, 'none'],
  [variableOp, ({ g }) => [g]],
  [scatterOp as Op, scatterRule],
])
