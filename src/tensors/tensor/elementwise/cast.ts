import { checkOptions, type OptionTable } from '../../../base/options/index.js'
import * as bf16 from '../../../bf16/index.js'
import {
  decodeArray,
  type EncodeOptions,
  encodeArray,
  type FloatFormat,
} from '../../../numbers/formats/index.js'
import { arena, type Conversion, convertBlocks } from '../../../numbers/simd/index.js'
import { apply } from '../storage/apply.js'
import { checkTensor } from '../storage/checkCall.js'
import {
  type AnyStorage,
  allocate,
  type BigStorage,
  checkDType,
  type DType,
  elementsIn,
  formatOf,
  isBig,
  isFloat,
  isInteger,
  isPacked,
  type Storage,
  wrapping,
} from '../storage/dtype.js'
import { dtypeFacts } from '../storage/dtypeFacts.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'
import { bigsOf, numbersForRounding, wordsOfBig } from './castBig.js'
import { type Codes, lookUp } from './lookUp.js'

/** The attributes of cast: the dtype and how to round to it. */
export interface Casting {
  readonly dtype: DType
  readonly options: EncodeOptions | undefined
}

export const castOp: KnownOp<Casting> = {
  name: 'cast',
  form: 'elementwise',
  rounds: 'once',
  kernel: ([x], { dtype, options }) => {
    if (dtype === x!.dtype) return new Tensor(dtype, x!.shape, x!.data)
    const data = allocate(dtype, x!.size)
    convert(x!, dtype, data, options)
    return new Tensor(dtype, x!.shape, data)
  },
}

const castNames: OptionTable<EncodeOptions> = {
  rounding: 'optional',
  saturate: 'optional',
  random: 'optional',
  randomBits: 'optional',
}

/**
 * The same values in another dtype.
 *
 * Shape     kept. Dtype any to any; the same dtype gives a tensor that shares the elements.
 * Rounding  once, straight from the source value (float64 never passes through float32): nearest even, or as `options`
 *           say for the low-precision formats.
 * Special   a NaN keeps its sign between floats. Float to integer truncates and saturates, NaN gives 0; to bool: is
 *           not zero. Between integers the last bits are kept, with the sign of the new dtype.
 *
 * @example cast(tensor([1.01171875, 1e39]), 'bfloat16').toNested() // [1.015625,Infinity]
 * @example cast(tensor([2.9, -1e10, NaN]), 'int32').toNested() // [2,-2147483648,0]
 * @example cast(tensor([200, -1], { dtype: 'int16' }), 'int8').toNested() // [-56, -1]
 */
export function cast<D extends DType>(x: Tensor, dtype: D, options?: EncodeOptions): Tensor<D> {
  checkTensor('cast', x)
  checkDType('cast', dtype)
  if (options !== undefined) checkOptions('cast', options, castNames, { positional: 'rounding' })
  if (
    options &&
    !formatOf(dtype) &&
    ((options.rounding ?? 'nearest-even') !== 'nearest-even' || options.saturate)
  ) {
    throw new RangeError(`cast: rounding options are for formats of at most 16 bits [${dtype}]`)
  }
  return apply(castOp, [x], { dtype, options }) as Tensor<D>
}

/** Between formats, from this many elements on, every code is rounded once and the rest is looking up. */
const long = 4096
const tables = new Map<string, Codes>()

/** The code in one format of every code of another; undefined where it is drawn. */
function codeTable(
  from: FloatFormat,
  to: FloatFormat,
  { rounding = 'nearest-even', saturate = false }: EncodeOptions = {},
): Codes | undefined {
  if (rounding === 'stochastic') return undefined
  const name = `${from.name} ${to.name} ${rounding} ${saturate}`
  let table = tables.get(name)
  if (table === undefined) {
    const every = new (from.bits > 8 ? Uint16Array : Uint8Array)(2 ** from.bits).map((_, code) => code)
    table = encodeArray(decodeArray(every, from), to, { rounding, saturate })
    tables.set(name, table)
  }
  return table
}

/** Shorter arrays are not worth the copies. */
const worthKernel = 256

