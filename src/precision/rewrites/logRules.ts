import { logAddExp, logSoftmax, logsumexp } from '../../numerics/index.js'
import {
  acosh,
  add,
  asinh,
  atanh,
  div,
  exp,
  expm1,
  log,
  log1p,
  mul,
  neg,
  softplus,
  sub,
  type Tensor,
} from '../../tensor/index.js'
import type { Operand } from '../program/program.js'
import { type Form, leaf, negated, type RewriteRule, total, totalLike } from './form.js'
import type { Graph, Linear } from './graph.js'
import { axisText, optionsText, standsBeside, summedExp } from './sums.js'

const one = (form: Form | undefined): readonly Form[] => (form ? [form] : [])

/** x of a sigmoid: the operation itself, 1 / (1 + exp(-x)), or exp(x) / (1 + exp(x)). */
export function sigmoidOf(graph: Graph, operand: Operand): Linear | undefined {
  const [own] = graph.read(operand, 'sigmoid') ?? []
  if (own !== undefined) return graph.linear(own)
  const [above, below] = quotient(graph, operand) ?? []
  if (below === undefined) return undefined
  const { constant, terms } = graph.linear(below)
  const [e] = terms
  if (constant !== 1 || terms.length !== 1 || e!.sign !== 1) return undefined
  const [x] = graph.read(e!.operand, 'exp') ?? []
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
  if (x !== undefined) return [{ from: 'log(exp(x))', to: 'x', reads: [x], run: (value) => value(x) }]
  return [
    ...logOfSigmoid(graph, inner),
    ...logOfSum(graph, inner),
    ...logOfQuotient(graph, inner),
    ...logOfExps(graph, inner),
    ...one(inverseHyperbolic(graph, inner)),
  ]
}

function logOfSigmoid(graph: Graph, inner: Operand): readonly Form[] {
  const x = sigmoidOf(graph, inner)
  const away = x && total(negated(x))
  if (away) {
    return [
      {
        from: 'log(sigmoid(x))',
        to: '-softplus(-x)',
        reads: away.reads,
        run: (value) => neg(softplus(away.run(value))),
      },
    ]
  }
  const { constant, terms } = graph.linear(inner)
  const [s] = terms
  const other =
    constant === 1 && terms.length === 1 && s!.sign === -1 ? sigmoidOf(graph, s!.operand) : undefined
  const to = other && total(other)
  if (!to) return []
  return [
    {
      from: 'log(1 - sigmoid(x))',
      to: '-softplus(x)',
      reads: to.reads,
      run: (value) => neg(softplus(to.run(value))),
    },
  ]
}

function logOfSum(graph: Graph, inner: Operand): readonly Form[] {
  const { constant, terms } = graph.linear(inner)
  const [first] = terms
  const forms: Form[] = []
  const rest = total({ constant: 0, terms })
  const [x] = first && terms.length === 1 ? (graph.read(first.operand, 'exp') ?? []) : []
  if (constant === 1 && rest) {
    if (x !== undefined && first!.sign === 1) {
      forms.push({
        from: 'log(1 + exp(x))',
        to: 'softplus(x)',
        reads: [x],
        run: (value) => softplus(value(x)),
      })
    }
    const sign = terms.length === 1 && first!.sign === -1 ? '-' : '+'
    forms.push({
      from: `log(1 ${sign} x)`,
      to: sign === '+' ? 'log1p(x)' : 'log1p(-x)',
      reads: rest.reads,
      run: (value) => log1p(rest.run(value)),
    })
  }
  if (constant === -1 && x !== undefined && first!.sign === 1) {
    forms.push(
      { from: 'log(exp(x) - 1)', to: 'log(expm1(x))', reads: [x], run: (value) => log(expm1(value(x))) },
      {
        from: 'log(exp(x) - 1)',
        to: 'x + log(-expm1(-x))',
        reads: [x],
        run: (value) => add(value(x), log(neg(expm1(neg(value(x)))))),
      },
    )
  }
  return forms
}

/** log((1 + x) / (1 - x)) is 2 atanh(x). */
function logOfQuotient(graph: Graph, inner: Operand): readonly Form[] {
  const [above, below] = graph.read(inner, 'div') ?? []
  if (above === undefined) return []
  const [a, b] = [graph.linear(above), graph.linear(below!)]
  const rest = total({ constant: 0, terms: a.terms })
  const turned = negated({ constant: 0, terms: b.terms })
  const mirrored =
    a.constant === 1 &&
    b.constant === 1 &&
    a.terms.length === b.terms.length &&
    turned.terms.every(({ sign, operand }) =>
      a.terms.some((term) => term.sign === sign && graph.same(term.operand, operand)),
    )
  if (!mirrored || !rest) return []
  const plus = a.terms[0]!.sign === 1
  return [
    {
      from: plus ? 'log((1 + x) / (1 - x))' : 'log((1 - x) / (1 + x))',
      to: plus ? '2 * atanh(x)' : '-2 * atanh(x)',
      reads: rest.reads,
      run: (value) => mul(atanh(rest.run(value)), 2),
    },
  ]
}

