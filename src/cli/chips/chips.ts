import { Command } from 'commander'
import {
  type Chip,
  chip,
  chipNames,
  type Fact,
  slice,
  sources,
  topologies,
} from '../../planning/hardware/index.js'
import { type Column, htmlPage, htmlTable, textTable } from '../../report/index.js'
import { mistakesAsBadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { openReportFile } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import type { Subcommand } from '../io/subcommand.js'

interface Given {
  readonly json?: boolean
  readonly slices?: boolean
  readonly out?: string
}

/** `chips`: the facts of every generation in a table; of one, each number with its source and who differs. */
export const chipsCommand: Subcommand = (terminal) =>
  new Command('chips')
    .description(
      'Lists the facts of every TPU generation; with a name, each number of that one with its source and the numbers of other sources.',
    )
    .argument('[name]', chipNames.join(', '))
    .option('--slices', 'list the slices of a generation: names, chips, topologies, hosts')
    .option('--json', 'print one JSON object instead of the table')
    .option('--out <file>', 'write an HTML page')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit chips\n  tpu-toolkit chips v5p\n  tpu-toolkit chips v5e --slices',
    )
    .action((name: string | undefined, given: Given) => {
      const chosen = mistakesAsBadInput('chip', () =>
        name === undefined ? chipNames.map((known) => chip(known)) : [chip(name)],
      )
      const report = openReportFile({ ...given, terminal })
      const [only] = chosen
      const one = name !== undefined && only !== undefined
      const slices = given.slices ? chosen.flatMap(slicesOf) : []
      const [columns, rows]: readonly [readonly Column[], readonly object[]] = given.slices
        ? [sliceColumns, slices]
        : one
          ? [factColumns, factRows(only)]
          : [chipColumns, chosen]
      if (given.json) terminal.out(jsonText(given.slices ? { slices } : { chips: chosen, sources }))
      else printWrapped(terminal, `${textTable(columns, rows, { width: terminal.width })}\n`)
      report?.write(
        htmlPage({
          title: one ? `TPU ${only.name}` : 'TPU generations',
          lead: 'Per chip; GB is 10^9 bytes, GiB 2^30.',
          sections: [
            { id: 'facts', title: given.slices ? 'Slices' : 'Facts', html: htmlTable(columns, rows) },
            { id: 'sources', title: 'Sources', html: htmlTable(sourceColumns, sourceRows()) },
          ],
        }),
      )
    })

const scaled = (value: number | null, unit: number): number | null => (value === null ? null : value / unit)

const chipColumns: readonly Column<Chip>[] = [
  { key: 'name' },
  { key: 'bf16 TFLOP/s', of: (made) => made.bfloat16FlopsPerSecond / 1e12 },
  { key: 'int8 TOP/s', of: (made) => scaled(made.int8OpsPerSecond, 1e12) },
  { key: 'fp8 TFLOP/s', of: (made) => scaled(made.float8FlopsPerSecond, 1e12) },
  { key: 'hbmGib', header: 'HBM GiB' },
  {
    key: 'for programs',
    of: (made) => Math.round(made.programHbmGibPerDevice * made.jaxDevices * 100) / 100,
  },
  { key: 'HBM GB/s', of: (made) => made.hbmBytesPerSecond / 1e9 },
  { key: 'MXUs', of: (made) => `${made.mxusPerCore * made.tensorCores} of ${made.mxuSide}` },
  { key: 'link GB/s', of: (made) => scaled(made.iciBytesPerSecondPerLink, 1e9) },
  { key: 'iciLinks', header: 'links' },
  { key: 'pod', of: (made) => made.podTopology.join('x') },
  { key: 'nameCounts', header: '-N counts' },
]

/** All digits of a number, the zeros of a large one as a power of ten. */
function allDigits(value: unknown): string {
  if (value === null) return '-'
  return typeof value === 'number' && value >= 1e9 ? value.toExponential().replace('+', '') : String(value)
}

const factColumns = [
  { key: 'fact' },
  { key: 'value', show: allDigits, align: 'right' },
  { key: 'sources' },
  { key: 'others' },
  { key: 'note', prose: true },
] as const

function factRows(made: Chip): Record<string, string | number | null>[] {
  return Object.entries<Fact>({ ...made.facts }).map(([fact, { value, sources: from, others, note }]) => ({
    ...{ fact, value, sources: from.join(', '), note },
    others: others.map((other) => `${allDigits(other.value)} (${other.source})`).join(', '),
  }))
}

const sliceColumns = [
  { key: 'name' },
  { key: 'chips' },
  { key: 'topology' },
  { key: 'wraps' },
  { key: 'devices', header: 'JAX devices' },
  { key: 'hosts' },
]

function slicesOf(made: Chip): Record<string, string | number>[] {
  return topologies(made).map((shape) => {
    const { name, chips, wrap, jaxDevices, hosts } = slice(`${made.name}:${shape.join('x')}`)
    const wraps = wrap.every((closes) => closes)
      ? 'all'
      : wrap.some((closes) => closes)
        ? 'axes of 16'
        : 'none'
    return { name, chips, topology: shape.join('x'), wraps, devices: jaxDevices, hosts }
  })
}

const sourceColumns = [
  { key: 'name' },
  { key: 'title', prose: true },
  { key: 'edition' },
  { key: 'url', link: 'url' },
]

const sourceRows = (): Record<string, string>[] =>
  Object.entries(sources).map(([name, source]) => ({ name, ...source }))
