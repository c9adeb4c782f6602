import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

// Checksums made right again after a change: what is behind them is to be attacked too.

/** Of a record file: headers of blocks, tables, indices and trailers, wherever their marks stand. */
export function repairRecords(file: Uint8Array): Uint8Array {
  const bytes = Buffer.from(file)
  for (let at = 0; at + 32 <= bytes.length; at++) {
    const mark = bytes.readUInt32LE(at)
    if (mark === 0x444e4554) bytes.writeUInt32LE(crc32(bytes.subarray(at + 8, at + 32)), at + 4)
    if (mark !== 0x4b4c4254) continue
    const isIndex = bytes.readUInt32LE(at + 4) === 2
    const length = isIndex ? bytes.readUInt32LE(at + 20) : 8 * bytes.readUInt32LE(at + 16)
    if (at + 32 + length <= bytes.length) {
      bytes.writeUInt32LE(crc32(bytes.subarray(at + 32, at + 32 + length)), at + 24)
    }
    bytes.writeUInt32LE(crc32(bytes.subarray(at, at + 28)), at + 28)
  }
  return new Uint8Array(bytes)
}

/** Of a replay file: the length of its file, and the digest of everything. */
export function repairReplay(file: Uint8Array): Uint8Array {
  const bytes = Buffer.from(file)
  if (bytes.length < 64) return file
  bytes.writeDoubleLE(bytes.length, 16)
  createHash('sha256').update(bytes.subarray(0, 32)).update(bytes.subarray(64)).digest().copy(bytes, 32)
  return new Uint8Array(bytes)
}

/** Of a sweep: the digest at the end of every line. */
export function repairSweep(file: Uint8Array): Uint8Array {
  const lines = Buffer.from(file).toString().split('\n')
  const repaired = lines.map((line) => {
    try {
      const { check: _, ...row } = JSON.parse(line)
      if (!('options' in row)) return line
      const check = createHash('sha256').update(JSON.stringify(row)).digest('hex').slice(0, 16)
      return JSON.stringify({ ...row, check })
    } catch {
      return line
    }
  })
  return new Uint8Array(Buffer.from(repaired.join('\n')))
}

/** Of an npz file whose members are stored: their checksums, in the directory and before them. */
export function repairNpz(file: Uint8Array): Uint8Array {
  const bytes = Buffer.from(file)
  for (let at = bytes.indexOf('PK\x01\x02', 0, 'latin1'); at >= 0 && at + 46 <= bytes.length; ) {
    const from = bytes.readUInt32LE(at + 42)
    const stored = bytes.readUInt32LE(at + 20)
    if (bytes.readUInt16LE(at + 10) === 0 && from + 30 <= bytes.length) {
      const start = from + 30 + bytes.readUInt16LE(from + 26) + bytes.readUInt16LE(from + 28)
      if (start + stored <= bytes.length) {
        const sum = crc32(bytes.subarray(start, start + stored))
        bytes.writeUInt32LE(sum, at + 16)
        bytes.writeUInt32LE(sum, from + 14)
      }
    }
    at = bytes.indexOf('PK\x01\x02', at + 4, 'latin1')
  }
  return new Uint8Array(bytes)
}
