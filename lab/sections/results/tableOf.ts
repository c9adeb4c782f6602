import type { Json } from './kinds.js'
import type { ViewCell, ViewTable } from './resultsMessages.js'

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Records as a table: a column for each field, fields of records within by their path. */
export function tableOf(title: string, records: readonly Json[]): ViewTable {
  const flat = records.map((record) => {
    const cells = new Map<string, ViewCell>()
    flatten('', record, cells, 0)
    return cells
  })
  const head = [...new Set(flat.flatMap((cells) => [...cells.keys()]))]
  return { title, head, rows: flat.map((cells) => head.map((column) => cells.get(column) ?? null)) }
}

function flatten(path: string, record: Json, into: Map<string, ViewCell>, depth: number): void {
  for (const [name, value] of Object.entries(record)) {
    const at = path === '' ? name : `${path}.${name}`
    if (isRecord(value) && depth < 3) flatten(at, value, into, depth + 1)
    else into.set(at, cellOf(value))
  }
}

/** A value in a cell; numbers that JSON lacks are written as texts. */
export function cellOf(value: unknown): ViewCell {
  if (value === null || value === undefined) return null
  if (typeof value === 'number') return value
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value)
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) {
    const plain = value.every((one) => typeof one !== 'object' || one === null)
    return plain && value.length <= 8 ? value.map(sixDigits).join(', ') : `${value.length} values`
  }
  return 'a record'
}

const sixDigits = (value: unknown): string =>
  String(typeof value === 'number' ? Number(value.toPrecision(6)) : value)
