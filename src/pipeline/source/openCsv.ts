import { pipeline } from 'node:stream/promises'
import { parse as parseStream } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { checkIndex, type DataSource } from './dataSource.js'
import { blocksOfFile, closingOnFailure, lineAt, type OpenFile, openFile } from './openFile.js'

/** How a CSV file is read. */
export interface CsvOptions {
  /** The names of the columns. Default: the first row has them. */
  readonly columns?: readonly string[]
  /** Default ','. */
  readonly delimiter?: string
  /** Columns of numbers; an empty field is null there. The others are text. Default none. */
  readonly numbers?: readonly string[]
}

/** A row of a CSV file: text by column, numbers where `numbers` says so. */
export type CsvRow = Readonly<Record<string, string | number | null>>

/**
 * A CSV file as a source of rows, as RFC 4180 has it: quotes, line breaks in quoted fields, CR LF or LF. Empty lines are
 * no rows.
 *
 * Special   a row with more or fewer fields than there are columns, and quotes that do not close, are errors on opening,
 *           with their line; text in a column of numbers is one when the row is read.
 * Cost      opening parses the file once for where rows begin: 8 bytes of memory a row. A row is read by its range.
 */
export async function openCsv<T = CsvRow>(
  path: string | URL,
  options: CsvOptions = {},
): Promise<DataSource<T>> {
  const op = 'openCsv'
  const { delimiter = ',', numbers = [] } = options
  if (typeof delimiter !== 'string' || delimiter === '')
    throw new RangeError(`${op}: delimiter is no text, or empty [${String(delimiter)}]`)
  const file = await openFile(op, path)
  return closingOnFailure(file, async () => {
    const { columns, starts } = await rowStarts(op, file, delimiter, options.columns)
    const stranger = numbers.find((name) => !columns.includes(name))
    if (stranger !== undefined)
      throw new RangeError(
        `${op}: no column of this name [${stranger} of ${columns.join(', ').slice(0, 50)}]`,
      )
    const length = starts.length - 1
    const read = async (start: number, end: number): Promise<T[]> => {
      const bytes = await file.read(starts[start]!, starts[end]! - starts[start]!)
      const rows: string[][] = parse(bytes, { delimiter, bom: start === 0, skip_empty_lines: true })
      const records: T[] = []
      for (const [i, row] of rows.entries()) {
        const entries = columns.map((name, k): [string, string | number | null] => [name, row[k]!])
        for (const entry of entries)
          if (numbers.includes(entry[0])) entry[1] = await toNumber(op, file, starts[start + i]!, entry)
        records.push(Object.fromEntries(entries) as T)
      }
      return records
    }
    return {
      length,
      at: async (index) => {
        checkIndex(op, index, length)
        return (await read(index, index + 1))[0]!
      },
      range: async (start, end) => {
        if (start >= end) return []
        checkIndex(op, start, length)
        checkIndex(op, end - 1, length)
        return read(start, end)
      },
      close: file.close,
    }
  })
}

/** The columns, and where each row begins, and at last the end of the file. */
async function rowStarts(
  op: string,
  file: OpenFile,
  delimiter: string,
  given: readonly string[] | undefined,
): Promise<{ columns: readonly string[]; starts: number[] }> {
  const parser = parseStream({ delimiter, bom: true, info: true, skip_empty_lines: true })
  let columns = given
  const starts: number[] = []
  let at = 0
  let strange: { fields: number; start: number } | undefined
  parser.on('readable', () => {
    for (let next = parser.read(); next !== null; next = parser.read()) {
      const { record, info } = next as { record: string[]; info: { bytes: number } }
      if (columns) starts.push(at)
      else columns = record
      if (record.length !== columns.length) strange ??= { fields: record.length, start: at }
      at = info.bytes
    }
  })
  try {
    await pipeline(blocksOfFile(file), parser)
  } catch (error) {
    throw csvFailure(op, file, error)
  }
  if (strange) {
    const where = `${file.name}, line ${await lineAt(file, strange.start)}`
    throw new RangeError(
      `${op}: a row of ${strange.fields} fields where there are ${columns!.length} columns [${where}]`,
    )
  }
  const names = columns ?? []
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new RangeError(`${op}: two columns of one name [${file.name}: ${twice}]`)
  starts.push(file.size)
  return { columns: names, starts }
}

function csvFailure(op: string, file: OpenFile, error: unknown): unknown {
  const { code, lines, record, message } = error as {
    code?: string
    lines?: number
    record?: unknown
    message: string
  }
  if (code === undefined || lines === undefined) return error
  const where = `${file.name}, line ${lines}`
  if (code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH' && Array.isArray(record))
    return new RangeError(`${op}: a ragged row of ${record.length} fields [${where}]`, { cause: error })
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return new RangeError(`${op}: a quote that does not close [${where}]`, { cause: error })
  return new RangeError(`${op}: not CSV [${where}: ${message}]`, { cause: error })
}

async function toNumber(
  op: string,
  file: OpenFile,
  start: number,
  [name, text]: readonly [string, unknown],
): Promise<number | null> {
  if (text === '') return null
  const value = Number(text)
  // To Number white space is 0.
  if ((Number.isNaN(value) && text !== 'NaN') || String(text).trim() === '')
    throw new RangeError(
      `${op}: not a number in column ${name} [${file.name}, line ${await lineAt(file, start)}: ${String(text).slice(0, 50)}]`,
    )
  return value
}
