import {
  checkArray,
  checkOptions,
  type OptionHints,
  type OptionTable,
  shown,
} from '../../../base/options/index.js'
import { withTrace } from './apply.js'
import { constantOp } from './constant.js'
import { allocate, type BigStorage, checkDType, type DType, elementsIn, isFloat, wrapping } from './dtype.js'
import { dtypeFacts } from './dtypeFacts.js'
import { fill } from './fill.js'
import { recordsEverything } from './recordEverything.js'
import { checkShape, type Shape, sizeOf } from './shape.js'
import { bitsOf, type Nested, Tensor } from './tensor.js'

/** Numbers in a typed array of the language, of any width. */
export type NumberArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array

/** Shape and dtype of a new tensor. */
export interface TensorOptions<D extends DType = DType> {
  /** Default: the nesting of the values; [n] for a flat array. */
  readonly shape?: Shape
  /** Default: 'float32'. */
  readonly dtype?: D
}

/** The dtype of a new tensor. */
export interface DTypeOption<D extends DType = DType> {
  /** Default: 'float32'. */
  readonly dtype?: D
}

const dtypeNames: OptionTable<DTypeOption> = { dtype: 'optional' }
const tensorNames: OptionTable<TensorOptions> = { ...dtypeNames, shape: 'optional' }
const dtypeFirst: OptionHints = { positional: 'dtype' }
const shapeFirst: OptionHints = { positional: 'shape' }

/**
 * A tensor of the given numbers.
 *
 * Shape     that of the nesting, or `shape`, which must hold as many elements.
 * Dtype     `dtype`, default float32. Typed arrays are numbers too, never codes: see `fromBits`.
 * Rounding  once, float64 to the dtype, nearest even, never through float32.
 * Special   NaN from a Float32Array or Float64Array keeps its sign.
 * Throws    RangeError for values that an integer dtype or bool cannot hold, bigints where the dtype is not int64 or uint64, and a
 *           shape of another size.
 *
 * @example tensor([1, 2, 3]).toNested() // [1,2,3]
 * @example tensor([[256, 257]], { dtype: 'bfloat16' }).toNested() // [[256,256]]
 * @example tensor([2n ** 63n - 1n, -1], { dtype: 'int64' }).toNested() // [9223372036854775807n, -1n]
 * @example tensor([8], { dtype: 'int4' }) // throws tensor: not a value of int4 [8]
 */
export function tensor<D extends DType = 'float32'>(
  values: Nested | NumberArray | BigStorage,
  options?: TensorOptions<D>,
): Tensor<D> {
  if (options !== undefined) {
    checkOptions('tensor', options, tensorNames, Array.isArray(options) ? shapeFirst : dtypeFirst)
  }
  if (values === undefined || values === null) throw new TypeError(`tensor: no values [${shown(values)}]`)
  const dtype = options?.dtype ?? ('float32' as D)
  checkDType('tensor', dtype)
  const nested = ArrayBuffer.isView(values) ? undefined : values
  const shape =
    options?.shape ?? (nested === undefined ? [(values as NumberArray | BigStorage).length] : shapeOf(nested))
  checkShape('tensor', shape)
  const flat = nested === undefined ? (values as NumberArray | BigStorage) : flatten(nested, shapeOf(nested))
  if (flat.length !== sizeOf(shape)) {
    throw new RangeError(`tensor: shape does not hold ${flat.length} elements [${shape.join(', ')}]`)
  }
  return asConstant(new Tensor(dtype, [...shape], fill(dtype, flat)), flat)
}

/**
 * A tensor made from bit patterns, the inverse of `toBits`: codes of the low-precision formats, a Uint32Array for
 * float32, a BigUint64Array for float64, int64 and uint64, two's complement for integers with a sign. The patterns are copied.
 *
 * @example fromBits([0x3f80, 0x4000], { dtype: 'bfloat16' }).toNested() // [1,2]
 */
export function fromBits<D extends DType>(
  codes: Uint8Array | Uint16Array | Uint32Array | BigUint64Array | readonly number[],
  options: { readonly shape?: Shape; readonly dtype: D },
): Tensor<D> {
  checkOptions('fromBits', options, { shape: 'optional', dtype: 'required' }, dtypeFirst)
  checkArray('fromBits', 'codes', codes)
  const { dtype, shape = [codes.length] } = options
  checkDType('fromBits', dtype)
  checkShape('fromBits', shape)
  if (codes.length !== sizeOf(shape)) {
    throw new RangeError(`fromBits: shape does not hold ${codes.length} elements [${shape.join(', ')}]`)
  }
  const data = allocate(dtype, codes.length)
  const bits = bitsOf(data)
  if (bits instanceof BigUint64Array !== codes instanceof BigUint64Array) {
    throw new TypeError(
      `fromBits: a BigUint64Array is for dtypes of 64 bits, which take nothing else [${dtype}]`,
    )
  }
  const end = 2 ** dtypeFacts(dtype).bits
  const extended = dtype === 'int2' || dtype === 'int4' ? wrapping(dtype) : undefined
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!
    if (
      typeof code === 'bigint'
        ? !(codes instanceof BigUint64Array)
        : !(Number.isInteger(code) && code >= 0 && code < end)
    ) {
      throw new RangeError(`fromBits: not a code of ${dtype} [${code}]`)
    }
    bits[i] = extended ? extended(code as number) : code
  }
  return new Tensor(dtype, [...shape], data)
}

