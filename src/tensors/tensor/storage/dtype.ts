import { nearestName, shown } from '../../../base/options/index.js'
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
export type DType = FormatName | 'float32' | 'float64' | 'int32' | 'uint32' | 'bool'

/** The dtypes whose elements are floating-point numbers. */
export type FloatDType = FormatName | 'float32' | 'float64'

/** The typed array that holds a tensor's elements: numbers where the language has the type, codes elsewhere. */
export type Storage<D extends DType = DType> = D extends 'float32'
  ? Float32Array
  : D extends 'float64'
    ? Float64Array
    : D extends 'int32'
      ? Int32Array
      : D extends 'uint32'
        ? Uint32Array
        : D extends 'bfloat16' | 'float16'
          ? Uint16Array
          : Uint8Array

/** Storage of any dtype, as a loop sees it. */
export type AnyStorage = Float32Array | Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array

/** All dtypes, native ones first. */
export const dtypes: readonly DType[] = ['float32', 'float64', 'int32', 'uint32', 'bool', ...formatNames]

const known: ReadonlySet<string> = new Set(dtypes)
const formats: ReadonlyMap<string, FloatFormat> = new Map(formatNames.map((name) => [name, format(name)]))

/** The format record of a low-precision dtype, undefined for float32, float64, integers and bool. */
export function formatOf(dtype: DType): FloatFormat | undefined {
  return formats.get(dtype)
}

/** Whether the elements are floating-point numbers. */
export function isFloat(dtype: DType): dtype is FloatDType {
  return dtype !== 'int32' && dtype !== 'uint32' && dtype !== 'bool'
}

function advice(name: unknown): string {
  const near = typeof name === 'string' ? nearestName(name, dtypes) : undefined
  return near === undefined ? `there are ${dtypes.join(', ')}` : `did you mean ${near}`
}

/** Throws a TypeError unless `dtype` is one of `dtypes`. */
export function checkDType(op: string, dtype: unknown): asserts dtype is DType {
  if (typeof dtype !== 'string' || !known.has(dtype)) {
    throw new TypeError(`${op}: unknown dtype, ${advice(dtype)} [${shown(dtype)}]`)
  }
}

/** Throws a TypeError unless the elements are floating-point numbers. */
export function checkFloat(op: string, dtype: DType): asserts dtype is FloatDType {
  checkDType(op, dtype)
  if (!isFloat(dtype)) throw new TypeError(`${op}: needs a floating-point dtype, cast first [${dtype}]`)
}

/**
 * The dtype in which numbers of a floating-point dtype are worked with and added where nothing else is said: float64 for
 * itself, float32 for all others. It holds every number of theirs.
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
    throw new TypeError(`${op}: unknown ${what}, ${advice(dtype)} [${shown(dtype)}]`)
  }
  if (!dtypes.some((one) => one === dtype && isFloat(one))) {
    throw new TypeError(`${op}: ${what} is no floating-point dtype [${dtype}]`)
  }
}

/** Fresh zeroed storage for n elements. */
export function allocate<D extends DType>(dtype: D, n: number): Storage<D> {
  return new (storageClass(dtype))(n) as Storage<D>
}

/** The class of typed array that stores this dtype. */
export function storageClass(
  dtype: DType,
):
  | Float32ArrayConstructor
  | Float64ArrayConstructor
  | Int32ArrayConstructor
  | Uint32ArrayConstructor
  | Uint16ArrayConstructor
  | Uint8ArrayConstructor {
  if (dtype === 'float32') return Float32Array
  if (dtype === 'float64') return Float64Array
  if (dtype === 'int32') return Int32Array
  if (dtype === 'uint32') return Uint32Array
  return (formatOf(dtype)?.bits ?? 8) > 8 ? Uint16Array : Uint8Array
}

/** Rounds a float64 value to the nearest value of a floating-point dtype, ties to even; the result stays a number. */
export function roundingTo(dtype: FloatDType): (value: number) => number {
  if (dtype === 'float64') return identity
  if (dtype === 'float32') return Math.fround
  if (dtype === 'bfloat16') return roundBfloat16
  return rounder(format(dtype))
}

/** The elements as numbers: the storage itself where it holds numbers, a decoded copy where it holds codes. */
export function numbersOf(dtype: DType, data: AnyStorage): AnyStorage {
  const low = formatOf(dtype)
  if (!low) return data
  return decodeArray(data as Uint8Array | Uint16Array, low)
}

function identity(value: number): number {
  return value
}
