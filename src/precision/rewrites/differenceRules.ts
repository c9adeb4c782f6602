import { opName, ops } from '../../tensors/tensor/index.js'
import type { Operand } from '../program/program.js'
import { calls, type Expression, leaf } from './expression.js'
import { type Form, one, onlyTerm, type RewriteRule, shifted, signed, total, twoTerms } from './form.js'
import type { Graph, Linear } from './graph.js'

const { abs, add, atan2, cbrt, cos, div, exp, expm1, greater, less, log1p, mul, neg, pow, sin, sinh } = calls
const { sqrt, square, sub, tan, where } = calls

/** What f(a) - f(b) is, of d = a - b that the program knows: x + 1 - x is 1. */
type Known = (a: Expression, b: Expression, d: Expression) => readonly Expression[]

/** The sine of b + d / 2 and its cosine without that sum, which rounds where b is large. */
const shiftedWave = (b: Expression, d: Expression, name: 'sin' | 'cos'): Expression => {
  const half = mul(d, 0.5)
  return name === 'sin'
    ? add(mul(sin(b), cos(half)), mul(cos(b), sin(half)))
    : sub(mul(cos(b), cos(half)), mul(sin(b), sin(half)))
}

const knownDifferences: Readonly<Record<string, Known>> = {
  sqrt: (a, b, d) => [div(d, add(sqrt(a), sqrt(b)))],
  cbrt: (a, b, d) => {
    const [p, q] = [cbrt(a), cbrt(b)]
    return [div(d, add(add(square(p), mul(p, q)), square(q)))]
  },
  log: (_, b, d) => [log1p(div(d, b))],
  // Divided one after the other: the product of both may overflow.
  reciprocal: (a, b, d) => [div(div(neg(d), a), b)],
  rsqrt: (a, b, d) => {
    const [p, q] = [sqrt(a), sqrt(b)]
    return [div(div(div(neg(d), p), q), add(p, q))]
  },
  atan: (a, b, d) => [atan2(d, add(mul(a, b), 1))],
  sin: (a, b, d) => [
    mul(mul(cos(mul(add(a, b), 0.5)), sin(mul(d, 0.5))), 2),
    mul(mul(shiftedWave(b, d, 'cos'), sin(mul(d, 0.5))), 2),
  ],
  cos: (a, b, d) => [
    mul(mul(sin(mul(add(a, b), 0.5)), sin(mul(d, 0.5))), -2),
    mul(mul(shiftedWave(b, d, 'sin'), sin(mul(d, 0.5))), -2),
  ],
  tan: (a, b, d) => {
    const [t, by] = [tan(b), tan(d)]
    return [div(div(sin(d), cos(b)), cos(a)), div(mul(by, add(square(t), 1)), sub(1, mul(t, by)))]
  },
  exp: (_, b, d) => [mul(exp(b), expm1(d))],
}

/** A function and its argument; 1 / x and 1 / sqrt(x) have names of their own. */
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
  if (!known) return []
  const apart = graph.difference(a!.x, b!.x)
  if (!apart) return []
  const [p, q, d] = [leaf(a!.x), leaf(b!.x), total(apart)]
  const forms = known(p, q, d).map((to) => ({ to }))
  // From the operand that is the other one and something: f(a) - f(b) is -(f(b) - f(a)).
  const back =
    graph.linear(b!.x).terms.length > graph.linear(a!.x).terms.length || graph.linear(b!.x).constant !== 0
  if (!back) return forms
  const turned = total(graph.difference(b!.x, a!.x)!)
  return [...forms, ...known(q, p, turned).map((to) => ({ to: neg(to) }))]
}

/** a^n - b^n, where a - b is known: beside b it is a small power, where it is as large nothing cancels. */
const powers: RewriteRule = (graph, i) => {
  const terms = twoTerms(graph, i)
  const [a, n] = terms ? (graph.read(terms.plus, 'pow') ?? []) : []
  const [b, m] = terms ? (graph.read(terms.minus, 'pow') ?? []) : []
  if (a === undefined || b === undefined || !graph.same(n!, m!)) return []
  const apart = graph.difference(a, b)
  if (!apart) return []
  const [base, power, d] = [leaf(b), leaf(n!), total(apart)]
  const near = mul(pow(base, power), expm1(mul(power, log1p(div(d, base)))))
  const small = onlyTerm(graph.linear(a), 1)
  const first = small && graph.same(small.operand, b) ? exp(mul(power, log1p(base))) : pow(leaf(a), power)
  const size = typeof d === 'number' ? Math.abs(d) : abs(d)
  return [{ to: near }, { to: where(greater(base, size), near, sub(first, pow(base, power))) }]
}

