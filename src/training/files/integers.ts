import { shown } from '../../base/options/index.js'
import { type Shape, Tensor } from '../../tensors/tensor/index.js'
import { tensorOf } from './tensorBytes.js'

/** Integer dtypes common in files, which readers return as int32 or uint32 by default. */
export type FileInteger = 'int8' | 'uint8' | 'int16' | 'uint16' | 'int64' | 'uint64'

/** An array of 64-bit integers, as `{ integers: 'bigint' }` gives it: no tensor. `{ integers: 'same' }` gives a tensor. */
export interface BigIntegers {
  readonly dtype: 'int64' | 'uint64'
  readonly shape: Shape
  readonly data: BigInt64Array | BigUint64Array
}

/**
 * What becomes of integers. 'exact', the default: of 8 and 16 bits int32 (uint32 where they are unsigned), of 64 bits that if all
 * of them fit, else float64 if it holds each one exactly, else an error that names the array. 'bigint': those of 64 bits a
 * `BigIntegers`, always. 'same': tensors of the file's own dtype, int8 to uint64.
 */
export type Integers = 'exact' | 'bigint' | 'same'

const classes = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
} as const

/** Whether a dtype of a file is one of them. */
export function isFileInteger(name: unknown): name is FileInteger {
  return typeof name === 'string' && Object.hasOwn(classes, name)
}

/** Integers as a tensor that holds them exactly. `part`: of an array read in parts, all of which get one dtype. */
export function integerTensor(
  op: string,
  where: string,
  kind: FileInteger,
  shape: Shape,
  bytes: Uint8Array,
  part: boolean = false,
): Tensor {
  const signed = !kind.startsWith('u')
  const narrow = signed ? 'int32' : 'uint32'
  const take = (values: ArrayLike<number>): Tensor =>
    new Tensor(narrow, [...shape], signed ? Int32Array.from(values) : Uint32Array.from(values))
  const { buffer } = bytes
  if (kind === 'int8') return take(new Int8Array(buffer))
  if (kind === 'uint8') return take(new Uint8Array(buffer))
  if (kind === 'int16') return take(new Int16Array(buffer))
  if (kind === 'uint16') return take(new Uint16Array(buffer))
  const values: BigInt64Array | BigUint64Array =
    kind === 'int64' ? new BigInt64Array(buffer) : new BigUint64Array(buffer)
  const [least, most] = signed ? [-(2n ** 31n), 2n ** 31n - 1n] : [0n, 2n ** 32n - 1n]
  const numbers = new Float64Array(values.length)
  let fits = !part
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    numbers[i] = Number(value)
    if (value < least || value > most) fits = false
    if (BigInt(numbers[i]!) !== value) {
      throw new RangeError(
        `${op}: an integer that float64 does not hold in ${where}, read it with integers: 'same' [${shown(value)}]`,
      )
    }
  }
  return fits ? take(numbers) : new Tensor('float64', [...shape], numbers)
}

/** The same as they are, where they have 64 bits. */
export function integersOf(
  op: string,
  where: string,
  kind: FileInteger,
  shape: Shape,
  bytes: Uint8Array,
  integers: Integers,
): Tensor | BigIntegers {
  if (integers === 'same') return tensorOf(op, where, kind, shape, bytes)
  if (integers === 'exact' || (kind !== 'int64' && kind !== 'uint64')) {
    return integerTensor(op, where, kind, shape, bytes)
  }
  const data = kind === 'int64' ? new BigInt64Array(bytes.buffer) : new BigUint64Array(bytes.buffer)
  return { dtype: kind, shape: [...shape], data }
}
