import { readable } from '../../base/text/index.js'
import { type Column, textTable } from '../../report/index.js'
import { BadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { printWrapped } from '../io/printWrapped.js'
import type { Terminal } from '../io/terminal.js'
import { asBadInput, openProgram, readProgram } from '../programs/openProgram.js'
import { compiledProgram } from './compiledProgram.js'
import { programFacts } from './programFacts.js'
import type { ProgramGiven } from './programGiven.js'

interface KindFlops {
  readonly kind: string
  readonly runs: number
  readonly flops: number
  readonly bytes: number
  /** In per cent of all. */
  readonly share: string
}

/** Rows of the table on a screen. */
const rows = 24

/**
 * `program flops`: the work of a program by kind of operation, most first. StableHLO is counted from its text, with the rounds of loops; an
 * ONNX model, whose shapes may be open, as it is compiled for its arguments, which are drawn where no file gives them.
 */
export function flopsProgram(path: string, given: ProgramGiven, terminal: Terminal): number {
  const { name, module, program } = readProgram(path, given)
  const facts = module && programFacts(module, program.name)
  const counted = facts?.kinds ?? modelKinds(path, given)
  const flops = counted.reduce((sum, row) => sum + row.flops, 0)
  const kinds = counted
    .filter((row) => row.flops > 0)
    .sort((a, b) => b.flops - a.flops)
    .map(({ kind, runs, flops: own, bytes }): KindFlops => {
      return { kind, runs, flops: own, bytes, share: `${((100 * own) / flops).toFixed(1)} %` }
    })
  const loops = facts?.unknownLoops ?? 0
  if (given.json) {
    terminal.out(jsonText({ program: name, flops, unknownLoops: loops, kinds }))
    return 0
  }
  const times = loops > 0 ? ` (${loops} loops of unknown length counted once)` : ''
  const left = kinds.length - rows
  const lines = [
    `${name}: ${readable(flops)} FLOPs${times}`,
    '',
    textTable(columns, kinds.slice(0, rows), { width: terminal.width }),
    ...(left > 0 ? [`and ${left} more kinds`] : []),
  ]
  printWrapped(terminal, `${lines.join('\n')}\n`)
  return 0
}

const columns: readonly Column<KindFlops>[] = [
  { key: 'kind', header: 'operation' },
  { key: 'runs', header: 'run' },
  { key: 'flops', header: 'FLOPs' },
  { key: 'share', header: 'of all' },
  { key: 'bytes', header: 'bytes' },
]

/** The steps of a compiled model by kind. */
function modelKinds(path: string, given: ProgramGiven): readonly Omit<KindFlops, 'share'>[] {
  const { name, program, inputs } = openProgram(path, { random: '0', ...given })
  const compiled = asBadInput(name, () => compiledProgram(program, inputs))
  if (!compiled) {
    throw new BadInput(`${name}: what runs depends on values, so that its work cannot be counted`)
  }
  const kinds = new Map<string, Omit<KindFlops, 'share'>>()
  for (const { operations, flops, bytes } of compiled.plan().steps) {
    const kind = [...new Set(operations)].join(' ')
    const before = kinds.get(kind) ?? { kind, runs: 0, flops: 0, bytes: 0 }
    kinds.set(kind, {
      kind,
      runs: before.runs + 1,
      flops: before.flops + flops,
      bytes: before.bytes + bytes,
    })
  }
  return [...kinds.values()]
}
