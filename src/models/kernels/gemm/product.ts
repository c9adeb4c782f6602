import { type MatmulSizes, matmulFloat32 } from '../../../numbers/simd/index.js'

/** The least and the largest magnitude among numbers that are not 0. */
export interface Span {
  readonly least: number
  readonly most: number
}

export function spanOf(values: Float32Array): Span {
  let [least, most] = [Infinity, 0]
  for (let i = 0; i < values.length; i++) {
    const magnitude = Math.abs(values[i]!)
    if (magnitude === 0) continue
    if (magnitude < least) least = magnitude
    // A NaN counts as infinite.
    if (!(magnitude <= most)) most = Number.isNaN(magnitude) ? Infinity : magnitude
  }
  return { least, most }
}

/**
 * Whether all products of numbers of up to 12 bits, which have up to 24, are normal float32 numbers: rounding them changes
 * nothing then.
 */
export function productsFit(a: Span, b: Span): boolean {
  return a.least * b.least >= 2 ** -126 && a.most * b.most < 2 ** 128
}

/**
 * A matrix product summed in float32, index ascending from +0: each product rounded first where `rounded`, which is the
 * meaning for float32 operands, else exact and rounded with the sum alone.
 */
export function product(
  a: Float32Array,
  b: Float32Array,
  sizes: MatmulSizes,
  out: Float32Array,
  rounded: boolean,
): void {
  if (rounded) {
    matmulFloat32(a, b, sizes, out)
    return
  }
  const { m, k, n } = sizes
  out.fill(0)
  for (let i = 0; i < m; i++) {
    for (let p = 0; p < k; p++) {
      const x = a[i * k + p]!
      // Products of up to 24 bits are exact in float64, and its sum rounds to float32 as the exact one: 53 >= 2 * 24 + 2.
      for (let j = 0; j < n; j++) out[i * n + j] = out[i * n + j]! + x * b[p * n + j]!
    }
  }
}

/** `from` [rows, columns] into `out` [columns, rows]. */
export function transposeInto(from: Float32Array, rows: number, columns: number, out: Float32Array): void {
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) out[j * rows + i] = from[i * columns + j]!
  }
}
