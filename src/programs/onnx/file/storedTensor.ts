import type { TensorProto } from 'onnx-buf'
import {
  type DType,
  dtypeFacts,
  type Shape,
  sizeOf,
  type Tensor,
  zeros,
} from '../../../tensors/tensor/index.js'
import type { ExternalData } from './externalData.js'

/** TensorProto.DataType by its number; those without a dtype here (text, complex numbers) are refused. */
const dtypeByNumber: ReadonlyMap<number, DType> = new Map<number, DType>([
  [1, 'float32'],
  [2, 'uint8'],
  [3, 'int8'],
  [4, 'uint16'],
  [5, 'int16'],
  [6, 'int32'],
  [7, 'int64'],
  [9, 'bool'],
  [10, 'float16'],
  [11, 'float64'],
  [12, 'uint32'],
  [13, 'uint64'],
  [16, 'bfloat16'],
  [17, 'float8_e4m3fn'],
  [18, 'float8_e4m3fnuz'],
  [19, 'float8_e5m2'],
  [20, 'float8_e5m2fnuz'],
  [21, 'uint4'],
  [22, 'int4'],
  [23, 'float4_e2m1fn'],
  [24, 'float8_e8m0fnu'],
  [25, 'uint2'],
  [26, 'int2'],
])

const nameByNumber: ReadonlyMap<number, string> = new Map([
  [0, 'UNDEFINED'],
  [8, 'STRING'],
  [14, 'COMPLEX64'],
  [15, 'COMPLEX128'],
])

/** The dtype of a number of TensorProto.DataType, undefined for text and complex numbers. */
export function dtypeOfNumber(number: number): DType | undefined {
  return dtypeByNumber.get(number)
}

/** What a number of TensorProto.DataType is called, for errors. */
export function dataTypeName(number: number): string {
  return dtypeByNumber.get(number) ?? nameByNumber.get(number) ?? `data type ${number}`
}

/** Elements that a byte holds, for the types of less than 8 bits. */
const packed: ReadonlyMap<DType, 2 | 4> = new Map<DType, 2 | 4>([
  ['uint4', 2],
  ['int4', 2],
  ['float4_e2m1fn', 2],
  ['uint2', 4],
  ['int2', 4],
])

/**
 * The tensor of a TensorProto, whether its elements are raw bytes, in a typed field, or in a file beside the model.
 *
 * Throws    TypeError for text and complex numbers; RangeError where the data do not have the size of the shape.
 */
export function storedTensor(proto: TensorProto, external: ExternalData | undefined): Tensor {
  const dtype = dtypeOfNumber(proto.dataType)
  const name = proto.name || 'a constant'
  if (dtype === undefined) {
    throw new TypeError(
      `readOnnx: ${name} has elements that no tensor can have [${dataTypeName(proto.dataType)}]`,
    )
  }
  const shape = proto.dims.map(Number)
  const size = sizeOf(shape)
  const raw =
    proto.externalData.length > 0
      ? externalBytes(proto, name, external)
      : proto.rawData.length > 0
        ? proto.rawData
        : undefined
  const given = raw ? elementsIn(raw, dtype) : fieldOf(proto, dtype).length * perByteOf(dtype)
  const perByte = perByteOf(dtype)
  // The last byte of packed elements may have room for more than there are.
  if (given < size || given >= size + perByte) {
    throw new RangeError(
      `readOnnx: ${name} has data for ${given} elements, not ${size} [${shape.join(', ')}]`,
    )
  }
  const x = zeros(shape as Shape, { dtype })
  if (raw) fromBytes(raw, x)
  else fromField(fieldOf(proto, dtype), x)
  return x
}

function externalBytes(proto: TensorProto, name: string, external: ExternalData | undefined): Uint8Array {
  const facts = new Map(proto.externalData.map(({ key, value }) => [key, value]))
  const file = facts.get('location') ?? ''
  if (!external) {
    throw new RangeError(`readOnnx: ${name} lies in another file, give its bytes by \`external\` [${file}]`)
  }
  const length = facts.get('length')
  return external(file, Number(facts.get('offset') ?? 0), length === undefined ? undefined : Number(length))
}

function elementsIn(raw: Uint8Array, dtype: DType): number {
  return (raw.length / bytesOf(dtype)) * perByteOf(dtype)
}

function bytesOf(dtype: DType): number {
  return dtypeFacts(dtype).storage.BYTES_PER_ELEMENT
}

function perByteOf(dtype: DType): number {
  return packed.get(dtype) ?? 1
}

/** Fills a tensor from little-endian bytes. */
function fromBytes(raw: Uint8Array, x: Tensor): void {
  const per = packed.get(x.dtype)
  if (per === undefined) {
    new Uint8Array(x.data.buffer).set(raw.subarray(0, x.data.byteLength))
    return
  }
  unpack(raw, 8 / per, x)
}

/** Splits bytes into elements of a few bits, the lowest bits first. */
function unpack(bytes: ArrayLike<number>, bits: number, x: Tensor): void {
  const per = 8 / bits
  const mask = 2 ** bits - 1
  const signed = x.dtype === 'int4' || x.dtype === 'int2'
  for (let i = 0; i < x.size; i++) {
    const code = (bytes[Math.floor(i / per)]! >> (bits * (i % per))) & mask
    x.data[i] = signed && code >> (bits - 1) ? code - mask - 1 : code
  }
}

type Field = readonly number[] | readonly bigint[]

/** The typed field that holds elements of a dtype. */
function fieldOf(proto: TensorProto, dtype: DType): Field {
  if (dtype === 'float32') return proto.floatData
  if (dtype === 'float64') return proto.doubleData
  if (dtype === 'int64') return proto.int64Data
  if (dtype === 'uint32' || dtype === 'uint64') return proto.uint64Data
  return proto.int32Data
}

/** Fills a tensor from a typed field; formats of 16 bits and less hold codes there. */
function fromField(field: Field, x: Tensor): void {
  const per = packed.get(x.dtype)
  if (per !== undefined) {
    unpack(field as readonly number[], 8 / per, x)
    return
  }
  const data = x.data as unknown as { [i: number]: number | bigint }
  const wide = x.data.BYTES_PER_ELEMENT === 8 && x.dtype !== 'float64'
  for (let i = 0; i < x.size; i++) {
    const value = field[i]!
    data[i] = wide ? BigInt(value) : Number(value)
  }
}
