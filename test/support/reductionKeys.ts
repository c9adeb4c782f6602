import { readFileSync } from 'node:fs'
import { type DType, fromBits, type Tensor } from 'tpu-toolkit/tensor'

const folder = new URL('../golden/reductions/', import.meta.url)

/** An answer key of test/golden/reductions. */
export function readKey<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as T
}

/** Codes written as four hex digits each, end to end. */
export function hexCodes(hex: string): Uint16Array {
  return Uint16Array.from({ length: hex.length / 4 }, (_, i) =>
    Number.parseInt(hex.slice(4 * i, 4 * i + 4), 16),
  )
}

/** bfloat16 codes, as hex digits or numbers, as a tensor. */
export function bfloat16(
  codes: string | Uint16Array | readonly number[],
  shape?: readonly number[],
): Tensor<'bfloat16'> {
  const list = typeof codes === 'string' ? hexCodes(codes) : codes
  return fromBits(list, { dtype: 'bfloat16', shape: shape ?? [list.length] })
}

/** The codes of a tensor as hex digits, the way the keys write them: four a code, eight for float32. */
export function hexOf(x: Tensor<DType>, digits = 4): string {
  return Array.from(x.toBits() as Uint16Array, (code) => code.toString(16).padStart(digits, '0')).join('')
}

/** The first n elements of an input of drift.json. */
export function driftInput(name: string, n: number): Tensor<'bfloat16'> {
  if (name === 'ones') return bfloat16(new Uint16Array(n).fill(0x3f80))
  if (name === 'const_0.1') return bfloat16(new Uint16Array(n).fill(0x3dcd))
  // n is a power of two there, so 1/n is exact: exponent 127 - log2 n, mantissa 0.
  if (name === '1/n') return bfloat16(new Uint16Array(n).fill((127 - Math.log2(n)) << 7))
  const place = readKey<{ arrays: { name: string; offset_bytes: number }[] }>('drift_inputs').arrays.find(
    (array) => array.name === name,
  )
  if (!place) throw new Error(`golden drift_inputs: no array [${name}]`)
  const bytes = readFileSync(new URL('drift_inputs.bin', folder))
  const codes = new Uint16Array(new Uint8Array(bytes).buffer, place.offset_bytes, n)
  return bfloat16(codes)
}
