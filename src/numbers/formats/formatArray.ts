// biome-ignore-all lint/complexity/noThisInStatic: `this` is the subclass, as in the typed arrays of the language.
import { format as formatOf } from './catalogue.js'
import { checkCode } from './checkCode.js'
import { codeAt, totalOrderIndex } from './compareCodes.js'
import { decodeArray, decodeTable } from './decode.js'
import { encodeArray } from './encodeArray.js'
import { encoder } from './encoder.js'
import type { FloatFormat } from './format.js'
import { type NumberCallback, NumberSequence } from './numberSequence.js'
import type { EncodeOptions } from './rounding.js'

type Codes = Uint8Array | Uint16Array

/** Where a FormatArray's numbers may come from. */
export type NumberSource = ArrayLike<number> | Iterable<number>

/** A class of arrays of one format, such as BFloat16Array. */
export interface FormatArrayClass<A> {
  new (source?: number | NumberSource): A
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): A
  readonly name: string
  readonly format: FloatFormat
}

const encoders = new WeakMap<FloatFormat, (value: number) => number>()

function encoderOf(format: FloatFormat): (value: number) => number {
  const known = encoders.get(format) ?? encoder(format)
  encoders.set(format, known)
  return known
}

/**
 * A typed array of one low-precision format, over its codes: what Float32Array is to float32. Numbers are rounded once
 * on the way in, to nearest even, and are exact on the way out. `array[i]` does not work: read with `at(i)`, write with
 * `setAt(i, value)`. (A Proxy would make it work, and each access take about 100 ns where `at` takes 3 and `setAt` 5.)
 *
 * The other methods are those of typed arrays. For a custom format:
 * `class MyArray extends FormatArray<Uint8Array> { static override get format() { return myFormat } }`.
 *
 * @example new BFloat16Array([1 / 3, 257]).join() // 0.333984375,256
 */
export abstract class FormatArray<
  C extends Uint8Array | Uint16Array = Uint8Array | Uint16Array,
