import { checkPath } from '../../../base/options/index.js'
import { checkIndex, type DataSource } from './dataSource.js'
import { fileFingerprint } from './fingerprint.js'
import { blocksOfFile, closingOnFailure, lineAt, type OpenFile, openFile } from './openFile.js'

/**
 * A file with a JSON value on every line, as a source. Lines of white space are none.
 *
 * Throws    RangeError for a line that is not JSON or not UTF-8, when it is read, with its number.
 * Cost      opening reads the file once for where lines begin: 8 bytes of memory a record. A record is read by its range.
 */
export async function openJsonl<T = unknown>(path: string | URL): Promise<DataSource<T>> {
  checkPath('openJsonl', path)
  const file = await openFile('openJsonl', path)
  const [starts, fingerprint] = await closingOnFailure(file, () =>
    Promise.all([lineStarts(file), fileFingerprint(file)]),
  )
  const length = starts.length - 1
  return {
    length,
    fingerprint,
    at: async (index) => {
      checkIndex('openJsonl', index, length)
      const bytes = await file.read(starts[index]!, starts[index + 1]! - starts[index]!)
      return (await parse(file, bytes, starts[index]!)) as T
    },
    range: async (start, end) => {
      if (start >= end) return []
      checkIndex('openJsonl', start, length)
      checkIndex('openJsonl', end - 1, length)
      const from = starts[start]!
      const bytes = await file.read(from, starts[end]! - from)
      const records: T[] = []
      for (let index = start; index < end; index++) {
        const line = bytes.subarray(starts[index]! - from, starts[index + 1]! - from)
        records.push((await parse(file, line, starts[index]!)) as T)
      }
      return records
    },
    close: file.close,
  }
}

const byteOrderMark = [0xef, 0xbb, 0xbf]

/** Where each line that is not blank begins, and at last the end of the file. */
async function lineStarts(file: OpenFile): Promise<number[]> {
  const starts: number[] = []
  const mark = await file.read(0, Math.min(3, file.size))
  const markBytes = mark.length === 3 && byteOrderMark.every((byte, i) => mark[i] === byte) ? 3 : 0
  let at = 0
  let lineStart = 0
  let blank = true
  for await (const block of blocksOfFile(file)) {
    for (const byte of block) {
      at++
      if (byte === 0x0a) {
        lineStart = at
        blank = true
      } else if (blank && at > markBytes && byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) {
        blank = false
        starts.push(lineStart)
      }
    }
  }
  starts.push(file.size)
  return starts
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

async function parse(file: OpenFile, bytes: Uint8Array, start: number): Promise<unknown> {
  try {
    // The decoder takes a byte order mark away.
    return JSON.parse(utf8.decode(bytes))
  } catch (error) {
    const why = error instanceof SyntaxError ? `not JSON` : 'not UTF-8'
    throw new RangeError(`openJsonl: ${why} [${file.name}, line ${await lineAt(file, start)}]`, {
      cause: error,
    })
  }
}
