import {
  abs,
  constantOp,
  flushOp,
  indexedOps,
  less,
  logAddExpOp,
  noRows,
  type Op,
  type OpTable,
  opNames,
  ops,
  scaleGradientOp,
  stopGradientOp,
  where,
} from '../../tensor/index.js'
import { variableOp } from '../graph/variable.js'
import { arithmeticRules, logAddExpRule } from './arithmeticRules.js'
import type { GradientRule, GradientRules } from './gradientRule.js'
import { layoutRules } from './layoutRules.js'
import { partOp, partRule } from './part.js'
import { polygammaRules } from './polygamma.js'
import { reductionRules } from './reductionRules.js'
import { scaleGradientRule } from './scaleGradient.js'
import { scatterRule, takeAtRules } from './scatter.js'
import { unaryRules } from './unaryRules.js'

/** 'none': results that are steps or choices. They stay as they are under a small change, or are no real numbers. */
const known: OpTable<GradientRule> = {
  ...noRows('decides', 'bits'),
  ...unaryRules,
  ...arithmeticRules,
  ...layoutRules,
  ...reductionRules,
}

/** The rule of every operation of tensor, numerics and this folder. What is missing here has none. */
export const rules: GradientRules = new Map<Op, GradientRule | 'none'>([
  ...opNames.map((name): [Op, GradientRule | 'none'] => [ops[name], known[name]]),
  [constantOp, 'none'],
  [logAddExpOp, logAddExpRule],
  ...polygammaRules,
  [stopGradientOp, 'none'],
  [scaleGradientOp, scaleGradientRule as GradientRule],
  [flushOp, ({ g, inputs: [x] }) => [where(less(abs(x!), 2 ** -126), 0, g)]],
  [variableOp, ({ g }) => [g]],
  [indexedOps.scatter, scatterRule],
  [partOp, partRule as GradientRule],
  ...takeAtRules,
])
