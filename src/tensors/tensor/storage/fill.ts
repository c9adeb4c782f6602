import { fromNumber } from '../../../bf16/index.js'
import { encodeArray, encoder } from '../../../numbers/formats/index.js'
import {
  allocate,
  type DType,
  formatOf,
  isBigDType,
  isFloat,
  type NumberClass,
  type Storage,
  storageClass,
} from './dtype.js'
import { dtypeFacts } from './dtypeFacts.js'
import { Tensor } from './tensor.js'

/** A plain number as an operand beside tensors of `dtype`: rounded to it first, an error where it cannot be held. */
export function weak(op: string, value: number | bigint, dtype: DType): Tensor {
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    throw new TypeError(`${op}: needs a tensor or a number [${String(value)}]`)
  }
  if (!fits(dtype, value)) {
    throw new RangeError(`${op}: ${dtype} cannot hold this number, cast the tensor first [${value}]`)
  }
  // Most weak numbers meet bfloat16; a writer of codes made for one number costs more than the operation.
  if (dtype === 'bfloat16') return new Tensor(dtype, [], Uint16Array.of(fromNumber(value as number)))
  return new Tensor(dtype, [], fill(dtype, [value]))
}

/** Numbers as the storage of a dtype, rounded once each; an error where an integer or bool cannot hold one. */
export function fill<D extends DType>(
  dtype: D,
  values: ArrayLike<number | bigint> & Iterable<number | bigint>,
): Storage<D> {
  if (!isFloat(dtype) || !(values instanceof Float32Array || values instanceof Float64Array)) {
    for (const value of values) {
      if (!fits(dtype, value)) throw new RangeError(`tensor: not a value of ${dtype} [${value}]`)
    }
  }
  if (isBigDType(dtype)) {
    const exact = Array.from(values, (value) => BigInt(value))
    return (storageClass(dtype) as BigInt64ArrayConstructor).from(exact) as unknown as Storage<D>
  }
  const numbers = values as ArrayLike<number>
  const low = formatOf(dtype)
  if (!low) return (storageClass(dtype) as NumberClass).from(numbers) as Storage<D>
  if (numbers instanceof Float32Array || numbers instanceof Float64Array) {
    return encodeArray(numbers, low) as Storage<D>
  }
  const encode = encoder(low)
  const codes = allocate(dtype, numbers.length) as Uint8Array | Uint16Array
  for (let i = 0; i < numbers.length; i++) codes[i] = encode(numbers[i]!)
  return codes as Storage<D>
}

/** Whether a dtype holds a number, rounded where it is a float; bigints are elements of int64 and uint64 alone. */
function fits(dtype: DType, value: number | bigint): boolean {
  if (typeof value === 'bigint') {
    return isBigDType(dtype) && (dtype === 'int64' ? BigInt.asIntN : BigInt.asUintN)(64, value) === value
  }
  if (isFloat(dtype)) return true
  const { lowest, max } = dtypeFacts(dtype)
  return Number.isInteger(value) && value >= lowest && value <= max
}
