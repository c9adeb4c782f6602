import {
  checkArray,
  checkInteger,
  checkOptions,
  noOptions,
  type OptionTable,
  shown,
} from '../../../base/options/index.js'
import { Tensor } from '../../../tensors/tensor/index.js'
import type { Mask } from './mask.js'

/** Where the diagonal of a mask lies. */
export interface OffsetOptions {
  /** Row i stands at column i + offset: tk - tq where the queries are the last of the keys. Default 0. */
  readonly offset?: number
}

/** Bounds of a window, both included. */
export interface WindowOptions extends OffsetOptions {
  /** How many columns before the row's own. Default: no bound. */
  readonly left?: number | null
  /** How many columns behind the row's own. Default: no bound; 0 is causal. */
  readonly right?: number | null
}

const [least, most] = [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]

const offsetNames: OptionTable<OffsetOptions> = { offset: 'optional' }
const windowNames: OptionTable<WindowOptions> = { ...offsetNames, left: 'optional', right: 'optional' }

/**
 * Every pair.
 *
 * @example fullMask() // { kind: 'full' }
 */
export function fullMask(): Mask {
  return Object.freeze({ kind: 'full' })
}

/**
 * i + offset >= j: a row sees itself and what came before.
 *
 * Source    offset 0 is Pallas and splash's top-left alignment, tk - tq FlashAttention's from 2.1 on, bottom-right
 *
 * @example causalMask({ offset: 2 }) // { kind: 'causal', offset: 2 }
 */
export function causalMask(options: OffsetOptions = noOptions): Mask {
  checkOptions('causalMask', options, offsetNames, { positional: 'offset' })
  const { offset = 0 } = options
  checkInteger('causalMask', 'offset', offset, least, most)
  return Object.freeze({ kind: 'causal', offset })
}

/**
 * i + offset - left <= j <= i + offset + right, both ends included, so that left 127 with right 0 keeps 128 keys.
 *
 * Source    inclusive as in FlashAttention's window_size and splash's LocalMask; AI-Hypercomputer/maxtext#4289 was off by one
 *
 * @example windowMask({ left: 127, right: 0 }) // { kind: 'window', left: 127, right: 0, offset: 0 }
 */
export function windowMask(options: WindowOptions = noOptions): Mask {
  checkOptions('windowMask', options, windowNames, { positional: 'left' })
  const { left = null, right = null, offset = 0 } = options
  if (left !== null) checkInteger('windowMask', 'left', left, least, most)
  if (right !== null) checkInteger('windowMask', 'right', right, least, most)
  checkInteger('windowMask', 'offset', offset, least, most)
  return Object.freeze({ kind: 'window', left, right, offset })
}

/**
 * Causal inside consecutive chunks: floor(i / size) = floor(j / size) and i >= j.
 *
 * @example chunkedMask({ size: 4 }) // { kind: 'chunked', size: 4 }
 */
export function chunkedMask(options: { readonly size: number }): Mask {
  checkOptions('chunkedMask', options, { size: 'required' }, { positional: 'size' })
  checkInteger('chunkedMask', 'size', options.size, 1)
  return Object.freeze({ kind: 'chunked', size: options.size })
}

/**
 * Causal, and the first `length` columns for every row: j < length or i >= j.
 *
 * @example prefixMask({ length: 3 }) // { kind: 'prefix', length: 3 }
 */
export function prefixMask(options: { readonly length: number }): Mask {
  checkOptions('prefixMask', options, { length: 'required' }, { positional: 'length' })
  checkInteger('prefixMask', 'length', options.length)
  return Object.freeze({ kind: 'prefix', length: options.length })
}

/**
 * Rows and columns of the same one of consecutive segments, known before the run: blocks between segments are skipped. Ids
 * that come as data are the option `segments` of attention, which skips nothing.
 *
 * @example segmentMask({ lengths: [3, 5] }) // { kind: 'segments', lengths: [3, 5] }
 */
export function segmentMask(options: { readonly lengths: readonly number[] }): Mask {
  checkOptions('segmentMask', options, { lengths: 'required' }, { positional: 'lengths' })
  checkArray('segmentMask', 'lengths', options.lengths)
  const lengths = Object.freeze([...options.lengths])
  for (const length of lengths) checkInteger('segmentMask', 'length', length)
  return Object.freeze({ kind: 'segments', lengths })
}

/**
 * Every stride-th column, the row's own the last: i >= j and (i - j) mod stride = 0.
 *
 * Source    Sparse Transformer, arXiv:1904.10509, its strided pattern
 *
 * @example stridedMask({ stride: 128 }) // { kind: 'strided', stride: 128 }
 */
