import {
  checkFlag,
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { type FormatName, formatNames, type ScaleMode } from '../../../numbers/formats/index.js'
import { stopGradient } from '../../../tensors/autodiff/index.js'
import { type BlockSchemeName, blockSchemes } from '../../../tensors/blocks/index.js'
import { type AnyKey, toKeyTensor } from '../../../tensors/random/index.js'
import {
  abs,
  apply,
  broadcastTo,
  cast,
  checkTensor,
  clip,
  div,
  dtypeFacts,
  type FloatDType,
  full,
  holds,
  isFloat,
  max,
  maximum,
  min,
  minimum,
  reshape,
  rint,
  sizeOf,
  sub,
  Tensor,
  transpose,
} from '../../../tensors/tensor/index.js'
import { drawnIntegerOp, type FakeGradient, type FakeInteger, fakeIntegerOp } from './fakeInteger.js'
import { fakeOperandOp } from './fakeOperand.js'
import { checkOperandQuantization, type TileOperand } from './operand.js'

/** Integers and the step between the numbers that they stand for. */
export interface IntegerScheme {
  /** Bits of an integer, 2 to 16. */
  readonly bits: number
  /** Integers of both signs around zero, or from 0 with a zero point. Default true. */
  readonly symmetric?: boolean
  /** Whether the least integer of a symmetric scheme is left out, so that both ends are alike. Default false. */
  readonly narrow?: boolean
  /**
   * The distance of neighbours, one for each group of elements that shares one: a learned step where it is traced. Default: from the largest
   * magnitude, or from the least and the largest number, of the group, without a gradient.
   */
  readonly step?: Tensor | number
  /** The integer that stands for 0, one for each step. Default: 0 where symmetric, else from the least number of the group. */
  readonly zeroPoint?: Tensor | number
  /** What the gradient of a learned step is multiplied by. Default 1 / sqrt(n most), n elements a group, as LSQ has it. */
  readonly gradientScale?: number
}

/** A narrow float, with a scale or without. */
export interface FormatScheme {
  readonly format: FormatName
  /** What brings the largest magnitude of a group to the format's; 'none': elements are cast as they are. Default 'float32'. */
  readonly scale?: 'float32' | 'pow2' | 'none'
}

/** Blocks along the axis, as `blocks.quantize`. */
export interface BlockFakeScheme {
  readonly scheme: BlockSchemeName
  readonly blockRows?: number
  readonly scale?: ScaleMode
  readonly tensorScale?: number | 'amax'
}

/** What a tensor is quantised to: integers, a narrow float, or blocks; a name stands for a block scheme or a format. */
export type FakeScheme = BlockSchemeName | FormatName | IntegerScheme | FormatScheme | BlockFakeScheme

/** Options of fakeQuantize. */
export interface FakeQuantizeOptions {
  /** Which elements share a step or a scale; blocks have their own. Default 'tensor'. */
  readonly per?: 'tensor' | 'channel' | 'group'
  /** The axis of the channels, or the one that groups and blocks lie along. Default 0 for channels, else the last. */
  readonly axis?: number
  /** Elements of a group, which divide the axis. Required per group. */
  readonly group?: number
  /**
   * 'straight-through': all of it passes. 'clipped': nothing where an element was clipped. 'stochastic': elements are rounded at random, so
   * that without clipping the result has the mean x, and gradients pass as 'clipped'. Default 'clipped'.
   */
  readonly gradient?: FakeGradient
  /** What 'stochastic' draws from, word i for element i with the axis last. Required there. */
  readonly key?: AnyKey
  /** How many bits of each word it uses: 1 .. 32. Default 32. */
  readonly randomBits?: number
}

const names: OptionTable<FakeQuantizeOptions> = {
  ...{ per: 'optional', axis: 'optional', group: 'optional' },
  ...{ gradient: 'optional', key: 'optional', randomBits: 'optional' },
}
const integerNames: OptionTable<IntegerScheme> = {
  ...{ bits: 'required', symmetric: 'optional', narrow: 'optional', step: 'optional' },
  ...{ zeroPoint: 'optional', gradientScale: 'optional' },
}
const formatSchemeNames: OptionTable<FormatScheme> = { format: 'required', scale: 'optional' }
const blockSchemeNames: OptionTable<BlockFakeScheme> = {
  ...{ scheme: 'required', blockRows: 'optional', scale: 'optional', tensorScale: 'optional' },
}

const op = 'fakeQuantize'

/**
 * A tensor as its quantisation has it, in its own dtype, with gradients that pass: what quantisation-aware training puts in front of
 * products, for weights and for activations.
 *
 * Shape     kept. Steps and zero points: of 'tensor' [], of 'channel' [length of the axis], of 'group' that of x with the axis divided by `group`.
 * Dtype     that of x, a float that float32 holds.
 * Rounding  integers: x times float32(1 / step), once to float32; to the nearest integer, ties to even, or at random; zero point, limits;
 *           less the zero point times the step, once to float32; once to the dtype. Formats: as `kernels.scaleTiles`, code times scale once to
 *           float32; with scale 'none' the code. Blocks: as `blocks.quantize` and `dequantize`.
 *           A step that is not given is as torch's observers have it, in float32: amax / ((most - least) / 2), or
 *           (largest - least number, 0 among them) / most with zero point -round(least number / step), at least 2^-23.
 * Special   NaN stays NaN among integers; in formats and blocks as those have it.
 * Gradient  of x as `gradient` says. Of a step the sum over its group of g times: (result - x) / step inside, least - zero or most - zero where it
 *           is clipped; of a zero point -g step where it is clipped; both times `gradientScale`.
 * Throws    RangeError for groups that do not divide the axis, and options that have no effect.
 * Source    Esser et al., Learned step size quantization, arXiv 1902.08153; torch.fake_quantize_per_tensor_affine; Bengio et al., arXiv 1308.3432
 *
 * @example fakeQuantize(tensor([0.3, -1, 7]), { bits: 4, step: 0.5 }).toNested() // [0.5, -1, 3.5]
 * @example fakeQuantize(tensor([[1, 7], [0.1, 0.7]]), { bits: 4, narrow: true }, { per: 'channel' }).toNested() // [[1, 7], [0.10000000149011612, 0.699999988079071]]
 * @example fakeQuantize(tensor([0.3, -1, 7]), 'float4_e2m1fn').toNested() // [0.5833333134651184, -1.1666666269302368, 7]
 */
export function fakeQuantize<D extends FloatDType>(
  x: Tensor<D>,
  scheme: FakeScheme,
  options: FakeQuantizeOptions = noOptions,
): Tensor<D> {
  checkTensor(op, x)
  checkOptions(op, options, names, { positional: 'per' })
  if (!isFloat(x.dtype) || !holds('float32', x.dtype)) {
    throw new TypeError(`${op}: needs a float that float32 holds, cast first [${x.dtype}]`)
  }
  const full = completed(x, options)
  const known = schemeOf(scheme)
  if ('scheme' in known && (options.per !== undefined || options.group !== undefined)) {
    throw new RangeError(`${op}: blocks have their own groups [per ${options.per ?? 'tensor'}]`)
  }
  const wide = cast(x, 'float32')
  const result = 'bits' in known ? integers(wide, known, full) : floats(wide, known, 'scheme' in known, full)
  return cast(result, x.dtype)
}

interface Full {
  readonly per: 'tensor' | 'channel' | 'group'
  readonly axis: number
  readonly group: number
  readonly gradient: FakeGradient
  /** The words' key, where elements are rounded at random. */
  readonly key: readonly Tensor[]
  readonly randomBits: number
}

function completed(x: Tensor, options: FakeQuantizeOptions): Full {
  const { per = 'tensor', gradient = 'clipped', key, randomBits = 32 } = options
  checkName(op, 'per', per, ['tensor', 'channel', 'group'])
  checkName(op, 'gradient', gradient, ['straight-through', 'clipped', 'stochastic'])
  checkInteger(op, 'randomBits', randomBits, 1, 32)
  if (gradient !== 'stochastic' && (key !== undefined || options.randomBits !== undefined)) {
    throw new RangeError(`${op}: key and randomBits are for gradient 'stochastic' [${gradient}]`)
  }
  if (gradient === 'stochastic' && key === undefined) {
    throw new RangeError(`${op}: 'stochastic' needs a key [undefined]`)
  }
  const place = options.axis ?? (per === 'channel' ? 0 : -1)
  const axis = place < 0 ? place + x.rank : place
  if ((x.rank > 0 || options.axis !== undefined) && !(Number.isInteger(axis) && axis >= 0 && axis < x.rank)) {
    throw new RangeError(`${op}: axis outside ${x.rank} dimensions [${place}]`)
  }
  if (per !== 'group' && options.group !== undefined) {
    throw new RangeError(`${op}: group is for per 'group' [${per}]`)
  }
  const { group = 0 } = options
  if (per === 'group') {
    checkInteger(op, 'group', group, 1)
    if ((x.shape[axis] ?? 1) % group !== 0) {
      throw new RangeError(`${op}: groups of ${group} do not divide axis ${axis} [length ${x.shape[axis]}]`)
    }
  }
  return {
    ...{ per, axis, group, gradient, randomBits },
    key: gradient === 'stochastic' ? [toKeyTensor(op, key!)] : [],
  }
}

type Known = IntegerScheme | TileScheme | BlockFakeScheme
interface TileScheme {
  readonly format: FormatName
  readonly scale: 'float32' | 'pow2' | 'none'
}

function schemeOf(scheme: FakeScheme): Known {
  if (typeof scheme === 'string') {
    checkName(op, 'scheme', scheme, [...Object.keys(blockSchemes), ...formatNames])
    return Object.hasOwn(blockSchemes, scheme)
      ? { scheme: scheme as BlockSchemeName }
      : { format: scheme as FormatName, scale: 'float32' }
  }
  if (typeof scheme === 'object' && scheme !== null && 'format' in scheme) {
    checkOptions(op, scheme, formatSchemeNames)
    const { format, scale = 'float32' } = scheme
    checkName(op, 'scale', scale, ['float32', 'pow2', 'none'])
    checkOperandQuantization(op, { tile: [1, 'all'], format })
    return { format, scale }
  }
  if (typeof scheme === 'object' && scheme !== null && 'scheme' in scheme) {
    checkOptions(op, scheme, blockSchemeNames)
    checkOperandQuantization(op, scheme)
    return scheme
  }
  checkOptions(op, scheme, integerNames, { positional: 'bits' })
  const { bits, symmetric = true, narrow = false, gradientScale } = scheme
  checkInteger(op, 'bits', bits, 2, 16)
  checkFlag(op, 'symmetric', symmetric)
  checkFlag(op, 'narrow', narrow)
  if (gradientScale !== undefined) checkNumber(op, 'gradientScale', gradientScale, 0)
  return scheme
}

/** The axis moved last, and back. */
function axesOf(rank: number, axis: number): { readonly to: number[]; readonly back: number[] } {
  const to = [...Array.from({ length: rank }, (_, i) => i).filter((i) => i !== axis), axis]
  return { to, back: to.map((_, i) => to.indexOf(i)) }
}

/** Elements as rows that share a step or a scale, [groups, length], and how they come back. */
function grouped(
  x: Tensor,
  { per, axis, group }: Full,
): readonly [rows: Tensor, back: (y: Tensor) => Tensor] {
  const { shape } = x
  if (per === 'tensor') return [reshape(x, [1, x.size]), (y) => reshape(y, shape)]
  if (per === 'channel') {
    const to = [axis, ...shape.map((_, i) => i).filter((i) => i !== axis)]
    const moved = transpose(x, to)
    const channels = shape[axis]!
    const rows = reshape(moved, [channels, channels === 0 ? 0 : x.size / channels])
    const back = to.map((_, i) => to.indexOf(i))
    return [rows, (y) => transpose(reshape(y, moved.shape), back)]
  }
  const { to, back } = axesOf(x.rank, axis)
  const moved = transpose(x, to)
  return [reshape(moved, [x.size / group, group]), (y) => transpose(reshape(y, moved.shape), back)]
}

/** What was given for every group, [groups, 1] in float32. */
function perGroup(what: string, given: Tensor | number, x: Tensor, how: Full, groups: number): Tensor {
  const value = given instanceof Tensor ? given : full([], given)
  if (!isFloat(value.dtype) || !holds('float32', value.dtype)) {
    throw new TypeError(`${op}: ${what} is no float that float32 holds [${value.dtype}]`)
  }
  const { per, axis, group } = how
  const shape =
    per === 'tensor'
      ? []
      : per === 'channel'
        ? [x.shape[axis]!]
        : x.shape.map((length, i) => (i === axis ? length / group : length))
  const wide = cast(value, 'float32')
  if (value.size === 1 && value.rank === 0) return broadcastTo(reshape(wide, [1, 1]), [groups, 1])
  if (value.shape.join() !== shape.join()) {
    throw new RangeError(`${op}: ${what} is not [${shape.join(', ')}] [${value.shape.join(', ')}]`)
  }
  const moved = per === 'group' ? transpose(wide, axesOf(x.rank, axis).to) : wide
  return reshape(moved, [groups, 1])
}

/** torch's least step of an observer: float32's distance of 1 to the next number. */
const leastStep = dtypeFacts('float32').eps

function integers(x: Tensor, scheme: IntegerScheme, how: Full): Tensor {
  const { bits, symmetric = true, narrow = false } = scheme
  if (!symmetric && narrow) throw new RangeError(`${op}: narrow is for symmetric integers [symmetric false]`)
  const least = symmetric ? -(2 ** (bits - 1)) + (narrow ? 1 : 0) : 0
  const most = symmetric ? 2 ** (bits - 1) - 1 : 2 ** bits - 1
  const [rows, back] = grouped(x, how)
  const [groups, length] = rows.shape as [number, number]
  const constant = stopGradient(rows)
  const isEmpty = rows.size === 0
  const zero = (): Tensor => full([groups, 1], 0)
  const kept = { axis: 1, keepDims: true } as const
  const low = (): Tensor => (isEmpty ? zero() : minimum(min(constant, kept), 0))
  const high = (): Tensor => (isEmpty ? zero() : maximum(max(constant, kept), 0))
  const observed = (): Tensor =>
    symmetric
      ? div(isEmpty ? zero() : max(abs(constant), kept), (most - least) / 2)
      : div(sub(high(), low()), most - least)
  const step =
    scheme.step === undefined ? maximum(observed(), leastStep) : perGroup('step', scheme.step, x, how, groups)
  const zeroPoint =
    scheme.zeroPoint !== undefined
      ? perGroup('zeroPoint', scheme.zeroPoint, x, how, groups)
      : symmetric
        ? zero()
        : clip(sub(least, rint(div(low(), stopGradient(step)))), least, most)
  const { gradientScale = 1 / Math.sqrt(Math.max(1, length) * most) } = scheme
  const attributes: FakeInteger = {
    ...{ least, most, gradientScale, gradient: how.gradient, randomBits: how.randomBits },
  }
  const record = how.key.length > 0 ? drawnIntegerOp : fakeIntegerOp
  return back(apply(record, [rows, step, zeroPoint, ...how.key], attributes))
}

/** A narrow float with a scale a row, or blocks along the axis. */
function floats(x: Tensor, scheme: TileScheme | BlockFakeScheme, inBlocks: boolean, how: Full): Tensor {
  const drawn = how.gradient === 'stochastic' && {
    ...{ rounding: 'stochastic' as const, randomBits: how.randomBits },
  }
  if (!inBlocks) {
    const { format, scale } = scheme as TileScheme
    const [rows, back] = grouped(x, how)
    const operand: TileOperand = {
      ...{ tile: [1, 'all'], format, ...drawn },
      ...(scale !== 'none' && { scale }),
    }
    return back(
      apply(fakeOperandOp, [rows, ...how.key], {
        ...{ operand, plain: scale === 'none', gradient: how.gradient },
      }),
    )
  }
  const { to, back } = axesOf(x.rank, how.axis)
  const moved = transpose(x, to)
  const length = moved.shape.at(-1) ?? 1
  const rows = reshape(moved, [sizeOf(moved.shape.slice(0, -1)), length])
  const operand = { ...(scheme as BlockFakeScheme), ...drawn }
  const made = apply(fakeOperandOp, [rows, ...how.key], {
    ...{ operand, plain: false, gradient: how.gradient },
  })
  return transpose(reshape(made, moved.shape), back)
}
