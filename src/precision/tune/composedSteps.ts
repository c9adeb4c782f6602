import type { Operand, Program } from '../program/program.js'
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

const parts: Readonly<Record<string, Part>> = { logsumexp, norm, squaredError, absoluteError }

/**
 * The steps that are parts of these functions: `softmax`, `logSoftmax`, `layerNorm` as the patterns of rewrites find them,
 * `logsumexp`, `norm`, and the sum or mean of a `squaredError` or an `absoluteError`.
 */
export function composedSteps(program: Program, functions: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>()
  if (functions.length === 0) return found
  const graph = new Graph(program)
  const n = program.inputs.length
  const chosen = functions.flatMap((name) => parts[name] ?? [])
  const readsOf = (i: number): (readonly Operand[])[] => [
    ...wholeRules
      .flatMap((rule) => rule(graph, i))
      .filter(({ to }) => functions.some((name) => to.startsWith(`${name}(`)))
      .map(({ reads }) => reads),
    ...chosen.flatMap((part) => {
      const reads = part(graph, i)
      return reads ? [reads] : []
    }),
  ]
  for (const i of program.steps.keys()) {
    for (const reads of readsOf(i)) {
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
