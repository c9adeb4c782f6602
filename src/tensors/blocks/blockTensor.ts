import { shown } from '../../base/options/index.js'
import type { BlockQuantized } from '../../numbers/formats/index.js'
import type { Shape } from '../tensor/index.js'

/**
 * A tensor in blocks along one axis. `scales` and `codes` lie as if that axis were the last one: its blocks are
 * contiguous, as the operands of a matrix unit are.
 */
export interface BlockTensor extends BlockQuantized {
  readonly shape: Shape
  /** The axis the blocks lie along, counted from the front. */
  readonly axis: number
  /** Whether `codes` are packed as by `packCodes`, instead of one a byte. */
  readonly packed: boolean
}

/** Throws a TypeError unless `blocks` is what `quantize` gives. */
export function checkBlocks(op: string, blocks: unknown): void {
  const isBlocks =
    typeof blocks === 'object' &&
    blocks !== null &&
    'element' in blocks &&
    'axis' in blocks &&
    'codes' in blocks
  if (!isBlocks) throw new TypeError(`${op}: not a block tensor, which quantize gives [${shown(blocks)}]`)
}

/** The axes in order, but for one that comes last. */
export function axisLast(rank: number, axis: number): number[] {
  return [...Array.from({ length: rank }, (_, i) => i).filter((i) => i !== axis), axis]
}
