import { add, div, erfc, exp, expm1, log1p, mul, neg, sigmoid, sub, tanh } from '../../tensor/index.js'
import type { Operand } from '../program/program.js'
import { type Form, negated, type RewriteRule, total } from './form.js'
import type { Graph, Linear } from './graph.js'
import { sigmoidOf } from './logRules.js'

/** exp(x) - 1. */
const exponentials: RewriteRule = (graph, i) => {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  const [term] = terms
  if (terms.length !== 1 || constant !== -term!.sign) return []
  const [x] = graph.read(term!.operand, 'exp') ?? []
  if (x !== undefined) {
    return [
      {
        from: constant === -1 ? 'exp(x) - 1' : '1 - exp(x)',
        to: constant === -1 ? 'expm1(x)' : '-expm1(x)',
        reads: [x],
        run: (value) => (constant === -1 ? expm1(value(x)) : neg(expm1(value(x)))),
      },
    ]
  }
  const [base, n] = graph.read(term!.operand, 'pow') ?? []
  const sum = base === undefined ? undefined : graph.linear(base)
  const small = sum?.constant === 1 ? total({ constant: 0, terms: sum.terms }) : undefined
  if (!small || constant !== -1) return []
  return [
    {
      from: 'pow(1 + x, n) - 1',
      to: 'expm1(n * log1p(x))',
      reads: [...small.reads, n!],
      run: (value) => expm1(mul(value(n!), log1p(small.run(value)))),
    },
  ]
}

/** 1 - f(x) where f has come near to 1: tanh, sigmoid, erf, and the square of tanh. */
const saturated: RewriteRule = (graph, i) => {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  const [term] = terms
  if (constant !== 1 || terms.length !== 1) return []
  const { sign, operand } = term!
  const [t] = graph.read(operand, 'tanh') ?? []
  if (t !== undefined) return one(shifted(graph.linear(t), sign, 'tanh'))
  const [e] = graph.read(operand, 'erf') ?? []
  if (e !== undefined) return one(shifted(graph.linear(e), sign, 'erf'))
  const s = sign === -1 ? sigmoidOf(graph, operand) : undefined
  if (s) {
    const away = total(negated(s))
    return away
      ? [
          {
            from: '1 - sigmoid(x)',
            to: 'sigmoid(-x)',
            reads: away.reads,
            run: (value) => sigmoid(away.run(value)),
          },
        ]
      : []
  }
  const base = sign === -1 ? graph.squared(operand) : undefined
  const [x] = base === undefined ? [] : (graph.read(base, 'tanh') ?? [])
  if (x === undefined) return []
  return [
    {
      from: '1 - tanh(x)^2',
      to: '4 * sigmoid(2 * x) * sigmoid(-2 * x)',
      reads: [x],
      run: (value) => mul(mul(sigmoid(mul(value(x), 2)), sigmoid(mul(value(x), -2))), 4),
    },
  ]
}

/** 1 + f(x) or 1 - f(x). */
function shifted(x: Linear, sign: 1 | -1, name: 'tanh' | 'erf'): Form | undefined {
  const inside = total(x)
  if (!inside) return undefined
  const to = name === 'erf' ? `erfc(${sign === 1 ? '-' : ''}x)` : `2 * sigmoid(${2 * sign} * x)`
  return {
    from: `1 ${sign === 1 ? '+' : '-'} ${name}(x)`,
    to,
    reads: inside.reads,
    run: (value) => {
      const at = inside.run(value)
      if (name === 'erf') return erfc(sign === 1 ? neg(at) : at)
      return mul(sigmoid(mul(at, 2 * sign)), 2)
    },
  }
}

const one = (form: Form | undefined): readonly Form[] => (form ? [form] : [])

/** Quotients of exponentials: exp(x) / exp(y), a sigmoid or a tanh written out. */
const quotients: RewriteRule = (graph, i) => {
  const value = graph.valueOf(i)
  const [above, below] = graph.read(value, 'div') ?? []
  const s = graph.read(value, 'sigmoid') ? undefined : sigmoidOf(graph, value)
  const inside = s && total(s)
  if (inside) {
    return [
      {
        from: '1 / (1 + exp(-x))',
        to: 'sigmoid(x)',
        reads: inside.reads,
        run: (at) => sigmoid(inside.run(at)),
      },
    ]
  }
  if (above === undefined) return []
  const t = handTanh(graph, above, below!)
  if (t) {
    return [
      {
        from: t.half ? '(exp(2 x) - 1) / (exp(2 x) + 1)' : '(exp(x) - exp(-x)) / (exp(x) + exp(-x))',
        to: 'tanh(x)',
        reads: [t.x],
        run: (at) => tanh(t.half ? mul(at(t.x), 0.5) : at(t.x)),
      },
    ]
  }
  const [a] = graph.read(above, 'exp') ?? []
  const [b] = graph.read(below!, 'exp') ?? []
  if (a === undefined) return []
  if (b !== undefined) {
    return [
      {
        from: 'exp(x) / exp(y)',
        to: 'exp(x - y)',
        reads: [a, b],
        run: (at) => exp(sub(at(a), at(b))),
      },
    ]
  }
  const { constant, terms } = graph.linear(below!)
  const [term] = terms
  if (constant !== -1 || terms.length !== 1 || term!.sign !== 1 || !graph.same(term!.operand, above)) {
    return []
  }
  return [
    {
      from: 'exp(x) / (exp(x) - 1)',
      to: '-1 / expm1(-x)',
      reads: [a],
      run: (at) => div(-1, expm1(neg(at(a)))),
    },
  ]
}

/** tanh as a quotient of sums of exponentials. */
function handTanh(
  graph: Graph,
  above: Operand,
  below: Operand,
): { readonly x: Operand; readonly half: boolean } | undefined {
  const [a, b] = [graph.linear(above), graph.linear(below)]
  const [p, q] = [a.terms.find(({ sign }) => sign === 1), a.terms.find(({ sign }) => sign === -1)]
  const [x] = p ? (graph.read(p.operand, 'exp') ?? []) : []
  if (!p || x === undefined || b.terms.some(({ sign }) => sign === -1)) return undefined
  const has = (operand: Operand): boolean => b.terms.some((term) => graph.same(term.operand, operand))
  if (
    a.terms.length === 1 &&
    a.constant === -1 &&
    b.constant === 1 &&
    b.terms.length === 1 &&
    has(p.operand)
  ) {
    return { x, half: true }
  }
  const [y] = q ? (graph.read(q.operand, 'exp') ?? []) : []
  const whole = a.constant === 0 && b.constant === 0 && a.terms.length === 2 && b.terms.length === 2
  if (!whole || y === undefined || !graph.opposite(x, y) || !has(p.operand) || !has(q!.operand)) {
    return undefined
  }
  return { x, half: false }
}

/** exp(x) * exp(y): one may overflow where the other comes to nothing. */
const products: RewriteRule = (graph, i) => {
  const [above, below] = graph.read(graph.valueOf(i), 'mul') ?? []
  const [a] = above === undefined ? [] : (graph.read(above, 'exp') ?? [])
  const [b] = below === undefined ? [] : (graph.read(below, 'exp') ?? [])
  if (a === undefined || b === undefined) return []
  return [
    {
      from: 'exp(x) * exp(y)',
      to: 'exp(x + y)',
      reads: [a, b],
      run: (value) => exp(add(value(a), value(b))),
    },
  ]
}

export const saturationRules: readonly RewriteRule[] = [exponentials, saturated, quotients, products]
