import { type Accumulation, dtypeFacts, ops, type Reduction, type Scan } from '../../tensors/tensor/index.js'
import type { Operand } from '../program/program.js'
import { calls, type Expression, leaf, type Options } from './expression.js'
import type { Form, RewriteRule } from './form.js'
import type { Graph } from './graph.js'
import { axisOptions, kept, unbroadcast, unshaped } from './sums.js'

const { broadcastTo, cast, cumsum, matmul, matrixTranspose, mul, reshape, stableCumsum, stableDecay } = calls
const { stack, sub, sum, tril } = calls

/** Terms from which a chain of additions is a sum of many. */
const many = 8

/** A sum, running sum or product that adds one by one in a narrow dtype, or in float32. */
const sequences: RewriteRule = (graph, i) => {
  const { op, operands, attributes, output } = graph.program.steps[i]!
  const [x] = operands
  if (op !== ops.sum && op !== ops.mean && op !== ops.cumsum && op !== ops.matmul) return []
  const how = op === ops.matmul ? (attributes as Accumulation) : (attributes as Reduction | Scan).how
  const narrow = dtypeFacts(how.accumulate).precision < 24
  if (!narrow && how.accumulate !== 'float32') return []
  const { name } = op
  if (op === ops.matmul) {
    if (!narrow) return []
    const to = matmul(leaf(x!), leaf(operands[1]!), { accumulate: 'float32' })
    return [{ from: `a matmul that adds in ${how.accumulate}`, to, wider: true }]
  }
  const axes = op === ops.cumsum ? [(attributes as Scan).axis] : (attributes as Reduction).axes
  const count = axes.reduce((n, axis) => n * graph.shapeOf(x!)[axis]!, 1)
  if (count < many || (!narrow && how.order !== 'sequential')) return []
  const from = `${name} of ${count} added one by one in ${how.accumulate}`
  const running = op === ops.cumsum
  const order = narrow ? undefined : running ? 'neumaier' : 'pairwise'
  const along = (others?: Options) => axisOptions(graph, { x: x!, axes }, running ? 'last' : 'all', others)
  const how32 = narrow ? { accumulate: 'float32' } : { order }
  const to =
    running && narrow && output.dtype === how.accumulate
      ? stableCumsum(leaf(x!), along())
      : calls[name as 'sum' | 'mean' | 'cumsum'](
          leaf(x!),
          along({ ...how32, ...(!running && kept(graph, i, x!)) }),
        )
  return [{ from, to, wider: true }]
}

/** s + x + y + ..., a loop that adds: nothing else reads what is in between. */
const chains: RewriteRule = (graph, i) => {
  const { steps } = graph.program
  const isAdd = (operand: Operand): boolean => graph.read(operand, 'add') !== undefined
  const root = graph.valueOf(i)
  if (steps[i]!.op !== ops.add || graph.readersOf(i).some((reader) => steps[reader]?.op === ops.add)) {
    return []
  }
  const terms: Operand[] = []
  let at: Operand = root
  for (;;) {
    const [a, b]: readonly Operand[] = graph.read(at, 'add') ?? []
    if (a === undefined) break
    const next: Operand | undefined = [a, b!].find(
      (operand) => isAdd(operand) && graph.readersOf(graph.stepNumber(operand)!).length === 1,
    )
    const other = next === a ? b! : a
    terms.push(other)
    if (next === undefined) {
      terms.push(b!)
      break
    }
    at = next
  }
  if (terms.length < many || terms.some((term) => graph.constant(term) !== undefined)) return []
  const { dtype, shape } = steps[i]!.output
  const narrow = dtypeFacts(dtype).precision < 24
  const how = narrow ? { accumulate: 'float32' } : { order: 'pairwise' }
  const list = [...terms].reverse().map((term) => {
    const same = graph.shapeOf(term).join() === shape.join()
    return same ? leaf(term) : broadcastTo(leaf(term), [...shape])
  })
  const from = `${terms.length} terms added one by one in ${dtype}`
  return [{ from, to: sum(stack(list), { axis: 0, ...how }), wider: true }]
}

