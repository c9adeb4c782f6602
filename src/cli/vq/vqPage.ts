import { readable } from '../../base/text/index.js'
import { htmlPage, htmlTable, scatterFigure } from '../../report/index.js'
import { bestByBits } from '../quantize/bestByBits.js'
import { leftOutSection } from '../quantize/quantizePage.js'
import { reading, tensorColumns, type VqResults, vqFinding, wayColumns } from './vqTable.js'

/** The report as a page. */
export function vqPage(file: string, results: VqResults): string {
  const { totals, skipped, tensors, metrics } = results
  const finite = totals
    .filter(({ sqnr }) => Number.isFinite(sqnr))
    .map(({ way, bitsPerValue, sqnr }) => ({ way, bits: bitsPerValue, sqnr }))
  const named = bestByBits(finite)
  const series = [
    { name: 'codebooks', ways: finite.filter(({ way }) => way.startsWith('vq ')) },
    {
      name: 'integers, blocks, bfloat16',
      ways: finite.filter(({ way }) => !way.startsWith('vq ') && way !== 'chosen'),
    },
    { name: 'chosen', ways: finite.filter(({ way }) => way === 'chosen') },
  ]
  const points = series.map(({ name, ways }) => ({
    name,
    points: ways.map((one) => ({
      ...{ x: one.bits, y: one.sqnr, title: one.way },
      ...(named.has(one) || name === 'chosen' ? { label: one.way } : {}),
    })),
  }))
  return htmlPage({
    title: `Vector quantised: ${file}`,
    lead: 'Codebooks beside integers, blocks and bfloat16, on the tensors of this file.',
    facts: {
      tensors: readable(tensors.length),
      values: readable(metrics.values, 4),
      'bits a value': readable(metrics.bitsPerValue, 3),
    },
    sections: [
      {
        id: 'all',
        title: 'All tensors together',
        finding: vqFinding(results),
        paragraphs: [reading],
        figures: [
          scatterFigure(points, {
            ...{ title: 'SQNR by bits', width: 760, height: 380, wide: true },
            x: { label: 'bits of a value, scales and tables included' },
            y: { label: 'SQNR, dB' },
            caption:
              'Signal to noise by the bits it costs. Named is the best with so many bits, the others by pointing at them.',
          }),
        ],
        html: htmlTable(wayColumns, totals),
      },
      {
        id: 'tensors',
        title: 'Tensor by tensor',
        details: [
          {
            summary: `All ${readable(results.layers.length)} rows`,
            html: htmlTable(tensorColumns(results), results.layers),
          },
        ],
      },
      ...leftOutSection('Left as they are', skipped),
    ],
    foot: 'Written by tpu-toolkit vq.',
  })
}
