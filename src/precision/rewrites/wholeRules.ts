import { type Extremum, ops } from '../../tensors/tensor/index.js'
import type { Operand } from '../program/program.js'
import { calls, type Expression, leaf, type Options } from './expression.js'
import { type Form, one, type RewriteRule } from './form.js'
import type { Graph } from './graph.js'
import { wideVariance } from './momentRules.js'
import { axisOptions, type ScaledSum, scaledSum, standsBeside, summedExp, unshaped } from './sums.js'

const { abs, div, equal, logSoftmax, max, mul, softmax, sqrt } = calls
const { square, sum, where } = calls

/** x of x - max(x) along these axes. */
function unshifted(graph: Graph, operand: Operand, axes: readonly number[]): Operand | undefined {
  const [x, m] = graph.read(operand, 'sub') ?? []
  if (x === undefined) return undefined
  const top = graph.stepOf(unshaped(graph, m!))
  if (top?.op !== ops.max || !graph.same(top.operands[0]!, x)) return undefined
  const along = (top.attributes as Extremum).axes
  return along.length === axes.length && along.every((axis, k) => axis === axes[k]) ? x : undefined
}

/** exp(x) / sum(exp(x)), and the wide inside of the one that is shifted. */
const softmaxes: RewriteRule = (graph, i) => {
  const [above, below] = graph.read(graph.valueOf(i), 'div') ?? []
  const [x] = above === undefined ? [] : (graph.read(above, 'exp') ?? [])
  const sum = below === undefined ? undefined : summedExp(graph, below)
  if (x === undefined || !sum || sum.axes.length !== 1 || !graph.same(sum.x, x)) return []
  if (!standsBeside(graph, below!, sum)) return []
  const shifted = unshifted(graph, x, sum.axes)
  const from = 'softmax, op by op'
  const form = (others?: Options): Form => {
    const to = softmax(leaf(shifted ?? x), axisOptions(graph, sum, 'last', others))
    return { from, to, ...(others && { wider: true }) }
  }
  const wide = form({ internal: 'float32' })
  return shifted === undefined ? [form(), wide] : [wide]
}

/** x - max - log(sum(exp(x - max))), wide inside. */
const logSoftmaxes: RewriteRule = (graph, i) => {
  const [d, log] = graph.read(graph.valueOf(i), 'sub') ?? []
  const [inner] = log === undefined ? [] : (graph.read(log, 'log') ?? [])
  const sum = inner === undefined ? undefined : summedExp(graph, inner)
  if (d === undefined || !sum || sum.axes.length !== 1 || !graph.same(sum.x, d)) return []
  const x = unshifted(graph, d, sum.axes)
  if (x === undefined || !standsBeside(graph, log!, sum)) return []
  const to = logSoftmax(leaf(x), axisOptions(graph, sum, 'last', { internal: 'float32' }))
  return [{ from: 'logSoftmax, op by op', to, wider: true }]
}

/** The mean of the squares of something, and that something. */
function meanSquare(graph: Graph, operand: Operand): (ScaledSum & { readonly base: Operand }) | undefined {
  const found = scaledSum(graph, operand)
  const base = found && graph.squared(found.x)
  if (!found || base === undefined || Math.abs(found.scale * found.count - 1) > 1e-6) return undefined
  return { ...found, base }
}

/** The mean along the same axes that c = x - mean(x) is less than x. */
function uncentred(graph: Graph, c: Operand, axes: readonly number[]): Operand | undefined {
  const [x, m] = graph.read(c, 'sub') ?? []
  const mean = m === undefined ? undefined : scaledSum(graph, m)
  if (x === undefined || !mean || !graph.same(mean.x, x)) return undefined
  if (Math.abs(mean.scale * mean.count - 1) > 1e-6) return undefined
  return mean.axes.every((axis, k) => axis === axes[k]) && standsBeside(graph, m!, mean) ? x : undefined
}

/** A variance in two passes, wide inside. */
const variances: RewriteRule = (graph, i) => {
  const found = meanSquare(graph, graph.valueOf(i))
  const x = found && uncentred(graph, found.base, found.axes)
  const form = x === undefined ? undefined : wideVariance(graph, i, x, found!.axes)
  return form ? [{ ...form, from: 'variance, op by op' }] : []
}

/** Layer norm and RMS norm, wide inside. */
const norms: RewriteRule = (graph, i) => {
  const value = graph.valueOf(i)
  const [c, below] = graph.read(value, 'div') ?? []
  const [p, q] = graph.read(value, 'mul') ?? []
  const candidates =
    c !== undefined
      ? [[c, graph.read(below!, 'sqrt')?.[0]] as const]
      : p !== undefined
        ? [[p, graph.read(q!, 'rsqrt')?.[0]] as const, [q!, graph.read(p, 'rsqrt')?.[0]] as const]
        : []
  return candidates.flatMap(([above, under]): Form[] => {
    if (under === undefined) return []
    const { constant: eps, terms } = graph.linear(under)
    const [term] = terms
    const square = terms.length === 1 && term!.sign === 1 ? meanSquare(graph, term!.operand) : undefined
    if (!square || eps < 0 || !graph.same(square.base, above)) return []
    const x = uncentred(graph, above, square.axes)
    const [v, name] = x === undefined ? ([above, 'rmsNorm'] as const) : ([x, 'layerNorm'] as const)
    const options = axisOptions(graph, { x: v, axes: square.axes }, 'last', { eps, internal: 'float32' })
    return [{ from: `${name}, op by op`, to: calls[name](leaf(v), options), wider: true }]
  })
}

/** A root of a sum of squares, whose squares may overflow or vanish: scaled by the largest. */
const hypotenuses: RewriteRule = (graph, i) => {
  const [under] = graph.read(graph.valueOf(i), 'sqrt') ?? []
  if (under === undefined) return []
  const lane = scaledSum(graph, under)
  const x = lane && graph.squared(lane.x)
  if (lane && x !== undefined && lane.scale > 0) {
    const options = axisOptions(graph, lane, 'all', { keepDims: true })
    const m = max(abs(leaf(x)), options)
    const squares = square(div(leaf(x), notZero(m)))
    const added = sum(squares, options)
    return one(mul(m, sqrt(lane.scale === 1 ? added : mul(added, lane.scale))))
  }
  const { constant, terms } = graph.linear(under)
  const [a, b] = terms.map(({ sign, operand }) => (sign === 1 ? graph.squared(operand) : undefined))
  if (constant !== 0 || terms.length !== 2 || a === undefined || b === undefined) return []
  return one(calls.hypot(leaf(a), leaf(b)))
}

const notZero = (m: Expression): Expression => where(equal(m, 0), 1, m)

export const wholeRules: readonly RewriteRule[] = [softmaxes, logSoftmaxes, variances, norms, hypotenuses]
