import type { Operand } from '../program/program.js'
import { calls, type Expression, leaf } from './expression.js'
import { type Form, negated, one, onlyTerm, type RewriteRule, signed, total } from './form.js'
import type { Graph, Linear } from './graph.js'
import { sigmoidOf } from './logRules.js'

const { add, div, erfc, exp, expm1, log1p, mul, neg, sigmoid, sub, tanh } = calls

/** exp(x) - 1. */
const exponentials: RewriteRule = (graph, i) => {
  const linear = graph.linear(graph.valueOf(i))
  const term = onlyTerm(linear, linear.constant)
  if (!term || linear.constant !== -term.sign) return []
  const [x] = graph.read(term.operand, 'exp') ?? []
  if (x !== undefined) return one(signed(term.sign, expm1(leaf(x))))
  const [base, n] = graph.read(term.operand, 'pow') ?? []
  const { constant, terms } = base === undefined ? { constant: 0, terms: [] } : graph.linear(base)
  if (constant !== 1 || terms.length === 0) return []
  return one(signed(term.sign, expm1(mul(leaf(n!), log1p(total({ constant: 0, terms }))))))
}

/** 1 - f(x) where f has come near to 1: tanh, sigmoid, erf, and the square of tanh. */
const saturated: RewriteRule = (graph, i) => {
  const term = onlyTerm(graph.linear(graph.valueOf(i)), 1)
  if (!term) return []
  const { sign, operand } = term
  const [t] = graph.read(operand, 'tanh') ?? []
  if (t !== undefined) return one(mul(sigmoid(mul(leaf(t), 2 * sign)), 2))
  const [e] = graph.read(operand, 'erf') ?? []
  if (e !== undefined) return one(erfc(sign === 1 ? neg(leaf(e)) : leaf(e)))
  if (sign === 1) return []
  const s = sigmoidOf(graph, operand)
  if (s) return one(sigmoid(total(negated(s))))
  const base = graph.squared(operand)
  const [x] = base === undefined ? [] : (graph.read(base, 'tanh') ?? [])
  return x === undefined ? [] : one(mul(mul(sigmoid(mul(leaf(x), 2)), sigmoid(mul(leaf(x), -2))), 4))
}

/** Quotients of exponentials: exp(x) / exp(y), a sigmoid or a tanh written out. */
const quotients: RewriteRule = (graph, i) => {
  const value = graph.valueOf(i)
  const s = graph.read(value, 'sigmoid') ? undefined : sigmoidOf(graph, value)
  if (s) return one(sigmoid(total(s)))
  const [above, below] = graph.read(value, 'div') ?? []
  if (above === undefined) return []
  const t = handTanh(graph, above, below!)
  if (t) return one(tanh(t))
  const [a] = graph.read(above, 'exp') ?? []
  const [b] = graph.read(below!, 'exp') ?? []
  if (a !== undefined && b !== undefined) return one(exp(sub(leaf(a), leaf(b))))
  const term = onlyTerm(graph.linear(below!), -1)
  if (a === undefined || term?.sign !== 1 || !graph.same(term.operand, above)) return []
  return one(div(-1, expm1(neg(leaf(a)))))
}

/** tanh as a quotient of sums of exponentials: what it is of. */
function handTanh(graph: Graph, above: Operand, below: Operand): Expression | undefined {
  const [a, b] = [graph.linear(above), graph.linear(below)]
  const [p, q] = [a.terms.find(({ sign }) => sign === 1), a.terms.find(({ sign }) => sign === -1)]
  const [x] = p ? (graph.read(p.operand, 'exp') ?? []) : []
  if (!p || x === undefined || b.terms.some(({ sign }) => sign === -1)) return undefined
  const has = (operand: Operand): boolean => b.terms.some((term) => graph.same(term.operand, operand))
  if (onlyTerm(a, -1) && onlyTerm(b, 1) && has(p.operand)) return mul(leaf(x), 0.5)
  const [y] = q ? (graph.read(q.operand, 'exp') ?? []) : []
  const whole = a.constant === 0 && b.constant === 0 && a.terms.length === 2 && b.terms.length === 2
  if (!whole || y === undefined || !graph.opposite(x, y)) return undefined
  return has(p.operand) && has(q!.operand) ? leaf(x) : undefined
}

/** exp(x) - 1, or expm1(x): what x is. */
function grownOf(graph: Graph, operand: Operand): Linear | undefined {
  const [own] = graph.read(operand, 'expm1') ?? []
  if (own !== undefined) return graph.linear(own)
  const term = onlyTerm(graph.linear(operand), -1)
  const [x] = term?.sign === 1 ? (graph.read(term.operand, 'exp') ?? []) : []
  return x === undefined ? undefined : graph.linear(x)
}

/** (exp(2 x) - 1) / (exp(x) - 1) is exp(x) + 1. */
const squareDifferences: RewriteRule = (graph, i) => {
  const [above, below] = graph.read(graph.valueOf(i), 'div') ?? []
  if (above === undefined) return []
  const [twice, once] = [grownOf(graph, above), grownOf(graph, below!)]
  const term = twice && onlyTerm(twice, 0)
  const x = once && onlyTerm(once, 0)
  if (!term || x?.sign !== term.sign) return []
  const [p, q] = graph.read(term.operand, 'mul', 'add') ?? []
  if (p === undefined) return []
  const isTwice = graph.read(term.operand, 'add')
    ? graph.same(p, x.operand) && graph.same(q!, x.operand)
    : (graph.constant(p) === 2 && graph.same(q!, x.operand)) ||
      (graph.constant(q!) === 2 && graph.same(p, x.operand))
  return isTwice ? one(add(exp(total(once!)), 1)) : []
}

/** a b / (c d) as (a / c) (b / d), and the other way: products may overflow, or come to nothing, where quotients do not. */
const productQuotients: RewriteRule = (graph, i): readonly Form[] => {
  const [above, below] = graph.read(graph.valueOf(i), 'div') ?? []
  const [a, b] = above === undefined ? [] : (graph.read(above, 'mul') ?? [])
  const [c, d] = below === undefined ? [] : (graph.read(below, 'mul') ?? [])
  if (a === undefined || c === undefined) return []
  const stable = (operand: Operand): Expression => {
    const grown = graph.read(operand, 'expm1') ? undefined : grownOf(graph, operand)
    return grown ? expm1(total(grown)) : leaf(operand)
  }
  const [p, q, r, s] = [a, b!, c, d!].map(stable) as [Expression, Expression, Expression, Expression]
  return [{ to: mul(div(p, r), div(q, s)) }, { to: mul(div(p, s), div(q, r)) }]
}

/** exp(x) * exp(y): one may overflow where the other comes to nothing. */
const products: RewriteRule = (graph, i) => {
  const [above, below] = graph.read(graph.valueOf(i), 'mul') ?? []
  const [a] = above === undefined ? [] : (graph.read(above, 'exp') ?? [])
  const [b] = below === undefined ? [] : (graph.read(below, 'exp') ?? [])
  return a === undefined || b === undefined ? [] : one(exp(add(leaf(a), leaf(b))))
}

export const saturationRules: readonly RewriteRule[] = [
  exponentials,
  saturated,
  squareDifferences,
  quotients,
  productQuotients,
  products,
]
