import { checkArray, checkInteger, checkName, checkRecord, shown } from '../../../base/options/index.js'
import { Tensor } from '../../../tensors/tensor/index.js'

/**
 * Which pairs of a row i (a query) and a column j (a key) attend to each other, as data; a mask of a form that is not here
 * is a bool tensor [tq, tk], kept as `dense`.
 */
export type Mask =
  | { readonly kind: 'full' }
  /** i + offset >= j. */
  | { readonly kind: 'causal'; readonly offset: number }
  /** i + offset - left <= j <= i + offset + right, both ends included; null: no bound. */
  | {
      readonly kind: 'window'
      readonly left: number | null
      readonly right: number | null
      readonly offset: number
    }
  /** floor(i / size) = floor(j / size) and i >= j. */
  | { readonly kind: 'chunked'; readonly size: number }
  /** j < length or i >= j. */
  | { readonly kind: 'prefix'; readonly length: number }
  /** The same segment of consecutive lengths. */
  | { readonly kind: 'segments'; readonly lengths: readonly number[] }
  /** i >= j and (i - j) mod stride = 0. */
  | { readonly kind: 'strided'; readonly stride: number }
  /** i >= j and (the same floor(. / stride) or j mod stride >= stride - summary). */
  | { readonly kind: 'fixed'; readonly stride: number; readonly summary: number }
  /** |i - j| <= reach step and (i - j) mod step = 0. */
  | { readonly kind: 'dilated'; readonly reach: number; readonly step: number }
  /** i < count or j < count. */
  | { readonly kind: 'globals'; readonly count: number }
  /** In one of the listed blocks of size x size: [row of blocks, column of blocks]. */
  | {
      readonly kind: 'blocks'
      readonly size: number
      readonly pairs: readonly (readonly [number, number])[]
    }
  | { readonly kind: 'dense'; readonly allowed: Tensor<'bool'> }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Mask[] }

const kinds = [
  ...['full', 'causal', 'window', 'chunked', 'prefix', 'segments', 'strided', 'fixed', 'dilated'],
  ...['globals', 'blocks', 'dense', 'and', 'or'],
]

const [least, most] = [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]

/**
 * The mask of an argument, a bool tensor made `dense`, checked for rows and columns: what was written by hand or read from
 * JSON is as good as what the makers give.
 */
export function maskOf(op: string, value: unknown, tq: number, tk: number): Mask {
  const mask = value instanceof Tensor ? { kind: 'dense', allowed: value } : value
  checkRecord(op, 'mask', mask, ['kind'])
  const given = mask as Mask
  checkName(op, 'kind of mask', given.kind, kinds)
  checkFacts(op, given, tq, tk)
  return given
}

function checkFacts(op: string, mask: Mask, tq: number, tk: number): void {
  switch (mask.kind) {
    case 'full':
      return
    case 'causal':
      checkInteger(op, 'offset', mask.offset, least, most)
      return
    case 'window':
      checkInteger(op, 'offset', mask.offset, least, most)
      if (mask.left !== null) checkInteger(op, 'left', mask.left, least, most)
      if (mask.right !== null) checkInteger(op, 'right', mask.right, least, most)
      return
    case 'chunked':
      checkInteger(op, 'size', mask.size, 1)
      return
    case 'prefix':
      checkInteger(op, 'length', mask.length)
      return
    case 'segments':
      checkLengths(op, mask.lengths, Math.max(tq, tk))
      return
    case 'strided':
      checkInteger(op, 'stride', mask.stride, 1)
      return
    case 'fixed':
      checkInteger(op, 'stride', mask.stride, 1)
      checkInteger(op, 'summary', mask.summary, 0, mask.stride)
      return
    case 'dilated':
      checkInteger(op, 'reach', mask.reach)
      checkInteger(op, 'step', mask.step, 1)
      return
    case 'globals':
      checkInteger(op, 'count', mask.count)
      return
    case 'blocks':
      checkInteger(op, 'size', mask.size, 1)
      checkPairs(op, mask.pairs, Math.ceil(tq / mask.size), Math.ceil(tk / mask.size))
      return
    case 'dense':
      checkDense(op, mask.allowed, tq, tk)
      return
    case 'and':
    case 'or':
      checkArray(op, 'of', mask.of)
      for (const part of mask.of) maskOf(op, part, tq, tk)
      return
    default:
      throw new RangeError(`${op}: unknown kind of mask [${String(mask satisfies never)}]`)
  }
}

function checkLengths(op: string, lengths: readonly number[], t: number): void {
  checkArray(op, 'lengths', lengths)
  for (const length of lengths) checkInteger(op, 'length', length)
  const sum = lengths.reduce((total, length) => total + length, 0)
  if (sum !== t) {
    throw new RangeError(`${op}: the lengths of the segments add up to another number [${sum}, not ${t}]`)
  }
}

function checkPairs(
  op: string,
  pairs: readonly (readonly [number, number])[],
  rows: number,
  columns: number,
): void {
  checkArray(op, 'pairs', pairs)
  for (const pair of pairs) {
    checkArray(op, 'pair of blocks', pair)
    if (pair.length !== 2) throw new RangeError(`${op}: a block is not a row and a column [${shown(pair)}]`)
    checkInteger(op, 'row of blocks', pair[0], 0, rows - 1)
    checkInteger(op, 'column of blocks', pair[1], 0, columns - 1)
  }
}

function checkDense(op: string, allowed: unknown, tq: number, tk: number): void {
  if (!(allowed instanceof Tensor)) throw new TypeError(`${op}: mask is not a tensor [${shown(allowed)}]`)
  if (allowed.dtype !== 'bool') throw new TypeError(`${op}: mask is not of dtype bool [${allowed.dtype}]`)
  const [rows, columns] = allowed.shape
  if (allowed.rank !== 2 || rows !== tq || columns !== tk) {
    throw new RangeError(`${op}: mask has another shape [${allowed.shape.join(', ')}, not ${tq}, ${tk}]`)
  }
}
