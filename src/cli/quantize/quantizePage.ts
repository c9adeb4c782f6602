import { htmlPage, htmlTable, linePlot, scatterPlot } from '../../report/index.js'
import { readable } from '../../text/index.js'
import type { QuantizeResults } from './quantizeFile.js'
import { reading, tensorColumns, tensorRows, totalColumns, totalRows } from './quantizeTable.js'

/** The report as a page: every way over all tensors, where the magnitudes lie, every tensor. */
export function quantizePage(file: string, results: QuantizeResults): string {
  const { tensors, skipped, totals, magnitudes } = results
  const values = tensors.reduce((sum, tensor) => sum + tensor.values, 0)
  const [all, rows] = [totalRows(results), tensorRows(results)]
  const finite = totals.filter(({ sqnr }) => Number.isFinite(sqnr))
  const bySqnr = scatterPlot(
    [
      {
        name: 'all tensors',
        points: finite.map(({ scheme, way, bits, sqnr }) => ({
          x: bits,
          y: sqnr,
          title: `${scheme} ${way}`,
          ...(finite.length <= 16 ? { label: way === 'plain' ? scheme : `${scheme} ${way}` } : {}),
        })),
      },
      {
        name: 'worst tensor',
        points: totals
          .filter(({ worst }) => Number.isFinite(worst.sqnr))
          .map(({ bits, worst }) => ({ x: bits, y: worst.sqnr, title: worst.tensor })),
      },
    ],
    {
      title: 'SQNR by bits',
      width: 760,
      height: 380,
      x: { label: 'bits of an element, scales included' },
      y: { label: 'SQNR, dB' },
    },
  )
  const lying = linePlot([{ name: 'values', points: magnitudes }], {
    title: 'Where the magnitudes lie',
    width: 760,
    x: { label: 'floor(log2 |value|)' },
    y: { label: 'percent of the values' },
  })
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
          {
            svg: bySqnr,
            caption: 'Signal to noise by the bits it costs. Ways with Inf or NaN, or exact, are not there.',
          },
          { svg: lying, caption: 'Zeros are not counted.' },
        ],
        html: htmlTable(totalColumns(all), all),
      },
      {
        id: 'tensors',
        title: 'Tensor by tensor',
        ...(rows.length <= 40
          ? { html: htmlTable(tensorColumns(rows), rows) }
          : {
              details: [
                { summary: `All ${readable(rows.length)} rows`, html: htmlTable(tensorColumns(rows), rows) },
              ],
            }),
      },
      ...(skipped.length === 0
        ? []
        : [
            {
              id: 'left-out',
              title: 'Left out',
              html: htmlTable(
                [{ key: 'name' }, { key: 'why' }],
                skipped.map((one) => ({ ...one })),
              ),
            },
          ]),
    ],
    foot: 'Written by tpu-toolkit quantize.',
  })
}
