import { checkArray, checkInteger } from '../../base/options/index.js'
import { type BlockQuantized, blockValues, decodeTable } from '../../numbers/formats/index.js'
import { type FloatDType, type Tensor, tensor } from '../tensor/index.js'
import { type BlockTensor, checkBlocks } from './blockTensor.js'
import { unpack } from './pack.js'

/**
 * Matrix product of two block tensors, as a matrix unit forms it: float32 sums over blocks.
 *
 * Shape     a [m, k] with blocks along axis 1, b [k, n] with blocks along axis 0, of one scheme and block size ->
 *           [m, n]; k = 0 gives +0. The element formats may differ.
 * Dtype     the result's: `dtype`, default float32.
 * Rounding  per element and block of k, ascending: the dot product of the element values and its product with both
 *           scales, exactly; that to float32, once; added to a float32 sum from +0, rounded to float32. At the end, once
 *           to the dtype: the sum, or for 'nvfp4' the sum times float32(both tensor scales).
 * Special   a NaN scale makes its row or column NaN. A block's product past float32 is Inf, even if terms to come would
 *           bring it back; Inf - Inf is NaN.
 * Error     of a float32 result against the exact product of the dequantised matrices: |r - s| <= g A with
 *           A = sum |a_i b_i|, g = c u / (1 - c u), u = 2^-24, c = k / blockSize, 4 more for 'nvfp4'; in the subnormal
 *           range add c 2^-150.
 * Cost      about 2 ns per multiply-add, 3 for float8_e5m2 with 8-bit floats; two copies of the operands as float32.
 * Source    OCP Microscaling Formats (MX) v1.0 defines the dot product and leaves precision and order open; these are ours.
 *
 * @example blockMatmul(quantize(tensor([[1, 7]]), { element: 'float4_e2m1fn', blockSize: 2 }), quantize(tensor([[1], [2]]), { element: 'float4_e2m1fn', blockSize: 2, axis: 0 })).toNested() // [[13]]
 */
export function blockMatmul<D extends FloatDType = 'float32'>(
  a: BlockTensor,
  b: BlockTensor,
  dtype: D = 'float32' as D,
): Tensor<D> {
  checkBlocks('blockMatmul', a)
  checkBlocks('blockMatmul', b)
  checkOperands(a, b)
  const { blockSize } = a
  const [m, k] = a.shape as [number, number]
  const n = b.shape[1]!
  const [left, right] = [operand(a), operand(b)]
  const dot = dotOf(left, right, blockSize)
  const blocks = k / blockSize
  // The second level of both, applied to the finished sum.
  const alpha = Math.fround(a.tensorScale * b.tensorScale)
  const result = new Float64Array(m * n)
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0
      for (let block = 0; block < blocks; block++) {
        const scale = left.scales[i * blocks + block]! * right.scales[j * blocks + block]!
        const product = Math.fround(dot(i * k + block * blockSize, j * k + block * blockSize) * scale)
        sum = Math.fround(sum + product)
      }
      result[i * n + j] = sum * alpha
    }
  }
  return tensor(result, { shape: [m, n], dtype })
}

function checkOperands(a: BlockTensor, b: BlockTensor): void {
  for (const { shape } of [a, b]) {
    checkArray('blockMatmul', 'shape', shape)
    for (const size of shape) checkInteger('blockMatmul', 'a size of shape', size)
  }
  const shapes = `[${a.shape.join(', ')}] x [${b.shape.join(', ')}]`
  if (a.shape.length !== 2 || b.shape.length !== 2) {
    throw new RangeError(`blockMatmul: needs two matrices ${shapes}`)
  }
  if (a.shape[1] !== b.shape[0]) throw new RangeError(`blockMatmul: inner dimensions differ ${shapes}`)
  if (a.axis !== 1 || b.axis !== 0) {
    throw new RangeError(
      `blockMatmul: blocks do not lie along the inner dimension [axes ${a.axis} and ${b.axis}]`,
    )
  }
  if (a.scheme !== b.scheme || a.blockSize !== b.blockSize) {
    const found = `${a.scheme} of ${a.blockSize} and ${b.scheme} of ${b.blockSize}`
    throw new RangeError(`blockMatmul: blocks of two kinds [${found}]`)
  }
  // Where sums of products are split in two, each part is exact up to here.
  if (a.blockSize > 65536) throw new RangeError(`blockMatmul: blocks longer than 65536 [${a.blockSize}]`)
}

interface Operand {
  /** The value of every element, the inner dimension contiguous. */
  readonly values: Float32Array
  /** The scale of every block, without the tensor's. */
  readonly scales: Float32Array
  /** The least positive and the largest magnitude of an element. */
  readonly range: readonly [number, number]
}

function operand(blocks: BlockTensor): Operand {
  const whole: BlockQuantized = unpack(blocks)
  const { elements } = blockValues(whole, 'blockMatmul')
  const scale = decodeTable(whole.scheme === 'mx' ? 'float8_e8m0fnu' : 'float8_e4m3fn')
  const magnitudes = elements.map(Math.abs).filter((value) => value > 0 && value < Infinity)
  return {
    values: Float32Array.from(whole.codes, (code) => elements[code]!),
    scales: Float32Array.from(whole.scales, (code) => scale[code]!),
    range: [
      magnitudes.reduce((least, value) => Math.min(least, value)),
      magnitudes.reduce((most, value) => Math.max(most, value)),
    ],
  }
}

type Dot = (fromA: number, fromB: number) => number

/** The dot product of two blocks: exact, or as a float64 that no rounding to 51 bits or fewer tells from the exact one. */
function dotOf(a: Operand, b: Operand, count: number): Dot {
  const [x, y] = [a.values, b.values]
  const steps = (a.range[1] * b.range[1] * count) / (a.range[0] * b.range[0])
  return steps <= 2 ** 53 ? narrowDot(x, y, count) : wideDot(x, y, count)
}

/** Every partial sum is a float64. */
function narrowDot(x: Float32Array, y: Float32Array, count: number): Dot {
  return (i, j) => {
    let sum = 0
    for (const end = i + count; i < end; i++, j++) sum += x[i]! * y[j]!
    return sum
  }
}

/** Adding and subtracting it rounds a float64 below 2^46 to a multiple of 2^-5. */
const partShift = 1.5 * 2 ** 47

// float8_e5m2 with itself or with float8_e4m3fn: products are multiples of 2^-32 below 2^32. Each is split in a multiple
// of 2^-5 and the rest, and both sums are exact.
function wideDot(x: Float32Array, y: Float32Array, count: number): Dot {
  const plain = narrowDot(x, y, count)
  const value = new Float64Array(1)
  const words = new Uint32Array(value.buffer)
  return (fromA, fromB) => {
    let large = 0
    let small = 0
    for (let i = fromA, j = fromB; i < fromA + count; i++, j++) {
      const product = x[i]! * y[j]!
      const part = product + partShift - partShift
      large += part
      small += product - part
    }
    const sum = large + small
    const back = sum - large
    const error = large - (sum - back) + (small - back)
    if (error === 0) return sum
    // An element that is infinite or NaN: the plain sum knows which of them comes out.
    if (Number.isNaN(error)) return plain(fromA, fromB)
    value[0] = sum
    // To odd: the last bit remembers what was cut. An odd one is right already, on either side.
    if ((words[0]! & 1) === 0) {
      if (error > 0 === sum > 0) words[0]! |= 1
      else towardZero(words)
    }
    return value[0]
  }
}

/** Steps to the float64 next nearer to zero. */
function towardZero(words: Uint32Array): void {
  if (words[0] === 0) words[1]! -= 1
  words[0]! -= 1
}