/** exp(A cs): the product rounds the argument of exp. */
const decays: RewriteRule = (graph, i) => {
  const [product] = graph.read(graph.valueOf(i), 'exp') ?? []
  const [a, b] = product === undefined ? [] : (graph.read(product, 'mul') ?? [])
  const { dtype } = graph.program.steps[i]!.output
  if (a === undefined || b === undefined || dtypeFacts(dtype).precision >= 24) return []
  const [A, cs] = graph.read(a, 'cumsum') ? [b, a] : [a, b]
  const running = graph.stepOf(cs)
  const [x] = graph.read(cs, 'cumsum') ?? []
  const number = graph.shapeOf(A).length === 0 ? graph.constant(A) : undefined
  const plain: Form = { to: stableDecay(number ?? leaf(A), leaf(cs)), wider: true }
  if (x === undefined) return [plain]
  const { axis } = running!.attributes as Scan
  const sums = cumsum(cast(leaf(x), 'float32'), axis === graph.shapeOf(x).length - 1 ? undefined : { axis })
  return [{ to: stableDecay(number ?? cast(leaf(A), 'float32'), sums), wider: true }, plain]
}

/** cs_i - cs_j of one running sum: sums of segments need no large numbers. */
const segments: RewriteRule = (graph, i) => {
  const [a, b] = graph.read(graph.valueOf(i), 'sub') ?? []
  if (a === undefined || b === undefined) return []
  const [at, other] = [unshaped(graph, a), unshaped(graph, b)]
  if (at !== other) return []
  const factor = factorOf(graph, at)
  const running = graph.stepOf(factor?.of ?? at)
  const [x] = graph.read(factor?.of ?? at, 'cumsum') ?? []
  if (!running || x === undefined) return []
  const shape = graph.shapeOf(at)
  const length = shape.at(-1)!
  const { axis, how } = running.attributes as Scan
  const front = shape.slice(0, -1)
  const root = graph.shapeOf(graph.valueOf(i))
  const expected = [...front, length, length]
  if (axis !== shape.length - 1 || root.length !== expected.length) return []
  if (!root.every((n, k) => n === expected[k]) || length < 2) return []
  const side = (operand: Operand): string => sideOf(graph, operand, length)
  const down = side(a) === 'rows' && side(b) === 'columns'
  if (!down && !(side(a) === 'columns' && side(b) === 'rows')) return []
  const from = 'differences of one running sum; segmentSums of tpu-toolkit/ssm has its own'
  const form = (dtype: 'float32' | undefined): Form => {
    const wide = (operand: Operand): Expression => (dtype ? cast(leaf(operand), dtype) : leaf(operand))
    const column = broadcastTo(reshape(wide(x), [...front, length, 1]), expected)
    const below = cumsum(tril(column, { k: -1 }), { axis: expected.length - 2, ...orderOf(how) })
    const lower = tril(below, { k: -1 })
    const turned = matrixTranspose(lower)
    const signed = down ? sub(lower, turned) : sub(turned, lower)
    return { from, to: factor ? mul(signed, wide(factor.by)) : signed, ...(dtype && { wider: true }) }
  }
  return dtypeFacts(graph.dtypeOf(x)).precision >= 24 ? [form(undefined)] : [form(undefined), form('float32')]
}

function orderOf({ order }: Accumulation): Options {
  return typeof order === 'string' && order !== 'sequential' ? { order } : {}
}

/** A running sum times one number. */
function factorOf(
  graph: Graph,
  operand: Operand,
): { readonly of: Operand; readonly by: Operand } | undefined {
  const [a, b] = graph.read(operand, 'mul') ?? []
  if (a === undefined || b === undefined) return undefined
  const scalar = (x: Operand): boolean => graph.shapeOf(x).every((n) => n === 1)
  if (scalar(a) && graph.read(b, 'cumsum')) return { of: b, by: a }
  return scalar(b) && graph.read(a, 'cumsum') ? { of: a, by: b } : undefined
}

/** Whether a value runs down the rows or along the columns of the differences. */
function sideOf(graph: Graph, operand: Operand, length: number): 'rows' | 'columns' | 'neither' {
  const shape = graph.shapeOf(unbroadcast(graph, operand))
  const [row, column] = shape.slice(-2)
  if (row === length && column === 1) return 'rows'
  return column === length && (row === 1 || shape.length === 1) ? 'columns' : 'neither'
}

export const sumRules: readonly RewriteRule[] = [sequences, chains, decays, segments]
