import { stableCovariance, variance } from '../../numerics/index.js'
import {
  type AccumulateOptions,
  type Accumulation,
  div,
  dtypeFacts,
  isFloat,
  matmul,
  mean,
  mul,
  type Reduction,
  sub,
  sum,
  type Tensor,
  transpose,
} from '../../tensor/index.js'
import type { Operand } from '../program/program.js'
import type { Form, RewriteRule } from './form.js'
import type { Graph } from './graph.js'
import { alongside, axisText, optionsText, type ScaledSum, scaledSum, unshaped } from './sums.js'

/** How a sum adds, in a run that may be wider than the recorded one. */
export function howIn({ order, accumulate }: Accumulation, { dtype }: Tensor): Required<AccumulateOptions> {
  const floats = [accumulate, dtype].filter(isFloat)
  const [widest = 'float64'] = floats.sort((a, b) => dtypeFacts(b).precision - dtypeFacts(a).precision)
  return { order, accumulate: widest }
}

/** E[xy] - E[x] E[y], however its means are written, is the mean of (x - E[x]) (y - E[y]). */
const centred: RewriteRule = (graph, i) => {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  const plus = terms.find(({ sign }) => sign === 1)
  const minus = terms.find(({ sign }) => sign === -1)
  if (constant !== 0 || terms.length !== 2 || !plus || !minus) return []
  const products = scaledSum(graph, plus.operand)
  const means = products && productOfSums(graph, minus.operand)
  if (!products || !means) return []
  const [x, y] = factors(graph, products.x) ?? []
  if (x === undefined || y === undefined) return []
  const matches = [
    [means.a, means.b],
    [means.b, means.a],
  ].some(
    ([a, b]) =>
      graph.same(a!.x, x) && graph.same(b!.x, y) && [a!, b!].every((one) => alongside(graph, one, products)),
  )
  if (!matches || !near(means.scale * products.count, products.scale)) return []
  const squares = graph.same(x, y)
  const isMean = near(products.scale * products.count, 1)
  const { axes, how } = products.step.attributes as Reduction
  const run: Form['run'] = (value) => {
    const [p, q] = [centre(value(x), axes, how), squares ? undefined : centre(value(y), axes, how)]
    const product = mul(p, q ?? p)
    const options = { ...howIn(how, product), axis: axes, keepDims: true }
    return isMean ? mean(product, options) : mul(sum(product, options), products.scale)
  }
  const axis = axisText(graph, products, 'all')
  if (!squares) {
    return [
      {
        from: isMean ? 'mean(x * y) - mean(x) * mean(y)' : 'sum(x * y) - sum(x) * sum(y) / n',
        to: `${isMean ? 'mean' : 'sum'}((x - mean(x)) * (y - mean(y))${optionsText(axis)})`,
        reads: [x, y],
        run,
      },
    ]
  }
  const from = isMean ? 'mean(x^2) - mean(x)^2' : 'sum(x^2) - sum(x)^2 / n'
  if (!isMean) return [{ from, to: `sum((x - mean(x))^2${optionsText(axis)})`, reads: [x], run }]
  const forms: Form[] = [{ from, to: `variance(x${optionsText(axis)})`, reads: [x], run }]
  const wide = wideVariance(graph, from, x, axes)
  return wide ? [...forms, wide] : forms
}

/** variance in float32 inside. */
export function wideVariance(
  graph: Graph,
  from: string,
  x: Operand,
  axes: readonly number[],
): Form | undefined {
  const all = axes.length === graph.shapeOf(x).length
  if (!all && axes.length !== 1) return undefined
  const axis = axisText(graph, { x, axes }, 'all')
  return {
    from,
    to: `variance(x${optionsText(axis, "internal: 'float32'")})`,
    reads: [x],
    wider: true,
    run: (value) => variance(value(x), { internal: 'float32', ...(!all && { axis: axes[0]! }) }),
  }
}