export function stridedMask(options: { readonly stride: number }): Mask {
  checkOptions('stridedMask', options, { stride: 'required' }, { positional: 'stride' })
  checkInteger('stridedMask', 'stride', options.stride, 1)
  return Object.freeze({ kind: 'strided', stride: options.stride })
}

/**
 * i >= j and (floor(i / stride) = floor(j / stride) or j mod stride >= stride - summary): every chunk, and the last
 * `summary` columns of those before.
 *
 * Source    Sparse Transformer, arXiv:1904.10509, its fixed pattern
 *
 * @example fixedMask({ stride: 256, summary: 8 }) // { kind: 'fixed', stride: 256, summary: 8 }
 */
export function fixedMask(options: { readonly stride: number; readonly summary: number }): Mask {
  checkOptions('fixedMask', options, { stride: 'required', summary: 'required' })
  const { stride, summary } = options
  checkInteger('fixedMask', 'stride', stride, 1)
  checkInteger('fixedMask', 'summary', summary, 0, stride)
  return Object.freeze({ kind: 'fixed', stride, summary })
}

/**
 * |i - j| <= reach step and (i - j) mod step = 0: a window with gaps.
 *
 * @example dilatedMask({ reach: 3, step: 64 }) // { kind: 'dilated', reach: 3, step: 64 }
 */
export function dilatedMask(options: { readonly reach: number; readonly step: number }): Mask {
  checkOptions('dilatedMask', options, { reach: 'required', step: 'required' })
  const { reach, step } = options
  checkInteger('dilatedMask', 'reach', reach)
  checkInteger('dilatedMask', 'step', step, 1)
  return Object.freeze({ kind: 'dilated', reach, step })
}

/**
 * i < count or j < count: the first rows see all, and all see the first columns.
 *
 * Source    Longformer, arXiv:2004.05150
 *
 * @example globalMask({ count: 64 }) // { kind: 'globals', count: 64 }
 */
export function globalMask(options: { readonly count: number }): Mask {
  checkOptions('globalMask', options, { count: 'required' }, { positional: 'count' })
  checkInteger('globalMask', 'count', options.count)
  return Object.freeze({ kind: 'globals', count: options.count })
}

/**
 * The listed blocks of size x size, each [row of blocks, column of blocks].
 *
 * @example blockMask({ size: 64, pairs: [[0, 0], [1, 0]] }) // { kind: 'blocks', size: 64, pairs: [[0, 0], [1, 0]] }
 */
export function blockMask(options: {
  readonly size: number
  readonly pairs: readonly (readonly [number, number])[]
}): Mask {
  checkOptions('blockMask', options, { size: 'required', pairs: 'required' })
  checkInteger('blockMask', 'size', options.size, 1)
  checkArray('blockMask', 'pairs', options.pairs)
  const pairs = options.pairs.map((pair): readonly [number, number] => {
    checkArray('blockMask', 'pair of blocks', pair)
    if (pair.length !== 2) {
      throw new RangeError(`blockMask: a block is not a row and a column [${shown(pair)}]`)
    }
    checkInteger('blockMask', 'row of blocks', pair[0])
    checkInteger('blockMask', 'column of blocks', pair[1])
    return Object.freeze([pair[0], pair[1]] as const)
  })
  return Object.freeze({ kind: 'blocks', size: options.size, pairs: Object.freeze(pairs) })
}

/**
 * What all of the masks allow; bool tensors [tq, tk] are masks too.
 *
 * @example andMask(windowMask({ left: 9 }), causalMask()).of.length // 2
 */
export function andMask(...masks: readonly (Mask | Tensor<'bool'>)[]): Extract<Mask, { kind: 'and' | 'or' }> {
  return Object.freeze({ kind: 'and', of: parts('andMask', masks) })
}

/**
 * What any of the masks allows; bool tensors [tq, tk] are masks too.
 *
 * @example orMask(windowMask({ left: 9, right: 9 }), globalMask({ count: 2 })).kind // 'or'
 */
export function orMask(...masks: readonly (Mask | Tensor<'bool'>)[]): Extract<Mask, { kind: 'and' | 'or' }> {
  return Object.freeze({ kind: 'or', of: parts('orMask', masks) })
}

function parts(op: string, masks: readonly (Mask | Tensor<'bool'>)[]): readonly Mask[] {
  if (masks.length === 0) throw new RangeError(`${op}: no masks [an empty array]`)
  return Object.freeze(
    masks.map((mask): Mask => {
      if (mask instanceof Tensor) return Object.freeze({ kind: 'dense', allowed: mask })
      if (typeof mask !== 'object' || mask === null || typeof mask.kind !== 'string') {
        throw new TypeError(`${op}: not a mask [${shown(mask)}]`)
      }
      return mask
    }),
  )
}
