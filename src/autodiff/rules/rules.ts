import { logAddExpOp, stopGradientOp } from '../../numerics/index.js'
import { constantOp, type Op, type OpTable, opNames, ops } from '../../tensor/index.js'
import { variableOp } from '../graph/variable.js'
import { arithmeticRules, logAddExpRule } from './arithmeticRules.js'
import type { GradientRule, GradientRules } from './gradientRule.js'
import { layoutRules } from './layoutRules.js'
import { partOp, partRule } from './part.js'
import { polygammaRules } from './polygamma.js'
import { reductionRules } from './reductionRules.js'
import { scatterOp, scatterRule, takeAtRules } from './scatter.js'
import { unaryRules } from './unaryRules.js'

/** 'none': results that are steps or choices. They stay as they are under a small change, or are no real numbers. */
const known: OpTable<GradientRule> = {
  ...unaryRules,
  ...arithmeticRules,
  ...layoutRules,
  ...reductionRules,
  argmax: 'none',
  argmin: 'none',
  argsort: 'none',
  equal: 'none',
  notEqual: 'none',
  less: 'none',
  lessEqual: 'none',
  greater: 'none',
  greaterEqual: 'none',
  logicalAnd: 'none',
  logicalOr: 'none',
  logicalNot: 'none',
  isFinite: 'none',
  isInf: 'none',
  isNaN: 'none',
}

/** The rule of every operation of tensor, numerics and this folder. What is missing here has none. */
export const rules: GradientRules = new Map<Op, GradientRule | 'none'>([
  ...opNames.map((name): [Op, GradientRule | 'none'] => [ops[name], known[name]]),
  [constantOp, 'none'],
  [logAddExpOp, logAddExpRule],
  ...polygammaRules,
  [stopGradientOp, 'none'],
  [variableOp, ({ g }) => [g]],
  [scatterOp, scatterRule],
  [partOp as Op, partRule as GradientRule],
  ...takeAtRules,
])
