import {
  add,
  atan2,
  cbrt,
  cos,
  div,
  exp,
  expm1,
  greater,
  log1p,
  mul,
  neg,
  opName,
  ops,
  sin,
  sinh,
  sqrt,
  square,
  sub,
  type Tensor,
  tan,
  where,
} from '../../tensor/index.js'
import type { Operand } from '../program/program.js'
import { type Form, type RewriteRule, total, totalLike } from './form.js'
import type { Graph, Linear } from './graph.js'

/** What f(a) - f(b) is of d = a - b, where the program tells d: x + 1 - x is 1. */
interface Known {
  readonly to: string
  readonly of: (a: Tensor, b: Tensor, d: Tensor) => Tensor
}

const knownDifferences: Readonly<Record<string, Known>> = {
  sqrt: { to: '(x - y) / (sqrt(x) + sqrt(y))', of: (a, b, d) => div(d, add(sqrt(a), sqrt(b))) },
  cbrt: {
    to: '(x - y) / (cbrt(x)^2 + cbrt(x) cbrt(y) + cbrt(y)^2)',
    of: (a, b, d) => {
      const [p, q] = [cbrt(a), cbrt(b)]
      return div(d, add(add(square(p), mul(p, q)), square(q)))
    },
  },
  log: { to: 'log1p((x - y) / y)', of: (_, b, d) => log1p(div(d, b)) },
  reciprocal: { to: '(y - x) / (x * y)', of: (a, b, d) => neg(div(d, mul(a, b))) },
  rsqrt: {
    to: '(y - x) / (sqrt(x) sqrt(y) (sqrt(x) + sqrt(y)))',
    of: (a, b, d) => {
      const [p, q] = [sqrt(a), sqrt(b)]
      return neg(div(d, mul(mul(p, q), add(p, q))))
    },
  },
  atan: { to: 'atan2(x - y, 1 + x * y)', of: (a, b, d) => atan2(d, add(mul(a, b), 1)) },
  sin: {
    to: '2 cos((x + y) / 2) sin((x - y) / 2)',
    of: (a, b, d) => mul(mul(cos(mul(add(a, b), 0.5)), sin(mul(d, 0.5))), 2),
  },
  cos: {
    to: '-2 sin((x + y) / 2) sin((x - y) / 2)',
    of: (a, b, d) => mul(mul(sin(mul(add(a, b), 0.5)), sin(mul(d, 0.5))), -2),
  },
  exp: { to: 'exp(y) * expm1(x - y)', of: (_, b, d) => mul(exp(b), expm1(d)) },
}

/** A function and what it is of; 1 / x and 1 / sqrt(x) by names of their own. */
function functionOf(
  graph: Graph,
  operand: Operand,
): { readonly name: string; readonly x: Operand } | undefined {
  const step = graph.stepOf(operand)
  const [a, b] = step?.operands ?? []
  if (!step || a === undefined) return undefined
  if (b === undefined) {
    const name = opName(step.op)
    return name && { name, x: a }
  }
  if (step.op !== ops.div || graph.constant(a) !== 1) return undefined
  const [root] = graph.read(b, 'sqrt') ?? []
  return root === undefined ? { name: 'reciprocal', x: b } : { name: 'rsqrt', x: root }
}

/** f(a) - f(b), where a - b is known better than its operands. */
const differences: RewriteRule = (graph, i) => {
  const terms = twoTerms(graph, i)
  if (!terms) return []
  const [a, b] = [functionOf(graph, terms.plus), functionOf(graph, terms.minus)]
  const known = a && a.name === b?.name ? knownDifferences[a.name] : undefined
  const apart = known && graph.difference(a!.x, b!.x)
  if (!known || !apart) return []
  const [x, y] = [graph.linear(a!.x), graph.linear(b!.x)]
  const [p, q] = [total(x), total(y)]
  if (!p || !q) return []
  const d = totalLike(apart, p)
  const name = a!.name === 'reciprocal' ? '1 / ' : a!.name === 'rsqrt' ? '1 / sqrt' : a!.name
  return [
    {
      from: name === '1 / ' ? '1 / x - 1 / y' : `${name}(x) - ${name}(y)`,
      to: known.to,
      reads: [...p.reads, ...q.reads],
      run: (value) => known.of(p.run(value), q.run(value), d.run(value)),
    },
  ]
}

/** The operands of a plain difference. */
function twoTerms(graph: Graph, i: number): { plus: Operand; minus: Operand } | undefined {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  const plus = terms.find(({ sign }) => sign === 1)
  const minus = terms.find(({ sign }) => sign === -1)
  return constant === 0 && terms.length === 2 && plus && minus
    ? { plus: plus.operand, minus: minus.operand }
    : undefined
}

