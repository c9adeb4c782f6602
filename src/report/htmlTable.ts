import { checkArray } from '../options/index.js'
import { type Column, cellAlign, cellText, type Row } from './column.js'
import { escapeHtml } from './escapeHtml.js'
import { sortableFrom } from './tableSorting.js'

/**
 * A table as HTML, its texts escaped. Numbers stand right, under the rules of `textTable`. On a page of `htmlPage` one of ten
 * rows or more can be sorted by its columns.
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
  const sortable = rows.length >= sortableFrom
  const body = rows.map((row) => {
    const cells = columns.map((column, i) => {
      const value = row[column.key]
      const kept = sortable && typeof value === 'number' ? ` data-value="${value}"` : ''
      return `<td${sides[i]}${kept}>${linked(escapeHtml(cellText(value, column)), column, row)}</td>`
    })
    return `<tr>${cells.join('')}</tr>`
  })
  return `<table${sortable ? ' class="sortable"' : ''}>\n<thead><tr>${head.join('')}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table>`
}

function linked(html: string, { link }: Column, row: Row): string {
  const target = link === undefined ? undefined : row[link]
  return typeof target === 'string' ? `<a href="${escapeHtml(target)}">${html}</a>` : html
}
