/** A format of more than 16 bits, which JavaScript itself has. */
export interface WideFloat {
  readonly name: 'float32' | 'float64'
  /** The value that a number rounds to. */
  readonly round: (x: number) => number
  /** The code of a value of the format. */
  readonly code: (value: number) => bigint
  /** The value of a code. */
  readonly decode: (code: bigint) => number
  readonly bits: 32 | 64
}

const view = new DataView(new ArrayBuffer(8))

export const wideFloats: readonly WideFloat[] = [
  {
    name: 'float32',
    round: Math.fround,
    code(value) {
      view.setFloat32(0, value)
      return BigInt(view.getUint32(0))
    },
    decode(code) {
      view.setUint32(0, Number(code))
      return view.getFloat32(0)
    },
    bits: 32,
  },
  {
    name: 'float64',
    round: (x) => x,
    code(value) {
      view.setFloat64(0, value)
      return view.getBigUint64(0)
    },
    decode(code) {
      view.setBigUint64(0, code)
      return view.getFloat64(0)
    },
    bits: 64,
  },
]

/** The value next to a value of the format, above or below it; past the largest finite one an infinity. */
export function wideNext(value: number, direction: 1 | -1, format: WideFloat): number {
  if (!Number.isFinite(value)) return value
  if (value === 0) return direction * format.decode(1n)
  // Codes count magnitudes.
  const outward = value > 0 === direction > 0
  return format.decode(format.code(value) + (outward ? 1n : -1n))
}
