import { checkArray, checkInteger, checkRecord, shown } from '../../../base/options/index.js'
import {
  cast,
  checkFloatDType,
  type FloatDType,
  fromBits,
  reshape,
  sizeOf,
  slice,
  Tensor,
  take,
} from '../../../tensors/tensor/index.js'
import { packCodes, unpackCodes } from '../families/packCodes.js'
import { codeBits } from '../families/productQuantizer.js'
import { assign } from '../rows/assign.js'
import { checkCodes, codesOf, matrixOf, rowsOf } from '../rows/rowsOf.js'

/** A tensor as codes of vectors of neighbours, row-major; the last vector is filled with zeros. */
export interface CodedTensor {
  /** [k, d]. */
  readonly codebook: Tensor
  /** [ceil(size / d)]. */
  readonly codes: Tensor<'int32'>
  readonly shape: readonly number[]
  /** What it is decoded to. */
  readonly dtype: FloatDType
}

/** A tensor's numbers as rows of `d` neighbours, float64; what is missing in the last is 0. */
export function neighbours(x: Tensor, d: number): Tensor<'float64'> {
  const vectors = Math.ceil(x.size / d)
  const values = new Float64Array(vectors * d)
  values.set(x.toNumbers())
  return new Tensor('float64', [vectors, d], values)
}

/**
 * A tensor coded by a codebook: vectors of neighbours in row-major order.
 *
 * Rounding  codes are those of the real distances.
 * Throws    as `assign`.
 *
 * @example codeTensor(tensor([[0.1, 0.9, 1.2]]), tensor([[0, 1], [1, 0]])).codes.toNested() // [0, 1]
 */
export function codeTensor(x: Tensor, codebook: Tensor): CodedTensor {
  rowsOf('codeTensor', 'x', x)
  const { d } = matrixOf('codeTensor', 'codebook', codebook)
  const codes = assign(neighbours(x, d), codebook)
  return { codebook, codes, shape: x.shape, dtype: x.dtype as FloatDType }
}

/**
 * The tensor that codes stand for.
 *
 * Rounding  none, where the dtype holds the codebook's numbers; else once.
 * Throws    RangeError for codes that there are not, and a shape of another size.
 *
 * @example decodeTensor(codeTensor(tensor([[0, 1, 1]]), tensor([[0, 1], [1, 0]]))).toNested() // [[0, 1, 1]]
 */
export function decodeTensor(coded: CodedTensor): Tensor {
  checkCoded('decodeTensor', coded)
  const { codebook, codes, shape, dtype } = coded
  const size = sizeOf(shape)
  const values = reshape(take(codebook, codes, { axis: 0 }), [-1])
  return cast(reshape(slice(values, [[0, size]]), shape), dtype)
}

function checkCoded(op: string, coded: unknown): asserts coded is CodedTensor {
  checkRecord(op, 'coded', coded, ['codebook', 'codes', 'shape', 'dtype'])
  const { codebook, codes, shape, dtype } = coded as CodedTensor
  const { n: k, d } = matrixOf(op, 'codebook', codebook)
  checkCodes(op, codesOf(op, codes).data, k)
  checkFloatDType(op, 'dtype', dtype)
  checkArray(op, 'shape', shape)
  for (const size of shape) checkInteger(op, 'a size of shape', size)
  const vectors = Math.ceil(sizeOf(shape) / d)
  if (codes.size !== vectors) {
    throw new RangeError(`${op}: ${vectors} vectors of ${d} numbers have as many codes [${codes.size}]`)
  }
}

/** Tensors and text, as a safetensors file has them. */
export interface StoredCodes {
  readonly tensors: Readonly<Record<string, Tensor>>
  readonly metadata: Readonly<Record<string, string>>
}

const metadataKey = 'vq.coded'
const [codebookName, codesName] = ['.codebook', '.codes']

/**
 * Coded tensors, and others as they are, in the form of a safetensors file: `encodeSafetensors(stored.tensors, { metadata })`.
 * Of a coded tensor `name` there are `name.codebook` and `name.codes`, the codes end to end in ceil(log2 k) bits, lowest first, as
 * words of 32; the metadata entry `vq.coded` has the shapes and dtypes.
 *
 * Throws    RangeError for two tensors of one name.
 *
 * @example Object.keys(storeCodes({ w: codeTensor(tensor([0, 1]), tensor([[0], [1]])) }).tensors) // ['w.codebook', 'w.codes']
 */
