import { type Accumulation, dtypeFacts, isFloat, type Reduction } from '../../tensors/tensor/index.js'
import type { Operand } from '../program/program.js'
import { calls, type Expression, leaf, type Options } from './expression.js'
import { type Form, type RewriteRule, twoTerms } from './form.js'
import type { Graph } from './graph.js'
import { alongside, axisOptions, kept, type ScaledSum, scaledSum, unshaped } from './sums.js'

const { div, matmul, matrixTranspose, mean, mul, square, stableCovariance, sub, sum, variance } = calls

/** How a sum adds, where it is not as a function adds by itself. */
function howOptions(graph: Graph, x: Operand, { order, accumulate }: Accumulation): Options {
  return {
    order: typeof order === 'string' && order !== 'sequential' ? order : undefined,
    accumulate: accumulate === graph.dtypeOf(x) ? undefined : accumulate,
  }
}

/** E[xy] - E[x] E[y], however its means are written, is the mean of (x - E[x]) (y - E[y]). */
const centred: RewriteRule = (graph, i) => {
  const terms = twoTerms(graph, i)
  const products = terms && scaledSum(graph, terms.plus)
  const means = products && productOfSums(graph, terms.minus)
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
  const from = `${squares ? 'a variance' : 'a covariance'} in one pass`
  const how = howOptions(graph, x, (products.step.attributes as Reduction).how)
  const options = axisOptions(graph, products, 'all', { ...how, ...kept(graph, i, x) })
  if (squares && isMean) {
    const plain = variance(leaf(x), axisOptions(graph, products, 'all', kept(graph, i, x)))
    const wide = wideVariance(graph, i, x, products.axes)
    const forms = products.axes.length === 1 || isWhole(graph, products) ? [{ from, to: plain }] : []
    return wide ? [...forms, { ...wide, from }] : forms
  }
  const centre = (of: Operand): Expression =>
    sub(leaf(of), mean(leaf(of), axisOptions(graph, products, 'all', { ...how, keepDims: true })))
  const product = squares ? square(centre(x)) : mul(centre(x), centre(y))
  if (isMean) return [{ from, to: mean(product, options) }]
  const added = sum(product, options)
  return [{ from, to: near(products.scale, 1) ? added : mul(added, products.scale) }]
}

function isWhole(graph: Graph, { x, axes }: Pick<ScaledSum, 'x' | 'axes'>): boolean {
  return axes.length === graph.shapeOf(x).length
}

/** variance in float32 inside. */
export function wideVariance(graph: Graph, i: number, x: Operand, axes: readonly number[]): Form | undefined {
  if (!isWhole(graph, { x, axes }) && axes.length !== 1) return undefined
  const options = { ...kept(graph, i, x), internal: 'float32' }
  return { to: variance(leaf(x), axisOptions(graph, { x, axes }, 'all', options)), wider: true }
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
  const difference = twoTerms(graph, i)
  const [above, count] = difference ? (graph.read(difference.plus, 'div') ?? []) : []
  const [left, x] = above === undefined ? [] : (graph.read(above, 'matmul') ?? [])
  const [turned] = left === undefined ? [] : (graph.read(left, 'transpose') ?? [])
  if (turned === undefined || x === undefined || !graph.same(turned, x)) return []
  const shape = graph.shapeOf(x)
  const n = graph.constant(count!)
  if (shape.length !== 2 || n === undefined || n !== shape[0]) return []
  const means = (graph.read(difference!.minus, 'mul', 'matmul') ?? []).map((operand) =>
    scaledSum(graph, graph.read(operand, 'transpose')?.[0] ?? operand),
  )
  const matches = means.every(
    (one) => one && graph.same(one.x, x) && one.axes.length === 1 && one.axes[0] === 0,
  )
  if (means.length !== 2 || !matches || !means.every((one) => near(one!.scale, 1 / n))) return []
  const how = graph.stepOf(above!)!.attributes as Accumulation
  const { accumulate } = how
  const wide = isFloat(accumulate) && dtypeFacts(accumulate).precision >= 24 ? undefined : accumulate
  const [z, from] = [leaf(x), 'a covariance in one pass']
  const centre = sub(z, mean(z, { axis: 0, ...howOptions(graph, x, how), keepDims: true }))
  return [
    { from, to: div(matmul(matrixTranspose(centre), centre, wide && { accumulate: wide }), n) },
    { from, wider: true, to: mul(stableCovariance(z), (n - 1) / n) },
  ]
}

export const momentRules: readonly RewriteRule[] = [centred, covariances]
