import { shown } from '../base/options/index.js'
/** The codes to write to: `out` of the right length, or fresh ones. */
export function outFor(op: string, length: number, out: Uint16Array | undefined): Uint16Array {
  if (out !== undefined) checkKind(op, 'elements of out', out, Uint16Array)
  checkLength(op, length, out)
  return out ?? new Uint16Array(length)
}

/** The float32 values to write to: `out` of the right length, or fresh ones. */
export function outFloat32For(op: string, length: number, out: Float32Array | undefined): Float32Array {
  if (out !== undefined) checkKind(op, 'elements of out', out, Float32Array)
  checkLength(op, length, out)
  return out ?? new Float32Array(length)
}

/** Throws a TypeError unless these are codes: numbers are encoded first. */
export function checkCodes(op: string, codes: unknown): asserts codes is Uint16Array {
  checkKind(op, 'codes', codes, Uint16Array)
}

function checkKind(
  op: string,
  what: string,
  array: unknown,
  type: { readonly name: string } & (new () => unknown),
): void {
  if (!(array instanceof type)) throw new TypeError(`${op}: ${what} are not a ${type.name} [${shown(array)}]`)
}

function checkLength(op: string, length: number, out: { readonly length: number } | undefined): void {
  if (out && out.length !== length) {
    throw new RangeError(`${op}: out has another length than the result [${out.length}, not ${length}]`)
  }
}

type Operand = Uint16Array | Float32Array | Float64Array

/** True where the two share memory. */
export function overlap(a: Operand, b: Operand): boolean {
  if (a.buffer !== b.buffer) return false
  return a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength
}

/**
 * The operand, copied first if writing `out` could change elements of it that are still to be read: overlapping
 * memory, unless both begin together with elements of one size.
 */
export function settled<A extends Operand>(operand: A, out: Uint16Array | Float32Array): A {
  const together =
    operand.byteOffset === out.byteOffset && operand.BYTES_PER_ELEMENT === out.BYTES_PER_ELEMENT
  return together || !overlap(operand, out) ? operand : (operand.slice() as A)
}