/** A tensor whose elements are all `value`, rounded to the dtype. */
export function full<D extends DType = 'float32'>(
  shape: Shape,
  value: number | bigint,
  options?: DTypeOption<D>,
): Tensor<D> {
  return filled('full', shape, value, options)
}

function filled<D extends DType>(
  op: string,
  shape: Shape,
  value: number | bigint,
  options: DTypeOption<D> | undefined,
): Tensor<D> {
  if (options !== undefined) checkOptions(op, options, dtypeNames, dtypeFirst)
  const dtype = options?.dtype ?? ('float32' as D)
  checkDType(op, dtype)
  checkShape(op, shape)
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    throw new TypeError(`${op}: value is not a number [${shown(value)}]`)
  }
  const data = allocate(dtype, sizeOf(shape))
  elementsIn(data).fill(elementsIn(fill(dtype, [value]))[0]!)
  return asConstant(new Tensor(dtype, [...shape], data), value)
}

/** Where everything is recorded, numbers that changed when they were rounded are the result of an operation. */
function asConstant<D extends DType>(
  x: Tensor<D>,
  given: number | bigint | ArrayLike<number | bigint>,
): Tensor<D> {
  if (!recordsEverything() || !isFloat(x.dtype)) return x
  const value = typeof given === 'object' ? Float64Array.from(given as ArrayLike<number>) : Number(given)
  const same = x
    .toNumbers()
    .every((rounded, i) => Object.is(rounded, typeof value === 'number' ? value : value[i]))
  return same ? x : withTrace(x, constantOp, [], { value, dtype: x.dtype, shape: x.shape })
}

/** A tensor of zeros. A format without a zero (float8_e8m0fnu) holds NaN, as its cast does. */
export function zeros<D extends DType = 'float32'>(shape: Shape, options?: DTypeOption<D>): Tensor<D> {
  return filled('zeros', shape, 0, options)
}

/** A tensor of ones. */
export function ones<D extends DType = 'float32'>(shape: Shape, options?: DTypeOption<D>): Tensor<D> {
  return filled('ones', shape, 1, options)
}

/** start, start + 1, ... below stop, computed in float64 and rounded once each. */
export function arange<D extends DType = 'float32'>(
  start: number,
  stop: number,
  options?: DTypeOption<D>,
): Tensor<D> {
  if (options !== undefined) checkOptions('arange', options, dtypeNames, dtypeFirst)
  if (!Number.isFinite(start) || !Number.isFinite(stop)) {
    throw new RangeError(`arange: needs finite ends [${start}, ${stop}]`)
  }
  const length = Math.max(0, Math.ceil(stop - start))
  checkShape('arange', [length])
  return tensor(
    Float64Array.from({ length }, (_, i) => start + i),
    options,
  )
}

/** The shape of nested arrays, read down the first elements; `flatten` finds the ragged ones. */
function shapeOf(values: Nested): number[] {
  const shape: number[] = []
  let level = values
  while (typeof level === 'object' && level !== null) {
    shape.push(level.length)
    if (level.length === 0) break
    level = level[0]!
  }
  return shape
}

function flatten(values: Nested, shape: Shape): (number | bigint)[] {
  const flat: (number | bigint)[] = []
  const visit = (value: Nested, axis: number): void => {
    if (axis === shape.length) {
      if (typeof value !== 'number' && typeof value !== 'bigint' && typeof value !== 'boolean') {
        throw notRectangular(value)
      }
      flat.push(typeof value === 'bigint' ? value : Number(value))
      return
    }
    if (!Array.isArray(value) || value.length !== shape[axis]) throw notRectangular(value)
    for (const item of value) visit(item, axis + 1)
  }
  visit(values, 0)
  return flat
}

function notRectangular(value: unknown): RangeError | TypeError {
  const type = typeof value
  if (type !== 'number' && type !== 'bigint' && type !== 'boolean' && !Array.isArray(value)) {
    return new TypeError(`tensor: not a number [${String(value)}]`)
  }
  return new RangeError(
    `tensor: ragged nesting, rows differ in length [${JSON.stringify(value, plain).slice(0, 50)}]`,
  )
}

/** Bigints as JSON has none: by their digits. */
function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
