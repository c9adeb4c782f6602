import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPath } from '../../../base/options/index.js'
import { checkIndex, type DataSource } from '../source/dataSource.js'
import { bytesFingerprint } from '../source/fingerprint.js'
import { checkArrow } from './checkArrow.js'

/**
 * A file of Apache Arrow (Feather version 2) or a stream of Arrow's IPC format, as a source of rows: an object without a
 * prototype, with a field for every column. Lists become arrays (of numbers: typed arrays), structs and maps such objects,
 * missing values null, 64-bit integers bigints.
 *
 * Throws    RangeError for what is neither, and for a file that does not hold each value that it promises: bytes, offsets,
 *           text, dictionaries and counts are all checked, in one pass, before the first is read. Compressed files, and
 *           types that the library does not know (run-end encoded, list views), are said to be that.
 *           Error where apache-arrow, an optional peer, is not installed.
 * Cost      the whole file in memory, as it is; rows are made when they are read. The library is loaded on the first call.
 */
export async function openArrow<T = Readonly<Record<string, unknown>>>(
  path: string | URL,
): Promise<DataSource<T>> {
  const op = 'openArrow'
  checkPath(op, path)
  const name = basename(path instanceof URL ? fileURLToPath(path) : path)
  const refuse = (why: string, cause?: unknown): never => {
    throw new RangeError(`${op}: not a file of Arrow that can be read [${name}: ${why}]`, { cause })
  }
  // Not as a Buffer, which may begin anywhere in a larger piece of memory.
  const bytes = new Uint8Array(await readFile(path))
  checkArrow(bytes, refuse)
  const { MapRow, StructRow, tableFromIPC, Vector } = await loadArrow(op)
  const table = (() => {
    try {
      return tableFromIPC(bytes)
    } catch (error) {
      return refuse(error instanceof Error ? error.message : String(error), error)
    }
  })()
  const names = table.schema.fields.map((field) => field.name)
  const columns = names.map((_, i) => table.getChildAt(i)!)
  const length = table.numRows

  /** A value without the library's classes. */
  const plain = (value: unknown): unknown => {
    if (value instanceof Vector) {
      // A typed array would have zeros where the list has none.
      const list: unknown = value.nullCount === 0 ? value.toArray() : value.toJSON()
      return Array.isArray(list) ? list.map(plain) : list
    }
    if (!(value instanceof StructRow || value instanceof MapRow)) return value
    const record = emptyRecord()
    for (const [key, inside] of value as Iterable<[unknown, unknown]>) record[String(key)] = plain(inside)
    return record
  }
  const row = (index: number): T => {
    const record = emptyRecord()
    for (let i = 0; i < names.length; i++) record[names[i]!] = plain(columns[i]!.get(index))
    return record as T
  }
  return {
    length,
    fingerprint: bytesFingerprint(bytes),
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

/** Whose keys are what a file says, `__proto__` among them. */
function emptyRecord(): Record<string, unknown> {
  return Object.create(null)
}

async function loadArrow(op: string): Promise<typeof import('apache-arrow')> {
  try {
    return await import('apache-arrow')
  } catch (cause) {
    throw new Error(
      `${op}: apache-arrow is not installed, \`npm install apache-arrow@21\` adds it [apache-arrow]`,
      {
        cause,
      },
    )
  }
}