/** The log of a sum of exponentials, or of one of them over their sum. */
function logOfExps(graph: Graph, inner: Operand): readonly Form[] {
  const { constant, terms } = graph.linear(inner)
  const exps = terms.map(({ sign, operand }) => (sign === 1 ? graph.read(operand, 'exp')?.[0] : undefined))
  const [a, b] = exps
  if (constant === 0 && terms.length === 2 && a !== undefined && b !== undefined) {
    return [
      {
        from: 'log(exp(x) + exp(y))',
        to: 'logAddExp(x, y)',
        reads: [a, b],
        run: (value) => logAddExp(value(a), value(b)),
      },
    ]
  }
  const sum = summedExp(graph, inner)
  if (sum) {
    return [
      {
        from: 'log(sum(exp(x)))',
        to: `logsumexp(x${optionsText(axisText(graph, sum, 'all'))})`,
        reads: [sum.x],
        run: (value) => logsumexp(value(sum.x), { axis: sum.axes, keepDims: true }),
      },
    ]
  }
  const [above, below] = graph.read(inner, 'div') ?? []
  const [x] = above === undefined ? [] : (graph.read(above, 'exp') ?? [])
  const under = below === undefined ? undefined : summedExp(graph, below)
  const [axis] = under?.axes ?? []
  if (x === undefined || !under || under.axes.length !== 1 || !graph.same(under.x, x)) return []
  if (!standsBeside(graph, below!, under)) return []
  return [
    {
      from: 'log(softmax(x))',
      to: `logSoftmax(x${optionsText(axisText(graph, under, 'last'))})`,
      reads: [x],
      run: (value) => logSoftmax(value(x), { axis: axis! }),
    },
  ]
}

/** log(x + sqrt(x^2 + 1)) and log(x + sqrt(x^2 - 1)). */
function inverseHyperbolic(graph: Graph, inner: Operand): Form | undefined {
  const { constant, terms } = graph.linear(inner)
  if (constant !== 0 || terms.length !== 2 || terms.some(({ sign }) => sign === -1)) return undefined
  for (const [x, root] of [
    [terms[0]!.operand, terms[1]!.operand],
    [terms[1]!.operand, terms[0]!.operand],
  ] as const) {
    const [under] = graph.read(root, 'sqrt') ?? []
    if (under === undefined) continue
    const sum = graph.linear(under)
    const [square] = sum.terms
    const base = sum.terms.length === 1 && square!.sign === 1 ? graph.squared(square!.operand) : undefined
    if (base === undefined || !graph.same(base, x) || Math.abs(sum.constant) !== 1) continue
    const f: (x: Tensor) => Tensor = sum.constant === 1 ? asinh : acosh
    return {
      from: `log(x + sqrt(x^2 ${sum.constant === 1 ? '+' : '-'} 1))`,
      to: sum.constant === 1 ? 'asinh(x)' : 'acosh(x)',
      reads: [x],
      run: (value) => f(value(x)),
    }
  }
  return undefined
}

/** log(exp(x) + exp(y)) - x, the loss of two classes, however the first part is written. */
const twoClasses: RewriteRule = (graph, i) => {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  const plus = terms.find(({ sign }) => sign === 1)
  const minus = terms.find(({ sign }) => sign === -1)
  if (constant !== 0 || terms.length !== 2 || !plus || !minus) return []
  const pair = graph.read(plus.operand, 'logAddExp') ?? exponentsOf(graph, plus.operand)
  const [a, b] = pair ?? []
  if (a === undefined || b === undefined) return []
  const first = graph.same(a, minus.operand)
  if (!first && !graph.same(b, minus.operand)) return []
  const [x, y] = first ? [a, b] : [b, a]
  return [
    {
      from: 'log(exp(x) + exp(y)) - x',
      to: 'softplus(y - x)',
      reads: [x, y],
      run: (value) => softplus(sub(value(y), value(x))),
    },
  ]
}

/** x and y of log(exp(x) + exp(y)). */
function exponentsOf(graph: Graph, operand: Operand): readonly Operand[] | undefined {
  const [inner] = graph.read(operand, 'log') ?? []
  if (inner === undefined) return undefined
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
  const [axis] = sum?.axes ?? []
  if (sum?.axes.length !== 1 || !graph.same(sum.x, x)) return []
  if (!standsBeside(graph, log!, sum)) return []
  return [
    {
      from: 'x - log(sum(exp(x)))',
      to: `logSoftmax(x${optionsText(axisText(graph, sum, 'last'))})`,
      reads: [x],
      run: (value) => logSoftmax(value(x), { axis: axis! }),
    },
  ]
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
  const a = apart && total(graph.linear(plus.x))
  if (!plus || !minus || !apart || !a) return []
  const d = totalLike(apart, a)
  const others = { constant, terms: terms.filter((term) => term !== plus.term && term !== minus.term) }
  const rest = constant === 0 && others.terms.length === 0 ? undefined : totalLike(others, a)
  return [
    {
      from: 'x * log(x) - y * log(y)',
      to: '(x - y) * log(x) + y * log1p((x - y) / y)',
      reads: [...a.reads, minus.x, ...d.reads, ...(rest?.reads ?? [])],
      run: (value) => {
        const [x, y, by] = [a.run(value), value(minus.x), d.run(value)]
        const difference = add(mul(by, log(x)), mul(y, log1p(div(by, y))))
        return rest ? add(difference, rest.run(value)) : difference
      },
    },
  ]
}

/** (1 + x)^n where x is small. */
const powers: RewriteRule = (graph, i) => {
  const [base, n] = graph.read(graph.valueOf(i), 'pow') ?? []
  if (base === undefined) return []
  const { constant, terms } = graph.linear(base)
  const x = total({ constant: 0, terms })
  if (constant !== 1 || !x) return []
  return [
    {
      from: 'pow(1 + x, n)',
      to: 'exp(n * log1p(x))',
      reads: [...x.reads, ...leaf(n!).reads],
      run: (value) => exp(mul(value(n!), log1p(x.run(value)))),
    },
  ]
}

export const logRules: readonly RewriteRule[] = [logs, twoClasses, logSoftmaxes, ownLogs, powers]