export function storeCodes(tensors: Readonly<Record<string, CodedTensor | Tensor>>): StoredCodes {
  checkRecord('storeCodes', 'tensors', tensors)
  const stored = new Map<string, Tensor>()
  const about: [string, { shape: readonly number[]; dtype: FloatDType }][] = []
  const put = (name: string, x: Tensor): void => {
    if (stored.has(name)) throw new RangeError(`storeCodes: two tensors of one name [${shown(name)}]`)
    stored.set(name, x)
  }
  for (const [name, x] of Object.entries(tensors)) {
    if (x instanceof Tensor) {
      put(name, x)
      continue
    }
    checkCoded('storeCodes', x)
    about.push([name, { shape: x.shape, dtype: x.dtype }])
    put(name + codebookName, x.codebook)
    put(name + codesName, words(packCodes(x.codes, codeBits(x.codebook.shape[0]!))))
  }
  return {
    tensors: Object.fromEntries(stored),
    metadata: { [metadataKey]: JSON.stringify(Object.fromEntries(about)) },
  }
}

/**
 * What `storeCodes` stored, from the tensors and the metadata of a file.
 *
 * Throws    RangeError where the metadata have no such entry, or say other than the tensors.
 *
 * @example const kept = storeCodes({ w: codeTensor(tensor([0, 1]), tensor([[0], [1]])) })
 * loadCodes(kept).w.codes.toNested() // [0, 1]
 */
export function loadCodes(stored: StoredCodes): Record<string, CodedTensor | Tensor> {
  checkRecord('loadCodes', 'stored', stored, ['tensors', 'metadata'])
  checkRecord('loadCodes', 'metadata', stored.metadata)
  checkRecord('loadCodes', 'tensors', stored.tensors)
  const about = metadataOf(stored.metadata)
  const rest = new Map(Object.entries(stored.tensors))
  const part = (name: string): Tensor => {
    const x = rest.get(name)
    if (x === undefined) throw new RangeError(`loadCodes: a tensor is missing [${shown(name)}]`)
    rest.delete(name)
    return x
  }
  const coded = Object.entries(about).map(([name, { shape, dtype }]): [string, CodedTensor] => {
    const codebook = part(name + codebookName)
    const { d } = matrixOf('loadCodes', 'codebook', codebook)
    const n = Math.ceil(sizeOf(shape) / d)
    const bits = codeBits(codebook.shape[0]!)
    const bytes = bytesOf(part(name + codesName)).subarray(0, Math.ceil((n * bits) / 8))
    const codes = new Tensor('int32', [n], unpackCodes(bytes, bits, n))
    const whole = { codebook, codes, shape, dtype }
    checkCoded('loadCodes', whole)
    return [name, whole]
  })
  return Object.fromEntries([...coded, ...rest])
}

function metadataOf(
  metadata: Readonly<Record<string, string>>,
): Record<string, { shape: number[]; dtype: FloatDType }> {
  const text = metadata[metadataKey]
  if (text === undefined) throw new RangeError(`loadCodes: metadata have no ${metadataKey} [none]`)
  let about: unknown
  try {
    about = JSON.parse(text)
  } catch {
    throw new RangeError(`loadCodes: ${metadataKey} is no JSON [${shown(text)}]`)
  }
  checkRecord('loadCodes', metadataKey, about)
  for (const one of Object.values(about as object)) {
    checkRecord('loadCodes', metadataKey, one, ['shape', 'dtype'])
    const { shape } = one as { shape: unknown }
    if (!Array.isArray(shape) || !shape.every((side) => Number.isInteger(side) && side >= 0)) {
      throw new RangeError(`loadCodes: a shape of ${metadataKey} is none [${shown(shape)}]`)
    }
  }
  return about as Record<string, { shape: number[]; dtype: FloatDType }>
}

/** Bytes as little-endian words, whatever the machine's order; the last is filled with zeros. */
function words(bytes: Uint8Array): Tensor<'uint32'> {
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4)
  padded.set(bytes)
  const view = new DataView(padded.buffer)
  const list = Uint32Array.from({ length: padded.length / 4 }, (_, i) => view.getUint32(4 * i, true))
  return fromBits(list, { shape: [list.length], dtype: 'uint32' })
}

function bytesOf(x: Tensor): Uint8Array {
  if (x.dtype !== 'uint32') throw new TypeError(`loadCodes: codes are not words of 32 bits [${x.dtype}]`)
  const bytes = new Uint8Array(x.size * 4)
  const view = new DataView(bytes.buffer)
  ;(x as Tensor<'uint32'>).data.forEach((word, i) => {
    view.setUint32(4 * i, word, true)
  })
  return bytes
}
