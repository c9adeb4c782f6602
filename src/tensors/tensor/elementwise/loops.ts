import { arena, type Float32Binary, float32BinaryBlocks } from '../../../numbers/simd/index.js'
import type { AnyStorage } from '../storage/dtype.js'
import { canonicalizeNaN } from '../storage/nan.js'

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

/** Runs of float32 shorter than this are not worth the copies. */
const shortRun = 128

/** A loop of float32 numbers, NaN canonical: by the kernel; in runs too short for it and without WebAssembly by `plain`. */
export function float32Loop(name: Float32Binary, plain: Loop): Loop {
  return (a, i, di, b, j, dj, out, k, n) => {
    const simd = n < shortRun ? undefined : arena('simd')
    if (!simd) {
      plain(a, i, di, b, j, dj, out, k, n)
      canonicalizeNaN(n === out.length ? out : out.subarray(k, k + n))
      return
    }
    const left = [a as Float32Array, i, di] as const
    const right = [b as Float32Array, j, dj] as const
    float32BinaryBlocks(simd, name, left, right, out as Float32Array | Uint8Array, k, n)
  }
}
