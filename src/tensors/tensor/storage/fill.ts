import { fromNumber } from '../../../bf16/index.js'
import { encodeArray, encoder } from '../../../numbers/formats/index.js'
import { allocate, type DType, formatOf, isFloat, type Storage, storageClass } from './dtype.js'
import { dtypeFacts } from './dtypeFacts.js'
import { Tensor } from './tensor.js'

/** A plain number as an operand beside tensors of `dtype`: rounded to it first, an error where it cannot be held. */
export function weak(op: string, value: number, dtype: DType): Tensor {
  if (typeof value !== 'number') throw new TypeError(`${op}: needs a tensor or a number [${String(value)}]`)
  if (!isFloat(dtype) && !fits(dtype, value)) {
    throw new RangeError(`${op}: ${dtype} cannot hold this number, cast the tensor first [${value}]`)
  }
  // Most weak numbers meet bfloat16; a writer of codes made for one number costs more than the operation.
  if (dtype === 'bfloat16') return new Tensor(dtype, [], Uint16Array.of(fromNumber(value)))
  return new Tensor(dtype, [], fill(dtype, [value]))
}

/** Numbers as the storage of a dtype, rounded once each; an error where an integer or bool cannot hold one. */
export function fill<D extends DType>(dtype: D, values: ArrayLike<number> & Iterable<number>): Storage<D> {
  const low = formatOf(dtype)
  if (low) {
    if (values instanceof Float32Array || values instanceof Float64Array) {
      return encodeArray(values, low) as Storage<D>
    }
    const encode = encoder(low)
    const codes = allocate(dtype, values.length)
    for (let i = 0; i < values.length; i++) codes[i] = encode(values[i]!)
    return codes
  }
  if (!isFloat(dtype)) {
    for (const value of values) {
      if (!fits(dtype, value)) throw new RangeError(`tensor: not a value of ${dtype} [${value}]`)
    }
  }
  return storageClass(dtype).from(values as ArrayLike<number>) as Storage<D>
}

function fits(dtype: DType, value: number): boolean {
  const { lowest, max } = dtypeFacts(dtype)
  return Number.isInteger(value) && value >= lowest && value <= max
}