/** The kernel from one kind of elements to another, by the dtypes; those whose elements are alike have one. */
const conversions: Readonly<Partial<Record<string, Conversion>>> = {
  'float32 int32': 'int32OfFloat32',
  'float32 uint32': 'uint32OfFloat32',
  'float32 bool': 'boolOfFloat32',
  'float32 float16': 'float16OfFloat32',
  'float64 float32': 'float32OfFloat64',
  'float64 int32': 'int32OfFloat64',
  'float64 uint32': 'uint32OfFloat64',
  'float64 bool': 'boolOfFloat64',
  'int32 bool': 'boolOfInt32',
  'uint32 bool': 'boolOfInt32',
}

/** Whether a kernel did it. */
function convertedByKernel(from: AnyStorage, source: DType, to: AnyStorage, target: DType): boolean {
  const name = from.length < worthKernel ? undefined : conversions[`${source} ${target}`]
  const simd = name && arena('simd')
  if (!simd) return false
  convertBlocks(simd, name, from as Float32Array, to as Int32Array)
  return true
}

function convert(x: Tensor, dtype: DType, data: Storage, options: EncodeOptions | undefined): void {
  const out = elementsIn(data)
  if (isBig(data)) {
    bigsOf(isBig(x.data) ? x.data : decoded(x), isFloat(x.dtype), data)
    return
  }
  if (isBig(x.data)) {
    convertBig(x.data, dtype, out, options)
    return
  }
  const source = formatOf(x.dtype)
  const target = formatOf(dtype)
  const table = source && target && x.size >= long ? codeTable(source, target, options) : undefined
  if (table) {
    lookUp(table, x.data as Codes, out as Codes)
    return
  }
  if (!options && convertedByKernel(elementsIn(x.data), x.dtype, out, dtype)) return
  const values = decoded(x, dtype === 'float32' ? (out as Float32Array) : undefined)
  if (values === out) return
  if (source && !target && convertedByKernel(values, 'float32', out, dtype)) return
  if (target) encodeValues(values, dtype, target, out as Uint8Array | Uint16Array, options)
  else convertEach(values, isFloat(x.dtype), dtype, out)
}

/** 64-bit integers as elements of a dtype that are none. */
function convertBig(
  values: BigStorage,
  dtype: DType,
  out: AnyStorage,
  options: EncodeOptions | undefined,
): void {
  const target = formatOf(dtype)
  if (target) encodeArray(numbersForRounding(values), target, options, out as Uint8Array | Uint16Array)
  else if (dtype === 'float64') for (let i = 0; i < out.length; i++) out[i] = Number(values[i])
  else if (dtype === 'float32') out.set(numbersForRounding(values))
  else if (dtype === 'bool') for (let i = 0; i < out.length; i++) out[i] = values[i] === 0n ? 0 : 1
  else convertEach(wordsOfBig(values), false, dtype, out)
}

function encodeValues(
  values: AnyStorage,
  dtype: DType,
  target: FloatFormat,
  out: Uint8Array | Uint16Array,
  options: EncodeOptions | undefined,
): void {
  const isFloats = values instanceof Float32Array || values instanceof Float64Array
  const floats = isFloats ? values : new Float64Array(values)
  if (dtype === 'bfloat16' && !options) bf16.encode(floats, out as Uint16Array)
  else encodeArray(floats, target, options, out)
}

function convertEach(values: AnyStorage, fromFloat: boolean, dtype: DType, out: AnyStorage): void {
  if (dtype === 'bool') {
    for (let i = 0; i < out.length; i++) out[i] = values[i] === 0 ? 0 : 1
  } else if (isFloat(dtype) || (isInteger(dtype) && !fromFloat && !isPacked(dtype))) {
    out.set(values)
  } else if (isInteger(dtype) && !fromFloat) {
    const wrap = wrapping(dtype)
    for (let i = 0; i < out.length; i++) out[i] = wrap(values[i]!)
  } else {
    const { lowest, max } = dtypeFacts(dtype)
    for (let i = 0; i < out.length; i++) {
      const value = values[i]!
      out[i] = Number.isNaN(value) ? 0 : Math.min(max, Math.max(lowest, Math.trunc(value)))
    }
  }
}

/** The values of x; codes are decoded, into `into` if given. */
function decoded(x: Tensor, into?: Float32Array): AnyStorage {
  if (x.dtype === 'bfloat16') return bf16.decode(x.data as Uint16Array, into)
  const low = formatOf(x.dtype)
  return low ? decodeArray(x.data as Uint8Array | Uint16Array, low, into) : elementsIn(x.data)
}
