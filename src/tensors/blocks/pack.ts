import { blockElement, packCodes, unpackCodes } from '../../numbers/formats/index.js'
import { type BlockTensor, checkBlocks } from './blockTensor.js'

/**
 * The same blocks with their codes packed: 4 bits two to a byte, 6 bits four to three bytes, lowest bits first.
 *
 * Throws    RangeError for codes that fill no whole number of bytes.
 *
 * @example pack(quantize(tensor([1, 7]), { element: 'float4_e2m1fn', blockSize: 2 })).codes // [0x72]
 */
export function pack(blocks: BlockTensor): BlockTensor {
  checkBlocks('pack', blocks)
  if (blocks.packed) return blocks
  return { ...blocks, codes: packCodes(blocks.codes, blockElement(blocks.element).bits), packed: true }
}

/**
 * The same blocks with one code a byte.
 *
 * @example unpack(quantize(tensor([1, 7]), { element: 'float4_e2m1fn', blockSize: 2, packed: true })).codes // [2, 7]
 */
export function unpack(blocks: BlockTensor): BlockTensor {
  checkBlocks('unpack', blocks)
  if (!blocks.packed) return blocks
  const { element, scales, blockSize, codes } = blocks
  return {
    ...blocks,
    codes: unpackCodes(codes, blockElement(element).bits, scales.length * blockSize),
    packed: false,
  }
}
