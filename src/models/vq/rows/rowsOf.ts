import { shown } from '../../../base/options/index.js'
import {
  checkTensor,
  isFloat,
  isSealed,
  type Shape,
  sizeOf,
  type Tensor,
} from '../../../tensors/tensor/index.js'

/** A tensor as rows of vectors: its last axis is a vector, all others count rows. */
export interface Rows {
  /** How many vectors. */
  readonly n: number
  /** How many numbers in one. */
  readonly d: number
  /** The axes before the last. */
  readonly lead: Shape
}

/** The sizes of a tensor of vectors; an error where it has no axis, none of a float dtype or vectors of no numbers. */
export function rowsOf(op: string, what: string, x: unknown): Rows {
  checkTensor(op, x)
  if (!isFloat(x.dtype)) {
    throw new TypeError(`${op}: ${what} has no floating-point dtype, cast first [${x.dtype}]`)
  }
  if (x.rank === 0) throw new RangeError(`${op}: ${what} is one number, no rows of vectors [${x.dtype}]`)
  const d = x.shape[x.rank - 1]!
  const lead = x.shape.slice(0, -1)
  if (d === 0) throw new RangeError(`${op}: ${what} has vectors of no numbers [${x.shape.join(', ')}]`)
  return { n: sizeOf(lead), d, lead }
}

/** The sizes of a table of vectors [n, d]. */
export function matrixOf(op: string, what: string, x: unknown): { readonly n: number; readonly d: number } {
  const rows = rowsOf(op, what, x)
  if (rows.lead.length !== 1) throw noTable(op, what, x as Tensor)
  return rows
}

function noTable(op: string, what: string, x: Tensor): RangeError {
  return new RangeError(`${op}: ${what} is no table of rows and columns [${x.shape.join(', ')}]`)
}

/** The sizes of a codebook [k, d] for vectors of `d` numbers. */
export function codebookOf(op: string, codebook: unknown, d: number): { readonly k: number } {
  const { n: k, d: own } = matrixOf(op, 'codebook', codebook)
  if (k === 0) throw new RangeError(`${op}: codebook has no codes [${k}, ${own}]`)
  if (own !== d) {
    throw new RangeError(`${op}: vectors of ${d} numbers, a codebook of others [${k}, ${own}]`)
  }
  return { k }
}

/** Throws a RangeError where a number is NaN or infinite: such a vector is nearest to nothing. */
export function checkFinite(op: string, what: string, values: ArrayLike<number>, d: number): void {
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i]!)) {
      throw new RangeError(`${op}: row ${Math.floor(i / d)} of ${what} is not finite [${shown(values[i])}]`)
    }
  }
}

/** Throws a RangeError where a number is NaN, unless the numbers are not known yet. */
export function checkNumbers(op: string, what: string, x: Tensor): void {
  if (isSealed(x)) return
  const at = x.toNumbers().findIndex(Number.isNaN)
  if (at >= 0) {
    throw new RangeError(`${op}: row ${Math.floor(at / x.shape[x.rank - 1]!)} of ${what} has a NaN [NaN]`)
  }
}

/** Throws a RangeError unless every code is one of a codebook of `k`. */
export function checkCodes(op: string, codes: ArrayLike<number>, k: number): void {
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!
    if (!Number.isInteger(code) || code < 0 || code >= k) {
      throw new RangeError(`${op}: a code outside a codebook of ${k} [${shown(code)}]`)
    }
  }
}

/** The int32 codes of a tensor, as they are. */
export function codesOf(op: string, codes: unknown): Tensor<'int32'> {
  checkTensor(op, codes)
  if (codes.dtype !== 'int32') throw new TypeError(`${op}: codes are not int32, cast first [${codes.dtype}]`)
  return codes as Tensor<'int32'>
}
