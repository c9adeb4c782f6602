import type { Operand } from '../program/program.js'
import { calls, type Expression, leaf } from './expression.js'
import { type Form, negated, one, onlyTerm, type RewriteRule, total, twoTerms } from './form.js'
import type { Graph, Linear } from './graph.js'
import { axisOptions, standsBeside, summedExp } from './sums.js'

const { acosh, add, asinh, atanh, div, exp, expm1, log, log1p, logAddExp, logSoftmax, logsumexp } = calls
const { mul, neg, softplus, sub } = calls

/** x of a sigmoid: the operation itself, 1 / (1 + exp(-x)), or exp(x) / (1 + exp(x)). */
export function sigmoidOf(graph: Graph, operand: Operand): Linear | undefined {
  const [own] = graph.read(operand, 'sigmoid') ?? []
  if (own !== undefined) return graph.linear(own)
  const [above, below] = quotient(graph, operand) ?? []
  const e = below === undefined ? undefined : onlyTerm(graph.linear(below), 1)
  const [x] = e?.sign === 1 ? (graph.read(e.operand, 'exp') ?? []) : []
  if (x === undefined) return undefined
  if (above === 1) return negated(graph.linear(x))
  return above !== undefined && graph.same(above, e!.operand) ? graph.linear(x) : undefined
}

/** Numerator and denominator; the number 1 above a reciprocal. */
function quotient(graph: Graph, operand: Operand): readonly [Operand | 1, Operand] | undefined {
  const [under] = graph.read(operand, 'reciprocal') ?? []
  if (under !== undefined) return [1, under]
  const [a, b] = graph.read(operand, 'div') ?? []
  if (a === undefined) return undefined
  return [graph.constant(a) === 1 ? 1 : a, b!]
}

/** log(1 + x), and what is inside it written as a function of its own. */
const logs: RewriteRule = (graph, i) => {
  const [inner] = graph.read(graph.valueOf(i), 'log') ?? []
  if (inner === undefined) return []
  const [x] = graph.read(inner, 'exp') ?? []
  if (x !== undefined) return one(leaf(x))
  return [
    ...logOfSigmoid(graph, inner),
    ...logOfSum(graph, inner),
    ...logOfQuotient(graph, inner),
    ...logOfExps(graph, i, inner),
    ...one(inverseHyperbolic(graph, inner)),
  ]
}

function logOfSigmoid(graph: Graph, inner: Operand): readonly Form[] {
  const x = sigmoidOf(graph, inner)
  if (x) return one(neg(softplus(total(negated(x)))))
  const rest = onlyTerm(graph.linear(inner), 1)
  const other = rest?.sign === -1 ? sigmoidOf(graph, rest.operand) : undefined
  return other ? one(neg(softplus(total(other)))) : []
}

function logOfSum(graph: Graph, inner: Operand): readonly Form[] {
  const { constant, terms } = graph.linear(inner)
  const [first] = terms
  const [x] = first?.sign === 1 && terms.length === 1 ? (graph.read(first.operand, 'exp') ?? []) : []
  if (constant === 1 && first) {
    return [...(x === undefined ? [] : one(softplus(leaf(x)))), ...one(log1p(total({ constant: 0, terms })))]
  }
  if (constant !== -1 || x === undefined) return []
  const at = leaf(x)
  return [{ to: log(expm1(at)) }, { to: add(at, log(neg(expm1(neg(at))))) }]
}

/** log((1 + x) / (1 - x)) is 2 atanh(x). */
function logOfQuotient(graph: Graph, inner: Operand): readonly Form[] {
  const [above, below] = graph.read(inner, 'div') ?? []
  if (above === undefined) return []
  const [a, b] = [graph.linear(above), graph.linear(below!)]
  const turned = negated({ constant: 0, terms: b.terms })
  const mirrored =
    a.constant === 1 &&
    b.constant === 1 &&
    a.terms.length > 0 &&
    a.terms.length === b.terms.length &&
    turned.terms.every(({ sign, operand }) =>
      a.terms.some((term) => term.sign === sign && graph.same(term.operand, operand)),
    )
  if (!mirrored) return []
  const plus = a.terms[0]!.sign === 1
  return one(mul(atanh(total({ constant: 0, terms: (plus ? a : b).terms })), plus ? 2 : -2))
}

/** The log of a sum of exponentials, or of one of them over their sum. */
function logOfExps(graph: Graph, i: number, inner: Operand): readonly Form[] {
  const pair = exponentsIn(graph, inner)
  if (pair) return one(logAddExp(leaf(pair[0]!), leaf(pair[1]!)))
  const sum = summedExp(graph, inner)
  if (sum) {
    const keepDims = graph.shapeOf(graph.valueOf(i)).length === graph.shapeOf(sum.x).length
    return one(logsumexp(leaf(sum.x), axisOptions(graph, sum, 'all', keepDims ? { keepDims } : {})))
  }
  const [above, below] = graph.read(inner, 'div') ?? []
  const [x] = above === undefined ? [] : (graph.read(above, 'exp') ?? [])
  const under = below === undefined ? undefined : summedExp(graph, below)
  if (x === undefined || !under || under.axes.length !== 1 || !graph.same(under.x, x)) return []
  return standsBeside(graph, below!, under) ? one(logSoftmax(leaf(x), axisOptions(graph, under, 'last'))) : []
}

