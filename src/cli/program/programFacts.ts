import { basename } from 'node:path'
import {
  type Attribute,
  type Block,
  droppedRoundings,
  type Location,
  type Module,
  type Operation,
  type Type,
  type Value,
} from '../../programs/stablehlo/index.js'

/** What a program does, counted without running it. */
export interface ProgramFacts {
  /** Operations of one kind: how many there are in the text, how often they run, their work. */
  readonly kinds: readonly KindFacts[]
  readonly flops: number
  /** Operands read and results written, as if every operation went through memory. */
  readonly bytes: number
  /** Bytes of arguments, results and constants. */
  readonly held: { readonly arguments: number; readonly results: number; readonly constants: number }
  /** Elements of results by their type, most first. */
  readonly elements: readonly { readonly element: string; readonly results: number; readonly bytes: number }[]
  /** Roundings that the text asks for and XLA's CPU backend leaves out by default, by the line of the operation that rounds. */
  readonly dropped: readonly {
    readonly operation: string
    readonly through: string
    readonly site: string
    readonly casts: number
  }[]
  /** Loops whose rounds are not known: counted once. */
  readonly unknownLoops: number
}

export interface KindFacts {
  readonly kind: string
  readonly count: number
  readonly runs: number
  readonly flops: number
  readonly bytes: number
}

/** Operations that move, look up or only say something. */
const moves: ReadonlySet<string> = new Set(
  'constant broadcast_in_dim broadcast reshape transpose slice dynamic_slice dynamic_update_slice gather concatenate pad reverse iota convert bitcast_convert optimization_barrier custom_call tuple get_tuple_element call while case if composite return sharding_constraint copy'.split(
    ' ',
  ),
)

/** Counts what a function of a module does, calls and loops as often as they run. */
export function programFacts(module: Module, name: string): ProgramFacts {
  const kinds = new Map<string, { count: number; runs: number; flops: number; bytes: number }>()
  const elements = new Map<string, { results: number; bytes: number }>()
  const counted = new Set<Operation>()
  let unknownLoops = 0
  let constants = 0

  function visit(block: Block, times: number, depth: number): void {
    if (depth > 64) return
    const makers = new Map<Value, Operation>()
    for (const op of block.operations) {
      for (const result of op.results) makers.set(result, op)
      if (op.name.endsWith('.return')) continue
      tally(op, times)
      if (op.name === 'func.call' || op.name === 'stablehlo.composite') {
        const callee = op.attributes['callee'] ?? op.attributes['decomposition']
        const func = callee?.kind === 'symbol' ? module.functions.get(callee.name) : undefined
        const inner = func?.body.blocks[0]
        if (inner) visit(inner, times, depth + 1)
      } else if (op.name === 'stablehlo.while') {
        const rounds = roundsOf(op, makers)
        if (rounds === undefined && !counted.has(op)) unknownLoops++
        for (const { blocks } of op.regions) {
          for (const inner of blocks) visit(inner, times * (rounds ?? 1), depth + 1)
        }
      } else if (op.name === 'stablehlo.case' || op.name === 'stablehlo.if') {
        // One of them runs: the longest stands for it.
        const longest = op.regions
          .flatMap(({ blocks }) => blocks)
          .sort((a, b) => b.operations.length - a.operations.length)[0]
        if (longest) visit(longest, times, depth + 1)
      }
      counted.add(op)
    }
  }

  function tally(op: Operation, times: number): void {
    const kind = op.name.replace(/^stablehlo\./, '')
    const row = kinds.get(kind) ?? { count: 0, runs: 0, flops: 0, bytes: 0 }
    const bytes =
      kind === 'constant' ? 0 : sum([...op.operands, ...op.results].map(({ type }) => bytesOf(type)))
    if (kind === 'constant' && !counted.has(op)) constants += sum(op.results.map(({ type }) => bytesOf(type)))
    kinds.set(kind, {
      count: row.count + (counted.has(op) ? 0 : 1),
      runs: row.runs + times,
      flops: row.flops + times * flopsOf(op),
      bytes: row.bytes + times * (isContainer(op) ? 0 : bytes),
    })
    if (isContainer(op)) return
    for (const { type } of op.results) {
      if (type.kind !== 'tensor') continue
      const found = elements.get(type.element) ?? { results: 0, bytes: 0 }
      elements.set(type.element, {
        results: found.results + times,
        bytes: found.bytes + times * bytesOf(type),
      })
    }
  }

  const func = module.functions.get(name)
  const main = func?.body.blocks[0]
  if (main) visit(main, 1, 0)
  const rows = [...kinds].map(([kind, row]) => ({ kind, ...row })).sort((a, b) => b.runs - a.runs)
  return {
    kinds: rows,
    flops: sum(rows.map(({ flops }) => flops)),
    bytes: sum(rows.map(({ bytes }) => bytes)),
    held: {
      arguments: sum((func?.type.inputs ?? []).map(bytesOf)),
      results: sum((func?.type.results ?? []).map(bytesOf)),
      constants,
    },
    elements: [...elements].map(([element, row]) => ({ element, ...row })).sort((a, b) => b.bytes - a.bytes),
    dropped: droppedOf(module, name),
    unknownLoops,
  }
}

