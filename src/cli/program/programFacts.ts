import { droppedRoundings, type Module, type Operation } from '../../programs/stablehlo/index.js'
import { bytesOf, elementOf, flopsOf, isContainer, siteOf, sum } from './operationFacts.js'
import { walkProgram } from './walkProgram.js'

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

/** Counts what a function of a module does, calls and loops as often as they run. */
export function programFacts(module: Module, name: string): ProgramFacts {
  const kinds = new Map<string, { count: number; runs: number; flops: number; bytes: number }>()
  const elements = new Map<string, { results: number; bytes: number }>()
  const counted = new Set<Operation>()
  const loops = new Set<Operation>()
  let constants = 0

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
  walkProgram(module, name, {
    operation: (op, times) => {
      tally(op, times)
      counted.add(op)
    },
    unknownLoop: (op) => loops.add(op),
  })
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
    unknownLoops: loops.size,
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