/** log(x + sqrt(x^2 + 1)) and log(x + sqrt(x^2 - 1)). */
function inverseHyperbolic(graph: Graph, inner: Operand): Expression | undefined {
  const { constant, terms } = graph.linear(inner)
  if (constant !== 0 || terms.length !== 2 || terms.some(({ sign }) => sign === -1)) return undefined
  for (const [x, root] of [
    [terms[0]!.operand, terms[1]!.operand],
    [terms[1]!.operand, terms[0]!.operand],
  ] as const) {
    const [under] = graph.read(root, 'sqrt') ?? []
    if (under === undefined) continue
    const sum = graph.linear(under)
    const square = onlyTerm(sum, sum.constant)
    const base = square?.sign === 1 ? graph.squared(square.operand) : undefined
    if (base === undefined || !graph.same(base, x) || Math.abs(sum.constant) !== 1) continue
    return (sum.constant === 1 ? asinh : acosh)(leaf(x))
  }
  return undefined
}

/** log(exp(x) + exp(y)) - x, the loss of two classes, however the first part is written. */
const twoClasses: RewriteRule = (graph, i) => {
  const terms = twoTerms(graph, i)
  if (!terms) return []
  const [inner] = graph.read(terms.plus, 'log') ?? []
  const [a, b] =
    graph.read(terms.plus, 'logAddExp') ?? (inner === undefined ? undefined : exponentsIn(graph, inner)) ?? []
  if (a === undefined || b === undefined) return []
  if (graph.same(a, terms.minus)) return one(softplus(sub(leaf(b), leaf(a))))
  return graph.same(b, terms.minus) ? one(softplus(sub(leaf(a), leaf(b)))) : []
}

/** x and y of exp(x) + exp(y). */
function exponentsIn(graph: Graph, inner: Operand): readonly Operand[] | undefined {
  const { constant, terms } = graph.linear(inner)
  if (constant !== 0 || terms.length !== 2) return undefined
  const exps = terms.flatMap(({ sign, operand: e }) => (sign === 1 ? (graph.read(e, 'exp') ?? []) : []))
  return exps.length === 2 ? exps : undefined
}

/** x - log(sum(exp(x))) is logSoftmax, whether or not x is shifted already. */
const logSoftmaxes: RewriteRule = (graph, i) => {
  const [x, log] = graph.read(graph.valueOf(i), 'sub') ?? []
  if (x === undefined) return []
  const [inner] = graph.read(log!, 'log') ?? []
  const sum = inner === undefined ? undefined : summedExp(graph, inner)
  if (sum?.axes.length !== 1 || !graph.same(sum.x, x)) return []
  return standsBeside(graph, log!, sum) ? one(logSoftmax(leaf(x), axisOptions(graph, sum, 'last'))) : []
}

/** x of x log(x). */
function timesOwnLog(graph: Graph, operand: Operand): Operand | undefined {
  const [a, b] = graph.read(operand, 'mul') ?? []
  if (a === undefined) return undefined
  const [first] = graph.read(a, 'log') ?? []
  const [second] = graph.read(b!, 'log') ?? []
  if (second !== undefined && graph.same(second, a)) return a
  return first !== undefined && graph.same(first, b!) ? b : undefined
}

/** x log(x) - y log(y), where x - y is known better than its operands. */
const ownLogs: RewriteRule = (graph, i) => {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  const products = terms.flatMap((term) => {
    const x = timesOwnLog(graph, term.operand)
    return x === undefined ? [] : [{ term, x }]
  })
  const plus = products.find(({ term }) => term.sign === 1)
  const minus = products.find(({ term }) => term.sign === -1)
  const apart = plus && minus && graph.difference(plus.x, minus.x)
  if (!plus || !minus || !apart) return []
  const [x, y, d] = [leaf(plus.x), leaf(minus.x), total(apart)]
  const others = total({ constant, terms: terms.filter((term) => term !== plus.term && term !== minus.term) })
  const by = log(x)
  const difference = add(d === 1 ? by : mul(d, by), mul(y, log1p(div(d, y))))
  return one(others === 0 ? difference : add(difference, others))
}

/** (1 + x)^n where x is small. */
const powers: RewriteRule = (graph, i) => {
  const [base, n] = graph.read(graph.valueOf(i), 'pow') ?? []
  const { constant, terms } = base === undefined ? { constant: 0, terms: [] } : graph.linear(base)
  if (constant !== 1 || terms.length === 0) return []
  return one(exp(mul(leaf(n!), log1p(total({ constant: 0, terms })))))
}

export const logRules: readonly RewriteRule[] = [logs, twoClasses, logSoftmaxes, ownLogs, powers]
