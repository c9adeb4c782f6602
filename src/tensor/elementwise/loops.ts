import type { AnyStorage } from '../storage/dtype.js'

/**
 * One run of an elementwise operation: n results into out from k on, operands read from i and j on, each advancing by
 * its step (0 or 1).
 */
export type Loop = (
  a: AnyStorage,
  i: number,
  di: number,
  b: AnyStorage,
  j: number,
  dj: number,
  out: AnyStorage,
  k: number,
  n: number,
) => void

/** Any scalar function as a loop: storage rounds or wraps the result. */
export function pointwise(f: (a: number, b: number) => number): Loop {
  return (a, i, di, b, j, dj, out, k, n) => {
    for (let end = k + n; k < end; k++, i += di, j += dj) out[k] = f(a[i]!, b[j]!)
  }
}

/**
 * The loops of native floats, written out because a call per element costs more than the arithmetic. The sum of two
 * float32 numbers, taken in float64 and stored in a Float32Array, is correctly rounded; so are the others.
 * Readable twin: `pointwise`.
 */
export const floatLoops: Readonly<Partial<Record<string, Loop>>> = {
  add: (a, i, di, b, j, dj, out, k, n) => {
    for (let end = k + n; k < end; k++, i += di, j += dj) out[k] = a[i]! + b[j]!
  },
  sub: (a, i, di, b, j, dj, out, k, n) => {
    for (let end = k + n; k < end; k++, i += di, j += dj) out[k] = a[i]! - b[j]!
  },
  mul: (a, i, di, b, j, dj, out, k, n) => {
    for (let end = k + n; k < end; k++, i += di, j += dj) out[k] = a[i]! * b[j]!
  },
  div: (a, i, di, b, j, dj, out, k, n) => {
    for (let end = k + n; k < end; k++, i += di, j += dj) out[k] = a[i]! / b[j]!
  },
}
