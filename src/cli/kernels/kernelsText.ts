import { readable, sparkline } from '../../base/text/index.js'
import type { KernelFindings, KernelResults, KernelRow } from '../../experiments/drift/index.js'
import { type Column, type Row, sayingColumns, textTable } from '../../report/index.js'

const columns: readonly Column[] = [
  { key: 'input' },
  { key: 'dtype' },
  { key: 'way', header: 'form' },
  { key: 'block', align: 'right' },
  { key: 'length' },
  { key: 'normRel', header: 'norm rel' },
  { key: 'maxAbs', header: 'max abs' },
  { key: 'bias', align: 'right', digits: 2 },
  { key: 'bound', align: 'right' },
  { key: 'ofBound', header: 'of bound', align: 'right', digits: 2 },
  { key: 'growth', align: 'left' },
]

/** The columns that say something. */
export function kernelColumns(rows: readonly Row[]): Column[] {
  return sayingColumns(columns, rows)
}

/** The rows of every length, or of the longest with the growth up to it. */
export function kernelRows({ rows }: KernelFindings, lengths: readonly number[], all: boolean): Row[] {
  const shown = ({ kernel: _, rms: __, ...row }: KernelRow): Row => ({ ...row })
  if (all || lengths.length === 1) return rows.map(shown)
  return rows
    .filter(({ length }) => length === lengths.at(-1))
    .map((row) => {
      const { length: _, ...rest } = shown(row)
      const growth = sparkline(
        sameForm(rows, row).map(({ normRel }) => normRel),
        { scale: 'log' },
      )
      return { ...rest, growth }
    })
}

/** The rows of one form over the lengths. */
export function sameForm(rows: readonly KernelRow[], of: KernelRow): KernelRow[] {
  return rows.filter(
    (row) => row.input === of.input && row.dtype === of.dtype && row.way === of.way && row.block === of.block,
  )
}

/** Everything a run prints on a terminal, kernel after kernel. */
export function kernelsText(results: KernelResults, width?: number): string {
  const { lengths } = results
  const parts = results.kernels.map((found) => {
    const { kernel, finding } = found
    const rows = kernelRows(found, lengths, false)
    const growth = lengths.length > 1 ? `; growth from ${readable(lengths[0])} on` : ''
    const head = `${kernel.title}, ${kernel.lengthName} = ${readable(lengths.at(-1))}${growth}`
    return `${head}\n${finding}\n\n${textTable(kernelColumns(rows), rows, { group: 'input', width })}\n`
  })
  const inputs = results.inputs.map(({ name, about }) => `  ${name}: ${about}`)
  return `${parts.join('\n')}\nInputs, rounded first; norm rel is the norm of the errors by that of the exact result, bias the mean error by their root mean square:\n${inputs.join('\n')}\n`
}
