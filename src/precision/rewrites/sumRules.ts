import { stableDecay } from '../../numerics/index.js'
import {
  type Accumulation,
  broadcastTo,
  cast,
  cumsum,
  dtypeFacts,
  matrixTranspose,
  mul,
  ops,
  type Reduction,
  reshape,
  type Scan,
  stack,
  sub,
  sum,
  type Tensor,
  tril,
} from '../../tensor/index.js'
import type { Operand } from '../program/program.js'
import type { Form, RewriteRule } from './form.js'
import type { Graph } from './graph.js'
import { howIn } from './momentRules.js'
import { axisText, optionsText, unbroadcast, unshaped } from './sums.js'

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
    const to = "matmul(x, y, { accumulate: 'float32' })"
    return [wide(graph, i, `matmul(x, y) added up in ${how.accumulate}`, to, { accumulate: 'float32' })]
  }
  const axes = op === ops.cumsum ? [(attributes as Scan).axis] : (attributes as Reduction).axes
  const count = axes.reduce((n, axis) => n * graph.shapeOf(x!)[axis]!, 1)
  if (count < many) return []
  const from = `${name} of ${count} added one by one in ${how.accumulate}`
  const along = axisText(graph, { x: x!, axes }, op === ops.cumsum ? 'last' : 'all')
  if (!narrow) {
    if (how.order !== 'sequential') return []
    const order = op === ops.cumsum ? 'neumaier' : 'pairwise'
    return [wide(graph, i, from, `${name}(x${optionsText(along, `order: '${order}'`)})`, { order })]
  }
  const to =
    op === ops.cumsum && output.dtype === how.accumulate
      ? `stableCumsum(x${optionsText(along)})`
      : `${name}(x${optionsText(along, "accumulate: 'float32'")})`
  return [wide(graph, i, from, to, { accumulate: 'float32' })]
}

/** The same step, told to add in another way. */
function wide(graph: Graph, i: number, from: string, to: string, how: Partial<Accumulation>): Form {
  const { op, operands, attributes } = graph.program.steps[i]!
  const record = attributes as Accumulation & { readonly how?: Accumulation }
  const changed = record.how ? { ...record, how: { ...record.how, ...how } } : { ...record, ...how }
  return { from, to, reads: operands, wider: true, run: (value) => op.kernel(operands.map(value), changed) }
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
  const inOrder = [...terms].reverse()
  const how = narrow ? ({ accumulate: 'float32' } as const) : ({ order: 'pairwise' } as const)
  return [
    {
      from: `${terms.length} terms added one by one in ${dtype}`,
      to: `sum(stack([x, y, ...]), { axis: 0, ${narrow ? "accumulate: 'float32'" : "order: 'pairwise'"} })`,
      reads: inOrder,
      wider: true,
      run: (value) => {
        const list = inOrder.map((term) => broadcastTo(value(term), shape))
        return sum(stack(list), { ...how, axis: 0 })
      },
    },
  ]
}

/** exp(A cs): the product rounds an exponent that exp is handed. */
const decays: RewriteRule = (graph, i) => {
  const [product] = graph.read(graph.valueOf(i), 'exp') ?? []
  const [a, b] = product === undefined ? [] : (graph.read(product, 'mul') ?? [])
  const { dtype } = graph.program.steps[i]!.output
  if (a === undefined || b === undefined || dtypeFacts(dtype).precision >= 24) return []
  const [A, cs] = graph.read(a, 'cumsum') ? [b, a] : [a, b]
  const running = graph.stepOf(cs)
  const [x] = graph.read(cs, 'cumsum') ?? []
  const forms: Form[] = [
    {
      from: 'exp(x * y)',
      to: 'stableDecay(x, y)',
      reads: [A, cs],
      wider: true,
      run: (value) => stableDecay(value(A), value(cs)),
    },
  ]
  if (x === undefined) return forms
  const { axis } = running!.attributes as Scan
  return [
    {
      from: 'exp(x * cumsum(y))',
      to: "stableDecay(x, stableCumsum(y, { dtype: 'float32' }))",
      reads: [A, x],
      wider: true,
      run: (value) => {
        const cs = cumsum(cast(value(x), 'float32'), { axis })
        return stableDecay(cast(value(A), 'float32'), cs)
      },
    },
    ...forms,
  ]
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
  const from = 'cs_i - cs_j of cs = cumsum(x)'
  const reads = factor ? [x, factor.by] : [x]
  const differences = (steps: Tensor, by: Tensor | undefined): Tensor => {
    const below = cumsum(steps, { ...howIn(how, steps), axis: expected.length - 2 })
    const lower = tril(below, { k: -1 })
    const turned = matrixTranspose(lower)
    const signed = down ? sub(lower, turned) : sub(turned, lower)
    return by ? mul(signed, by) : signed
  }
  const form = (to: string, dtype: 'float32' | undefined): Form => ({
    from,
    to: `${to} of tpu-toolkit/ssm${factor ? ', times y' : ''}`,
    reads,
    ...(dtype && { wider: true }),
    run: (value) => {
      const [column, by] = [reshape(value(x), [...front, length, 1]), factor && value(factor.by)]
      const steps = tril(broadcastTo(column, expected), { k: -1 })
      return dtype ? differences(cast(steps, dtype), by && cast(by, dtype)) : differences(steps, by)
    },
  })
  const plain = form('segmentSums(x)', undefined)
  if (dtypeFacts(graph.dtypeOf(x)).precision >= 24) return [plain]
  return [plain, form("segmentSums(x, { dtypes: { sums: 'float32' } })", 'float32')]
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