/** sqrt(b^2 + c) - b is c / (sqrt(b^2 + c) + b), wherever b is above 0: the quadratic formula, a hypotenuse less a side. */
const roots: RewriteRule = (graph, i) => {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  if (constant !== 0 || terms.length !== 2) return []
  return [0, 1].flatMap((k): Form[] => {
    const [at, other] = [terms[k]!, terms[1 - k]!]
    const [under] = graph.read(at.operand, 'sqrt') ?? []
    if (under === undefined) return []
    const rest = withoutSquare(graph, under, other.operand)
    if (!rest) return []
    const c = totalLike(rest, total({ constant: 0, terms: [other] })!)
    // The sign that makes this a difference of like numbers: that of b against the root.
    const turned = at.sign === other.sign
    return [
      {
        from: turned ? 'sqrt(x^2 + y) + x' : 'sqrt(x^2 + y) - x',
        to: turned ? 'y / (sqrt(x^2 + y) - x) where x < 0' : 'y / (sqrt(x^2 + y) + x) where x > 0',
        reads: [other.operand, ...c.reads],
        run: (value) => {
          const [root, b] = [value(at.operand), value(other.operand)]
          const side = turned ? neg(b) : b
          const stable = div(c.run(value), add(root, side))
          const signed = where(greater(side, 0), stable, sub(root, side))
          return at.sign === 1 ? signed : neg(signed)
        },
      },
    ]
  })
}

/** What a sum has beside the square of b. */
function withoutSquare(graph: Graph, sum: Operand, b: Operand): Linear | undefined {
  const { constant, terms } = graph.linear(sum)
  const at = terms.findIndex(({ sign, operand }) => {
    const base = sign === 1 ? graph.squared(operand) : undefined
    return base !== undefined && (graph.same(base, b) || graph.opposite(base, b))
  })
  return at < 0 ? undefined : { constant, terms: terms.filter((_, k) => k !== at) }
}

/** x^2 - y^2, and 1 - x^2. */
const squares: RewriteRule = (graph, i) => {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  const [x, y] = [1, -1].map((sign) => {
    const term = terms.find((one) => one.sign === sign)
    return term && graph.squared(term.operand)
  })
  if (constant === 0 && terms.length === 2 && x !== undefined && y !== undefined) {
    return [
      {
        from: 'x^2 - y^2',
        to: '(x - y) * (x + y)',
        reads: [x, y],
        run: (value) => mul(sub(value(x), value(y)), add(value(x), value(y))),
      },
    ]
  }
  const base = x ?? y
  if (terms.length !== 1 || base === undefined || constant !== (y === undefined ? -1 : 1)) return []
  return [
    {
      from: y === undefined ? 'x^2 - 1' : '1 - x^2',
      to: y === undefined ? '(x - 1) * (x + 1)' : '(1 - x) * (1 + x)',
      reads: [base],
      run: (value) => {
        const product = mul(sub(value(base), 1), add(value(base), 1))
        return y === undefined ? product : neg(product)
      },
    },
  ]
}

/** exp(x) - exp(-x) and exp(x) - 2 + exp(-x). */
const exponentials: RewriteRule = (graph, i) => {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  const exps = terms.map(({ operand }) => graph.read(operand, 'exp')?.[0])
  const [a, b] = exps
  if (terms.length !== 2 || a === undefined || b === undefined || !graph.opposite(a, b)) return []
  const [x, y] = terms[0]!.sign === 1 ? [a, b] : [b, a]
  if (constant === 0 && terms[0]!.sign !== terms[1]!.sign) {
    return [
      {
        from: 'exp(x) - exp(-x)',
        to: '2 * sinh(x)',
        reads: [x],
        run: (value) => mul(sinh(value(x)), 2),
      },
    ]
  }
  if (constant !== -2 || terms.some(({ sign }) => sign === -1)) return []
  return [
    {
      from: 'exp(x) - 2 + exp(-x)',
      to: '4 * sinh(x / 2)^2',
      reads: [x, y],
      run: (value) => mul(square(sinh(mul(value(x), 0.5))), 4),
    },
  ]
}

/** 1 - cos x. */
const cosines: RewriteRule = (graph, i) => {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  const [term] = terms
  const [x] = terms.length === 1 ? (graph.read(term!.operand, 'cos') ?? []) : []
  if (x === undefined || constant !== -term!.sign) return []
  return [
    {
      from: constant === 1 ? '1 - cos(x)' : 'cos(x) - 1',
      to: `${constant === 1 ? '' : '-'}2 * sin(x / 2)^2`,
      reads: [x],
      run: (value) => mul(square(sin(mul(value(x), 0.5))), 2 * constant),
    },
  ]
}

/** (1 - cos x) / sin x and (1 - cos x) / x^2. */
const cosineQuotients: RewriteRule = (graph, i) => {
  const [above, below] = graph.read(graph.valueOf(i), 'div') ?? []
  if (above === undefined || below === undefined) return []
  const { constant, terms } = graph.linear(above)
  const [term] = terms
  const [x] = terms.length === 1 && term!.sign === -1 ? (graph.read(term!.operand, 'cos') ?? []) : []
  if (x === undefined || constant !== 1) return []
  const [angle] = graph.read(below, 'sin') ?? []
  if (angle !== undefined && graph.same(angle, x)) {
    return [
      {
        from: '(1 - cos(x)) / sin(x)',
        to: 'tan(x / 2)',
        reads: [x],
        run: (value) => tan(mul(value(x), 0.5)),
      },
    ]
  }
  const base = graph.squared(below)
  if (base === undefined || !graph.same(base, x)) return []
  return [
    {
      from: '(1 - cos(x)) / x^2',
      to: '2 * (sin(x / 2) / x)^2',
      reads: [x],
      run: (value) => mul(square(div(sin(mul(value(x), 0.5)), value(x))), 2),
    },
  ]
}

export const differenceRules: readonly RewriteRule[] = [
  differences,
  roots,
  squares,
  exponentials,
  cosines,
  cosineQuotients,
]
