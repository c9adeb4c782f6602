import type { Operand, Program } from '../program/program.js'
import { Call, readsOf } from '../rewrites/expression.js'
import { Graph } from '../rewrites/graph.js'
import { scaledSum, unshaped } from '../rewrites/sums.js'
import { wholeRules } from '../rewrites/wholeRules.js'

/** What a function reads that ends in this step; undefined where another one does. */
type Part = (graph: Graph, step: number) => readonly Operand[] | undefined

/** max + log(sum(exp(x - max))). */
const logsumexp: Part = (graph, i) => {
  const operands = graph.read(graph.valueOf(i), 'add') ?? []
  for (const [k, operand] of operands.entries()) {
    const [inner] = graph.read(unshaped(graph, operand), 'log') ?? []
    const sum = inner === undefined ? undefined : scaledSum(graph, inner)
    const [shifted] = sum ? (graph.read(sum.x, 'exp') ?? []) : []
    const [x, shift] = shifted === undefined ? [] : (graph.read(shifted, 'sub') ?? [])
    if (x === undefined) continue
    if (graph.same(unshaped(graph, shift!), unshaped(graph, operands[1 - k]!))) return [x]
  }
  return undefined
}

/** sqrt(sum(x^2)). */
const norm: Part = (graph, i) => {
  const [under] = graph.read(graph.valueOf(i), 'sqrt') ?? []
  const sum = under === undefined ? undefined : scaledSum(graph, under)
  const x = sum && graph.squared(sum.x)
  return x === undefined ? undefined : [x]
}

/** The sum or mean of f(x - y), where y is not the mean of x: that is a variance. */
function ofDifferences(
  graph: Graph,
  i: number,
  inside: (x: Operand) => Operand | undefined,
): readonly Operand[] | undefined {
  const sum = scaledSum(graph, graph.valueOf(i))
  const difference = sum && inside(sum.x)
  const [x, y] = difference === undefined ? [] : (graph.read(difference, 'sub') ?? [])
  if (x === undefined) return undefined
  const centre = scaledSum(graph, y!)
  return centre && graph.same(centre.x, x) ? undefined : [x, y!]
}

const squaredError: Part = (graph, i) => ofDifferences(graph, i, (x) => graph.squared(x))
const absoluteError: Part = (graph, i) => ofDifferences(graph, i, (x) => graph.read(x, 'abs')?.[0])

/** What a difference is of; a value alone where it is none. */
function sides(graph: Graph, error: Operand): readonly Operand[] {
  return graph.read(error, 'sub') ?? [error]
}

/** A product's other factor where one is a number. */
function unscaled(graph: Graph, operand: Operand): Operand {
  const factors = graph.read(operand, 'mul') ?? []
  const other = factors.findIndex((factor) => graph.constant(factor) !== undefined)
  return other < 0 ? graph.bare(operand) : unscaled(graph, factors[1 - other]!)
}

/** q^2 / 2 + delta (|e| - q), q = min(|e|, delta). */
const clippedHuber: Part = (graph, i) => {
  const terms = graph.read(graph.valueOf(i), 'add') ?? []
  for (const [k, term] of terms.entries()) {
    const least = graph.squared(unscaled(graph, term))
    const [size, cut] = graph.read(unscaled(graph, terms[1 - k]!), 'sub') ?? []
    const [error] = size === undefined ? [] : (graph.read(size, 'abs') ?? [])
    if (least === undefined || error === undefined || !graph.same(least, cut!)) continue
    const bounded = graph.read(least, 'minimum') ?? []
    if (bounded.some((x) => graph.same(x, size!))) return sides(graph, error)
  }
  return undefined
}

/** |e| < delta ? e^2 / 2 : delta (|e| - delta / 2), the smooth absolute error too. */
const chosenHuber: Part = (graph, i) => {
  const [near, ...branches] = graph.read(graph.valueOf(i), 'where') ?? []
  const compared =
    near === undefined ? undefined : graph.read(near, 'less', 'lessEqual', 'greater', 'greaterEqual')
  const [error] = compared?.flatMap((x) => graph.read(x, 'abs') ?? []) ?? []
  if (error === undefined) return undefined
  const square = branches.find((x) => graph.squared(unscaled(graph, x)) !== undefined)
  const under = square === undefined ? undefined : graph.squared(unscaled(graph, square))!
  const [size] = under === undefined ? [] : (graph.read(under, 'abs') ?? [under])
  return size !== undefined && graph.same(size, error) ? sides(graph, error) : undefined
}

const huber: Part = (graph, i) => clippedHuber(graph, i) ?? chosenHuber(graph, i)

/** p (log p - q) or exp(p) (p - q), a p of 0 looked through. */
const klDivergence: Part = (graph, i) => {
  const factors = graph.read(graph.valueOf(i), 'mul') ?? []
  for (const [k, p] of factors.entries()) {
    const [logarithm, q] = graph.read(factors[1 - k]!, 'sub') ?? []
    if (logarithm === undefined) continue
    const [raised] = graph.read(p, 'exp') ?? []
    if (raised !== undefined && graph.same(raised, logarithm)) return [raised, q!]
    const [inside] = graph.read(logarithm, 'log') ?? []
    const choices = inside === undefined ? [] : [inside, ...(graph.read(inside, 'where') ?? [])]
    if (choices.some((x) => graph.same(x, p))) return [p, q!]
  }
  return undefined
}

const parts: Readonly<Record<string, Part>> = {
  logsumexp,
  norm,
  squaredError,
  absoluteError,
  huber,
  klDivergence,
}

/**
 * The steps that are parts of these functions: `softmax`, `logSoftmax`, `layerNorm` as the patterns of rewrites find them,
 * `logsumexp`, `norm`, the sum or mean of a `squaredError` or an `absoluteError`, `huber` and `klDivergence` of each element.
 */
export function composedSteps(program: Program, functions: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>()
  if (functions.length === 0) return found
  const graph = new Graph(program)
  const n = program.inputs.length
  const chosen = functions.flatMap((name) => parts[name] ?? [])
  const partsAt = (i: number): (readonly Operand[])[] => [
    ...wholeRules
      .flatMap((rule) => rule(graph, i))
      .filter(({ to }) => to instanceof Call && functions.includes(to.name))
      .map(({ to }) => readsOf(to)),
    ...chosen.flatMap((part) => {
      const reads = part(graph, i)
      return reads ? [reads] : []
    }),
  ]
  for (const i of program.steps.keys()) {
    for (const reads of partsAt(i)) {
      const ends = new Set(reads.map((operand) => graph.bare(operand)))
      const seen = new Set<number>()
      const open = [i]
      for (let at = open.pop(); at !== undefined; at = open.pop()) {
        if (seen.has(at)) continue
        seen.add(at)
        found.add(at)
        for (const operand of program.steps[at]!.operands) {
          if (typeof operand === 'number' && operand >= n && !ends.has(operand)) open.push(operand - n)
        }
      }
    }
  }
  return found
}
