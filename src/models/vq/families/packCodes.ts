import { checkArray, checkInteger, shown } from '../../../base/options/index.js'
import { Tensor } from '../../../tensors/tensor/index.js'

/** Codes as a tensor has them, or as whole numbers. */
export type Codes = Tensor<'int32'> | Int32Array | Uint32Array | Uint16Array | Uint8Array | readonly number[]

const elements = (codes: Codes): ArrayLike<number> => (codes instanceof Tensor ? codes.data : codes)

/**
 * Packs codebook indices of any number of bits, least significant bit first, every group at a byte boundary as faiss packs the
 * codes of a vector; `formats.packCodes` packs a format's codes without gaps.
 *
 * Shape     n codes in groups of `group` -> n / group times ceil(group bits / 8) bytes.
 * Throws    RangeError for a code of more bits, codes that fill no whole groups, and a width outside 1 to 31.
 * Cost      one pass; allocates the result only.
 * Source    faiss 1.15.1, PQEncoderGeneric: the same bytes
 *
 * @example packCodes([1, 2, 3], 4) // [0x21, 0x03]
 * @example packCodes([1, 2, 3, 4], 4, 1) // [1, 2, 3, 4]
 * @example packCodes([16], 4) // throws packCodes: a code of more than 4 bits [16]
 */
export function packCodes(codes: Codes, bits: number, group?: number): Uint8Array {
  if (!(codes instanceof Tensor)) checkArray('packCodes', 'codes', codes)
  checkInteger('packCodes', 'bits', bits, 1, 31)
  const list = elements(codes)
  const { groups, width, bytes } = layout('packCodes', list.length, bits, group)
  const packed = new Uint8Array(groups * bytes)
  const limit = 2 ** bits
  for (let g = 0, i = 0; g < groups; g++) {
    for (let j = 0, at = g * bytes * 8; j < width; j++, i++, at += bits) {
      const code = list[i]!
      if (!Number.isInteger(code) || code < 0 || code >= limit) {
        throw new RangeError(`packCodes: a code of more than ${bits} bits [${shown(code)}]`)
      }
      let rest = code
      for (let byte = at >>> 3, shift = at & 7; rest > 0; byte++, shift = 0) {
        packed[byte]! |= rest << shift
        rest >>>= 8 - shift
      }
    }
  }
  return packed
}

/**
 * Unpacks the n codebook indices that `packCodes` of vq packed, in the same groups.
 *
 * Shape     n / group times ceil(group bits / 8) bytes, exactly.
 * Throws    RangeError for any other number of bytes.
 *
 * @example unpackCodes(Uint8Array.of(0x21, 0x03), 4, 3) // [1, 2, 3]
 * @example unpackCodes(new Uint8Array(1), 10, 2) // throws unpackCodes: 2 codes of 10 bits are 3 bytes [1]
 */
export function unpackCodes(packed: Uint8Array, bits: number, n: number, group?: number): Int32Array {
  if (!(packed instanceof Uint8Array)) {
    throw new TypeError(`unpackCodes: packed is not a Uint8Array [${shown(packed)}]`)
  }
  checkInteger('unpackCodes', 'bits', bits, 1, 31)
  checkInteger('unpackCodes', 'n', n, 0)
  const { groups, width, bytes } = layout('unpackCodes', n, bits, group)
  if (packed.length !== groups * bytes) {
    throw new RangeError(
      `unpackCodes: ${n} codes of ${bits} bits are ${groups * bytes} bytes [${packed.length}]`,
    )
  }
  const codes = new Int32Array(n)
  for (let g = 0, i = 0; g < groups; g++) {
    for (let j = 0, at = g * bytes * 8; j < width; j++, i++, at += bits) {
      let [code, had] = [0, 0]
      for (let byte = at >>> 3, shift = at & 7; had < bits; byte++, shift = 0) {
        const take = Math.min(8 - shift, bits - had)
        code |= ((packed[byte]! >>> shift) & ((1 << take) - 1)) << had
        had += take
      }
      codes[i] = code
    }
  }
  return codes
}

function layout(
  op: string,
  n: number,
  bits: number,
  group: number | undefined,
): { groups: number; width: number; bytes: number } {
  if (group !== undefined) checkInteger(op, 'group', group, 1)
  const width = group ?? n
  if (width !== 0 && n % width !== 0) {
    throw new RangeError(`${op}: codes fill no whole groups of ${width} [${n}]`)
  }
  return { groups: width === 0 ? 0 : n / width, width, bytes: Math.ceil((width * bits) / 8) }
}
