import { percentText, readable, secondsText } from '../../base/text/index.js'
import { chip } from '../../planning/hardware/index.js'
import { type ProductRow, type ProgramPlan, planProgram } from '../../planning/plan/index.js'
import { htmlPage, htmlTable, textTable } from '../../report/index.js'
import { BadInput, mistakesAsBadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { openReportFile } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import type { Terminal } from '../io/terminal.js'
import { readProgram } from '../programs/openProgram.js'
import { type ProgramWork, programOperations, type SplitValue } from './programOperations.js'

/** The options of a plan that is made from a program. */
export interface ProgramPlanGiven {
  readonly program: string
  readonly chip?: string
  readonly function?: string
  readonly json?: boolean
  readonly out?: string
}

/** Rows of a table on a screen. */
const rows = 20

/** `plan --program`: what bounds a program on a chip, from its operations; text, JSON, a page. */
export function planProgramFile(given: ProgramPlanGiven, terminal: Terminal): number {
  const report = openReportFile({ ...given, terminal })
  const { name, module, program, sources } = readProgram(
    given.program,
    given.function === undefined ? {} : { function: given.function },
  )
  if (!module) throw new BadInput(`a plan reads StableHLO only, no ONNX model [${name}]`)
  const made = mistakesAsBadInput('', () => chip(given.chip ?? 'v5p'))
  const work = programOperations(module, program.name)
  const heldBytes = work.values.reduce((sum, { bytesPerDevice }) => sum + bytesPerDevice, 0)
  const plan = planProgram(work.operations, { chip: made, devices: work.devices, heldBytes })
  const line = (site: string | null): string => (site === null ? '' : (sources.line(site) ?? ''))
  if (given.json) {
    const { operations: _, ...rest } = work
    const audit = plan.audit.map((finding) => ({ ...finding, line: line(finding.site) || null }))
    terminal.out(jsonText({ program: name, ...plan, audit, ...rest }))
  } else {
    printWrapped(terminal, `${textOf(name, plan, work, line, terminal.width)}\n`)
  }
  report?.write(pageOf(name, plan, work, line))
  return 0
}

type LineOf = (site: string | null) => string

function headOf(name: string, plan: ProgramPlan, work: ProgramWork): string[] {
  const axes = Object.entries(work.mesh).map(([axis, size]) => `${axis} ${size}`)
  const on =
    plan.devices === 1
      ? `one device of ${plan.chip}`
      : `${plan.devices} devices of ${plan.chip} (${axes.join(', ')})`
  const loops = work.unknownLoops === 0 ? '' : `; ${work.unknownLoops} loops of unknown length counted once`
  const share = plan.flops === 0 ? 0 : plan.productFlops / plan.flops
  return [
    `${name} on ${on}`,
    `${readable(plan.flops)} FLOPs, ${percentText(share)} of them in products of matrices${loops}`,
    verdictOf(plan),
  ]
}

function verdictOf({ seconds, lowerBoundSeconds, boundBy, audit, products, side }: ProgramPlan): string {
  const by = boundBy === 'compute' ? 'the matrix units' : 'reading and writing arguments and results'
  const bound = `At least ${secondsText(lowerBoundSeconds)}, bound by ${by}`
  if (products.length === 0) return bound
  if (audit.length === 0) return `${bound}; every product fills arrays of ${side}`
  const some = `${audit.length} of ${products.length} products do not fill arrays of ${side}`
  return `${bound}; ${some}: with their padding all products take ${secondsText(seconds.padded)}, ${percentText(1 - seconds.split / seconds.padded)} of it padding`
}

function boundRows({ seconds, devices }: ProgramPlan): { what: string; seconds: string; note: string }[] {
  return [
    {
      what: 'products',
      seconds: secondsText(seconds.compute),
      note: devices === 1 ? 'at the peak' : 'at the peak, spread evenly over all devices',
    },
    ...(devices === 1
      ? []
      : [{ what: 'products as split', seconds: secondsText(seconds.split), note: 'at the peak' }]),
    {
      what: 'products, padded',
      seconds: secondsText(seconds.padded),
      note: 'in whole tiles of the matrix units',
    },
    {
      what: 'arguments, results',
      seconds: secondsText(seconds.held),
      note: 'through HBM once: all else fused',
    },
    {
      what: 'every operand',
      seconds: secondsText(seconds.unfused),
      note: 'through HBM: nothing fused',
    },
  ]
}

const boundColumns = [
  { key: 'what' },
  { key: 'seconds', header: 'at least', align: 'right' },
  { key: 'note' },
] as const

const productColumns = [
  { key: 'site', header: 'line' },
  { key: 'size', header: 'm x k x n' },
  { key: 'runs' },
  { key: 'dtype' },
  { key: 'flops', header: 'FLOPs' },
  { key: 'filled' },
  { key: 'split', header: 'on each device' },
  { key: 'bound', header: 'bound by' },
] as const

function productRows({ products }: ProgramPlan): Record<string, string | number>[] {
  return products.map((row) => ({
    site: row.site ?? '-',
    size: sizeText(row.batch, row),
    runs: row.runs,
    dtype: row.passes === 1 ? row.dtype : `${row.dtype}, ${row.passes} passes`,
    flops: readable(row.flops),
    filled: percentText(row.utilisation),
    split: splitText(row),
    bound: row.boundBy,
  }))
}

const sizeText = (batch: number, { m, k, n }: Readonly<Record<'m' | 'k' | 'n', number>>): string =>
  `${batch === 1 ? '' : `${batch} of `}${m}x${k}x${n}`

function splitText({ split, local }: ProductRow): string {
  if (split === null) return 'not said'
  const ways = split.batch * split.m * split.k * split.n
  return ways === 1 ? 'whole' : sizeText(local.batch, local)
}

const auditColumns = [
  { key: 'site', header: 'line' },
  { key: 'what', header: 'product' },
  { key: 'evidence' },
  { key: 'remedy' },
  { key: 'costs' },
] as const

const auditRows = ({ audit }: ProgramPlan): Record<string, string>[] =>
  audit.map(({ site, what, evidence, remedy, seconds }) => ({
    ...{ site: site ?? '-', what, evidence, remedy },
    costs: secondsText(seconds),
  }))

const valueColumns = [
  { key: 'name' },
  { key: 'type' },
  { key: 'axes', header: 'split over' },
  { key: 'each', header: 'on each device' },
  { key: 'bytes' },
] as const

const valueRows = (values: readonly SplitValue[]): Record<string, string>[] =>
  values.map(({ name, shape, element, axes, shardShape, bytesPerDevice }) => ({
    name,
    type: [...shape, element].join('x'),
    axes:
      axes === null
        ? 'not said'
        : axes.map((each) => (each.length === 0 ? '-' : each.join('+'))).join(', ') || '-',
    each: shardShape.join('x') || '-',
    bytes: readable(bytesPerDevice),
  }))

function textOf(
  name: string,
  plan: ProgramPlan,
  work: ProgramWork,
  line: LineOf,
  width: number | undefined,
): string {
  const few = <Row>(all: readonly Row[]): readonly Row[] => all.slice(0, rows)
  const more = (all: readonly unknown[], what: string): string[] =>
    all.length > rows ? [`and ${all.length - rows} more ${what}`] : []
  const products = productRows(plan)
  const sharded = work.devices > 1 ? valueRows(work.values) : []
  const findings = plan.audit.slice(0, 12).map(({ site, what, evidence, remedy, seconds }) => {
    const text = line(site)
    return `- ${site ?? 'a line that the text does not name'}${text === '' ? '' : `  ${text}`}\n  ${what}: ${evidence}, ${secondsText(seconds)} of a run; ${remedy}`
  })
  return [
    headOf(name, plan, work).join('\n'),
    textTable(boundColumns, boundRows(plan), { width }),
    ...(products.length === 0
      ? ['No products of matrices.']
      : [
          'Products, most work first:',
          [textTable(productColumns, few(products), { width }), ...more(products, 'products')].join('\n'),
        ]),
    ...(findings.length === 0
      ? []
      : [
          'Products that do not fill the matrix units, by what their padding costs:',
          [
            ...findings,
            ...(plan.audit.length > findings.length
              ? [`and ${plan.audit.length - findings.length} more`]
              : []),
          ].join('\n'),
        ]),
    ...(sharded.length === 0
      ? []
      : [
          'Arguments and results, as sdy splits them:',
          [textTable(valueColumns, few(sharded), { width }), ...more(sharded, 'values')].join('\n'),
        ]),
    ['Assumed:', ...plan.assumptions.map((each) => `- ${each}`)].join('\n'),
  ].join('\n\n')
}

function pageOf(name: string, plan: ProgramPlan, work: ProgramWork, line: LineOf): string {
  const [title = '', ...rest] = headOf(name, plan, work)
  const withLines = plan.audit.map(({ site }, i) => ({
    ...auditRows(plan)[i]!,
    site: `${site ?? '-'}${line(site) === '' ? '' : `: ${line(site)}`}`,
  }))
  return htmlPage({
    title,
    lead: rest[0] ?? '',
    sections: [
      {
        ...{ id: 'bound', title: 'What bounds it', finding: verdictOf(plan) },
        html: htmlTable(boundColumns, boundRows(plan)),
      },
      {
        ...{ id: 'products', title: 'Products of matrices' },
        html: htmlTable(productColumns, productRows(plan)),
      },
      ...(plan.audit.length === 0
        ? []
        : [
            {
              ...{ id: 'padding', title: 'Products that do not fill the matrix units' },
              html: htmlTable(auditColumns, withLines),
            },
          ]),
      ...(work.devices === 1
        ? []
        : [
            {
              ...{ id: 'sharding', title: 'Arguments and results' },
              html: htmlTable(valueColumns, valueRows(work.values)),
            },
          ]),
      { id: 'assumed', title: 'Assumed', paragraphs: plan.assumptions },
    ],
  })
}
