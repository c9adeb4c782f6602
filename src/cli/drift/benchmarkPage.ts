import { readable } from '../../base/text/index.js'
import { type Column, htmlTable, type Row, type Section } from '../../report/index.js'

/** What was measured, linked to its section, with its finding: the table of a summary. */
export function findingsTable(
  measured: string,
  list: readonly { readonly id: string; readonly title: string; readonly finding: string }[],
): string {
  const columns = [
    { key: measured, link: 'link' },
    { key: 'finding', prose: true },
  ]
  const rows = list.map(({ id, title, finding }) => ({ [measured]: title, finding, link: `#${id}` }))
  return htmlTable(columns, rows)
}

/** How many measurements keep their a-priori bound; `closest` is added where all do. */
export function boundsFinding(
  bounded: readonly { readonly ofBound: number | null }[],
  closest: () => string = () => '',
): string {
  if (bounded.length === 0) return 'No measurement of this run has an a-priori bound.'
  const over = bounded.filter(({ ofBound }) => ofBound! > 1)
  return over.length > 0
    ? `${over.length} of ${readable(bounded.length)} measurements exceed their a-priori bound.`
    : `All ${readable(bounded.length)} measurements with an a-priori bound keep it${closest()}.`
}

/** A table of the longest length and, where there are several lengths, one of all of them: opened by a line each. */
export function lengthTables(
  at: string,
  columnsOf: (rows: readonly Row[]) => Column[],
  rowsOf: (everyLength: boolean) => readonly Row[],
  several: boolean,
): { readonly summary: string; readonly html: string }[] {
  const titles = [`Table at ${at}`, ...(several ? ['Table of every length'] : [])]
  return titles.map((title, i) => {
    const rows = rowsOf(i === 1)
    return { summary: `${title} (${rows.length} rows)`, html: htmlTable(columnsOf(rows), rows) }
  })
}

/** The inputs of a benchmark, after a paragraph on how they are rounded. */
export function inputsSection(
  paragraph: string,
  inputs: readonly { readonly name: string; readonly about: string }[],
): Section {
  const html = htmlTable([{ key: 'name' }, { key: 'about', prose: true }], inputs)
  return { id: 'inputs', title: 'Inputs', paragraphs: [paragraph], html }
}
