import { dtypeFacts, type FloatDType } from '../../tensors/tensor/index.js'
import type { Operand } from '../program/program.js'
import { calls, type Expression, leaf } from './expression.js'
import { one, type RewriteRule, signed, twoTerms } from './form.js'
import type { Graph } from './graph.js'

const { abs, cos, div, less, mul, sin, square, sub, tan, where } = calls

// x - sin(x), tan(x) - x and x^3 begin with x^3: what is left of them beside it is a series of even powers.

/**
 * (1 - y / f0 * (1 - y / f1 * ...)) of y = x^2: a term of a series by its factor to the one before it. Where |x| < 1 what
 * follows the fourth is below 2^-29, what follows the eighth below 2^-60.
 */
function series(y: Expression, [first, ...rest]: readonly number[]): Expression {
  const term = div(y, first)
  return sub(1, rest.length === 0 ? term : mul(term, series(y, rest)))
}

/** The terms that a dtype sees. */
function termsFor(graph: Graph, x: Operand): number {
  return dtypeFacts(graph.dtypeOf(x) as FloatDType).precision > 24 ? 8 : 4
}

/** (x - sin x) / x^3 = 1/6 - x^2/120 + x^4/5040 - ... */
const sineRest = (y: Expression, terms: number): Expression =>
  div(series(y, [20, 42, 72, 110, 156, 210, 272, 342].slice(0, terms)), 6)

/** (sin x - x cos x) / x^3 = 1/3 - x^2/30 + x^4/840 - ... */
const tangentRest = (y: Expression, terms: number): Expression =>
  div(series(y, [10, 28, 54, 88, 130, 180, 238, 304].slice(0, terms)), 3)

/** Something that is x^3 times a series. */
interface Cubic {
  readonly operand: Operand
  readonly curve: 'sin' | 'tan'
  readonly sign: 1 | -1
  readonly x: Expression
  /** What x^3 is multiplied by, where |x| < 1. */
  readonly factor: Expression
}

/** x - sin(x) and tan(x) - x. */
function cubicOf(graph: Graph, operand: Operand): Cubic | undefined {
  const { constant, terms } = graph.linear(operand)
  for (const curve of ['sin', 'tan'] as const) {
    const curved = terms.find((term) => graph.read(term.operand, curve))
    const straight = terms.find((term) => term !== curved)
    const [of] = curved ? graph.read(curved.operand, curve)! : []
    if (constant !== 0 || terms.length !== 2 || of === undefined) continue
    if (!graph.same(straight!.operand, of) || straight!.sign === curved!.sign) continue
    const [x, count] = [leaf(of), termsFor(graph, of)]
    const factor = curve === 'sin' ? sineRest(square(x), count) : div(tangentRest(square(x), count), cos(x))
    return { operand: of, curve, sign: (curve === 'sin' ? straight! : curved!).sign, x, factor }
  }
  return undefined
}

const isSmall = (x: Expression): Expression => less(abs(x), 1)

const cubics: RewriteRule = (graph, i) => {
  const cubic = cubicOf(graph, graph.valueOf(i))
  if (!cubic) return []
  const { x, curve, sign, factor } = cubic
  const direct = curve === 'sin' ? sub(x, sin(x)) : sub(tan(x), x)
  return one(signed(sign, where(isSmall(x), mul(mul(square(x), x), factor), direct)))
}

/** A quotient of two of them, whose x^3 go away: x^3 itself would underflow. */
const quotients: RewriteRule = (graph, i) => {
  const [above, below] = graph.read(graph.valueOf(i), 'div') ?? []
  const [p, q] = above === undefined ? [] : [cubicOf(graph, above), cubicOf(graph, below!)]
  if (!p || !q || !graph.same(p.operand, q.operand) || p.curve === q.curve) return []
  const quotient = signed(p.sign === q.sign ? 1 : -1, div(p.factor, q.factor))
  return one(where(isSmall(p.x), quotient, div(leaf(above!), leaf(below!))))
}

/** 1 / x - 1 / tan(x) is (sin x - x cos x) / (x sin x). */
const cotangents: RewriteRule = (graph, i) => {
  const terms = twoTerms(graph, i)
  const inverses = terms ? [terms.plus, terms.minus].map((operand) => inverseOf(graph, operand)) : []
  const tangents = inverses.map((of) => (of === undefined ? undefined : graph.read(of, 'tan')?.[0]))
  const sign = tangents[1] === undefined ? -1 : 1
  const [of, angle] = sign === 1 ? [inverses[0], tangents[1]] : [inverses[1], tangents[0]]
  if (of === undefined || angle === undefined || !graph.same(of, angle)) return []
  const x = leaf(of)
  const small = mul(div(x, sin(x)), mul(x, tangentRest(square(x), termsFor(graph, of))))
  return one(signed(sign, where(isSmall(x), small, sub(div(1, x), div(1, tan(x))))))
}

/** x of 1 / x. */
function inverseOf(graph: Graph, operand: Operand): Operand | undefined {
  const [a, b] = graph.read(operand, 'div') ?? []
  return a !== undefined && graph.constant(a) === 1 ? b : graph.read(operand, 'reciprocal')?.[0]
}

export const cubicRules: readonly RewriteRule[] = [quotients, cubics, cotangents]
