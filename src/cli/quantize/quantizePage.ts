import { readable } from '../../base/text/index.js'
import {
  type Column,
  htmlPage,
  htmlTable,
  lineFigure,
  type PlotSeries,
  type Row,
  type Section,
  scatterFigure,
} from '../../report/index.js'
import type { Skipped } from '../io/openFloatTensors.js'
import { bestByBits } from './bestByBits.js'
import type { QuantizeResults } from './quantizeFile.js'
import { reading, tensorColumns, tensorRows, totalColumns, totalRows } from './quantizeTable.js'

/** The report as a page: every way over all tensors, where the magnitudes lie, every tensor. */
export function quantizePage(file: string, results: QuantizeResults): string {
  const { tensors, skipped, totals, magnitudes } = results
  const values = tensors.reduce((sum, tensor) => sum + tensor.values, 0)
  const [all, rows] = [totalRows(results), tensorRows(results)]
  const finite = totals.filter(({ sqnr }) => Number.isFinite(sqnr))
  const named = bestByBits(finite)
  const series: PlotSeries[] = [
    {
      name: 'all tensors',
      points: finite.map((total) => ({
        x: total.bits,
        y: total.sqnr,
        title: `${total.scheme} ${total.way}`,
        ...(named.has(total) ? { label: nameOf(total.scheme, total.way) } : {}),
      })),
    },
    {
      name: 'worst tensor',
      points: totals
        .filter(({ worst }) => Number.isFinite(worst.sqnr))
        .map(({ bits, worst }) => ({ x: bits, y: worst.sqnr, title: worst.tensor })),
    },
  ]
  return htmlPage({
    title: `Quantised: ${file}`,
    lead: 'What low-precision formats make of the tensors of this file.',
    facts: { tensors: readable(tensors.length), values: readable(values, 4), ways: readable(totals.length) },
    sections: [
      {
        id: 'all',
        title: 'All tensors together',
        paragraphs: [reading],
        figures: [
          scatterFigure(series, {
            ...{ title: 'SQNR by bits', width: 760, height: 380, wide: true },
            x: { label: 'bits of an element, scales included' },
            y: { label: 'SQNR, dB' },
            caption:
              'Signal to noise by the bits it costs. Named is the best with so many bits, the others by pointing at them; ways with Inf or NaN, or exact, are not there.',
          }),
          lineFigure([{ name: 'values', color: 'blue', points: magnitudes }], {
            ...{ title: 'Where the magnitudes lie', width: 760, height: 240, wide: true },
            x: { label: 'floor(log2 |value|)' },
            y: { label: 'percent of the values' },
            caption: 'Zeros are not counted.',
          }),
        ],
        ...folded(all, totalColumns),
      },
      { id: 'tensors', title: 'Tensor by tensor', ...folded(rows, tensorColumns) },
      ...leftOutSection('Left out', skipped),
    ],
    foot: 'Written by tpu-toolkit quantize.',
  })
}

/** The tensors that were left out; no section where there are none. */
export function leftOutSection(title: string, skipped: readonly Skipped[]): Section[] {
  if (skipped.length === 0) return []
  return [{ id: 'left-out', title, html: htmlTable([{ key: 'name' }, { key: 'why' }], skipped) }]
}

const nameOf = (scheme: string, way: string): string => (way === 'plain' ? scheme : `${scheme} ${way}`)

/** Rows that stand open in a table; a longer one is folded. */
const open = 40

function folded(rows: readonly Row[], columnsOf: (rows: readonly Row[]) => Column[]): Partial<Section> {
  const html = htmlTable(columnsOf(rows), rows)
  return rows.length <= open
    ? { html }
    : { details: [{ summary: `All ${readable(rows.length)} rows`, html }] }
}
