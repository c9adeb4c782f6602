import { checkName, checkOptions, nearestName, type OptionTable } from '../../base/options/index.js'
import { type DType, dtypes, sizeOf, type Tensor } from '../../tensors/tensor/index.js'
import { mapTreeWith, pathsOf, replaceLeaves, type Tree } from '../../tensors/tree/index.js'
import { checkDepth } from './checkDepth.js'
import { strictJson } from './strictJson.js'
import { bytesOf, tensorOf, widthOf } from './tensorBytes.js'

/** A tensor in JSON, with its bits as text in one of two ways. */
export type JsonTensor = {
  readonly dtype: DType
  readonly shape: readonly number[]
} & (
  | {
      /** Two hex digits per byte, each element as one number: 3f800000 is 1 in float32. */
      readonly hex: string
    }
  | {
      /** The elements' bytes, little-endian, in base64. */
      readonly base64: string
    }
)

/** How bits are written. */
export interface JsonBitsOptions {
  /** 'hex' (the default) can be read by eye, 'base64' takes two thirds of the room. */
  readonly bits?: 'hex' | 'base64'
}

const bitsNames: OptionTable<JsonBitsOptions> = { bits: 'optional' }

/**
 * A tree of tensors as plain data for JSON.stringify. Every bit is kept: -0, Inf and NaN payloads too, which JSON's
 * own numbers cannot hold. Empty objects and arrays are kept as they are.
 *
 * @example treeToJson({ a: [tensor([1, -0])] }) // { a: [{ dtype: 'float32', shape: [2], hex: '3f80000080000000' }] }
 */
export function treeToJson(tree: Tree, options: JsonBitsOptions = {}): Tree<JsonTensor> {
  checkOptions('treeToJson', options, bitsNames)
  const { bits = 'hex' } = options
  checkName('treeToJson', 'bits', bits, ['hex', 'base64'])
  checkDepth('treeToJson', tree)
  const toLeaf = (x: Tensor): JsonTensor => {
    const head = { dtype: x.dtype, shape: [...x.shape] }
    if (bits === 'base64') return { ...head, base64: Buffer.from(bytesOf(x)).toString('base64') }
    return { ...head, hex: bigEndian(bytesOf(x), widthOf(x.dtype)).toString('hex') }
  }
  return mapTreeWith({ op: 'treeToJson' }, toLeaf, tree)
}

/**
 * The tree of tensors that `treeToJson` made into plain data, or that data's JSON text.
 *
 * Throws    RangeError that names the path for what does not say a tensor exactly: other fields than it has, bits in two
 *           ways; for trees deeper than 128 levels; and for text that is not JSON or has a key twice. TypeError for unknown
 *           dtypes.
 *
 * @example treeFromJson('{"x":{"dtype":"bfloat16","shape":[],"hex":"ff81"}}').x.toBits() // [0xff81]
 * @example treeFromJson([{ dtype: 'float32', shape: [2], hex: '3f800000' }]) // throws treeFromJson: 2 elements of float32 need 16 hex digits at 0 [8]
 */
export function treeFromJson(json: unknown): Tree {
  const op = 'treeFromJson'
  const tree = (typeof json === 'string' ? strictJson(op, json, 'the text') : json) as Tree<JsonTensor>
  checkDepth(op, tree)
  const options = { isLeaf: isJsonTensor, op }
  const tensors = pathsOf(tree, options).map(({ path, leaf }) => readLeaf(op, path || 'the root', leaf))
  return replaceLeaves(tree, tensors, options)
}

/** No tree of tensors has text under a key. */
function isJsonTensor(value: unknown): value is JsonTensor {
  return typeof value === 'object' && value !== null && typeof (value as JsonTensor).dtype === 'string'
}

const fields: ReadonlySet<string> = new Set(['dtype', 'shape', 'hex', 'base64'])

function readLeaf(op: string, where: string, leaf: JsonTensor): Tensor {
  const { dtype, shape } = leaf
  if (!dtypes.includes(dtype)) {
    const near = nearestName(dtype, dtypes)
    throw new TypeError(`${op}: unknown dtype at ${where}${near ? `, did you mean ${near}` : ''} [${dtype}]`)
  }
  if (!Array.isArray(shape) || !shape.every((length) => Number.isSafeInteger(length) && length >= 0)) {
    throw new RangeError(`${op}: not a shape at ${where} [${String(shape)}]`)
  }
  const strange = Object.keys(leaf).find((name) => !fields.has(name))
  if (strange !== undefined) {
    throw new RangeError(`${op}: no field of a tensor at ${where} [${strange.slice(0, 50)}]`)
  }
  if ('hex' in leaf && 'base64' in leaf) {
    throw new RangeError(`${op}: both hex and base64 at ${where} [hex, base64]`)
  }
  const count = sizeOf(shape)
  const bytes = readBits(op, where, leaf, count)
  return tensorOf(op, where, dtype, shape, new Uint8Array(bytes))
}

function readBits(op: string, where: string, leaf: JsonTensor, count: number): Uint8Array {
  const width = widthOf(leaf.dtype)
  if ('hex' in leaf && typeof leaf.hex === 'string') {
    const { hex } = leaf
    if (!/^[\da-f]*$/i.test(hex)) {
      throw new RangeError(`${op}: not hex digits at ${where} [${hex.slice(0, 50)}]`)
    }
    if (hex.length !== 2 * width * count) {
      throw new RangeError(
        `${op}: ${count} elements of ${leaf.dtype} need ${2 * width * count} hex digits at ${where} [${hex.length}]`,
      )
    }
    return bigEndian(Buffer.from(hex, 'hex'), width)
  }
  if ('base64' in leaf && typeof leaf.base64 === 'string') {
    const bytes = Buffer.from(leaf.base64, 'base64')
    if (bytes.toString('base64') !== leaf.base64) {
      throw new RangeError(`${op}: not base64 at ${where} [${leaf.base64.slice(0, 50)}]`)
    }
    if (bytes.length !== width * count) {
      throw new RangeError(
        `${op}: ${count} elements of ${leaf.dtype} need ${width * count} bytes at ${where} [${bytes.length}]`,
      )
    }
    return bytes
  }
  throw new RangeError(
    `${op}: needs hex or base64 at ${where} [${Object.keys(leaf).join(', ').slice(0, 50)}]`,
  )
}

/** A copy with the bytes of every element reversed: from little-endian to big-endian and back. */
function bigEndian(bytes: Uint8Array, width: 1 | 2 | 4 | 8): Buffer {
  const copy = Buffer.from(bytes)
  if (width === 2) return copy.swap16()
  if (width === 4) return copy.swap32()
  return width === 8 ? copy.swap64() : copy
}
