import type { CheckedSource } from './byteSource.js'

/** A header of unknown length, read from its beginning on, some bytes more at a time. */
export class GgufBytes {
  readonly op: string
  readonly #source: CheckedSource
  #held: Uint8Array = new Uint8Array(0)
  /** Where in the file the held bytes begin, and what is read next. */
  #start = 0
  place = 0

  constructor(op: string, source: CheckedSource) {
    this.op = op
    this.#source = source
  }

  get left(): number {
    return this.#source.size - this.place
  }

  /** A view of the next bytes; those that are no longer needed are let go. */
  #take(n: number): DataView {
    if (n > this.left) {
      throw new RangeError(
        `${this.op}: the header ends before the ${n} bytes from ${this.place} on [${this.#source.size}]`,
      )
    }
    if (this.place + n > this.#start + this.#held.length) {
      this.#start = this.place
      this.#held = this.#source.read(this.place, Math.min(this.left, Math.max(n, 2 ** 16)))
    }
    const view = new DataView(this.#held.buffer, this.#held.byteOffset + this.place - this.#start, n)
    this.place += n
    return view
  }

  u8 = (): number => this.#take(1).getUint8(0)
  i8 = (): number => this.#take(1).getInt8(0)
  u16 = (): number => this.#take(2).getUint16(0, true)
  i16 = (): number => this.#take(2).getInt16(0, true)
  u32 = (): number => this.#take(4).getUint32(0, true)
  i32 = (): number => this.#take(4).getInt32(0, true)
  f32 = (): number => this.#take(4).getFloat32(0, true)
  f64 = (): number => this.#take(8).getFloat64(0, true)
  u64 = (): bigint => this.#take(8).getBigUint64(0, true)
  i64 = (): bigint => this.#take(8).getBigInt64(0, true)

  /** A count, of things that take at least `least` bytes each: more than the file has room for are refused. */
  count(what: string, least: number): number {
    const count = this.u64()
    if (count * BigInt(least) > BigInt(this.left)) {
      throw new RangeError(`${this.op}: more ${what} than the file has bytes for [${count}]`)
    }
    return Number(count)
  }

  text(what: string, most: number): string {
    const length = this.count(`bytes of ${what}`, 1)
    if (length > most) throw new RangeError(`${this.op}: ${what} is longer than ${most} bytes [${length}]`)
    const { buffer, byteOffset, byteLength } = this.#take(length)
    try {
      return utf8.decode(new Uint8Array(buffer, byteOffset, byteLength))
    } catch {
      throw new RangeError(`${this.op}: ${what} is no UTF-8 [from ${this.place - length} on]`)
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
