import { decodeTable, encoder, type FormatName, format, formatNames } from '../numbers/formats/index.js'
import { type GatherSource, gatherColumn } from './gatherColumn.js'
import type { ColumnPlace, NumericColumn } from './layout.js'
import { RunningScale } from './runningScale.js'
import { ErrorSums } from './storageError.js'

/** Memory for a buffer's rows: shared with a worker where the engine has such memory. */
export type Allocate = (bytes: number) => ArrayBufferLike

type PlainArray = Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array
type PlainClass = { new (buffer: ArrayBufferLike): PlainArray; readonly BYTES_PER_ELEMENT: number }

const plainClasses: Readonly<Record<string, PlainClass>> = {
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  uint32: Uint32Array,
  uint8: Uint8Array,
  bool: Uint8Array,
}

/** Bounds of the integer types, both included. */
const integerBounds: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
  uint8: [0, 255],
  bool: [0, 1],
}

/** One column over the memory of all rows: how it is written, read and accounted for. */
export class Column {
  readonly place: ColumnPlace
  readonly source: GatherSource
  /** Undefined where nothing is lost to a narrow format. */
  readonly errors: ErrorSums | undefined
  /** How often a scale has grown; what was gathered before that is no longer what the column holds. */
  rescales = 0
  readonly #scale: RunningScale | undefined
  readonly #encode: ((value: number) => number) | undefined
  readonly #lacksNaN: boolean
  readonly #bounds: readonly [number, number] | undefined

  constructor(place: ColumnPlace, rows: ArrayBufferLike, rowBytes: number, allocate: Allocate) {
    this.place = place
    const { dtype, width, elementBytes, byteOffset } = place
    const record = (formatNames as readonly string[]).includes(dtype)
      ? format(dtype as FormatName)
      : undefined
    const shared = {
      stride: rowBytes / elementBytes,
      offset: byteOffset / elementBytes,
      width,
    }
    this.#lacksNaN = record?.nan === 'none'
    this.#bounds = integerBounds[dtype]
    if (record === undefined) {
      this.source = { ...shared, array: new plainClasses[dtype]!(rows), table: undefined, scales: undefined }
      return
    }
    const array = elementBytes === 1 ? new Uint8Array(rows) : new Uint16Array(rows)
    const scales = record.bits <= 8 ? new Float64Array(allocate(8 * width)) : undefined
    this.source = { ...shared, array, table: decodeTable(record), scales }
    this.errors = new ErrorSums()
    this.#encode = encoder(record)
    this.#scale = scales && new RunningScale(record, scales)
  }

  /** An array for `n` rows of a batch. */
  newArray(n: number, allocate: Allocate): NumericColumn {
    const Class = plainClasses[this.place.dtype] ?? Float32Array
    return new Class(allocate(n * this.place.width * Class.BYTES_PER_ELEMENT))
  }

  /** Throws where `values` are not the numbers of `rows` rows. */
  checkCount(op: string, values: ArrayLike<number>, rows: number): void {
    const { name, width } = this.place
    if (values?.length !== rows * width) {
      const given = values?.length === undefined ? typeof values : `${values.length} numbers`
      throw new RangeError(`${op}: ${name} needs ${rows * width} numbers, ${width} a row [${given}]`)
    }
    if (Array.isArray(values)) {
      for (let i = 0; i < values.length; i++) {
        const kind = typeof values[i]
        if (kind === 'number' || kind === 'boolean') continue
        throw new TypeError(`${op}: ${name} holds something other than numbers [${String(values[i])}]`)
      }
    } else if (!ArrayBuffer.isView(values) || typeof values[0] === 'bigint') {
      throw new TypeError(
        `${op}: ${name} is neither an array nor a typed array of numbers [${typeof values}]`,
      )
    }
  }

  /** Throws where the column's type cannot hold one of the values, though they are numbers. */
  checkValues(op: string, values: ArrayLike<number>): void {
    const { name, dtype } = this.place
    const bounds = this.#bounds
    if (bounds !== undefined) {
      for (let i = 0; i < values.length; i++) {
        const value = Number(values[i])
        if (!Number.isInteger(value) || value < bounds[0] || value > bounds[1]) {
          throw new RangeError(`${op}: ${name} is ${dtype}, ${bounds[0]} .. ${bounds[1]} [${value}]`)
        }
      }
    }
    if (!this.#lacksNaN) return
    for (let i = 0; i < values.length; i++) {
      if (Number.isNaN(values[i])) throw new RangeError(`${op}: ${name}: ${dtype} has no NaN [NaN]`)
    }
  }

  /** Stores numbers from .. from + width - 1 of `values` as the row of `slot`; `filled` rows are in use. */
  write(slot: number, values: ArrayLike<number>, from: number, filled: number): void {
    const { array, stride, offset, width } = this.source
    const begin = slot * stride + offset
    if (this.#encode === undefined) {
      for (let j = 0; j < width; j++) array[begin + j] = values[from + j]!
      return
    }
    for (let j = 0; j < width; j++) array[begin + j] = this.#store(j, Number(values[from + j]), filled)
  }

  #store(j: number, x: number, filled: number): number {
    const finite = Number.isFinite(x)
    const scale = this.#scale
    if (finite && scale?.outgrown(j, x)) this.#grow(j, scale.scaleFor(x), filled)
    const factor = scale === undefined ? 1 : scale.scales[j]!
    const code = this.#encode!(x / factor)
    if (finite) this.errors!.count(x, this.source.table![code]! * factor)
    return code
  }

  /** Gives number j of every row a larger scale: exact but for numbers that become subnormal. */
  #grow(j: number, scale: number, filled: number): void {
    const { array, stride, offset, table } = this.source
    const old = this.#scale!.scales[j]!
    let maxChange = 0
    for (let slot = 0; slot < filled; slot++) {
      const at = slot * stride + offset + j
      const value = table![array[at]!]! * old
      const code = this.#encode!(value / scale)
      array[at] = code
      const change = Math.abs(table![code]! * scale - value)
      if (change > maxChange) maxChange = change
    }
    this.#scale!.setScale(j, scale)
    this.rescales++
    if (filled > 0) this.errors!.rescaled(maxChange)
  }

  /** The first number of a row. */
  first(slot: number): number {
    const { array, stride, offset, table, scales } = this.source
    const stored = array[slot * stride + offset]!
    return table === undefined ? stored : table[stored]! * (scales?.[0] ?? 1)
  }

  gather(slots: Uint32Array, from: number, to: number, out: NumericColumn): void {
    gatherColumn(this.source, slots, from, to, out)
  }

  /** Takes over the scales that a file kept. */
  restoreScales(scales: Float64Array): void {
    for (let j = 0; j < scales.length; j++) this.#scale?.setScale(j, scales[j]!)
  }
}
