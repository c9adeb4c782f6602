import { readable, secondsText } from '../../base/text/index.js'
import { chip } from '../../planning/hardware/index.js'
import { type Column, textTable } from '../../report/index.js'
import { BadInput, mistakesAsBadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { printWrapped } from '../io/printWrapped.js'
import type { Terminal } from '../io/terminal.js'
import { readProgram } from '../programs/openProgram.js'
import { type KindFacts, programFacts } from './programFacts.js'
import type { ProgramGiven } from './programGiven.js'

/** Rows of the table on a screen. */
const rows = 24

/** `program inspect`: operations by kind, work, bytes, dtypes, what a chip would need at least. */
export function inspectProgram(path: string, given: ProgramGiven, terminal: Terminal): number {
  const { name, module, program } = readProgram(path, given)
  if (!module) throw new BadInput(`inspect reads StableHLO only, flops counts ONNX models too [${name}]`)
  const made = mistakesAsBadInput('', () => chip(given.chip ?? 'v5e'))
  const facts = programFacts(module, program.name)
  const seconds = {
    compute: facts.flops / made.bfloat16FlopsPerSecond,
    // Fused, a program reads its arguments and writes its results, and little else.
    least: (facts.held.arguments + facts.held.results) / made.hbmBytesPerSecond,
    unfused: facts.bytes / made.hbmBytesPerSecond,
  }
  const { arguments: inputs, results } = program
  if (given.json) {
    terminal.out(jsonText({ program: name, arguments: inputs, results, ...facts, chip: made.name, seconds }))
    return 0
  }
  const held = facts.held
  const kinds = facts.kinds.slice(0, rows)
  const left = facts.kinds.length - kinds.length
  const times = facts.unknownLoops > 0 ? ` (${facts.unknownLoops} loops of unknown length counted once)` : ''
  const lines = [
    `${name}: ${inputs.length} arguments (${readable(held.arguments)} bytes), ${results.length} results (${readable(held.results)} bytes), constants of ${readable(held.constants)} bytes`,
    `${readable(facts.flops)} FLOPs, ${readable(facts.bytes)} bytes read and written where nothing is fused${times}`,
    `${made.name}: ${secondsText(seconds.compute)} at its peak in bfloat16, ${secondsText(seconds.least)} for arguments and results alone, ${secondsText(seconds.unfused)} where nothing is fused`,
    '',
    textTable(columns, kinds, { width: terminal.width }),
    ...(left > 0 ? [`and ${left} more kinds`] : []),
    '',
    `results by element type: ${facts.elements.map(({ element, results: count, bytes }) => `${element} ${count} (${readable(bytes)} bytes)`).join(', ')}`,
    ...droppedLines(facts.dropped),
  ]
  printWrapped(terminal, `${lines.join('\n')}\n`)
  return 0
}

function droppedLines(dropped: ReturnType<typeof programFacts>['dropped']): readonly string[] {
  if (dropped.length === 0) return []
  return [
    '',
    `${sumOf(dropped)} roundings that jax.jit on the CPU leaves out (--xla_allow_excess_precision, --rounding xla-jit), by line:`,
    ...dropped
      .slice(0, 12)
      .map(
        ({ operation, through, site, casts }) =>
          `  ${site}  ${operation} in ${through}, read unrounded by ${casts === 1 ? 'a cast' : `${casts} casts`} to float32`,
      ),
    ...(dropped.length > 12 ? [`  and ${dropped.length - 12} more lines`] : []),
  ]
}

const sumOf = (dropped: ReturnType<typeof programFacts>['dropped']): number =>
  dropped.reduce((total, { casts }) => total + casts, 0)

const columns: readonly Column<KindFacts>[] = [
  { key: 'kind', header: 'operation' },
  { key: 'count', header: 'in the text' },
  { key: 'runs', header: 'run' },
  { key: 'flops', header: 'FLOPs' },
  { key: 'bytes', header: 'bytes' },
]
