import {
  abs,
  cos,
  div,
  less,
  mul,
  neg,
  sin,
  square,
  sub,
  type Tensor,
  tan,
  where,
} from '../../tensor/index.js'
import type { Operand } from '../program/program.js'
import type { Form, RewriteRule } from './form.js'
import type { Graph } from './graph.js'

// x - sin(x), tan(x) - x and x^3 begin with x^3: what is left of them beside it is a series of even powers.

/**
 * (1 - y / f0 * (1 - y / f1 * ...)) of y = x^2: a term of a series by its factor to the one before it. Where |x| < 1 what
 * follows the fourth is below 2^-29.
 */
function series(y: Tensor, factors: readonly [number, ...number[]]): Tensor {
  const [first, ...others] = factors
  const [next, ...rest] = others
  const inner = next === undefined ? undefined : series(y, [next, ...rest])
  const term = div(y, first)
  return sub(1, inner ? mul(term, inner) : term)
}

/** (x - sin x) / x^3 = 1/6 - x^2/120 + x^4/5040 - ... */
const sineRest = (y: Tensor): Tensor => div(series(y, [20, 42, 72, 110]), 6)

/** (sin x - x cos x) / x^3 = 1/3 - x^2/30 + x^4/840 - ... */
const tangentRest = (y: Tensor): Tensor => div(series(y, [10, 28, 54, 88]), 3)

/** Something that is x^3 times a series. */
interface Cubic {
  readonly x: Operand
  readonly text: string
  readonly sign: 1 | -1
  /** What x^3 is multiplied by, where |x| < 1. */
  readonly factor: (x: Tensor) => Tensor
}

function cubicOf(graph: Graph, operand: Operand): Cubic | undefined {
  const { constant, terms } = graph.linear(operand)
  const of = (name: 'sin' | 'tan'): Cubic | undefined => {
    const curved = terms.find((term) => graph.read(term.operand, name))
    const [x] = curved ? graph.read(curved.operand, name)! : []
    const straight = terms.find((term) => term !== curved)
    if (constant !== 0 || terms.length !== 2 || x === undefined) return undefined
    if (straight!.sign === curved!.sign) return undefined
    if (!graph.same(straight!.operand, x)) return undefined
    return name === 'sin'
      ? { x, text: 'x - sin(x)', sign: straight!.sign, factor: (v) => sineRest(square(v)) }
      : { x, text: 'tan(x) - x', sign: curved!.sign, factor: (v) => div(tangentRest(square(v)), cos(v)) }
  }
  return of('sin') ?? of('tan')
}

const signed = (sign: 1 | -1, x: Tensor): Tensor => (sign === 1 ? x : neg(x))
const small = (x: Tensor): Tensor => less(abs(x), 1)

/** x - sin(x) and tan(x) - x. */
const cubics: RewriteRule = (graph, i) => {
  const cubic = cubicOf(graph, graph.valueOf(i))
  if (!cubic) return []
  const { x, text, sign, factor } = cubic
  const series =
    text === 'x - sin(x)'
      ? 'x^3 / 6 * (1 - x^2 / 20 * (1 - x^2 / 42 * (1 - x^2 / 72 * (1 - x^2 / 110))))'
      : 'x^3 / 3 / cos(x) * (1 - x^2 / 10 * (1 - x^2 / 28 * (1 - x^2 / 54 * (1 - x^2 / 88))))'
  return [
    {
      from: sign === 1 ? text : text.replace(/(.*) - (.*)/, '$2 - $1'),
      to: `${sign === 1 ? '' : '-'}${series} where |x| < 1`,
      reads: [x],
      run: (value) => {
        const v = value(x)
        const direct = text === 'x - sin(x)' ? sub(v, sin(v)) : sub(tan(v), v)
        return signed(sign, where(small(v), mul(mul(square(v), v), factor(v)), direct))
      },
    },
  ]
}

/** A quotient of two of them, whose x^3 go away: x^3 itself would underflow. */
const quotients: RewriteRule = (graph, i): readonly Form[] => {
  const [above, below] = graph.read(graph.valueOf(i), 'div') ?? []
  const [p, q] = above === undefined ? [] : [cubicOf(graph, above), cubicOf(graph, below!)]
  if (!p || !q || !graph.same(p.x, q.x) || p.text === q.text) return []
  const sign = p.sign === q.sign ? 1 : -1
  const upright = p.text === 'x - sin(x)'
  return [
    {
      from: upright ? '(x - sin(x)) / (tan(x) - x)' : '(tan(x) - x) / (x - sin(x))',
      to: `their series without x^3 where |x| < 1: ${upright ? 'cos(x) / 2 * (1 - x^2 / 20 + ...) / (1 - x^2 / 10 + ...)' : '2 / cos(x) * (1 - x^2 / 10 + ...) / (1 - x^2 / 20 + ...)'}`,
      reads: [p.x],
      run: (value) => {
        const v = value(p.x)
        const direct = div(value(above!), value(below!))
        return where(small(v), signed(sign, div(p.factor(v), q.factor(v))), direct)
      },
    },
  ]
}

export const cubicRules: readonly RewriteRule[] = [quotients, cubics]