function droppedOf(module: Module, name: string): ProgramFacts['dropped'] {
  const found = new Map<string, ProgramFacts['dropped'][number]>()
  for (const { operation, cast } of droppedRoundings(module, { function: name })) {
    const kind = operation.name.replace(/^\w+\./, '')
    const site = siteOf(operation.location) ?? `line ${operation.position.line} of the text`
    const key = `${kind} ${site}`
    const casts = (found.get(key)?.casts ?? 0) + 1
    found.set(key, { operation: kind, through: elementOf(cast.operands[0]!.type), site, casts })
  }
  return [...found.values()]
}

function isContainer({ name }: Operation): boolean {
  return /^(func\.call|stablehlo\.(while|case|if|composite))$/.test(name)
}

/** Multiplications, additions, comparisons and functions: two a term of a product of matrices or a convolution. */
function flopsOf(op: Operation): number {
  const kind = op.name.replace(/^\w+\./, '')
  const out = sum(op.results.slice(0, 1).map(({ type }) => sizeOf(type)))
  if (kind === 'dot_general' || kind === 'dot') return 2 * out * contracted(op)
  if (kind === 'convolution') {
    const kernel = sizeOf(op.operands[1]!.type)
    const features = Math.max(1, outputFeatures(op))
    return (2 * out * kernel) / features
  }
  if (kind === 'reduce') {
    return sum(op.operands.slice(0, op.operands.length / 2).map(({ type }) => sizeOf(type)))
  }
  if (kind === 'reduce_window') return out * product(integersOf(op.attributes['window_dimensions']))
  if (kind === 'scatter' || kind === 'select_and_scatter') return sizeOf(op.operands.at(-1)!.type)
  if (kind === 'sort') return out * Math.ceil(Math.log2(Math.max(2, out)))
  return moves.has(kind) ? 0 : out
}

function contracted({ operands, attributes }: Operation): number {
  const numbers = attributes['dot_dimension_numbers']
  const { type } = operands[0]!
  if (type.kind !== 'tensor') return 0
  const axes =
    numbers?.kind === 'dialect' && numbers.entries
      ? integersOf(numbers.entries['lhs_contracting_dimensions'])
      : [type.shape.length - 1]
  return product(axes.map((axis) => type.shape[axis] ?? 1))
}

function outputFeatures({ operands, attributes }: Operation): number {
  const numbers = attributes['dimension_numbers']
  const { type } = operands[1]!
  if (numbers?.kind !== 'dialect' || !numbers.entries || type.kind !== 'tensor') return 1
  const [axis] = integersOf(numbers.entries['kernel_output_feature_dimension'])
  return axis === undefined ? 1 : (type.shape[axis] ?? 1)
}

/** How often a loop runs that counts from a constant up to a constant, as scan and fori_loop write it. */
function roundsOf(op: Operation, makers: ReadonlyMap<Value, Operation>): number | undefined {
  const condition = op.regions[0]?.blocks[0]
  if (!condition) return undefined
  const inner = new Map(
    condition.operations.flatMap((each) => each.results.map((result) => [result, each] as const)),
  )
  const test = inner.get(condition.operations.at(-1)?.operands[0] as Value)
  const direction = test?.attributes['comparison_direction']
  if (test?.name !== 'stablehlo.compare' || direction?.kind !== 'dialect' || direction.text !== 'LT') {
    return undefined
  }
  const [counter, limit] = test.operands
  const place = condition.arguments.indexOf(counter!)
  const from = constantOf(makers.get(op.operands[place] as Value))
  const to = constantOf(inner.get(limit!) ?? makers.get(limit!))
  return from === undefined || to === undefined ? undefined : Math.max(0, to - from)
}

function constantOf(op: Operation | undefined): number | undefined {
  const value = op?.name === 'stablehlo.constant' ? op.attributes['value'] : undefined
  if (value?.kind !== 'denseElements' || !/^u?i(32|64)$/.test(value.type.element)) return undefined
  const view = new DataView(value.bytes.buffer, value.bytes.byteOffset, value.bytes.byteLength)
  return value.type.element.endsWith('64') ? Number(view.getBigInt64(0, true)) : view.getInt32(0, true)
}

function integersOf(attribute: Attribute | undefined): readonly number[] {
  if (attribute?.kind === 'denseArray') return attribute.values
  return attribute?.kind === 'integer' ? [Number(attribute.value)] : []
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const product = (values: readonly number[]): number => values.reduce((total, value) => total * value, 1)
const elementOf = (type: Type): string => (type.kind === 'tensor' ? type.element : '')
const sizeOf = (type: Type): number =>
  type.kind === 'tensor' ? product(type.shape.map((length) => length ?? 0)) : 0

function bitsOf(element: string): number {
  const pair = /^complex<(.*)>$/.exec(element)
  if (pair) return 2 * bitsOf(pair[1]!)
  return Number(/\d+/.exec(element)?.[0] ?? 0)
}

function bytesOf(type: Type): number {
  return type.kind === 'tensor' ? sizeOf(type) * Math.max(1, bitsOf(type.element) / 8) : 0
}

/** The innermost line of source, as `train.py:12`. */
function siteOf(location: Location): string | undefined {
  switch (location.kind) {
    case 'file':
      return `${basename(location.file)}:${location.line}`
    case 'name':
      return location.child && siteOf(location.child)
    case 'callsite':
      return siteOf(location.callee) ?? siteOf(location.caller)
    case 'fused':
      return location.locations.map(siteOf).find((site) => site !== undefined)
    default:
      return undefined
  }
}
