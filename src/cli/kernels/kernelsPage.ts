import { readable } from '../../base/text/index.js'
import type { KernelFindings, KernelResults } from '../../experiments/drift/index.js'
import {
  type Figure,
  htmlPage,
  lineFigure,
  type PlotSeries,
  type Row,
  type Section,
} from '../../report/index.js'
import { boundsFinding, findingsTable, inputsSection, lengthTables } from '../drift/benchmarkPage.js'
import { kernelColumns, kernelRows, sameForm } from './kernelsText.js'

/** The report: a summary, a section for each kernel, the inputs. */
export function kernelsPage(results: KernelResults): string {
  const rows = results.kernels.flatMap((found) => found.rows)
  const list = results.kernels.map(({ kernel: { name, title }, finding }) => ({ id: name, title, finding }))
  const summary: Section = {
    id: 'summary',
    title: 'Summary',
    finding: boundsFinding(rows.filter(({ ofBound }) => ofBound !== null)),
    paragraphs: [
      'Errors are distances from the exact result on the same rounded operands: the norm of the errors by the norm of the result. In the plots a cross at the top is a result that is not finite, a ring at the foot one without an error.',
    ],
    html: findingsTable('kernel', list),
  }
  return htmlPage({
    title: 'Kernels and what they round',
    lead: 'How far attention, products, rotary embeddings, norms and fp8 are from the exact result, form beside form, on drawn numbers and on activations of a small trained model.',
    facts: {
      dtypes: results.dtypes.join(', '),
      lengths: results.lengths.map((length) => readable(length)).join(', '),
      seed: String(results.seed),
      measurements: readable(rows.length),
      reference: 'float64',
    },
    sections: [
      summary,
      ...results.kernels.map((found) => section(found, results)),
      inputsSection(
        'Every input is rounded to the dtype once; errors are the kernel’s alone.',
        results.inputs,
      ),
    ],
    foot: 'Written by tpu-toolkit kernels. The same numbers in full: kernels.json beside this page.',
  })
}

function section(found: KernelFindings, results: KernelResults): Section {
  const { kernel, finding } = found
  const { lengths } = results
  const at = `${kernel.lengthName} = ${readable(lengths.at(-1))}`
  const rowsOf = (all: boolean): Row[] => kernelRows(found, lengths, all)
  return {
    id: kernel.name,
    title: kernel.title,
    finding,
    paragraphs: [kernel.about],
    figures: lengths.length > 1 ? figures(found, results) : [],
    details: lengthTables(at, kernelColumns, rowsOf, lengths.length > 1),
  }
}

function figures({ kernel, rows }: KernelFindings, { inputs, lengths, blocks }: KernelResults): Figure[] {
  const dtypes = [...new Set(rows.map(({ dtype }) => dtype))]
  return dtypes.flatMap((dtype) =>
    inputs.map(({ name }): Figure => {
      const own = rows.filter((row) => row.input === name && row.dtype === dtype)
      const forms = own.filter(({ length }) => length === lengths.at(-1))
      const series = forms.map((form, i): PlotSeries => {
        const block = form.block !== null && blocks.length > 1 ? `, block ${form.block}` : ''
        const points = sameForm(own, form).map(({ length, normRel }) => ({ x: length, y: normRel }))
        // There are eight colours.
        return { name: `${form.way}${block}`, points, ...(i >= 8 && { dashed: true }) }
      })
      return lineFigure(series, {
        title: `${kernel.title}, ${name}: relative error by ${kernel.lengthName}, ${dtype}`,
        caption: `Operands: ${name}, ${dtype}.`,
        x: { label: kernel.lengthName, scale: 'log2' },
        y: { label: `${name}: relative error`, scale: 'log10' },
      })
    }),
  )
}
