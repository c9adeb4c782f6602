import {
  add,
  div,
  equal,
  exp,
  greaterEqual,
  isFinite,
  log,
  logicalAnd,
  logicalNot,
  mul,
  neg,
  pow,
  square,
  sub,
  type Tensor,
  trunc,
  where,
} from '../../tensor/index.js'
import type { GradientRule, RuleContext } from './gradientRule.js'
import { unbroadcast } from './sumOptions.js'

/** The cotangent of one operand, still of the result's shape. */
type Side = (g: Tensor, a: Tensor, b: Tensor, y: Tensor) => Tensor

/** The rule of an operation on two operands that broadcast. */
function sides(left: Side, right: Side): GradientRule {
  return ({ g, inputs, output, needs, sum }) => {
    const [a, b] = inputs as [Tensor, Tensor]
    return [
      needs[0] ? unbroadcast(left(g, a, b, output), a.shape, sum) : undefined,
      needs[1] ? unbroadcast(right(g, a, b, output), b.shape, sum) : undefined,
    ]
  }
}

const pass: Side = (g) => g

/** g where x is the extremum, half of it at a tie, 0 elsewhere. */
function chosen(g: Tensor, x: Tensor, other: Tensor, y: Tensor): Tensor {
  return where(equal(x, y), where(equal(x, other), mul(g, 0.5), g), 0)
}

const extremum = sides(
  (g, a, b, y) => chosen(g, a, b, y),
  (g, a, b, y) => chosen(g, b, a, y),
)

/** x / y of y = hypot(x, ...): half at the origin, where JAX has it. */
function share(x: Tensor, y: Tensor): Tensor {
  const origin = equal(y, 0)
  return div(where(origin, 0.5, x), where(origin, 1, y))
}

/** The rule of where: g is selected, never multiplied, so that an Inf or NaN on the other side stays there. */
function whereRule({ g, inputs, needs, sum }: RuleContext): (Tensor | undefined)[] {
  const [condition, a, b] = inputs as [Tensor, Tensor, Tensor]
  return [
    undefined,
    needs[1] ? unbroadcast(where(condition, g, 0), a.shape, sum) : undefined,
    needs[2] ? unbroadcast(where(condition, 0, g), b.shape, sum) : undefined,
  ]
}

/** The rules of operations of two or more operands, elementwise. */
export const arithmeticRules: Readonly<
  Record<
    'add' | 'sub' | 'mul' | 'div' | 'rem' | 'pow' | 'atan2' | 'hypot' | 'minimum' | 'maximum' | 'where',
    GradientRule
  >
> = {
  add: sides(pass, pass),
  sub: sides(pass, (g) => neg(g)),
  mul: sides(
    (g, _, b) => mul(g, b),
    (g, a) => mul(g, a),
  ),
  div: sides(
    (g, _, b) => div(g, b),
    (g, _, b, y) => neg(mul(div(g, b), y)),
  ),
  rem: sides(pass, (g, a, b) => neg(mul(g, trunc(div(a, b))))),
  pow: sides(
    (g, a, b) => {
      // At b = 0 the derivative is 0 times a to the power -1, which stays as it is: its own derivative for b is not 0.
      const lower = pow(a, sub(b, 1))
      const infinite = logicalAnd(equal(b, 0), logicalNot(isFinite(lower)))
      return mul(g, mul(b, where(infinite, 1, lower)))
    },
    // Powers of 0 do not change with b >= 0; log 0 would make NaN of their gradient.
    (g, a, b, y) => mul(g, mul(log(where(logicalAnd(equal(a, 0), greaterEqual(b, 0)), 1, a)), y)),
  ),
  atan2: sides(
    (g, a, b) => mul(g, div(b, add(square(a), square(b)))),
    (g, a, b) => neg(mul(g, div(a, add(square(a), square(b))))),
  ),
  hypot: sides(
    (g, a, _, y) => mul(g, share(a, y)),
    (g, _, b, y) => mul(g, share(b, y)),
  ),
  minimum: extremum,
  maximum: extremum,
  where: whereRule,
}

/** The rule of logAddExp, which stays finite where the parts' own would meet at a kink. */
export const logAddExpRule: GradientRule = sides(
  (g, a, _, y) => mul(g, exp(sub(a, y))),
  (g, _, b, y) => mul(g, exp(sub(b, y))),
)
