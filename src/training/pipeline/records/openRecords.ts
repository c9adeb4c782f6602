import { crc32 } from 'node:zlib'
import { checkOptions, checkPath, type OptionTable } from '../../../base/options/index.js'
import { checkIndex, type DataSource } from '../source/dataSource.js'
import { fileFingerprint } from '../source/fingerprint.js'
import { closingOnFailure, openFile } from '../source/openFile.js'
import { readBlockList } from './readBlockList.js'
import { decodeHeader, headerBytes } from './recordFormat.js'

/** How a record file is opened. */
export interface OpenRecordsOptions {
  /** Reads a file whose tail is cut off up to its last whole block, instead of refusing it. Default false. */
  readonly recover?: boolean
}

/** What the table of a block says, added up. */
interface Table {
  /** Where each record begins in the file, and at last where the block ends. */
  readonly starts: Float64Array
  readonly crcs: Uint32Array
}

/** Tables of so many records are kept for the next reads, at 12 bytes a record. */
const keptRecords = 2 ** 20

const openNames: OptionTable<OpenRecordsOptions> = { recover: 'optional' }

/**
 * A record file as a source of bytes.
 *
 * Throws    RangeError on opening for what is no record file, and one whose tail is cut off, with how many whole records
 *           it has. A record whose checksum differs is an error when it is read, with its number; the others are read.
 * Cost      opening reads the index: 16 bytes a block. A record takes one read of the file, and one more for the table of its
 *           block unless that is among those of 2^20 records that were used last.
 */
export async function openRecords(
  path: string | URL,
  options: OpenRecordsOptions = {},
): Promise<DataSource<Uint8Array>> {
  const op = 'openRecords'
  checkPath(op, path)
  checkOptions(op, options, openNames)
  const file = await openFile(op, path)
  const [list, fingerprint] = await closingOnFailure(file, async () => [
    await readBlockList(op, file, options.recover ?? false),
    await fileFingerprint(file),
  ])
  const { starts, firsts, records: length } = list
  const tables = new Map<number, Promise<Table>>()
  let keptNow = 0
  const countOf = (block: number): number => (firsts[block + 1] ?? length) - firsts[block]!

  const readTable = async (block: number): Promise<Table> => {
    const [first, end] = [firsts[block]!, firsts[block + 1] ?? length]
    const start = starts[block]!
    const refuse = (): never => {
      throw new RangeError(
        `${op}: the block of records ${first} to ${end - 1} is corrupt [${file.name}, byte ${start}]`,
      )
    }
    if (start + headerBytes + 8 * (end - first) > file.size) return refuse()
    const bytes = await file.read(start, headerBytes + 8 * (end - first))
    const header = decodeHeader(bytes)
    const table = bytes.subarray(headerBytes)
    if (header?.kind !== 'records' || header.entries !== end - first || header.crc !== crc32(table)) {
      return refuse()
    }
    const view = new DataView(bytes.buffer, headerBytes)
    const ends = new Float64Array(header.entries + 1)
    const crcs = new Uint32Array(header.entries)
    ends[0] = start + bytes.length
    for (let i = 0; i < header.entries; i++) {
      ends[i + 1] = ends[i]! + view.getUint32(8 * i, true)
      crcs[i] = view.getUint32(8 * i + 4, true)
    }
    return ends.at(-1)! > file.size ? refuse() : { starts: ends, crcs }
  }
  const tableOf = (block: number): Promise<Table> => {
    const kept = tables.get(block) ?? readTable(block)
    // Used last, forgotten last.
    if (!tables.delete(block)) keptNow += countOf(block)
    tables.set(block, kept)
    for (const oldest of tables.keys()) {
      if (keptNow <= keptRecords || oldest === block) break
      tables.delete(oldest)
      keptNow -= countOf(oldest)
    }
    return kept
  }
  const blockOf = (index: number): number => {
    let low = 0
    let high = firsts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (firsts[middle]! <= index) low = middle
      else high = middle
    }
    return low
  }
  /** Records of one block, from its `from`th to before its `to`th. */
  const readPart = async (block: number, from: number, to: number): Promise<Uint8Array[]> => {
    const table = await tableOf(block)
    const start = table.starts[from]!
    const bytes = await file.read(start, table.starts[to]! - start)
    return Array.from({ length: to - from }, (_, i) => {
      const record = bytes.slice(table.starts[from + i]! - start, table.starts[from + i + 1]! - start)
      if (crc32(record) !== table.crcs[from + i]) {
        throw new RangeError(
          `${op}: record ${firsts[block]! + from + i} is corrupt [${file.name}, byte ${table.starts[from + i]}]`,
        )
      }
      return record
    })
  }
  return {
    length,
    fingerprint,
    at: async (index) => {
      checkIndex(op, index, length)
      const block = blockOf(index)
      const place = index - firsts[block]!
      return (await readPart(block, place, place + 1))[0]!
    },
    range: async (start, end) => {
      if (start >= end) return []
      checkIndex(op, start, length)
      checkIndex(op, end - 1, length)
      const records: Uint8Array[] = []
      for (let block = blockOf(start); block < firsts.length && firsts[block]! < end; block++) {
        const first = firsts[block]!
        const last = Math.min(end - first, countOf(block))
        for (const record of await readPart(block, Math.max(start - first, 0), last)) records.push(record)
      }
      return records
    },
    close: file.close,
  }
}
