/** Throws for what is not as it has to be. */
export type Refuse = (why: string) => never

/**
 * Tables of a FlatBuffer, read with every place checked: what points outside, or describes more tables than there are bytes
 * (the same ones again and again), is refused before anything is made of it.
 *
 * Source    https://flatbuffers.dev/internals
 */
export class FlatBuffer {
  readonly #view: DataView
  readonly #bytes: Uint8Array
  readonly #refuse: Refuse
  #tables = 0

  constructor(bytes: Uint8Array, refuse: Refuse) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#refuse = refuse
  }

  /** The table that the buffer is. */
  root(): FlatTable {
    return this.table(this.target(0))
  }

  table(at: number): FlatTable {
    if (++this.#tables > this.#bytes.length) return this.#refuse('metadata that repeats itself')
    const vtable = at - this.int32(at)
    const size = this.uint16(vtable)
    const inline = this.uint16(vtable + 2)
    if (
      size < 4 ||
      size % 2 !== 0 ||
      vtable + size > this.#bytes.length ||
      at + inline > this.#bytes.length
    ) {
      return this.#refuse('a broken table')
    }
    for (let slot = vtable + 4; slot < vtable + size; slot += 2) {
      if (this.uint16(slot) >= Math.max(inline, 1)) return this.#refuse('a field outside of its table')
    }
    return new FlatTable(this, at, vtable, size)
  }

  /** Where an offset that stands at `at` leads. */
  target(at: number): number {
    const offset = this.uint32(at)
    return offset > 0 ? at + offset : this.#refuse('metadata that point nowhere')
  }

  uint8(at: number): number {
    return this.#view.getUint8(this.#inside(at, 1))
  }

  uint16(at: number): number {
    return this.#view.getUint16(this.#inside(at, 2), true)
  }

  int16(at: number): number {
    return this.#view.getInt16(this.#inside(at, 2), true)
  }

  int32(at: number): number {
    return this.#view.getInt32(this.#inside(at, 4), true)
  }

  uint32(at: number): number {
    return this.#view.getUint32(this.#inside(at, 4), true)
  }

  /** A number of 64 bits that a JavaScript number holds. */
  int64(at: number): number {
    const value = Number(this.#view.getBigInt64(this.#inside(at, 8), true))
    return Number.isSafeInteger(value) ? value : this.#refuse(`a number too large [${value}]`)
  }

  text(at: number): string {
    const length = this.checkText(at)
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(this.#bytes.subarray(at + 4, at + 4 + length))
    } catch {
      return this.#refuse('a name that is not UTF-8')
    }
  }

  /** How many bytes a text has, behind which is a zero. */
  checkText(at: number): number {
    const length = this.uint32(at)
    return this.uint8(at + 4 + length) === 0 ? length : this.#refuse('a text that does not end')
  }

  /** Where the elements of a list of `width` bytes each begin. */
  elements(at: number, width: number): number[] {
    const length = this.uint32(at)
    if (!(at + 4 + length * width <= this.#bytes.length)) {
      return this.#refuse('a list that leaves the metadata')
    }
    return Array.from({ length }, (_, i) => at + 4 + i * width)
  }

  #inside(at: number, n: number): number {
    if (!(at >= 0 && at + n <= this.#bytes.length)) this.#refuse('metadata that point outside of themselves')
    if (at % n !== 0) this.#refuse('metadata that are not aligned')
    return at
  }
}

/** A table: its fields by number, a default where one is not there. */
export class FlatTable {
  readonly buffer: FlatBuffer
  readonly #at: number
  readonly #vtable: number
  readonly #size: number

  constructor(buffer: FlatBuffer, at: number, vtable: number, size: number) {
    this.buffer = buffer
    this.#at = at
    this.#vtable = vtable
    this.#size = size
  }

  uint8(field: number, otherwise: number): number {
    const at = this.#place(field)
    return at === 0 ? otherwise : this.buffer.uint8(at)
  }

  int16(field: number, otherwise: number): number {
    const at = this.#place(field)
    return at === 0 ? otherwise : this.buffer.int16(at)
  }

  int32(field: number, otherwise: number): number {
    const at = this.#place(field)
    return at === 0 ? otherwise : this.buffer.int32(at)
  }

  int64(field: number, otherwise: number): number {
    const at = this.#place(field)
    return at === 0 ? otherwise : this.buffer.int64(at)
  }

  text(field: number): string | undefined {
    const at = this.#place(field)
    return at === 0 ? undefined : this.buffer.text(this.buffer.target(at))
  }

  /** Checks a text that is not needed. */
  checkText(field: number): void {
    const at = this.#place(field)
    if (at !== 0) this.buffer.checkText(this.buffer.target(at))
  }

  /** Checks a list of pairs of texts that is not needed. */
  checkPairs(field: number): void {
    for (const pair of this.tables(field)) for (const part of [0, 1]) pair.checkText(part)
  }

  table(field: number): FlatTable | undefined {
    const at = this.#place(field)
    return at === 0 ? undefined : this.buffer.table(this.buffer.target(at))
  }

  /** Where the elements of a list begin; no list is an empty one. */
  elements(field: number, width: number): number[] {
    const at = this.#place(field)
    return at === 0 ? [] : this.buffer.elements(this.buffer.target(at), width)
  }

  /** A list of tables. */
  tables(field: number): FlatTable[] {
    return this.elements(field, 4).map((at) => this.buffer.table(this.buffer.target(at)))
  }

  #place(field: number): number {
    const slot = 4 + 2 * field
    const offset = slot + 2 <= this.#size ? this.buffer.uint16(this.#vtable + slot) : 0
    return offset === 0 ? 0 : this.#at + offset
  }
}
