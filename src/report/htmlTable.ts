import { checkArray } from '../base/options/index.js'
import { type Column, cellAlign, cellOf, cellText, type NotInferred } from './column.js'
import { escapeHtml } from './escapeHtml.js'
import { sortableFrom } from './tableSorting.js'

/**
 * A table as HTML, its texts escaped. Numbers stand right, under the rules of `textTable`. On a page of `htmlPage` one of ten
 * rows or more can be sorted by its columns. A link of another scheme than http, https and mailto, such as `javascript:`, is left out.
 *
 * @example htmlTable([{ key: 'op' }], [{ op: 'a<b' }]).includes('<td>a&lt;b</td>') // true
 */
export function htmlTable<R extends object>(
  columns: readonly Column<NotInferred<R>>[],
  rows: readonly R[],
): string {
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
      const value = cellOf(row, column)
      const kept = sortable && typeof value === 'number' ? ` data-value="${value}"` : ''
      return `<td${sides[i]}${kept}>${linked(escapeHtml(cellText(value, column)), column, row)}</td>`
    })
    return `<tr>${cells.join('')}</tr>`
  })
  return `<table${sortable ? ' class="sortable"' : ''}>\n<thead><tr>${head.join('')}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table>`
}

/** Addresses of the web, of this page and beside it; no javascript: or data:. */
const safeLink = /^(https?:|mailto:|[^:]*$|[^:]*[/?#])/i

function linked(html: string, { link }: Column, row: object): string {
  const target = link === undefined ? undefined : cellOf(row, { key: link })
  return typeof target === 'string' && safeLink.test(target)
    ? `<a href="${escapeHtml(target)}">${html}</a>`
    : html
}
