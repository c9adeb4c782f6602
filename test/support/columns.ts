import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const arrays = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, u64: BigUint64Array } as const
type ColumnType = keyof typeof arrays

interface ColumnFile {
  readonly file: string
  readonly sha256: string
  readonly gzip?: boolean
  readonly columns: readonly { name: string; type: ColumnType; offset: number; length: number }[]
  readonly [fact: string]: unknown
}

/** An answer key of test/golden stored as NAME.json (its columns) beside NAME.bin (their bytes, little-endian). */
export class Columns {
  readonly facts: ColumnFile
  readonly #bytes: ArrayBuffer

  constructor(name: string) {
    const folder = new URL('../golden/', import.meta.url)
    const json = new URL(`${name}.json`, folder)
    this.facts = JSON.parse(readFileSync(json, 'utf8'))
    const raw = readFileSync(new URL(this.facts.file, json))
    const bytes = this.facts.gzip ? gunzipSync(raw) : raw
    const sum = createHash('sha256').update(bytes).digest('hex')
    if (sum !== this.facts.sha256) throw new Error(`golden ${name}: checksum differs [${sum}]`)
    this.#bytes = new Uint8Array(bytes).buffer
  }

  u8(name: string): Uint8Array {
    return this.#column(name, 'u8') as Uint8Array
  }
  u16(name: string): Uint16Array {
    return this.#column(name, 'u16') as Uint16Array
  }
  u32(name: string): Uint32Array {
    return this.#column(name, 'u32') as Uint32Array
  }
  u64(name: string): BigUint64Array {
    return this.#column(name, 'u64') as BigUint64Array
  }

  #column(name: string, type: ColumnType): Uint8Array | Uint16Array | Uint32Array | BigUint64Array {
    const column = this.facts.columns.find((c) => c.name === name)
    if (!column) throw new Error(`golden ${this.facts.file}: no column [${name}]`)
    if (column.type !== type) {
      throw new Error(`golden ${this.facts.file}: ${name} is ${column.type} [${type}]`)
    }
    return new arrays[type](this.#bytes, column.offset, column.length)
  }
}