> extends NumberSequence {
  /** The format of the class. */
  static get format(): FloatFormat {
    throw new TypeError(`${this.name}: the class says no format [undefined]`)
  }
  /** Bytes of one code: 1 up to 8 bits, else 2. */
  static get BYTES_PER_ELEMENT(): number {
    return this.format.bits <= 8 ? 1 : 2
  }

  /** The codes themselves, not a copy: 6- and 4-bit ones in the low bits of a byte. */
  readonly codes: C
  readonly format: FloatFormat
  readonly #table: Float32Array
  readonly #encode: (value: number) => number

  /** Zeros (where the format has none, its smallest value), or numbers rounded, or a view of a buffer's codes. */
  constructor(source?: number | NumberSource)
  constructor(buffer: ArrayBufferLike, byteOffset?: number, length?: number)
  constructor(source: number | NumberSource | ArrayBufferLike = 0, byteOffset?: number, length?: number) {
    super()
    this.format = new.target.format
    this.#table = decodeTable(this.format)
    this.#encode = encoderOf(this.format)
    this.codes = codesFrom(source, this.format, byteOffset, length) as C
  }

  /** The array of these numbers, each rounded once. */
  static of<A extends FormatArray>(this: FormatArrayClass<A>, ...values: number[]): A {
    return new this(values)
  }
  /** The array of a list's or an iterable's numbers; `map` is applied before rounding. */
  static from<A extends FormatArray>(
    this: FormatArrayClass<A>,
    source: NumberSource,
    map?: (value: number, index: number) => number,
  ): A {
    return new this(map ? Float64Array.from(source as ArrayLike<number>, map) : source)
  }
  /** The array of numbers rounded as the options say; `from` rounds to nearest even. */
  static encode<A extends FormatArray>(
    this: FormatArrayClass<A>,
    values: NumberSource,
    options: EncodeOptions,
  ): A {
    return viewOf(this, encodeArray(numbersOf(values, this.format), this.format, options))
  }
  /** A view of codes: writing to either one changes both. */
  static fromCodes<A extends FormatArray>(this: FormatArrayClass<A>, codes: Uint8Array | Uint16Array): A {
    const Codes = codesClass(this.format)
    if (!(codes instanceof Codes)) {
      throw new TypeError(
        `fromCodes: codes are no ${Codes.name}, which ${this.format.name} needs [${typeof codes}]`,
      )
    }
    return viewOf(this, codes)
  }

  /** How many numbers. */
  get length(): number {
    return this.codes.length
  }
  /** The memory of the codes. */
  get buffer(): ArrayBufferLike {
    return this.codes.buffer
  }
  /** Where in the buffer the codes begin. */
  get byteOffset(): number {
    return this.codes.byteOffset
  }
  /** How many bytes the codes take. */
  get byteLength(): number {
    return this.codes.byteLength
  }
  /** Bytes of one code. */
  get BYTES_PER_ELEMENT(): number {
    return this.codes.BYTES_PER_ELEMENT
  }
  /** The class's name. */
  get [Symbol.toStringTag](): string {
    return this.constructor.name
  }

  /** The number at a place inside. */
  protected valueAt(index: number): number {
    const value = this.#table[this.codes[index]!]
    // A byte of a view may hold more than a 6- or 4-bit code.
    if (value === undefined) checkCode('at', this.codes[index]!, this.format)
    return value!
  }
  /** Rounds a number into a place; from the end if the index is negative. */
  setAt(index: number, value: number): void {
    const place = index < 0 ? index + this.length : index
    if (!Number.isInteger(place) || place < 0 || place >= this.length) {
      throw new RangeError(`setAt: no such index in an array of ${this.length} [${index}]`)
    }
    this.codes[place] = this.#encode(value)
  }
  /** Rounds numbers into the places from `offset` on. */
  set(source: NumberSource, offset: number = 0): void {
    const codes = roundedCodes(source, this.format)
    if (!Number.isInteger(offset) || offset < 0 || offset + codes.length > this.length) {
      throw new RangeError(`set: source does not fit [${codes.length} at ${offset} into ${this.length}]`)
    }
    this.codes.set(codes, offset)
  }
  /** Rounds a number into every place from `start` up to `end`. */
  fill(value: number, start?: number, end?: number): this {
    this.codes.fill(this.#encode(value), start, end)
    return this
  }
  /** Copies the places from `start` up to `end` to those from `target` on. */
  copyWithin(target: number, start: number, end?: number): this {
    this.codes.copyWithin(target, start, end)
    return this
  }
  /** Turns the order around. */
  reverse(): this {
    this.codes.reverse()
    return this
  }
  /** Sorts by value, -0 before 0 and NaN last, or as `compare` says; stable. */
  sort(compare?: (a: number, b: number) => number): this {
    if (compare) {
      const numbered = Array.from(this.codes, (code, i): [number, number] => [code, this.valueAt(i)])
      numbered.sort(([, a], [, b]) => compare(a, b))
      this.codes.set(numbered.map(([code]) => code))
      return this
    }
    // NaN codes as they are, behind every place of the total order.
    const { format } = this
    const behind = 2 ** format.bits
    const keys = Int32Array.from(this.codes, (code, i) =>
      Number.isNaN(this.valueAt(i)) ? behind + code : totalOrderIndex(code, format),
    )
    this.codes.set(keys.sort().map((key) => (key >= behind ? key - behind : codeAt(key, format))))
    return this
  }

  /** A view of the places from `start` up to `end`. */
  subarray(start: number = 0, end: number = this.length): this {
    return viewOf(this.#class, this.codes.subarray(start, end))
  }
  /** A copy of the places from `start` up to `end`. */
  slice(start: number = 0, end: number = this.length): this {
    return viewOf(this.#class, this.codes.slice(start, end))
  }
  /** An array of the same class; what the callback returns is rounded. */
  map(callback: NumberCallback<this, number>): this {
    const mapped = new this.#class(this.length)
    for (let i = 0; i < this.length; i++) mapped.codes[i] = this.#encode(callback(this.valueAt(i), i, this))
    return mapped
  }
  /** An array of the numbers for which the predicate holds. */
  filter(predicate: NumberCallback<this, unknown>): this {
    return viewOf(
      this.#class,
      this.codes.filter((_, i) => predicate(this.valueAt(i), i, this)),
    )
  }
  /** A copy in reverse order. */
  toReversed(): this {
    return this.slice().reverse()
  }
  /** A sorted copy, as `sort`. */
  toSorted(compare?: (a: number, b: number) => number): this {
    return this.slice().sort(compare)
  }
  /** A copy with one place changed. */
  with(index: number, value: number): this {
    const copy = this.slice()
    copy.setAt(index, value)
    return copy
  }

  /** The values, exact; a NaN keeps its sign. */
  toFloat32Array(out?: Float32Array): Float32Array {
    return decodeArray(this.codes, this.format, out)
  }
  /** The values as the engine's own Float16Array, rounded once where float16 does not have them; Node 20 has none. */
  toFloat16Array(): ArrayBufferView & ArrayLike<number> {
    const { Float16Array } = globalThis as unknown as { Float16Array?: Float16ArrayClass }
    if (Float16Array === undefined) {
      throw new TypeError('toFloat16Array: this engine has no Float16Array [undefined]')
    }
    const halves = new Float16Array(this.length)
    const bits = bitsOf(halves)
    if (this.format === formatOf('float16')) bits.set(this.codes)
    else encodeArray(this.toFloat32Array(), 'float16', undefined, bits)
    return halves
  }

  static {
    // What Node's console prints: the numbers under the class's name.
    Object.defineProperty(FormatArray.prototype, Symbol.for('nodejs.util.inspect.custom'), {
      value(this: FormatArray, _depth: number, options: object, inspect: Inspect): string {
        return `${this.constructor.name}(${this.length}) ${inspect(Array.from(this), options)}`
      },
    })
  }

  get #class(): FormatArrayClass<this> {
    return this.constructor as unknown as FormatArrayClass<this>
  }
}

type Inspect = (value: unknown, options: object) => string

type Float16ArrayClass = new (length: number) => ArrayBufferView & ArrayLike<number>

const bitsOf = (halves: ArrayBufferView): Uint16Array =>
  new Uint16Array(halves.buffer, halves.byteOffset, halves.byteLength / 2)

const codesClass = (format: FloatFormat): typeof Uint8Array | typeof Uint16Array =>
  format.bits <= 8 ? Uint8Array : Uint16Array

/** An array of the class over codes that exist, which it shares. */
function viewOf<A>(Class: FormatArrayClass<A>, codes: Codes): A {
  return new Class(codes.buffer, codes.byteOffset, codes.length)
}

function isBuffer(source: unknown): source is ArrayBufferLike {
  return /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(source))
}

function codesFrom(
  source: number | NumberSource | ArrayBufferLike,
  format: FloatFormat,
  byteOffset: number | undefined,
  length: number | undefined,
): Codes {
  const Codes = codesClass(format)
  if (typeof source === 'number') {
    if (!Number.isInteger(source) || source < 0) {
      throw new RangeError(`${format.name} array: length is no integer from 0 up [${source}]`)
    }
    return new Codes(source)
  }
  if (!isBuffer(source)) return roundedCodes(source, format)
  const codes = new Codes(source as ArrayBuffer, byteOffset, length)
  if (format.bits < 8 * codes.BYTES_PER_ELEMENT) {
    for (const code of codes) checkCode(`${format.name} array`, code, format)
  }
  return codes
}

/** Codes of their own: the same ones where the source has the same format, else one rounding. */
function roundedCodes(source: NumberSource, format: FloatFormat): Codes {
  if (source instanceof FormatArray && source.format === format) return source.codes.slice()
  return encodeArray(numbersOf(source, format), format)
}

// NaNs keep their signs from typed arrays, which JavaScript's numbers do not.
function numbersOf(source: NumberSource, format: FloatFormat): Float32Array | Float64Array {
  if (source instanceof Float32Array || source instanceof Float64Array) return source
  if (source instanceof FormatArray) return source.toFloat32Array()
  if (typeof source !== 'object' || source === null) {
    throw new TypeError(`${format.name} array: source is neither numbers nor a buffer [${typeof source}]`)
  }
  if (ArrayBuffer.isView(source) && Object.prototype.toString.call(source) === '[object Float16Array]') {
    return decodeArray(bitsOf(source), 'float16')
  }
  return Float64Array.from(source as ArrayLike<number>)
}