/** sqrt(b^2 + c) - b is c / (sqrt(b^2 + c) + b), wherever b is above 0: a hypotenuse less a side. */
const roots: RewriteRule = (graph, i) => {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  if (constant !== 0 || terms.length !== 2) return []
  return [0, 1].flatMap((k): readonly Form[] => {
    const [at, other] = [terms[k]!, terms[1 - k]!]
    const [under] = graph.read(at.operand, 'sqrt') ?? []
    const rest = under === undefined ? undefined : withoutSquare(graph, under, other.operand)
    if (!rest) return []
    const [root, b] = [leaf(at.operand), leaf(other.operand)]
    // The sign that makes this a difference of like numbers: that of b against the root.
    const side = at.sign === other.sign ? neg(b) : b
    return one(signed(at.sign, where(greater(side, 0), div(total(rest), add(root, side)), sub(root, side))))
  })
}

/** The other term of a sum with the square of b. */
function withoutSquare(graph: Graph, sum: Operand, b: Operand): Linear | undefined {
  const { constant, terms } = graph.linear(sum)
  const at = terms.findIndex(({ sign, operand }) => {
    const base = sign === 1 ? graph.squared(operand) : undefined
    return base !== undefined && (graph.same(base, b) || graph.opposite(base, b))
  })
  return at < 0 ? undefined : { constant, terms: terms.filter((_, k) => k !== at) }
}

/** A product of operands and a number. */
function factorsOf(
  graph: Graph,
  operand: Operand,
): { readonly number: number; readonly of: readonly Operand[] } {
  const number = graph.constant(operand)
  if (number !== undefined) return { number, of: [] }
  const [a, b] = graph.read(operand, 'mul') ?? []
  if (a === undefined) {
    const [x] = graph.read(operand, 'neg') ?? []
    if (x === undefined) return { number: 1, of: [operand] }
    const inner = factorsOf(graph, x)
    return { ...inner, number: -inner.number }
  }
  const [p, q] = [factorsOf(graph, a), factorsOf(graph, b!)]
  return { number: p.number * q.number, of: [...p.of, ...q.of] }
}

/**
 * (-b + sqrt(b^2 - k a c)) / (m a), the roots of a quadratic, and the other one: the quotient by the sum that does not cancel,
 * and the root as a product, or a hypotenuse, whose squares do not overflow.
 */
const quadratics: RewriteRule = (graph, i) => {
  const [above, below] = graph.read(graph.valueOf(i), 'div') ?? []
  if (above === undefined) return []
  const { number: m, of } = factorsOf(graph, below!)
  const { constant, terms } = graph.linear(above)
  const at = terms.find(({ operand }) => graph.read(operand, 'sqrt'))
  const other = terms.find((term) => term !== at)
  if (!at || of.length !== 1 || constant !== 0 || terms.length !== 2 || other!.sign !== -1) return []
  const rest = withoutSquare(graph, graph.read(at.operand, 'sqrt')![0]!, other!.operand)
  const [product] = rest?.constant === 0 && rest.terms.length === 1 ? rest.terms : []
  if (!product) return []
  const { number, of: pair } = factorsOf(graph, product.operand)
  const k = -product.sign * number
  const place = pair.findIndex((x) => graph.same(x, of[0]!))
  if (pair.length !== 2 || place < 0 || k <= 0) return []
  const [a, b, c] = [leaf(of[0]!), leaf(other!.operand), leaf(pair[1 - place]!)]
  const scaled = (x: Expression, by: number): Expression => (by === 1 ? x : mul(x, by))
  const size = abs(b)
  const mean = scaled(mul(sqrt(abs(a)), sqrt(abs(c))), Math.sqrt(k))
  const apart = mul(sqrt(sub(size, mean)), sqrt(add(size, mean)))
  const alike = mul(calls.sign(a), calls.sign(c))
  const root = where(less(alike, 0), calls.hypot(b, mean), apart)
  const sum = add(size, root)
  const [direct, turned] = [div(scaled(sum, 1 / m), a), div(scaled(c, k / m), sum)]
  const cancels = at.sign === 1 ? greater(b, 0) : less(b, 0)
  return one(signed(at.sign, where(cancels, neg(turned), direct)))
}

/** x^2 - y^2, and 1 - x^2. */
const squares: RewriteRule = (graph, i) => {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  const [x, y] = [1, -1].map((sign) => {
    const base = terms.find((term) => term.sign === sign && graph.squared(term.operand) !== undefined)
    return base && leaf(graph.squared(base.operand)!)
  })
  if (constant === 0 && terms.length === 2 && x && y) return one(mul(sub(x, y), add(x, y)))
  if (terms.length !== 1 || (constant !== 1 && constant !== -1)) return []
  if (x && constant === -1) return one(mul(sub(x, 1), add(x, 1)))
  return y && constant === 1 ? one(mul(sub(1, y), add(y, 1))) : []
}

