import { isUtf8 } from 'node:buffer'
import type { ArrowBatch } from './arrowMessages.js'
import type { ArrowField } from './arrowSchema.js'
import type { Refuse } from './flatBuffer.js'

/** Takes the nodes and buffers of a batch in the order of its columns, and refuses what does not hold their values. */
export class ColumnCheck {
  readonly #batch: ArrowBatch
  readonly #dictionaries: ReadonlyMap<number, number>
  readonly #refuse: Refuse
  #node = 0
  #buffer = 0
  #views = 0
  #name = ''

  constructor(batch: ArrowBatch, dictionaries: ReadonlyMap<number, number>, refuse: Refuse) {
    this.#batch = batch
    this.#dictionaries = dictionaries
    this.#refuse = (why) => refuse(`${why}, column ${this.#name.slice(0, 50)}`)
  }

  /** Nothing may be left. */
  end(): void {
    const { nodes, buffers, viewBuffers } = this.#batch
    if (
      this.#node !== nodes.length ||
      this.#buffer !== buffers.length ||
      this.#views !== viewBuffers.length
    ) {
      this.#refuse('more buffers than the columns have')
    }
  }

  /** A column of `length` values, or a part of one of as many as it has itself; returns how many. */
  column(field: ArrowField, length: number | undefined, name: string = field.name): number {
    this.#name = name
    const node = this.#batch.nodes[this.#node++]
    if (node === undefined) return this.#refuse('fewer columns than the schema has')
    const n = node.length
    if (n < 0 || n >= 2 ** 31 || (length !== undefined && n !== length)) {
      return this.#refuse(`${n} values for ${length} rows`)
    }
    const { kind } = field.type
    const missing = kind === 'null' && !field.dictionary ? n : node.nulls
    if (node.nulls < 0 || missing > n) return this.#refuse(`${node.nulls} of ${n} values missing`)
    // Nothing tells which values of a union are missing, or of a column that has none.
    const bare = !field.dictionary && (kind === 'null' || kind === 'union')
    if (bare && kind === 'union' && node.nulls !== 0) return this.#refuse('values of a union missing')
    const valid = bare ? undefined : this.#validity(n, node.nulls)
    if (field.dictionary) this.#indices(field.dictionary, n, valid)
    else this.#values(field, n, name)
    return n
  }

