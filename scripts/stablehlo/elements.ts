import { decode, type FormatName, format } from 'tpu-toolkit/formats'

// Elements of tensors as MLIR keeps them: little-endian bytes, an element of less than 8 bits in a byte of its own.

/** What an element type is made of. */
export interface ElementFacts {
  /** Our name of the dtype; of a complex number that of its parts. */
  readonly dtype: string
  readonly kind: 'float' | 'signed' | 'unsigned' | 'bool'
  readonly bits: number
  readonly isComplex: boolean
}

/** Facts of an element type of StableHLO (`bf16`, `ui4`, `complex<f32>`); undefined for one that is none of a tensor of ours. */
export function elementFacts(element: string): ElementFacts | undefined {
  const pair = /^complex<(f32|f64)>$/.exec(element)
  const name = pair ? pair[1]! : element
  const facts = (dtype: string, kind: ElementFacts['kind'], bits: number): ElementFacts => ({
    dtype,
    kind,
    bits,
    isComplex: pair !== null,
  })
  if (name === 'i1') return facts('bool', 'bool', 1)
  const integer = /^(u?)i(2|4|8|16|32|64)$/.exec(name)
  if (integer) {
    const bits = Number(integer[2])
    return integer[1] ? facts(`uint${bits}`, 'unsigned', bits) : facts(`int${bits}`, 'signed', bits)
  }
  if (name === 'f64' || name === 'f32') return facts(`float${name.slice(1)}`, 'float', Number(name.slice(1)))
  if (name === 'f16') return facts('float16', 'float', 16)
  if (name === 'bf16') return facts('bfloat16', 'float', 16)
  const small = /^f([468])(E\d+M\d+\w*)$/.exec(name)
  return small ? facts(`float${small[1]}_${small[2]!.toLowerCase()}`, 'float', Number(small[1])) : undefined
}

/** How many bytes an element takes: of a complex number one part. */
export function widthOf({ bits }: ElementFacts): number {
  return Math.max(1, bits / 8)
}

/** The bit patterns, each as an unsigned integer; two for a complex number. */
export function codesOf(facts: ElementFacts, bytes: Uint8Array): bigint[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const width = widthOf(facts)
  const mask = (1n << BigInt(facts.bits)) - 1n
  return Array.from({ length: bytes.length / width }, (_, i) => {
    if (width === 8) return view.getBigUint64(8 * i, true)
    if (width === 4) return BigInt(view.getUint32(4 * i, true))
    if (width === 2) return BigInt(view.getUint16(2 * i, true))
    return BigInt(view.getUint8(i)) & mask
  })
}

const words = new DataView(new ArrayBuffer(8))

/** The number that a bit pattern stands for; integers of 64 bits rounded. */
export function valueOf({ dtype, kind, bits }: ElementFacts, code: bigint): number {
  if (kind === 'signed') return Number(BigInt.asIntN(bits, code))
  if (kind !== 'float') return Number(code)
  if (bits === 64) {
    words.setBigUint64(0, code)
    return words.getFloat64(0)
  }
  if (bits === 32) {
    words.setUint32(0, Number(code))
    return words.getFloat32(0)
  }
  return decode(Number(code), format(dtype as FormatName))
}

/** Steps between two floats of one type, counted over the values between them; both zeros are one place. */
export function stepsBetween({ dtype, bits }: ElementFacts, left: bigint, right: bigint): bigint {
  if (dtype === 'float8_e8m0fnu') return left > right ? left - right : right - left
  const sign = 1n << BigInt(bits - 1)
  const place = (code: bigint): bigint => (code & sign ? -(code - sign) : code)
  const steps = place(left) - place(right)
  return steps < 0n ? -steps : steps
}

/** Half the distance from 1 to the next value: what one rounding is off by, relative to the value. */
export function unitRoundoff({ dtype, bits }: ElementFacts): number {
  if (bits === 64) return 2 ** -53
  if (bits === 32) return 2 ** -24
  return format(dtype as FormatName).eps / 2
}
