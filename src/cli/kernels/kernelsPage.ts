import type { KernelFindings, KernelResults } from '../../drift/index.js'
import {
  type Figure,
  htmlPage,
  htmlTable,
  linePlot,
  type PlotSeries,
  type Section,
  twoWidths,
} from '../../report/index.js'
import { readable } from '../../text/index.js'
import { kernelColumns, kernelRows, sameForm } from './kernelsText.js'

/** The report: a summary, a section for each kernel, the inputs. */
export function kernelsPage(results: KernelResults): string {
  const rows = results.kernels.flatMap((found) => found.rows)
  const bounded = rows.filter(({ ofBound }) => ofBound !== null)
  const over = bounded.filter(({ ofBound }) => ofBound! > 1)
  const bounds =
    bounded.length === 0
      ? 'No measurement of this run has an a-priori bound.'
      : over.length > 0
        ? `${over.length} of ${readable(bounded.length)} measurements exceed their a-priori bound.`
        : `All ${readable(bounded.length)} measurements with an a-priori bound keep it.`
  const list = results.kernels.map(({ kernel, finding }) => ({
    kernel: kernel.title,
    finding,
    link: `#${kernel.name}`,
  }))
  const summary: Section = {
    id: 'summary',
    title: 'Summary',
    finding: bounds,
    paragraphs: [
      'Errors are distances from the exact result on the same rounded operands: the norm of the errors by the norm of the result. In the plots a cross at the top is a result that is not finite, a ring at the foot one without an error.',
    ],
    html: htmlTable(
      [
        { key: 'kernel', link: 'link' },
        { key: 'finding', prose: true },
      ],
      list,
    ),
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
    sections: [summary, ...results.kernels.map((found) => section(found, results)), inputs(results)],
    foot: 'Written by tpu-toolkit kernels. The same numbers in full: kernels.json beside this page.',
  })
}

function section(found: KernelFindings, results: KernelResults): Section {
  const { kernel, finding } = found
  const { lengths } = results
  const [last, all] = [kernelRows(found, lengths, false), kernelRows(found, lengths, true)]
  const tables = [
    {
      summary: `Table at ${kernel.lengthName} = ${readable(lengths.at(-1))} (${last.length} rows)`,
      html: htmlTable(kernelColumns(last), last),
    },
    { summary: `Table of every length (${all.length} rows)`, html: htmlTable(kernelColumns(all), all) },
  ]
  return {
    id: kernel.name,
    title: kernel.title,
    finding,
    paragraphs: [kernel.about],
    figures: lengths.length > 1 ? figures(found, results) : [],
    details: lengths.length > 1 ? tables : tables.slice(0, 1),
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
      const drawn = twoWidths((size) =>
        linePlot(series, {
          title: `${kernel.title}, ${name}: relative error by ${kernel.lengthName}, ${dtype}`,
          x: { label: kernel.lengthName, scale: 'log2' },
          y: { label: `${name}: relative error`, scale: 'log10' },
          ...size,
        }),
      )
      return { ...drawn, caption: `Operands: ${name}, ${dtype}.` }
    }),
  )
}

function inputs({ inputs: list }: KernelResults): Section {
  const rows = list.map(({ name, about }) => ({ name, about }))
  return {
    id: 'inputs',
    title: 'Inputs',
    paragraphs: ['Every input is rounded to the dtype once; errors are the kernel’s alone.'],
    html: htmlTable([{ key: 'name' }, { key: 'about', prose: true }], rows),
  }
}