  #validity(n: number, nulls: number): Uint8Array | undefined {
    const bits = this.#next()
    if (bits.length === 0 && nulls === 0) return undefined
    if (bits.length < Math.ceil(n / 8)) {
      return this.#refuse(`${bits.length} bytes for which of ${n} values there are`)
    }
    let zeros = 0
    for (let i = 0; i < n >> 3; i++) zeros += zerosIn[bits[i]!]!
    for (let i = n - (n % 8); i < n; i++) if (((bits[i >> 3]! >> (i % 8)) & 1) === 0) zeros++
    return zeros === nulls ? bits : this.#refuse(`${zeros} values missing, where the file declares ${nulls}`)
  }

  #indices(
    dictionary: NonNullable<ArrowField['dictionary']>,
    n: number,
    valid: Uint8Array | undefined,
  ): void {
    const { id, bits, signed } = dictionary
    const bytes = this.#fixed(n, bits)
    const length = this.#dictionaries.get(id)
    if (length === undefined) {
      if (n > 0) this.#refuse(`no dictionary ${id}`)
      return
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    for (let i = 0; i < n; i++) {
      if (valid && ((valid[i >> 3]! >> (i % 8)) & 1) === 0) continue
      const index =
        bits === 8
          ? signed
            ? view.getInt8(i)
            : view.getUint8(i)
          : bits === 16
            ? signed
              ? view.getInt16(2 * i, true)
              : view.getUint16(2 * i, true)
            : signed
              ? view.getInt32(4 * i, true)
              : view.getUint32(4 * i, true)
      if (index < 0 || index >= length) this.#refuse(`entry ${index} of a dictionary of ${length}`)
    }
  }

  #values({ type, children }: ArrowField, n: number, name: string): void {
    const part = (i: number, length?: number): number =>
      this.column(children[i]!, length, `${name}.${children[i]!.name}`)
    switch (type.kind) {
      case 'null':
        return
      case 'fixed':
        this.#fixed(n, type.bits)
        return
      case 'text':
      case 'bytes': {
        const ends = this.#offsets(n, type.wide)
        const data = this.#next()
        if (ends.last > data.length) this.#refuse(`text of ${ends.last} bytes in ${data.length}`)
        if (type.kind === 'text') this.#checkText(data, ends)
        return
      }
      case 'textView':
      case 'bytesView':
        this.#checkViews(n, type.kind === 'textView')
        return
      case 'list':
      case 'map': {
        const { last } = this.#offsets(n, type.kind === 'list' && type.wide)
        const length = part(0)
        this.#name = name
        if (last > length) this.#refuse(`lists of ${last} values in ${length}`)
        return
      }
      case 'fixedList':
        part(0, n * type.size)
        return
      case 'struct':
        for (const i of children.keys()) part(i, n)
        return
      case 'union': {
        const ids = this.#fixed(n, 8)
        const places = type.dense ? this.#fixed(n, 32) : undefined
        const lengths = children.map((_, i) => part(i, type.dense ? undefined : n))
        this.#name = name
        const known = type.ids.length > 0 ? type.ids : children.map((_, i) => i)
        const view = places && new DataView(places.buffer, places.byteOffset, places.length)
        for (let i = 0; i < n; i++) {
          const child = known.indexOf(ids[i]!)
          if (child < 0) this.#refuse(`type ${ids[i]} of a union`)
          const place = view?.getInt32(4 * i, true) ?? 0
          if (place < 0 || (view && place >= lengths[child]!)) this.#refuse(`value ${place} of a union`)
        }
      }
    }
  }

  /** Where values of different lengths begin and end: ascending, the last one within what it points into. */
  #offsets(
    n: number,
    wide: boolean,
  ): { readonly at: (i: number) => number; readonly n: number; readonly last: number } {
    const width = wide ? 8 : 4
    const bytes = this.#next()
    if (bytes.length === 0 && n === 0) return { at: () => 0, n, last: 0 }
    if (bytes.length < (n + 1) * width) return this.#refuse(`${bytes.length} bytes for ${n + 1} offsets`)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const at = (i: number): number =>
      wide ? Number(view.getBigInt64(8 * i, true)) : view.getInt32(4 * i, true)
    let before = 0
    for (let i = 0; i <= n; i++) {
      const offset = at(i)
      if (!(offset >= before && Number.isSafeInteger(offset))) {
        this.#refuse(`offset ${offset} behind ${before}`)
      }
      before = offset
    }
    return { at, n, last: before }
  }

  #checkText(
    data: Uint8Array,
    { at, n, last }: { at: (i: number) => number; n: number; last: number },
  ): void {
    const first = n === 0 ? last : at(0)
    if (!isUtf8(data.subarray(first, last))) this.#refuse('text that is not UTF-8')
    // No value begins within a character.
    for (let i = 0; i < n; i++) {
      if (at(i) < last && (data[at(i)]! & 0xc0) === 0x80) this.#refuse('text that is not UTF-8')
    }
  }

  #checkViews(n: number, isText: boolean): void {
    const bytes = this.#fixed(n, 128)
    const count = this.#batch.viewBuffers[this.#views++]
    if (count === undefined || count < 0 || this.#buffer + count > this.#batch.buffers.length) {
      this.#refuse(`${count} buffers of long values`)
      return
    }
    const long = Array.from({ length: count }, () => this.#next())
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    for (let i = 0; i < n; i++) {
      const length = view.getInt32(16 * i, true)
      if (length < 0) this.#refuse(`a value of ${length} bytes`)
      const [buffer, offset] = [8, 12].map((place) => view.getInt32(16 * i + place, true)) as [number, number]
      const from = length <= 12 ? bytes : long[buffer]
      const begin = length <= 12 ? 16 * i + 4 : offset
      if (from === undefined || begin < 0 || begin + length > from.length) {
        this.#refuse(`a value of ${length} bytes at ${offset} of buffer ${buffer}`)
        return
      }
      if (isText && !isUtf8(from.subarray(begin, begin + length))) this.#refuse('text that is not UTF-8')
      if (length > 12 && [0, 1, 2, 3].some((k) => bytes[16 * i + 4 + k] !== from[begin + k])) {
        this.#refuse('a long value that begins with other bytes than its view says')
      }
    }
  }

  #fixed(n: number, bits: number): Uint8Array {
    const bytes = this.#next()
    const needed = Math.ceil((n * bits) / 8)
    return bytes.length >= needed
      ? bytes
      : this.#refuse(`${bytes.length} bytes for ${n} values, ${needed} needed`)
  }

  #next(): Uint8Array {
    const stretch = this.#batch.buffers[this.#buffer++]
    if (stretch === undefined) return this.#refuse('fewer buffers than the columns need')
    return this.#batch.body.subarray(stretch.offset, stretch.offset + stretch.length)
  }
}

/** How many of a byte's bits are 0. */
const zerosIn = Uint8Array.from({ length: 256 }, (_, byte) => {
  let zeros = 0
  for (let bit = 0; bit < 8; bit++) if (((byte >> bit) & 1) === 0) zeros++
  return zeros
})
