/** Rows from which on a table can be sorted by its columns. */
export const sortableFrom = 10

/**
 * The script of a page with long tables: each heading becomes a button that sorts by its column, ascending, descending, and
 * as it was. Without it the tables are as they were written. What holds no value stays at the end.
 */
export const tableSorting = `for (const table of document.querySelectorAll('table.sortable')) {
  const body = table.querySelector('tbody')
  const rows = [...body.querySelectorAll('tr')]
  const heads = [...table.querySelectorAll('thead th')]
  const cellsOf = (column) => rows.map((row) => row.querySelectorAll('td')[column])
  const valuesOf = (column) => {
    const texts = cellsOf(column).map((cell) => (cell.textContent.trim() === '-' ? '' : cell.textContent.trim()))
    const numbers = cellsOf(column).map((cell, i) => {
      const given = cell.getAttribute('data-value') ?? texts[i].replaceAll(',', '')
      return given === '' ? NaN : Number(given)
    })
    return texts.every((text, i) => text === '' || !Number.isNaN(numbers[i])) ? numbers : texts
  }
  const compare = (a, b) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true })
  heads.forEach((head, column) => {
    const button = document.createElement('button')
    button.setAttribute('type', 'button')
    button.textContent = head.textContent
    head.textContent = ''
    head.append(button)
    button.addEventListener('click', () => {
      const was = head.getAttribute('aria-sort')
      const now = was === 'ascending' ? 'descending' : was === 'descending' ? null : 'ascending'
      for (const other of heads) other.removeAttribute('aria-sort')
      if (now !== null) head.setAttribute('aria-sort', now)
      const sign = now === 'descending' ? -1 : 1
      const values = valuesOf(column)
      const keyed = rows.map((row, i) => ({ row, value: values[i] }))
      const empty = ({ value }) => value === '' || Number.isNaN(value)
      if (now !== null) {
        keyed.sort((a, b) => empty(a) - empty(b) || (empty(a) ? 0 : sign * compare(a.value, b.value)))
      }
      for (const { row } of keyed) body.append(row)
    })
  })
}`
