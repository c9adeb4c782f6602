import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Table } from 'apache-arrow'
import { checkIndex, type DataSource } from './dataSource.js'

/**
 * A file of Apache Arrow (Feather version 2) or a stream of Arrow's IPC format, as a source of rows: an object with a field
 * for every column. Lists become arrays (of numbers: typed arrays), missing values null, 64-bit integers bigints.
 *
 * Cost      the whole file in memory, as it is; rows are made when they are read. The library is loaded on the first call.
 */
export async function openArrow<T = Readonly<Record<string, unknown>>>(
  path: string | URL,
): Promise<DataSource<T>> {
  const op = 'openArrow'
  const name = basename(path instanceof URL ? fileURLToPath(path) : path)
  const bytes = await readFile(path)
  const { tableFromIPC } = await import('apache-arrow')
  let table: Table
  try {
    table = tableFromIPC(bytes)
  } catch (error) {
    throw new RangeError(`${op}: not a file of Arrow [${name}: ${(error as Error).message}]`, {
      cause: error,
    })
  }
  const names = table.schema.fields.map((field) => field.name)
  if (names.length === 0) throw new RangeError(`${op}: no columns, or not a file of Arrow [${name}]`)
  const twice = names.find((column, i) => names.indexOf(column) !== i)
  if (twice !== undefined) throw new RangeError(`${op}: two columns of one name [${name}: ${twice}]`)
  const columns = names.map((_, i) => table.getChildAt(i)!)
  const length = table.numRows
  const row = (index: number): T => {
    const record: Record<string, unknown> = {}
    for (let i = 0; i < names.length; i++) record[names[i]!] = plain(columns[i]!.get(index))
    return record as T
  }
  return {
    length,
    at: (index) => {
      checkIndex(op, index, length)
      return row(index)
    },
    range: (start, end) => {
      if (start < end) {
        checkIndex(op, start, length)
        checkIndex(op, end - 1, length)
      }
      return Array.from({ length: Math.max(0, end - start) }, (_, i) => row(start + i))
    },
  }
}

/** A value without the library's classes. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date || ArrayBuffer.isView(value))
    return value
  const item = value as { toJSON?: () => unknown; toArray?: () => unknown; nullCount?: number }
  const json = item.toJSON?.()
  if (Array.isArray(json)) {
    // A typed array would have zeros where the list has none.
    const list = item.nullCount === 0 ? item.toArray?.() : json
    return Array.isArray(list) ? list.map(plain) : (list ?? json)
  }
  if (typeof json !== 'object' || json === null) return value
  return Object.fromEntries(Object.entries(json).map(([key, inside]) => [key, plain(inside)]))
}
