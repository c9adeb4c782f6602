import { checkArray } from '../options/index.js'
import { type Column, cellAlign, cellText, type Row } from './column.js'
import { escapeHtml } from './escapeHtml.js'

/**
 * A table as HTML, its texts escaped. Numbers stand right, under the rules of `textTable`.
 *
 * @example htmlTable([{ key: 'op' }], [{ op: 'a<b' }]).includes('<td>a&lt;b</td>') // true
 */
export function htmlTable(columns: readonly Column[], rows: readonly Row[]): string {
  checkArray('htmlTable', 'columns', columns)
  checkArray('htmlTable', 'rows', rows)
  const sides = columns.map((column) =>
    column.prose ? ' class="text"' : cellAlign(column, rows) === 'right' ? ' class="number"' : '',
  )
  const head = columns.map(
    (column, i) => `<th scope="col"${sides[i]}>${escapeHtml(column.header ?? column.key)}</th>`,
  )
  const body = rows.map((row) => {
    const cells = columns.map(
      (column, i) =>
        `<td${sides[i]}>${linked(escapeHtml(cellText(row[column.key], column)), column, row)}</td>`,
    )
    return `<tr>${cells.join('')}</tr>`
  })
  return `<table>\n<thead><tr>${head.join('')}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table>`
}

function linked(html: string, { link }: Column, row: Row): string {
  const target = link === undefined ? undefined : row[link]
  return typeof target === 'string' ? `<a href="${escapeHtml(target)}">${html}</a>` : html
}
