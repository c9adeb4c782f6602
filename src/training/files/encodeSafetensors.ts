import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { DType, Tensor } from '../../tensors/tensor/index.js'
import { mapTree, pathsOf, type Tree } from '../../tensors/tree/index.js'
import { checkDepth } from './checkDepth.js'
import { ourPrefix, writeExtras } from './extras.js'
import { maxHeaderBytes } from './parseHeader.js'
import { rankOfStored, storedAs } from './storedDtype.js'
import { hasLoneSurrogate } from './strictJson.js'
import { bytesOf } from './tensorBytes.js'

/** The metadata of a file. */
export interface SafetensorsOptions {
  /** Text by key, for the file's `__metadata__`; keys that begin with `tpu-toolkit.` are taken. */
  readonly metadata?: Readonly<Record<string, string>>
}

const writeNames: OptionTable<SafetensorsOptions> = { metadata: 'optional' }

/**
 * A tree of tensors as the bytes of a safetensors file. Names are paths, `layers.0.kernel`; a flat record of names is
 * a tree too. The order of the data, the header's text and its padding are those of Python's safetensors 0.6: equal
 * tensors give equal bytes. No maintained JavaScript package was found that writes the format.
 *
 * Dtype     F32 F64 BF16 F16 I32 U32 BOOL, float8_e4m3fn as F8_E4M3, float8_e5m2 as F8_E5M2, float8_e8m0fnu as F8_E8M0.
 *           Integers are I8 U8 I16 U16 I64 U64, of 2 and 4 bits one a byte, and every other format is U8, one code a byte; the
 *           metadata entry `tpu-toolkit.dtypes` names
 *           both: a JSON object from tensor name to dtype.
 * Rounding  none: the bits of every element are kept, NaN payloads included.
 * Special   what names cannot show (empty objects and arrays, dots within keys, objects with keys 0, 1 ...) is kept by
 *           the metadata entry `tpu-toolkit.tree`: the tree as JSON with 0 for each tensor. Other files have no such
 *           entry.
 * Throws    RangeError for two tensors of one name, names with half of a surrogate pair, trees deeper than 128 levels and
 *           metadata keys that are taken; TypeError for what is no tree of tensors.
 * Source    https://github.com/huggingface/safetensors, format section
 *
 * @example Object.keys(decodeSafetensors(encodeSafetensors({ a: [tensor(1), tensor(2)] })).tensors) // ['a.0', 'a.1']
 */
export function encodeSafetensors(tree: Tree, options: SafetensorsOptions = {}): Uint8Array {
  const pieces = piecesOfSafetensors('encodeSafetensors', tree, options)
  const bytes = new Uint8Array(pieces.reduce((n, piece) => n + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/**
 * The bytes of a safetensors file, as `encodeSafetensors` lays it out, in pieces: the header, then each tensor's own memory,
 * not copied. They are those of the file as long as nobody writes into the tensors.
 *
 * @example safetensorsPieces({ a: tensor([1, 2]) }).at(-1).length // 8
 */
export function safetensorsPieces(tree: Tree, options: SafetensorsOptions = {}): Uint8Array[] {
  return piecesOfSafetensors('safetensorsPieces', tree, options)
}

/** `safetensorsPieces` for the function that errors name. */
export function piecesOfSafetensors(op: string, tree: Tree, options: SafetensorsOptions): Uint8Array[] {
  checkOptions(op, options, writeNames)
  checkDepth(op, tree)
  const tensors = new Map<string, Tensor>()
  for (const { path, leaf } of pathsOf(tree, { op })) {
    if (tensors.has(path)) throw new RangeError(`${op}: two tensors would have one name [${path}]`)
    if (path === '__metadata__' || hasLoneSurrogate(path)) {
      throw new RangeError(`${op}: not a name the format can hold [${path}]`)
    }
    tensors.set(path, leaf)
  }
  const dtypes = new Map(Array.from(tensors, ([name, x]): [string, DType] => [name, x.dtype]))
  const ours = writeExtras(
    op,
    dtypes,
    mapTree(() => 0, tree),
  )
  const ordered = [...tensors].sort(byAlignment)
  const header = headerOf(op, ordered, [...checkMetadata(op, options.metadata ?? {}), ...ours])
  return [header, ...ordered.map(([, x]) => bytesOf(x))]
}

/** Wider elements first, then by the UTF-8 bytes of the names: every tensor begins at a multiple of its width. */
function byAlignment([a, x]: [string, Tensor], [b, y]: [string, Tensor]): number {
  return rankOfStored(storedAs(y.dtype)) - rankOfStored(storedAs(x.dtype)) || compareBytes(utf8(a), utf8(b))
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i])
  return at === -1 ? a.length - b.length : at >= b.length ? 1 : a[at]! - b[at]!
}

/** The length and the JSON, which is put together by hand because objects would move keys like '0' to the front. */
function headerOf(
  op: string,
  tensors: readonly [string, Tensor][],
  metadata: readonly [string, string][],
): Uint8Array {
  let at = 0
  const members = tensors.map(([name, x]) => {
    const entry = { dtype: storedAs(x.dtype), shape: x.shape, data_offsets: [at, at + x.data.byteLength] }
    at += x.data.byteLength
    return member(name, JSON.stringify(entry))
  })
  if (metadata.length > 0) {
    const texts = metadata.map(([key, text]) => member(key, JSON.stringify(text)))
    members.unshift(member('__metadata__', `{${texts.join(',')}}`))
  }
  const json = utf8(`{${members.join(',')}}`)
  const length = Math.ceil(json.length / 8) * 8
  if (length > maxHeaderBytes) {
    throw new RangeError(`${op}: the header would be longer than ${maxHeaderBytes} bytes [${length}]`)
  }
  const header = new Uint8Array(8 + length).fill(0x20)
  new DataView(header.buffer).setBigUint64(0, BigInt(length), true)
  header.set(json, 8)
  return header
}

function member(key: string, json: string): string {
  return `${JSON.stringify(key)}:${json}`
}

function checkMetadata(op: string, metadata: Readonly<Record<string, string>>): [string, string][] {
  const entries = Object.entries(metadata)
  for (const [key, text] of entries) {
    if (key.startsWith(ourPrefix)) {
      throw new RangeError(`${op}: metadata keys that begin so are taken [${key}]`)
    }
    if (typeof text !== 'string' || hasLoneSurrogate(text) || hasLoneSurrogate(key)) {
      throw new RangeError(`${op}: metadata that is not a string [${key}: ${String(text)}]`)
    }
  }
  return entries
}
