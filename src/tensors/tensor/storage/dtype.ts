import { nameAdvice, shown } from '../../../base/options/index.js'
import { round as roundBfloat16 } from '../../../bf16/index.js'
import {
  decodeArray,
  type FloatFormat,
  type FormatName,
  format,
  formatNames,
  rounder,
} from '../../../numbers/formats/index.js'

/** What an element of a tensor is: one of the low-precision formats, or a type the language has itself. */
export type DType = FormatName | 'float32' | 'float64' | IntegerDType | 'bool'

/** The dtypes of 64-bit integers, whose elements are bigints: no number holds them all. */
export type BigDType = 'int64' | 'uint64'

/** The dtypes whose elements are integers of so many bits, two's complement where they have a sign; arithmetic wraps. */
export type IntegerDType =
  | 'int2'
  | 'int4'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'uint2'
  | 'uint4'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | BigDType

/** The dtypes whose elements are floating-point numbers. */
export type FloatDType = FormatName | 'float32' | 'float64'

/** The typed array of a native dtype, by its name. */
interface NativeStorage {
  readonly float32: Float32Array
  readonly float64: Float64Array
  readonly int2: Int8Array
  readonly int4: Int8Array
  readonly int8: Int8Array
  readonly int16: Int16Array
  readonly int32: Int32Array
  readonly int64: BigInt64Array
  readonly uint2: Uint8Array
  readonly uint4: Uint8Array
  readonly uint8: Uint8Array
  readonly uint16: Uint16Array
  readonly uint32: Uint32Array
  readonly uint64: BigUint64Array
  readonly bool: Uint8Array
}

/**
 * The typed array that holds a tensor's elements: numbers where the language has the type, bigints of 64 bits, codes
 * elsewhere. Integers of 2 and 4 bits take a byte each.
 */
export type Storage<D extends DType = DType> = D extends keyof NativeStorage
  ? NativeStorage[D]
  : D extends 'bfloat16' | 'float16'
    ? Uint16Array
    : Uint8Array

/** Storage whose elements are numbers, as a loop sees it. */
export type AnyStorage =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint32Array
  | Uint16Array
  | Uint8Array

/** Storage of 64-bit integers. */
export type BigStorage = BigInt64Array | BigUint64Array

/** The class of typed array that holds elements that are numbers. */
export type NumberClass =
  | Float32ArrayConstructor
  | Float64ArrayConstructor
  | Int8ArrayConstructor
  | Int16ArrayConstructor
  | Int32ArrayConstructor
  | Uint32ArrayConstructor
  | Uint16ArrayConstructor
  | Uint8ArrayConstructor

/** The class of any dtype's typed array. */
export type StorageClass = NumberClass | BigInt64ArrayConstructor | BigUint64ArrayConstructor

/** The classes of typed arrays of the dtypes whose elements are no codes, in the order of `dtypes`. */
const classes: Readonly<Record<keyof NativeStorage, StorageClass>> = {
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  uint32: Uint32Array,
  bool: Uint8Array,
  int2: Int8Array,
  int4: Int8Array,
  int8: Int8Array,
  int16: Int16Array,
  int64: BigInt64Array,
  uint2: Uint8Array,
  uint4: Uint8Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint64: BigUint64Array,
}

/** All dtypes, native ones first. */
export const dtypes: readonly DType[] = [...(Object.keys(classes) as (keyof NativeStorage)[]), ...formatNames]

const known: ReadonlySet<string> = new Set(dtypes)
const wholes: ReadonlySet<string> = new Set(Object.keys(classes).slice(2))
const formats: ReadonlyMap<string, FloatFormat> = new Map(formatNames.map((name) => [name, format(name)]))

/** The format record of a low-precision dtype, undefined for float32, float64, integers and bool. */
export function formatOf(dtype: DType): FloatFormat | undefined {
  return formats.get(dtype)
}

/** Whether the elements are floating-point numbers. */
export function isFloat(dtype: DType): dtype is FloatDType {
  return !wholes.has(dtype)
}

/** Whether the elements are integers of a width: bool is none. */
export function isInteger(dtype: DType): dtype is IntegerDType {
  return dtype !== 'bool' && !isFloat(dtype)
}

