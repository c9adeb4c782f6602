import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeFileAtomic } from '../training/files/index.js'
import { checkFacts, checkSections, type RefuseReplay } from './checkReplay.js'
import type { ReplaySettings } from './replayOptions.js'
import {
  factsOf,
  type ReplayState,
  restoreFacts,
  restoreSections,
  type StateFacts,
  sectionsOf,
} from './replayState.js'

// A file is a preamble of 64 bytes, a header in JSON, and the sections of replayState.ts, all little-endian:
//
//   0  'TPUREPLY'    8  version, uint32    12  bytes of the header, uint32    16  bytes of the file, float64
//  24  eight zeros  32  SHA-256 of all other bytes of the file, in order

const magic = 'TPUREPLY'
const version = 1
const preambleBytes = 64
const digestAt = 32

/** The header, as it is written. */
interface Header {
  readonly settings: ReplaySettings
  readonly facts: StateFacts
}

/** Writes all of a buffer to `path`, so that the file is the old one or the new one at every moment. */
export function writeReplay(path: string | URL, state: ReplayState): void {
  requireLittleEndian('save')
  const { settings } = state
  const header = Buffer.from(JSON.stringify({ settings, facts: factsOf(state) } satisfies Header))
  const { sections } = sectionsOf(state, state.episodes.size)
  const pieces = [header, ...sections]
  const preamble = Buffer.alloc(preambleBytes)
  preamble.write(magic, 'latin1')
  preamble.writeUInt32LE(version, 8)
  preamble.writeUInt32LE(header.length, 12)
  preamble.writeDoubleLE(
    pieces.reduce((sum, piece) => sum + piece.length, preambleBytes),
    16,
  )
  const hash = createHash('sha256').update(preamble.subarray(0, digestAt))
  for (const piece of pieces) for (const part of partsOf(piece)) hash.update(part)
  hash.digest().copy(preamble, digestAt)
  writeFileAtomic(path, [preamble, ...pieces])
}

/** A file that was found whole, and what its header says. */
export interface OpenReplay {
  /** What the file says the buffer was made with: anything. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Fills a buffer made with these settings. */
  readInto(state: ReplayState): void
  /** Throws what the file has that no buffer writes. */
  readonly refuse: RefuseReplay
  close(): void
}

/** Opens a file for reading only; throws if a single bit is wrong. */
export function openReplay(path: string | URL): OpenReplay {
  requireLittleEndian('load')
  const name = typeof path === 'string' ? path : fileURLToPath(path)
  const handle = openSync(name, 'r')
  try {
    const headerBytes = verified(handle, name)
    const header = Buffer.alloc(headerBytes)
    readFully(handle, header, preambleBytes)
    const refuse: RefuseReplay = (why) => {
      throw new RangeError(`load: a file that save did not write, ${why} [${name}]`)
    }
    const { settings, facts } = parsed(header, refuse)
    const readInto = (state: ReplayState): void => {
      checkFacts(state, facts, refuse)
      restoreFacts(state, facts)
      const { sections, priorities } = sectionsOf(state, state.episodes.size)
      let at = preambleBytes + headerBytes
      const bytes = sections.reduce((sum, section) => sum + section.length, at)
      if (bytes !== fstatSync(handle).size) refuse(`its rows need ${bytes} bytes`)
      for (const section of sections) {
        for (const part of partsOf(section)) {
          readFully(handle, part, at)
          at += part.length
        }
      }
      checkSections(state, priorities, refuse)
      restoreSections(state, priorities)
      // Of an infinite sum nothing could be drawn.
      if (state.priorities && !Number.isFinite(state.priorities.tree.total)) {
        refuse('priorities without a sum')
      }
    }
    return { settings, readInto, refuse, close: () => closeSync(handle) }
  } catch (error) {
    closeSync(handle)
    throw error
  }
}

/** The two parts of a header. */
function parsed(
  header: Buffer,
  refuse: RefuseReplay,
): { settings: Readonly<Record<string, unknown>>; facts: unknown } {
  let value: unknown
  try {
    value = JSON.parse(header.toString('utf8'))
  } catch {
    return refuse('its header is not JSON')
  }
  const { settings, facts } = (value ?? {}) as Readonly<Record<string, unknown>>
  if (typeof settings !== 'object' || settings === null) return refuse('its header has no settings')
  return { settings: settings as Readonly<Record<string, unknown>>, facts }
}

/** Checks a file from beginning to end; returns the bytes of its header. */
function verified(handle: number, name: string): number {
  const refuse = (what: string): never => {
    throw new RangeError(`load: ${what} [${name}]`)
  }
  const { size } = fstatSync(handle)
  const preamble = Buffer.alloc(Math.min(size, preambleBytes))
  readFully(handle, preamble, 0)
  if (
    !Buffer.from(magic, 'latin1').subarray(0, size).equals(preamble.subarray(0, magic.length)) ||
    size === 0
  ) {
    refuse('not a replay file')
  }
  if (size < preambleBytes) refuse(`the file is cut off, it has ${size} of at least ${preambleBytes} bytes`)
  const found = preamble.readUInt32LE(8)
  if (found !== version) refuse(`the file has version ${found}, this reads version ${version}`)
  const expected = preamble.readDoubleLE(16)
  if (size < expected) refuse(`the file is cut off, it has ${size} of ${expected} bytes`)
  if (size > expected) refuse(`the file has ${size} bytes instead of ${expected}`)
  const hash = createHash('sha256').update(preamble.subarray(0, digestAt))
  const part = Buffer.alloc(Math.min(partBytes, size))
  for (let at = preambleBytes; at < size; at += part.length) {
    const bytes = part.subarray(0, Math.min(part.length, size - at))
    readFully(handle, bytes, at)
    hash.update(bytes)
  }
  if (!hash.digest().equals(preamble.subarray(digestAt))) {
    refuse('the file is damaged, its checksum is another')
  }
  const header = preamble.readUInt32LE(12)
  if (preambleBytes + header > size) refuse(`a header of ${header} bytes in ${size}`)
  return header
}

const partBytes = 2 ** 24

/** The bytes in pieces of which none is too large for one call. */
function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += partBytes) yield bytes.subarray(at, at + partBytes)
}

function readFully(handle: number, bytes: Uint8Array, from: number): void {
  let done = 0
  while (done < bytes.length) {
    const count = readSync(handle, bytes, done, bytes.length - done, from + done)
    if (count === 0) {
      throw new RangeError(`load: the file became shorter while it was read [at byte ${from + done}]`)
    }
    done += count
  }
}

/** Rows are written as they are in memory. */
function requireLittleEndian(op: string): void {
  if (new Uint8Array(Uint16Array.of(1).buffer)[0] !== 1) {
    throw new RangeError(`${op}: replay files are little-endian, this machine is not [big-endian]`)
  }
}
