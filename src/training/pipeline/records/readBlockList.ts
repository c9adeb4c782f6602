import { crc32 } from 'node:zlib'
import type { OpenFile } from '../source/openFile.js'
import type { RecordsBefore } from './recordBlocks.js'
import {
  type BlockList,
  blockLength,
  decodeHeader,
  decodeIndex,
  decodeTrailer,
  fileMagic,
  headerBytes,
  trailerBytes,
} from './recordFormat.js'

/**
 * The blocks of a record file by the index at its end. A file without one, or with one that does not fit, was cut off: it is
 * refused, or with `recover` walked block by block up to the last whole one.
 */
export async function readBlockList(op: string, file: OpenFile, recover: boolean): Promise<RecordsBefore> {
  const magic = await file.read(0, Math.min(file.size, fileMagic.length))
  if (magic.length < fileMagic.length || magic.some((byte, i) => byte !== fileMagic[i])) {
    throw new RangeError(`${op}: not a record file [${file.name}]`)
  }
  const listed = await fromIndex(file)
  if (listed) return listed
  const walked = await fromBlocks(file)
  if (recover) return walked
  throw new RangeError(
    `${op}: the tail is cut off behind ${walked.records} whole records, recover reads those [${file.name}, byte ${walked.end} of ${file.size}]`,
  )
}

async function fromIndex(file: OpenFile): Promise<RecordsBefore | undefined> {
  if (file.size < fileMagic.length + headerBytes + trailerBytes) return undefined
  const trailer = decodeTrailer(await file.read(file.size - trailerBytes, trailerBytes))
  if (!trailer || trailer.indexStart + headerBytes + trailerBytes > file.size) return undefined
  const header = decodeHeader(await file.read(trailer.indexStart, headerBytes))
  if (header?.kind !== 'index' || trailer.indexStart + blockLength(header) + trailerBytes !== file.size) {
    return undefined
  }
  const data = await file.read(trailer.indexStart + headerBytes, header.dataBytes)
  if (crc32(data) !== header.crc) return undefined
  const list = decodeIndex(data)
  return isOrdered(list, trailer) ? { ...list, records: trailer.records, end: file.size } : undefined
}

/**
 * Whether blocks follow each other from the beginning of the file on, each with a table for all of its records: a checksum
 * that fits says nothing of who made it.
 */
function isOrdered({ starts, firsts }: BlockList, trailer: { indexStart: number; records: number }): boolean {
  if (starts.length === 0) return trailer.records === 0
  return (
    Number.isSafeInteger(trailer.records) &&
    starts.every((start, i) => {
      const room = (starts[i + 1] ?? trailer.indexStart) - start - headerBytes
      const count = (firsts[i + 1] ?? trailer.records) - firsts[i]!
      const follows = i > 0 || (firsts[0] === 0 && start >= fileMagic.length)
      return follows && Number.isSafeInteger(start) && count > 0 && 8 * count <= room
    })
  )
}

/** Old indices and trailers stand between the blocks of a file that was appended to. */
async function fromBlocks(file: OpenFile): Promise<RecordsBefore> {
  const list: BlockList = { starts: [], firsts: [] }
  let records = 0
  let end = fileMagic.length
  for (let at = end; at + headerBytes <= file.size; ) {
    const bytes = await file.read(at, headerBytes)
    const header = decodeHeader(bytes)
    if (!header) {
      if (!decodeTrailer(bytes)) break
      at += trailerBytes
      end = at
      continue
    }
    const next = at + blockLength(header)
    if (next > file.size) break
    if (header.kind === 'records') {
      const table = await file.read(at + headerBytes, 8 * header.entries)
      if (header.first !== records || crc32(table) !== header.crc) break
      list.starts.push(at)
      list.firsts.push(records)
      records += header.entries
    }
    at = next
    end = at
  }
  return { ...list, records, end }
}
