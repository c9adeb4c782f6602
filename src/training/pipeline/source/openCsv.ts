import { pipeline } from 'node:stream/promises'
import { CsvError, parse as parseStream } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { checkOptions, checkPath, type OptionTable, shown } from '../../../base/options/index.js'
import { checkIndex, type DataSource } from './dataSource.js'
import { fileFingerprint } from './fingerprint.js'
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

/** What ends a row, anywhere in a file: as Python's csv reads it. Left to itself csv-parse takes the first one it sees. */
const lineEnds = ['\r\n', '\n', '\r']

const csvNames: OptionTable<CsvOptions> = { columns: 'optional', delimiter: 'optional', numbers: 'optional' }

/**
 * A CSV file in UTF-8 as a source of rows, as RFC 4180 has it: quotes, line breaks in quoted fields; a row ends with CR LF,
 * LF or CR, whichever the other rows end with. Empty lines are no rows.
 *
 * Throws    RangeError on opening, with the line: a row with more or fewer fields than there are columns, quotes that do not
 *           close or stand inside a field, bytes that are not UTF-8. Text in a column of numbers is one when it is read.
 * Cost      opening parses the file once for where rows begin: 8 bytes of memory a row. A row is read by its range.
 */
export async function openCsv<T = CsvRow>(
  path: string | URL,
  options: CsvOptions = {},
): Promise<DataSource<T>> {
  const op = 'openCsv'
  checkPath(op, path)
  checkOptions(op, options, csvNames)
  const { delimiter = ',', numbers = [] } = options
  if (typeof delimiter !== 'string' || delimiter === '') {
    throw new RangeError(`${op}: delimiter is no text, or empty [${shown(delimiter)}]`)
  }
  if (/["\r\n]/.test(delimiter)) {
    throw new RangeError(
      `${op}: a delimiter with quotes or ends of lines in it [${JSON.stringify(delimiter)}]`,
    )
  }
  checkNames(op, 'columns', options.columns ?? [])
  checkNames(op, 'numbers', numbers)
  const file = await openFile(op, path)
  return closingOnFailure(file, async () => {
    const { columns, starts } = await rowStarts(op, file, delimiter, options.columns)
    const known = new Set(columns)
    const stranger = numbers.find((name) => !known.has(name))
    if (stranger !== undefined) {
      throw new RangeError(
        `${op}: no column of this name [${stranger} of ${columns.join(', ').slice(0, 50)}]`,
      )
    }
    const length = starts.length - 1
    const numeric = new Set(numbers)
    const read = async (start: number, end: number): Promise<T[]> => {
      const bytes = await file.read(starts[start]!, starts[end]! - starts[start]!)
      const rows = rowsIn(op, file, bytes, delimiter, starts[start] === 0)
      if (rows.length !== end - start || rows.some((row) => row.length !== columns.length)) {
        throw new RangeError(`${op}: the file was changed since it was opened [${file.name}]`)
      }
      const records: T[] = []
      for (const [i, row] of rows.entries()) {
        const entries = columns.map((name, k): [string, string | number | null] => [name, row[k]!])
        for (const entry of entries) {
          if (numeric.has(entry[0])) entry[1] = await toNumber(op, file, starts[start + i]!, entry)
        }
        records.push(Object.fromEntries(entries) as T)
      }
      return records
    }
    const fingerprint = await fileFingerprint(file)
    return {
      length,
      fingerprint,
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
  const parser = parseStream({
    delimiter,
    bom: true,
    info: true,
    skip_empty_lines: true,
    record_delimiter: lineEnds,
  })
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
    await pipeline(utf8Blocks(op, file), parser)
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
  const seen = new Set<string>()
  const twice = names.find((name) => seen.size === seen.add(name).size)
  if (twice !== undefined) throw new RangeError(`${op}: two columns of one name [${file.name}: ${twice}]`)
  starts.push(file.size)
  return { columns: names, starts }
}

/** The rows of a stretch of the file; `first` where it may begin with a byte order mark. */
function rowsIn(
  op: string,
  file: OpenFile,
  bytes: Uint8Array,
  delimiter: string,
  first: boolean,
): readonly (readonly string[])[] {
  try {
    return parse(bytes, { delimiter, bom: first, skip_empty_lines: true, record_delimiter: lineEnds })
  } catch (error) {
    throw csvFailure(op, file, error)
  }
}

/** The blocks of a file, refused at the first one that is not UTF-8. */
async function* utf8Blocks(op: string, file: OpenFile): AsyncGenerator<Uint8Array, void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let at = 0
  for await (const block of blocksOfFile(file)) {
    at += block.length
    // csv-parse takes one behind a quote for the end of the text.
    if (block.includes(0)) throw new RangeError(`${op}: a zero byte in the text [${file.name}]`)
    try {
      decoder.decode(block, { stream: at < file.size })
    } catch (error) {
      throw new RangeError(`${op}: not UTF-8 [${file.name}, line ${await strangeLine(file)}]`, {
        cause: error,
      })
    }
    yield block
  }
}

/** The number of the first line that is not UTF-8: no character has the byte of a line end within it. */
async function strangeLine(file: OpenFile): Promise<number> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  try {
    for await (const block of blocksOfFile(file)) {
      let from = 0
      for (let end = block.indexOf(0x0a); end >= 0; end = block.indexOf(0x0a, from)) {
        decoder.decode(block.subarray(from, end + 1), { stream: true })
        from = end + 1
        line++
      }
      decoder.decode(block.subarray(from), { stream: true })
    }
  } catch {
    // Here it is.
  }
  return line
}

/** What csv-parse found wrong, in our words; other errors as they are. */
function csvFailure(op: string, file: OpenFile, error: unknown): unknown {
  if (!(error instanceof CsvError)) return error
  const { code, lines, record, message } = error as CsvError & { lines?: number; record?: unknown }
  const where = `${file.name}, line ${lines}`
  const why = (): string => {
    switch (code) {
      case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
      case 'CSV_RECORD_INCONSISTENT_COLUMNS':
        return `a ragged row${Array.isArray(record) ? ` of ${record.length} fields` : ''} [${where}]`
      case 'CSV_QUOTE_NOT_CLOSED':
        return `a quote that does not close [${where}]`
      case 'INVALID_OPENING_QUOTE':
        return `a quote inside a field that does not begin with one [${where}]`
      case 'CSV_INVALID_CLOSING_QUOTE':
        return `text behind the quote that closes a field [${where}]`
      default:
        return `not CSV [${where}: ${message.slice(0, 50)}]`
    }
  }
  return new RangeError(`${op}: ${why()}`, { cause: error })
}

function checkNames(op: string, what: string, names: unknown): void {
  if (!Array.isArray(names) || names.some((name) => typeof name !== 'string')) {
    throw new TypeError(`${op}: ${what} is not a list of names [${shown(names)}]`)
  }
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
  if ((Number.isNaN(value) && text !== 'NaN') || String(text).trim() === '') {
    throw new RangeError(
      `${op}: not a number in column ${name} [${file.name}, line ${await lineAt(file, start)}: ${String(text).slice(0, 50)}]`,
    )
  }
  return value
}