function centre(x: Tensor, axes: readonly number[], how: Accumulation): Tensor {
  return sub(x, mean(x, { ...howIn(how, x), axis: axes, keepDims: true }))
}

/** The factors of a product or a square. */
function factors(graph: Graph, operand: Operand): readonly [Operand, Operand] | undefined {
  const base = graph.squared(operand)
  if (base !== undefined) return [base, base]
  const [a, b] = graph.read(operand, 'mul') ?? []
  return a === undefined ? undefined : [a, b!]
}

interface ProductOfSums {
  readonly a: ScaledSum
  readonly b: ScaledSum
  /** That of both, and of what the product is multiplied by. */
  readonly scale: number
}

/** The product of two sums or means, times numbers. */
function productOfSums(graph: Graph, operand: Operand): ProductOfSums | undefined {
  const at = unshaped(graph, operand)
  const [x, n] = graph.read(at, 'div') ?? []
  const divisor = n === undefined ? undefined : graph.constant(n)
  if (divisor !== undefined) return times(productOfSums(graph, x!), 1 / divisor)
  const [p, q] = factors(graph, at) ?? []
  if (p === undefined || q === undefined) return undefined
  const [first, second] = [graph.constant(p), graph.constant(q)]
  if (first !== undefined) return times(productOfSums(graph, q), first)
  if (second !== undefined) return times(productOfSums(graph, p), second)
  const [a, b] = [scaledSum(graph, p), scaledSum(graph, q)]
  return a && b && { a, b, scale: a.scale * b.scale }
}

function times(product: ProductOfSums | undefined, factor: number): ProductOfSums | undefined {
  return product && { ...product, scale: product.scale * factor }
}

/** Equal but for the rounding of counts and their reciprocals. */
function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-6 * Math.abs(b)
}

/** x^T x / n - m^T m, the covariance of rows in one pass. */
const covariances: RewriteRule = (graph, i) => {
  const { constant, terms } = graph.linear(graph.valueOf(i))
  const plus = terms.find(({ sign }) => sign === 1)
  const minus = terms.find(({ sign }) => sign === -1)
  if (constant !== 0 || terms.length !== 2 || !plus || !minus) return []
  const [above, count] = graph.read(plus.operand, 'div') ?? []
  const [left, x] = above === undefined ? [] : (graph.read(above, 'matmul') ?? [])
  const [turned] = left === undefined ? [] : (graph.read(left, 'transpose') ?? [])
  if (turned === undefined || x === undefined || !graph.same(turned, x)) return []
  const shape = graph.shapeOf(x)
  const n = graph.constant(count!)
  if (shape.length !== 2 || n === undefined || n !== shape[0]) return []
  const means = (graph.read(minus.operand, 'mul', 'matmul') ?? []).map((operand) =>
    scaledSum(graph, graph.read(operand, 'transpose')?.[0] ?? operand),
  )
  const matches = means.every(
    (one) => one && graph.same(one.x, x) && one.axes.length === 1 && one.axes[0] === 0,
  )
  if (means.length !== 2 || !matches || !means.every((one) => near(one!.scale, 1 / n))) return []
  const how = graph.stepOf(above!)!.attributes as Accumulation
  const from = 'x^T x / n - mean(x)^T mean(x)'
  const plain: Form = {
    from,
    to: 'c^T c / n with c = x - mean(x, { axis: -2 })',
    reads: [x],
    run: (value) => {
      const c = centre(value(x), [0], how)
      return div(matmul(transpose(c), c, howIn(how, c)), n)
    },
  }
  const wide: Form = {
    from,
    to: 'stableCovariance(x) * (n - 1) / n',
    reads: [x],
    wider: true,
    run: (value) => mul(stableCovariance(value(x)), (n - 1) / n),
  }
  return [plain, wide]
}

export const momentRules: readonly RewriteRule[] = [centred, covariances]
