import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { shown } from '../../base/options/index.js'
import { openSafetensors, type SafetensorsFile } from '../files/index.js'
import type { CheckpointRecord, FileDigest } from './checkpointRecord.js'
import { hostFile, parseRecord } from './record.js'
import { recordFile } from './recordText.js'

/** How closely a checkpoint is looked at: its record and the sizes of its files, or every byte. */
export type Depth = 'sizes' | 'bytes'

/** What a checkpoint says of itself, its files looked at; a RangeError says why it is refused. At depth 'bytes' no file has another tensor. */
export function inspectCheckpoint(folder: string, depth: Depth): CheckpointRecord {
  const record = parseRecord(recordTextOf(folder))
  record.files.forEach((digest, host) => {
    checkFile(join(folder, hostFile(host)), hostFile(host), digest, depth)
    if (depth === 'bytes') openHostFile(folder, record, host).close()
  })
  return record
}

function recordTextOf(folder: string): string {
  try {
    return readFileSync(join(folder, recordFile), 'utf8')
  } catch (error) {
    if (isMissing(error)) throw new RangeError(`is torn or foreign: it has no ${recordFile}`)
    throw error
  }
}

function checkFile(path: string, name: string, digest: FileDigest, depth: Depth): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) throw new RangeError(`is torn: it has no ${name}`)
  if (size !== digest.bytes) throw new RangeError(`is torn: ${name} has ${size} bytes of ${digest.bytes}`)
  if (depth === 'bytes' && sha256Of(path) !== digest.sha256) {
    throw new RangeError(`is damaged: the checksum of ${name} differs`)
  }
}

function sha256Of(path: string): string {
  const hash = createHash('sha256')
  const block = new Uint8Array(2 ** 20)
  const handle = openSync(path, 'r')
  try {
    for (let got = readSync(handle, block); got > 0; got = readSync(handle, block)) {
      hash.update(block.subarray(0, got))
    }
  } finally {
    closeSync(handle)
  }
  return hash.digest('hex')
}

/** The file of a host, open, if it holds exactly the tensors that the record says. */
export function openHostFile(folder: string, record: CheckpointRecord, host: number): SafetensorsFile {
  const file = opened(folder, hostFile(host))
  const entries = new Map(file.entries.map((entry) => [entry.name, entry]))
  for (const [path, { dtype, shape, rows }] of record.tensors) {
    const here = rows[host]!
    const entry = entries.get(path)
    entries.delete(path)
    if (entry === undefined && here === 0 && record.files.length > 1) continue
    const expected = shape.length === 0 ? [] : [here, ...shape.slice(1)]
    if (entry?.dtype !== dtype || entry.shape.join() !== expected.join()) {
      file.close()
      throw new RangeError(`is damaged: ${hostFile(host)} has another tensor at ${path}`)
    }
  }
  const [stray] = entries.keys()
  if (stray !== undefined) {
    file.close()
    throw new RangeError(
      `is damaged: ${hostFile(host)} has a tensor that the record has not [${shown(stray)}]`,
    )
  }
  return file
}

function opened(folder: string, name: string): SafetensorsFile {
  try {
    return openSafetensors(join(folder, name))
  } catch (error) {
    throw isOfFile(error) ? new RangeError(`is damaged: ${name}, ${error.message}`) : error
  }
}

/** Whether an error is about what a safetensors file holds. */
export function isOfFile(error: unknown): error is Error {
  return error instanceof Error && error.message.startsWith('openSafetensors: ')
}

/** Whether something is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
