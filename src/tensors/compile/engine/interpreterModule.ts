import { inflated } from '../../../numbers/simd/index.js'
import { interpreterBase64 } from './interpreter.wasm.js'

const IMPORTS = 2
const DATA = 11
const DATA_COUNT = 12
/** Kinds of imports, and limits of a memory: those that have a maximum, and those that are shared as well. */
const MEMORY = 2
const SHARED = 3

/**
 * The interpreter's WebAssembly. `shared`: with a memory of up to `maximum` pages that threads share, by which the bytes of an import
 * differ. `fills`: with the constants that its memory begins with; of several instances in one memory the first fills it.
 */
export function interpreterBytes(shared?: { readonly maximum: number; readonly fills: boolean }): Uint8Array {
  const bytes = inflated(interpreterBase64)
  if (!shared) return bytes
  const made = [...bytes.subarray(0, 8)]
  const reader = new Reader(bytes, 8)
  while (reader.at < bytes.length) {
    const id = reader.byte()
    const length = reader.number()
    const content = bytes.subarray(reader.at, reader.at + length)
    reader.at += length
    if (!shared.fills && (id === DATA || id === DATA_COUNT)) continue
    const section = id === IMPORTS ? withShared(content, shared.maximum) : content
    made.push(id, ...encoded(section.length))
    for (const byte of section) made.push(byte)
  }
  return Uint8Array.from(made)
}

/** A section of imports whose memory is shared. */
function withShared(section: Uint8Array, maximum: number): Uint8Array {
  const reader = new Reader(section, 0)
  for (let left = reader.number(); left > 0; left--) {
    reader.skipName()
    reader.skipName()
    const kind = reader.byte()
    if (kind !== MEMORY) {
      // A function: the number of its type. The interpreter imports nothing else.
      reader.number()
      continue
    }
    const from = reader.at
    reader.byte()
    const initial = reader.number()
    const limits = [SHARED, ...encoded(initial), ...encoded(maximum)]
    return Uint8Array.from([...section.subarray(0, from), ...limits, ...section.subarray(reader.at)])
  }
  throw new Error('compile: the interpreter imports no memory')
}

/** Numbers in LEB128, and what stands between them. */
class Reader {
  at: number
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes
    this.at = at
  }

  byte(): number {
    return this.#bytes[this.at++]!
  }

  number(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte()
      value += (byte & 127) * 2 ** shift
      if (byte < 128) return value
    }
  }

  skipName(): void {
    const length = this.number()
    this.at += length
  }
}

function encoded(value: number): number[] {
  const bytes: number[] = []
  let left = value
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) + 128)
  return [...bytes, left]
}