/** Whether a dtype's elements are bigints. */
export function isBigDType(dtype: DType): dtype is BigDType {
  return dtype === 'int64' || dtype === 'uint64'
}

/** Whether elements are bigints. */
export function isBig(data: Storage): data is BigStorage {
  return data instanceof BigInt64Array || data instanceof BigUint64Array
}

/**
 * Storage as loops see it. Bigints pass for numbers there: what a loop does with 64-bit integers has to be what both have, such as
 * to move and to compare them, or `+`, `-` and `*` of two elements.
 */
export function elementsIn(data: Storage): AnyStorage {
  return data as AnyStorage
}

/** Whether elements are integers narrower than the byte that they lie in. */
export function isPacked(dtype: DType): dtype is 'int2' | 'int4' | 'uint2' | 'uint4' {
  return /^u?int[24]$/.test(dtype)
}

/** The integer of so many bits that is the number's last bits: what arithmetic on integers of up to 32 bits wraps by. */
export function wrapping(dtype: IntegerDType): (value: number) => number {
  const unsigned = dtype.startsWith('u')
  const shift = 32 - Number(dtype.replace(/\D+/, ''))
  return unsigned ? (value) => (value << shift) >>> shift : (value) => (value << shift) >> shift
}

/** Throws a TypeError unless `dtype` is one of `dtypes`. */
export function checkDType(op: string, dtype: unknown): asserts dtype is DType {
  if (typeof dtype !== 'string' || !known.has(dtype)) {
    throw new TypeError(`${op}: unknown dtype, ${nameAdvice(dtype, dtypes)} [${shown(dtype)}]`)
  }
}

/** Throws a TypeError unless the elements are floating-point numbers. */
export function checkFloat(op: string, dtype: DType): asserts dtype is FloatDType {
  checkDType(op, dtype)
  if (!isFloat(dtype)) throw new TypeError(`${op}: needs a floating-point dtype, cast first [${dtype}]`)
}

/**
 * The default dtype for computing with, and accumulating, numbers of a floating-point dtype: float64 for itself, float32 for all
 * others. It holds every number of theirs.
 *
 * @example wideDType('bfloat16') // 'float32'
 */
export function wideDType(dtype: DType): 'float32' | 'float64' {
  return dtype === 'float64' ? 'float64' : 'float32'
}

/**
 * Throws a TypeError unless an option names a floating-point dtype; `what` is the option.
 *
 * @example checkFloatDType('sum', 'accumulate', 'int32') // throws sum: accumulate is no floating-point dtype [int32]
 */
export function checkFloatDType(op: string, what: string, dtype: unknown): asserts dtype is FloatDType {
  if (typeof dtype !== 'string' || !known.has(dtype)) {
    throw new TypeError(`${op}: unknown ${what}, ${nameAdvice(dtype, dtypes)} [${shown(dtype)}]`)
  }
  if (!dtypes.some((one) => one === dtype && isFloat(one))) {
    throw new TypeError(`${op}: ${what} is no floating-point dtype [${dtype}]`)
  }
}

/** Fresh zeroed storage for n elements. */
export function allocate<D extends DType>(dtype: D, n: number): Storage<D> {
  return new (storageClass(dtype))(n) as unknown as Storage<D>
}

/** The class of typed array that stores this dtype. */
export function storageClass(dtype: DType): StorageClass {
  const low = formatOf(dtype)
  if (low) return low.bits > 8 ? Uint16Array : Uint8Array
  return classes[dtype as keyof NativeStorage]
}

/** Rounds a float64 value to the nearest value of a floating-point dtype, ties to even; the result stays a number. */
export function roundingTo(dtype: FloatDType): (value: number) => number {
  if (dtype === 'float64') return identity
  if (dtype === 'float32') return Math.fround
  if (dtype === 'bfloat16') return roundBfloat16
  return rounder(format(dtype))
}

/**
 * The elements as numbers: the storage itself where it holds numbers, a decoded copy where it holds codes. 64-bit integers are
 * bigints all the same: see `elementsIn`.
 */
export function numbersOf(dtype: DType, data: Storage): AnyStorage {
  const low = formatOf(dtype)
  if (!low) return elementsIn(data)
  return decodeArray(data as Uint8Array | Uint16Array, low)
}

function identity(value: number): number {
  return value
}
