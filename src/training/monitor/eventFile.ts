import { closeSync, mkdirSync, openSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPath } from '../../base/options/index.js'
import { writeFully } from '../files/index.js'
import { crc32c } from './crc32c.js'
import type { Sink } from './sink.js'

/**
 * A sink that writes scalars as TensorBoard reads them: a file events.out.tfevents.SECONDS.HOST in the folder, a record for each
 * value, named as in the sample. TensorBoard shows numbers as float32.
 *
 * Source    TFRecord and event.proto as tensorboard 2.21 reads them: length, masked CRC32C, data, masked CRC32C; Event { 1: wall time,
 *           2: step, 3: version, 5: Summary { 1: Value { 1: tag, 2: number } } }
 * Throws    what the file system throws, at the first sample.
 *
 * @example typeof eventFile('logs').write // function
 */
export function eventFile(folder: string | URL): Sink {
  checkPath('eventFile', folder)
  let handle: number | undefined
  const open = (time: number): number => {
    const path = folder instanceof URL ? fileURLToPath(folder) : folder
    mkdirSync(path, { recursive: true })
    const name = `events.out.tfevents.${Math.floor(time)}.${hostname()}.${process.pid}`
    const opened = openSync(join(path, name), 'a')
    writeFully(opened, recorded(Buffer.concat([double(1, time), text(3, 'brain.Event:2')])))
    return opened
  }
  return {
    write({ step, time, values }) {
      handle ??= open(time)
      const records = Object.entries(values).map(([tag, value]) => {
        const summary = nested(1, Buffer.concat([text(1, tag), float(2, value)]))
        return recorded(Buffer.concat([double(1, time), integer(2, step), nested(5, summary)]))
      })
      writeFully(handle, Buffer.concat(records))
    },
    close() {
      if (handle !== undefined) closeSync(handle)
      handle = undefined
    },
  }
}

/** A record of a TFRecord file. */
function recorded(data: Buffer): Buffer {
  const record = Buffer.alloc(data.length + 16)
  record.writeBigUInt64LE(BigInt(data.length), 0)
  record.writeUInt32LE(masked(record.subarray(0, 8)), 8)
  data.copy(record, 12)
  record.writeUInt32LE(masked(data), data.length + 12)
  return record
}

/** A checksum as records have it: of bytes that may hold checksums themselves. */
function masked(bytes: Uint8Array): number {
  const crc = crc32c(bytes)
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}

// Fields of a protocol buffer: a key (the field's number and how it is stored), then the value.
const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

const key = (field: number, kind: number): number[] => [(field << 3) | kind]

function varint(value: number): number[] {
  const bytes: number[] = []
  let left = value
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) + 128)
  return [...bytes, left]
}

function integer(field: number, value: number): Buffer {
  return Buffer.from([...key(field, VARINT), ...varint(value)])
}

function double(field: number, value: number): Buffer {
  const bytes = Buffer.from([...key(field, FIXED64), 0, 0, 0, 0, 0, 0, 0, 0])
  bytes.writeDoubleLE(value, 1)
  return bytes
}

function float(field: number, value: number): Buffer {
  const bytes = Buffer.from([...key(field, FIXED32), 0, 0, 0, 0])
  bytes.writeFloatLE(value, 1)
  return bytes
}

function nested(field: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([...key(field, BYTES), ...varint(content.length)]), content])
}

function text(field: number, value: string): Buffer {
  return nested(field, Buffer.from(value))
}
