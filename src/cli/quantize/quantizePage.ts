import { readable } from '../../base/text/index.js'
import {
  type Column,
  type DrawnTwice,
  dotPlot,
  type Figure,
  htmlPage,
  htmlTable,
  lineFigure,
  type PlotRow,
  type Row,
  type Section,
} from '../../report/index.js'
import type { WayTotal } from '../../tensors/blocks/index.js'
import type { Skipped } from '../io/openFloatTensors.js'
import type { QuantizeResults } from './quantizeFile.js'
import { quantizeFinding, worthTaking } from './quantizeFinding.js'
import { reading, tensorColumns, tensorRows, totalColumns, totalRows, wayName } from './quantizeTable.js'

/** The report as a page: every way over all tensors, where the magnitudes lie, every tensor. */
export function quantizePage(file: string, results: QuantizeResults): string {
  const { tensors, skipped, totals, magnitudes } = results
  const values = tensors.reduce((sum, tensor) => sum + tensor.values, 0)
  const [all, rows] = [totalRows(results), tensorRows(results)]
  const worth = worthTaking(results)
  const best = totalRows({ ...results, totals: worth })
  return htmlPage({
    title: `Quantised: ${file}`,
    lead: 'What low-precision formats make of the tensors of this file.',
    facts: { tensors: readable(tensors.length), values: readable(values, 4), ways: readable(totals.length) },
    sections: [
      {
        id: 'answer',
        title: 'Which format to take',
        finding: quantizeFinding(results),
        ...(best.length > 0 ? { html: htmlTable(totalColumns(best), best) } : {}),
        figures: [waysFigure(totals)],
      },
      ...worstSection(results, worth),
      {
        id: 'all',
        title: 'All tensors together',
        paragraphs: [reading],
        figures: [
          lineFigure([{ name: 'values', color: 'blue', points: magnitudes }], {
            ...{ title: 'Where the magnitudes lie', width: 760, height: 240, wide: true },
            x: { label: 'floor(log2 |value|)' },
            y: { label: 'percent of the values' },
            caption: 'Zeros are not counted.',
          }),
        ],
        details: [folded('All ways', all, totalColumns)],
      },
      { id: 'tensors', title: 'Tensor by tensor', details: [folded('All tensors', rows, tensorColumns)] },
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

/** Every way by its name, the fewest bits first. */
function waysFigure(totals: readonly WayTotal[]): Figure {
  const ordered = [...totals].sort((a, b) => a.bits - b.bits || b.sqnr - a.sqnr)
  const rows = ordered.map((total) => ({
    name: `${wayName(total)}, ${readable(total.bits, 4)} bits`,
    values: [total.sqnr, total.worst.sqnr],
  }))
  return {
    ...dots(rows, 'Signal to noise of every way', ['all tensors', 'worst tensor']),
    caption:
      'Signal to noise, from the fewest bits of an element (scales included) down to the most. A way without a dot makes Inf or NaN, or is exact.',
  }
}

/** How many tensors are drawn. */
const drawn = 12

/** The tensors that the way with the fewest bits that is worth taking harms most; nothing for one tensor alone. */
function worstSection({ rows }: QuantizeResults, [way]: readonly WayTotal[]): Section[] {
  if (way === undefined) return []
  const own = rows
    .filter((one) => wayName(one) === wayName(way) && Number.isFinite(one.sqnr))
    .sort((a, b) => a.sqnr - b.sqnr)
  if (own.length < 2) return []
  const worst = own.slice(0, drawn).map(({ tensor, sqnr }) => ({ name: tensor, values: [sqnr] }))
  const title = `The worst tensors in ${wayName(way)}`
  const caption = `Signal to noise of the ${worst.length} worst of ${readable(own.length)} tensors.`
  return [{ id: 'worst', title, figures: [{ ...dots(worst, title, ['SQNR']), caption }] }]
}

function dots(rows: readonly PlotRow[], title: string, series: readonly string[]): DrawnTwice {
  const draw = (width: number): string => dotPlot(rows, { title, x: { label: 'SQNR, dB' }, series, width })
  return { svg: draw(760), narrow: draw(380) }
}

function folded(
  what: string,
  rows: readonly Row[],
  columnsOf: (rows: readonly Row[]) => Column[],
): { readonly summary: string; readonly html: string } {
  return { summary: `${what}: ${readable(rows.length)} rows`, html: htmlTable(columnsOf(rows), rows) }
}
