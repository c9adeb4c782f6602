import { checkInteger, shown } from '../../base/options/index.js'
import { checkCodes } from './dequantizeBlocks.js'

/**
 * Packs the codes of a format without gaps (`vq.packCodes` begins every group at a byte): 4-bit codes two to a byte, 6-bit
 * codes four to three bytes, lowest bits first. Codes of 8 bits are copied.
 *
 * Shape     n codes -> n * bits / 8 bytes, a whole number; `out` too.
 * Throws    RangeError for bytes that are not whole, a code of more bits, and a width other than 4, 6 and 8.
 * Cost      one pass; allocates the result only, not even that with `out`.
 * Source    4 bits: as `__nv_fp4x2_e2m1` of CUDA and `torch.float4_e2m1fn_x2`. OCP MX v1.0 leaves storage open;
 *           the order of 6 bits carries on that of 4.
 *
 * @example packCodes(Uint8Array.of(0x1, 0x2, 0x3, 0xf), 4) // [0x21, 0xf3]
 * @example packCodes(Uint8Array.of(1, 0, 0, 0x3f), 6) // [0x01, 0x00, 0xfc]
 * @example packCodes(new Uint8Array(3), 4) // throws packCodes: codes of 4 bits fill no whole number of bytes [3]
 */
export function packCodes(codes: Uint8Array, bits: number, out?: Uint8Array): Uint8Array {
  checkBytes('packCodes', 'codes are', codes)
  checkWidth('packCodes', bits)
  const bytes = (codes.length * bits) / 8
  if (!Number.isInteger(bytes)) {
    throw new RangeError(`packCodes: codes of ${bits} bits fill no whole number of bytes [${codes.length}]`)
  }
  checkCodes('packCodes', codes, bits, `${bits} bits`)
  const packed = destination('packCodes', bytes, out)
  if (bits === 8) {
    packed.set(codes)
  } else if (bits === 4) {
    for (let i = 0, j = 0; i < bytes; i++, j += 2) packed[i] = codes[j]! | (codes[j + 1]! << 4)
  } else {
    for (let i = 0, j = 0; i < bytes; i += 3, j += 4) {
      const word = codes[j]! | (codes[j + 1]! << 6) | (codes[j + 2]! << 12) | (codes[j + 3]! << 18)
      packed[i] = word
      packed[i + 1] = word >>> 8
      packed[i + 2] = word >>> 16
    }
  }
  return packed
}

/**
 * Unpacks the n codes of a format that `packCodes` of formats packed.
 *
 * Shape     n * bits / 8 bytes, exactly.
 * Throws    RangeError for any other number of bytes.
 *
 * @example unpackCodes(Uint8Array.of(0x21, 0xf3), 4, 4) // [0x1, 0x2, 0x3, 0xf]
 * @example unpackCodes(new Uint8Array(4), 6, 4) // throws unpackCodes: 4 codes of 6 bits are 3 bytes [4]
 */
export function unpackCodes(packed: Uint8Array, bits: number, n: number, out?: Uint8Array): Uint8Array {
  checkBytes('unpackCodes', 'packed is', packed)
  checkWidth('unpackCodes', bits)
  checkInteger('unpackCodes', 'n', n)
  if (packed.length * 8 !== n * bits) {
    throw new RangeError(
      `unpackCodes: ${n} codes of ${bits} bits are ${(n * bits) / 8} bytes [${packed.length}]`,
    )
  }
  const codes = destination('unpackCodes', n, out)
  if (bits === 8) {
    codes.set(packed)
  } else if (bits === 4) {
    for (let i = 0, j = 0; i < packed.length; i++, j += 2) {
      codes[j] = packed[i]! & 0xf
      codes[j + 1] = packed[i]! >>> 4
    }
  } else {
    for (let i = 0, j = 0; j < n; i += 3, j += 4) {
      const word = packed[i]! | (packed[i + 1]! << 8) | (packed[i + 2]! << 16)
      codes[j] = word & 0x3f
      codes[j + 1] = (word >>> 6) & 0x3f
      codes[j + 2] = (word >>> 12) & 0x3f
      codes[j + 3] = word >>> 18
    }
  }
  return codes
}

function checkWidth(op: string, bits: number): void {
  if (bits !== 4 && bits !== 6 && bits !== 8) {
    throw new RangeError(`${op}: width is none of 4, 6 and 8 bits [${String(bits)}]`)
  }
}

function checkBytes(op: string, what: string, value: unknown): void {
  if (!(value instanceof Uint8Array)) throw new TypeError(`${op}: ${what} not a Uint8Array [${shown(value)}]`)
}

function destination(op: string, length: number, out: Uint8Array | undefined): Uint8Array {
  if (out !== undefined) checkBytes(op, 'out is', out)
  if (out && out.length !== length) {
    throw new RangeError(`${op}: out has another length than the result [${out.length}, not ${length}]`)
  }
  return out ?? new Uint8Array(length)
}