/** exp(x) - exp(-x) and exp(x) - 2 + exp(-x). */
const exponentials: RewriteRule = (graph, i) => {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  const [a, b] = terms.map(({ operand }) => graph.read(operand, 'exp')?.[0])
  if (terms.length !== 2 || a === undefined || b === undefined || !graph.opposite(a, b)) return []
  const [first, second] = terms
  if (constant === 0 && first!.sign !== second!.sign) {
    return one(mul(sinh(leaf(first!.sign === 1 ? a : b)), 2))
  }
  if (constant !== -2 || terms.some(({ sign }) => sign === -1)) return []
  const x = graph.read(graph.bare(a), 'neg') ? b : a
  return one(mul(square(sinh(mul(leaf(x), 0.5))), 4))
}

/** 1 - cos x. */
const cosines: RewriteRule = (graph, i) => {
  const linear = graph.linear(graph.valueOf(i))
  const term = onlyTerm(linear, linear.constant)
  const [x] = term ? (graph.read(term.operand, 'cos') ?? []) : []
  if (x === undefined || linear.constant !== -term!.sign) return []
  return one(mul(square(sin(mul(leaf(x), 0.5))), 2 * linear.constant))
}

/** (1 - cos x) / sin x and (1 - cos x) / x^2. */
const cosineQuotients: RewriteRule = (graph, i) => {
  const [above, below] = graph.read(graph.valueOf(i), 'div') ?? []
  const term = above === undefined ? undefined : onlyTerm(graph.linear(above), 1)
  const [x] = term?.sign === -1 ? (graph.read(term.operand, 'cos') ?? []) : []
  if (x === undefined) return []
  const half = mul(leaf(x), 0.5)
  const [angle] = graph.read(below!, 'sin') ?? []
  if (angle !== undefined && graph.same(angle, x)) return one(tan(half))
  const base = graph.squared(below!)
  if (base === undefined || !graph.same(base, x)) return []
  return one(mul(square(div(sin(half), leaf(x))), 2))
}

/** A number over a value and a number: 2 / (x - 1). */
interface Fraction {
  readonly above: number
  readonly offset: number
  readonly of: Operand
  readonly sign: 1 | -1
}

function fractionOf(graph: Graph, operand: Operand, sign: 1 | -1): Fraction | undefined {
  const [inverse] = graph.read(operand, 'reciprocal') ?? []
  const [a, b] = inverse === undefined ? (graph.read(operand, 'div') ?? []) : [undefined, inverse]
  const above = inverse === undefined ? (a === undefined ? undefined : graph.constant(a)) : 1
  if (above === undefined || b === undefined) return undefined
  const { constant, terms } = graph.linear(b)
  const [term] = terms
  if (terms.length !== 1) return undefined
  // (c - x) below is -(x - c).
  return {
    above: sign * term!.sign * above,
    offset: term!.sign * constant,
    of: term!.operand,
    sign: term!.sign,
  }
}

/** A sum of fractions c / (x + n), by the polynomial above their common denominator, whose numbers are exact. */
const fractions: RewriteRule = (graph, i) => {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  const parts = terms.flatMap(({ sign, operand }) => fractionOf(graph, operand, sign) ?? [])
  if (constant !== 0 || parts.length !== terms.length || parts.length < 2 || parts.length > 4) return []
  if (!parts.every(({ of }) => graph.same(of, parts[0]!.of))) return []
  const above = parts.reduce<number[]>((sum, { above: c }, k) => {
    const product = parts.reduce((p, { offset }, j) => (j === k ? p : timesLinear(p, offset)), [c])
    return product.map((value, power) => value + (sum[power] ?? 0))
  }, [])
  if (above.at(-1) !== 0) return []
  const x = leaf(parts[0]!.of)
  while (above.at(-1) === 0) above.pop()
  if (above.length === 0) return []
  const [first, ...rest] = [...above].reverse()
  const numerator = rest.reduce<Expression>(
    (sum, c, k) => shifted(k === 0 && sum === 1 ? x : mul(sum, x), c),
    first!,
  )
  // One after the other, the smallest part first where x is large: their product may overflow.
  return one(parts.reduce<Expression>((value, { offset }) => div(value, shifted(x, offset)), numerator))
}

/** A polynomial, by powers, times x + c. */
function timesLinear(p: readonly number[], c: number): number[] {
  return Array.from({ length: p.length + 1 }, (_, k) => (p[k] ?? 0) * c + (p[k - 1] ?? 0))
}

export const differenceRules: readonly RewriteRule[] = [
  differences,
  powers,
  quadratics,
  roots,
  squares,
  exponentials,
  cosines,
  cosineQuotients,
  fractions,
]
