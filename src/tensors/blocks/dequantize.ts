import { type BlockQuantized, blockValues, dequantizeBlocks } from '../../numbers/formats/index.js'
import { checkFloatDType, type FloatDType, isFloat, type Tensor, tensor, transpose } from '../tensor/index.js'
import { axisLast, type BlockTensor, checkBlocks } from './blockTensor.js'
import { unpack } from './pack.js'

/**
 * The tensor that blocks stand for.
 *
 * Shape     that of the tensor quantised.
 * Dtype     any floating-point dtype.
 * Rounding  element times scale exactly, then once to the dtype, nearest even. 'nvfp4': the scale is
 *           float32(tensorScale * scale), so float32 gives the bits of `dequantizeBlocks`.
 * Special   a block whose scale is NaN is NaN; overflow as the dtype's cast has it.
 *
 * @example dequantize(quantize(tensor([1, 7], { dtype: 'bfloat16' }), { element: 'float4_e2m1fn', blockSize: 2 }), 'bfloat16').toNested() // [1, 6]
 */
export function dequantize<D extends FloatDType = 'float32'>(
  blocks: BlockTensor,
  dtype: D = 'float32' as D,
): Tensor<D> {
  checkBlocks('dequantize', blocks)
  if (!isFloat(dtype)) throw new TypeError(`dequantize: needs a floating-point dtype [${String(dtype)}]`)
  checkFloatDType('dequantize', 'dtype', dtype)
  const whole = unpack(blocks)
  const { shape, axis } = whole
  const order = axisLast(shape.length, axis)
  const values = dtype === 'float32' ? dequantizeBlocks(whole) : exactValues(whole)
  const along = tensor(values, { shape: order.map((i) => shape[i]!), dtype })
  return axis === shape.length - 1
    ? along
    : transpose(
        along,
        order.map((_, i) => order.indexOf(i)),
      )
}

/** Every product of element and scale, which float64 holds. */
function exactValues(blocks: BlockQuantized): Float64Array {
  const { scales, codes, blockSize } = blocks
  const { elements, multipliers } = blockValues(blocks, 'dequantize')
  const values = new Float64Array(codes.length)
  for (let block = 0; block < scales.length; block++) {
    const multiplier = multipliers[scales[block]!]!
    const from = block * blockSize
    const to = from + blockSize
    if (Number.isNaN(multiplier)) values.fill(Number.NaN, from, to)
    else for (let i = from; i < to; i++) values[i] = elements[codes[i]!]! * multiplier
  }
  return values
}
