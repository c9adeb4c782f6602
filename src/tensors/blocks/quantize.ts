import { checkInteger, checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import { type BlockOptions, quantizeBlocks } from '../../numbers/formats/index.js'
import { bits, type Key } from '../random/index.js'
import { cast, checkTensor, isFloat, type Tensor, transpose } from '../tensor/index.js'
import { type BlockSchemeName, blockSchemes } from './blockSchemes.js'
import { axisLast, type BlockTensor } from './blockTensor.js'
import { pack } from './pack.js'
import { quantizeArray } from './quantizeArray.js'

/** How to quantise a tensor. */
export interface QuantizeOptions extends Omit<BlockOptions, 'rowLength' | 'random'> {
  /** The axis the blocks lie along; default the last one. */
  readonly axis?: number
  /** Of rounding 'stochastic': what its words are drawn from, `random.bits(key, x.size)`, word i for code i. Required there. */
  readonly key?: Key
  /** Default false. */
  readonly packed?: boolean
}

const quantizeNames: OptionTable<QuantizeOptions> = {
  element: 'required',
  blockSize: 'optional',
  scale: 'optional',
  scheme: 'optional',
  tensorScale: 'optional',
  axis: 'optional',
  packed: 'optional',
  ...{ blockRows: 'optional', rounding: 'optional', key: 'optional', randomBits: 'optional' },
}

/**
 * A tensor as blocks along one of its axes, the last where only a scheme is named. A product needs the axis that it sums over:
 * the last one of the left operand, and axis 0 of weights [inputs, outputs], such as those of `nn.linear`.
 *
 * Shape     blocks divide the axis.
 * Dtype     every value of x is a float32.
 * Rounding, Special, Error  as `quantizeBlocks`. `blockRows` counts along the axis next to the blocks': the last one of what is left
 *           (of a matrix the other one), so that with 16 a weight has NVFP4's 16 x 16 blocks; each row has its copy of the scale.
 *           The result has no trace.
 * Throws    RangeError for an axis that blocks do not divide, and one of a tensor of more than two axes that blockRows do not; TypeError for float64 and integers: cast first.
 * Cost      as `quantizeArray`, and two copies where the axis is not the last one.
 *
 * @example quantize(tensor([[1, 7], [0.5, 2]]), { element: 'float4_e2m1fn', blockSize: 2 }).scales // [127, 126]
 * @example quantize(ones([32]), 'mxfp4').scales // [125]
 * @example quantize(tensor([1, 2, 3]), { element: 'int8' }) // throws quantize: blocks of 32 do not divide axis 0, pad it with zeros to 32 or name another axis [length 3]
 */
export function quantize(x: Tensor, given: QuantizeOptions | BlockSchemeName): BlockTensor {
  checkTensor('quantize', x)
  if (typeof given === 'string') checkName('quantize', 'scheme', given, Object.keys(blockSchemes))
  const options: QuantizeOptions = typeof given === 'string' ? blockSchemes[given] : given
  checkOptions('quantize', options, quantizeNames, { positional: 'element' })
  if (!isFloat(x.dtype) || x.dtype === 'float64') {
    throw new TypeError(`quantize: needs values that are float32, cast first [${x.dtype}]`)
  }
  const { axis: place = -1, packed = false, key: _key, ...rest } = options
  const axis = place < 0 ? place + x.rank : place
  if (!Number.isInteger(axis) || axis < 0 || axis >= x.rank) {
    throw new RangeError(`quantize: axis outside ${x.rank} dimensions [${place}]`)
  }
  const length = x.shape[axis]!
  const { blockRows = 1 } = options
  checkInteger('quantize', 'blockRows', blockRows, 1)
  const how: BlockOptions = {
    ...rest,
    ...drawing(options, x.size),
  }
  // Of nothing: this checks the options and says which block they mean.
  const { blockRows: _, ...ofOneRow } = how
  const { blockSize } = quantizeBlocks(new Float32Array(0), {
    ...ofOneRow,
    ...(how.random && { random: () => 0 }),
  })
  if (length % blockSize !== 0) {
    const whole = Math.ceil(length / blockSize) * blockSize
    throw new RangeError(
      `quantize: blocks of ${blockSize} do not divide axis ${axis}, pad it with zeros to ${whole} or name another axis [length ${length}]`,
    )
  }
  const rows = axisLast(x.rank, axis).at(-2)
  if (blockRows > 1 && x.rank > 2 && x.shape[rows!]! % blockRows !== 0) {
    throw new RangeError(
      `quantize: blockRows do not divide axis ${rows} [${blockRows}, length ${x.shape[rows!]}]`,
    )
  }
  const shared = blockRows > 1 && length > 0 ? { ...how, rowLength: length } : ofOneRow
  const blocks = quantizeArray(valuesAlong(x, axis), shared)
  const whole: BlockTensor = { ...blocks, shape: [...x.shape], axis, packed: false }
  return packed ? pack(whole) : whole
}

/** The words of 'stochastic', from the key. */
function drawing({ rounding, key }: QuantizeOptions, size: number): { readonly random?: Uint32Array } {
  if (rounding !== 'stochastic') {
    if (key !== undefined) {
      throw new RangeError(`quantize: a key is for rounding 'stochastic' [${rounding ?? 'nearest-even'}]`)
    }
    return {}
  }
  if (key === undefined) throw new RangeError("quantize: 'stochastic' needs a key [undefined]")
  return { random: bits(key, size) }
}

/** The values with the axis moved last; not to be written to. */
export function valuesAlong(x: Tensor, axis: number): Float32Array {
  const values = cast(x, 'float32')
  return (axis === x.rank - 1 ? values : transpose(values, axisLast(x.rank, axis))).data
}
