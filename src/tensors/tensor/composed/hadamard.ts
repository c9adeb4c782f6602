import {
  checkFlag,
  checkInteger,
  checkOptions,
  noOptions,
  type OptionTable,
  shown,
} from '../../../base/options/index.js'
import { type Arena, arena, hadamardBlocks, longestHadamard } from '../../../numbers/simd/index.js'
import { type Key, keyWords, threefry2x32 } from '../../../numbers/threefry/index.js'
import { cast } from '../elementwise/cast.js'
import { apply } from '../storage/apply.js'
import { checkTensor } from '../storage/checkCall.js'
import { type DType, isFloat } from '../storage/dtype.js'
import { dtypeFacts } from '../storage/dtypeFacts.js'
import { canonicalizeNaN } from '../storage/nan.js'
import { normalizeAxis, sizeOf } from '../storage/shape.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'
import { untraced } from '../storage/untraced.js'

/** Options of hadamard. */
export interface HadamardOptions {
  /** The axis that is transformed. Default: the last. */
  readonly axis?: number
  /** Length of a block: a power of two up to 32768 that divides the axis. Default 16, as NVFP4 training has it. */
  readonly size?: number
  /**
   * What an element is multiplied by before the transform, by its place in its block: `size` numbers 1 and -1, or a key, with which sign i
   * is that of word i of `random.bits(key, size)` as an int32. Default: none.
   */
  readonly signs?: Key | readonly number[]
  /** Undoes the transform: the signs come after it. Default false. */
  readonly inverse?: boolean
}

const names: OptionTable<HadamardOptions> = {
  ...{ axis: 'optional', size: 'optional', signs: 'optional', inverse: 'optional' },
}

/** The attributes of hadamard, complete, the axis counted from the front. */
export interface Hadamard {
  readonly axis: number
  readonly size: number
  readonly signs: readonly number[] | undefined
  readonly inverse: boolean
}

/** The record of hadamard. */
export const hadamardOp: KnownOp<Hadamard> = {
  name: 'hadamard',
  form: 'whole',
  rounds: 'once',
  kernel: ([x], how) => transformed(x!, how),
  // The matrix is symmetric: its transpose, which is its inverse, has the signs on the other side.
  gradient: ({ g, attributes }) => [apply(hadamardOp, [g], { ...attributes, inverse: !attributes.inverse })],
  tangent: ({ tangents: [t], attributes }) => t && apply(hadamardOp, [t], attributes),
  bound: ([x], how) => {
    const { dtype, size } = x!
    if (size === 0) return 0
    const { precision, minPositive, max } = dtypeFacts(dtype)
    const result = transformed(cast(untraced(x!), 'float64'), how).data as Float64Array
    let largest = 0
    for (const value of result) largest = Math.max(largest, Math.abs(value))
    if (!(largest <= max)) return Infinity
    // Float64 rounds at each of its steps, the normalisation among them.
    const steps = dtype === 'float64' ? 2 * (Math.log2(how.size) + 2) * Math.sqrt(how.size) : 1
    return largest * 2 ** -precision * steps * (1 + 2 ** -40) + minPositive / 2
  },
  flops: ({ size }, [shape]) => sizeOf(shape!) * (Math.log2(size) + 1),
}

/**
 * Hadamard transform of blocks along an axis, random where it has signs: y = H (s x) / sqrt(size), H the Sylvester matrix of 1 and -1.
 * It spreads an outlier over its block before a quantisation, and products of two transformed operands are those of the operands.
 *
 * Shape     kept; blocks of `size` divide the axis.
 * Dtype     that of x, a float.
 * Rounding  the exact result once to the dtype. Of float64: additions one butterfly after the other, each rounded.
 * Special   a NaN makes its block NaN; an infinity makes its block infinite, two of them NaN where they meet with unlike signs.
 * Gradient  the inverse, which is the transpose: rounded once to the dtype as well. `inverse: true` computes it.
 * Throws    RangeError for a size that is no power of two or does not divide the axis, and signs other than 1 and -1.
 * Cost      log2(size) additions an element, in float64; where numbers of a block are too far apart for that, sums of integers.
 * Source    NVFP4 pretraining, arXiv 2509.25149, 4.2: blocks of 16 with one vector of signs; QuaRot, arXiv 2404.00456
 *
 * @example hadamard(tensor([1, 2, 3, 4]), { size: 4 }).toNested() // [5, -1, -2, 0]
 * @example hadamard(tensor([1, 2, 3, 4]), { size: 4, signs: [1, -1, 1, 1] }).toNested() // [3, 1, -4, 2]
 * @example hadamard(hadamard(tensor([1, 0, 0, 8]), { size: 4 }), { size: 4, inverse: true }).toNested() // [1, 0, 0, 8]
 */
export function hadamard<D extends DType>(x: Tensor<D>, options: HadamardOptions = noOptions): Tensor<D> {
  checkTensor('hadamard', x)
  checkOptions('hadamard', options, names, { positional: 'size' })
  const { size = 16, inverse = false } = options
  if (!isFloat(x.dtype)) {
    throw new TypeError(`hadamard: needs a floating-point dtype, cast first [${x.dtype}]`)
  }
  if (!dtypeFacts(x.dtype).signed) throw new TypeError(`hadamard: has no negative numbers [${x.dtype}]`)
  const axis = normalizeAxis('hadamard', options.axis ?? -1, x.rank)
  checkInteger('hadamard', 'size', size, 1, 32768)
  if (!Number.isInteger(Math.log2(size))) throw new RangeError(`hadamard: size is no power of two [${size}]`)
  if (x.shape[axis]! % size !== 0) {
    throw new RangeError(
      `hadamard: blocks of ${size} do not divide axis ${axis}, pad it with zeros or take a smaller size [length ${x.shape[axis]}]`,
    )
  }
  checkFlag('hadamard', 'inverse', inverse)
  return apply(hadamardOp, [x], { axis, size, signs: signsOf(options.signs, size), inverse }) as Tensor<D>
}

function signsOf(signs: HadamardOptions['signs'], size: number): readonly number[] | undefined {
  if (signs === undefined) return undefined
  if (Array.isArray(signs)) {
    const list = signs as readonly unknown[]
    if (list.length !== size || list.some((sign) => sign !== 1 && sign !== -1)) {
      throw new RangeError(`hadamard: signs are not ${size} numbers 1 and -1 [${shown(signs)}]`)
    }
    return signs as readonly number[]
  }
  const words = keyWords('hadamard', signs as Key)
  return Array.from({ length: size }, (_, i) => {
    const [a, b] = threefry2x32(words, [0, i])
    return (a ^ b) < 0 ? -1 : 1
  })
}

/** The transform of every block, exactly, then once to the dtype. */
function transformed(x: Tensor, how: Hadamard): Tensor {
  const { size, axis } = how
  const alongLast = axis === x.rank - 1 && x.dtype !== 'float64'
  const simd = alongLast && size >= 4 && size <= longestHadamard && Math.log2(size) % 2 === 0 && arena('simd')
  return simd ? fastTransformed(simd, x, how) : plainTransformed(x, how)
}

/** The same through WebAssembly, of a float that float32 holds; blocks whose numbers are far apart take the other way. */
function fastTransformed(simd: Arena, x: Tensor, how: Hadamard): Tensor {
  const { dtype, shape } = x
  const { size } = how
  const source = cast(untraced(x), 'float32').data as Float32Array
  const values = source.slice()
  const ratio = 2 ** (roomOf(dtype, size) - 1)
  const wide = hadamardBlocks(simd, values, { ...how, ratio, toOdd: dtype !== 'float32' })
  for (const block of wide) {
    const own = new Tensor('float32', [size], source.subarray(block * size, (block + 1) * size))
    const result = plainTransformed(cast(own, dtype), { ...how, axis: 0 })
    values.set(cast(result, 'float32').data as Float32Array, block * size)
  }
  canonicalizeNaN(values)
  return cast(new Tensor('float32', shape, values), dtype)
}

/** Sums of size numbers of a dtype's precision are exact in float64 where the exponents in a block are no further apart. */
function roomOf(dtype: DType, size: number): number {
  return dtype === 'float64' ? Infinity : 53 - dtypeFacts(dtype).precision - Math.log2(size)
}

/** The scalar reference. */
function plainTransformed(x: Tensor, { axis, size, signs, inverse }: Hadamard): Tensor {
  const { dtype, shape } = x
  const inner = sizeOf(shape.slice(axis + 1))
  const wider = cast(untraced(x), 'float64').data as Float64Array
  const out = dtype === 'float64' ? wider.slice() : wider
  const lanes: Lanes = { values: out, size, inner }
  if (signs && !inverse) changeSigns(lanes, signs)
  const wide = wideBlocks(lanes, 2 ** (roomOf(dtype, size) - 1)).map(
    (at) => [at, exactBlock(lanes, at)] as const,
  )
  plainTransform(lanes)
  for (const [at, block] of wide) if (block) for (let i = 0; i < size; i++) out[at + i * inner] = block[i]!
  if (signs && inverse) changeSigns(lanes, signs)
  canonicalizeNaN(out)
  return cast(new Tensor('float64', shape, out), dtype)
}

/** Blocks of an array: element i of one that begins at `at` is at + i inner; `inner` of them lie side by side. */
interface Lanes {
  readonly values: Float64Array
  readonly size: number
  readonly inner: number
}

function changeSigns({ values, inner }: Lanes, signs: readonly number[]): void {
  for (let at = 0, i = 0; at < values.length; at += inner, i = i + 1 < signs.length ? i + 1 : 0) {
    if (signs[i] === 1) continue
    for (let j = at; j < at + inner; j++) values[j] = -values[j]!
  }
}

/** Where blocks begin whose largest finite magnitude is beyond the ratio times the least one that is not 0. */
function wideBlocks({ values, size, inner }: Lanes, ratio: number): number[] {
  const wide: number[] = []
  if (ratio === Infinity) return wide
  for (let from = 0; from < values.length; from += size * inner) {
    for (let at = from; at < from + inner; at++) {
      let least = Infinity
      let most = 0
      for (let i = 0, place = at; i < size; i++, place += inner) {
        const magnitude = Math.abs(values[place]!)
        if (magnitude > most) most = magnitude
        if (magnitude < least && magnitude > 0) least = magnitude
      }
      // A subnormal's spacing is no less than that of a normal number as small.
      if (most < Infinity && most > least * ratio) wide.push(at)
    }
  }
  return wide
}

/** The transform of the block at a place on integers, where float64 does not hold its sums. */
function exactBlock({ values, size, inner }: Lanes, at: number): Float64Array | undefined {
  const block = Float64Array.from({ length: size }, (_, i) => values[at + i * inner]!)
  if (block.some(Number.isNaN) || addsExactly(block)) return undefined
  exactTransform(block)
  return block
}

/** One addition and one subtraction for each pair of every step, two steps at a time, then the division by the root of the length. */
function plainTransform({ values, size, inner }: Lanes): void {
  const power = Math.log2(size)
  // Pairs are `half` elements apart, and those of the next step twice as far.
  let half = inner
  for (; half * 4 <= size * inner; half *= 4) addFours(values, half)
  if (half * 2 <= size * inner) addPairs(values, half)
  const scale = 2 ** -Math.floor(power / 2)
  if (power % 2 === 0) for (let i = 0; i < values.length; i++) values[i] = values[i]! * scale
  else for (let i = 0; i < values.length; i++) values[i] = overRootTwo(values[i]!) * scale
}

function addPairs(values: Float64Array, half: number): void {
  for (let from = 0; from < values.length; from += 2 * half) {
    for (let i = from; i < from + half; i++) {
      const a = values[i]!
      const b = values[i + half]!
      values[i] = a + b
      values[i + half] = a - b
    }
  }
}

/** Pairs `half` apart, then pairs of their results twice as far apart. */
function addFours(values: Float64Array, half: number): void {
  for (let from = 0; from < values.length; from += 4 * half) {
    for (let i = from; i < from + half; i++) {
      const a = values[i]!
      const b = values[i + half]!
      const c = values[i + 2 * half]!
      const d = values[i + 3 * half]!
      const [ab, cd] = [a + b, c + d]
      const [aMinusB, cMinusD] = [a - b, c - d]
      values[i] = ab + cd
      values[i + half] = aMinusB + cMinusD
      values[i + 2 * half] = ab - cd
      values[i + 3 * half] = aMinusB - cMinusD
    }
  }
}

const trial: number[] = []

/** Whether float64 holds every sum of the transform: no addition of it leaves a rest. */
function addsExactly(block: Float64Array): boolean {
  for (let i = 0; i < block.length; i++) trial[i] = block[i]!
  for (let half = 1; half < block.length; half *= 2) {
    for (let from = 0; from < block.length; from += 2 * half) {
      for (let i = from; i < from + half; i++) {
        const [a, b] = [trial[i]!, trial[i + half]!]
        const [plus, minus] = [a + b, a - b]
        if (restOf(a, b, plus) !== 0 || restOf(a, -b, minus) !== 0) return false
        trial[i] = plus
        trial[i + half] = minus
      }
    }
  }
  return true
}

/** What an addition rounded away, by Knuth's two-sum. */
function restOf(a: number, b: number, sum: number): number {
  const back = sum - a
  return a - (sum - back) + (b - back)
}

/** The same on integers, multiples of the least float32, each result cut to a float64 that rounds as it does. */
function exactTransform(block: Float64Array): void {
  const sums = Array.from(block, (value) => BigInt(value * 2 ** 149))
  for (let half = 1; half < sums.length; half *= 2) {
    for (let from = 0; from < sums.length; from += 2 * half) {
      for (let i = from; i < from + half; i++) {
        const [a, b] = [sums[i]!, sums[i + half]!]
        sums[i] = a + b
        sums[i + half] = a - b
      }
    }
  }
  const power = Math.log2(block.length)
  for (let i = 0; i < block.length; i++) {
    const sum = sums[i]!
    const unit = 2 ** (-149 - Math.floor(power / 2))
    if (power % 2 === 0) block[i] = toOdd(sum) * unit
    // 2^64 sum / sqrt(2), which no integer is: one more bit says that something was cut.
    else block[i] = sum === 0n ? 0 : toOdd(overRootTwoWhole(sum) | 1n) * unit * 2 ** -65
  }
}

/** An integer as a float64 whose last bit is set where something was cut: it then rounds to fewer bits as the integer does. */
function toOdd(value: bigint): number {
  const magnitude = value < 0n ? -value : value
  const cut = Math.max(0, magnitude.toString(2).length - 53)
  let kept = magnitude >> BigInt(cut)
  if (kept << BigInt(cut) !== magnitude) kept |= 1n
  const number = Number(kept) * 2 ** cut
  return value < 0n ? -number : number
}

/** Twice the whole part of 2^64 times an integer over sqrt(2), with its sign. */
function overRootTwoWhole(value: bigint): bigint {
  const square = value * value * 2n ** 127n
  let root = 1n << BigInt(Math.ceil(square.toString(2).length / 2) + 1)
  for (let next = (root + square / root) / 2n; next < root; next = (root + square / root) / 2n) root = next
  return 2n * (value < 0n ? -root : root)
}

const scratch = new Float64Array(1)
const halves = new Uint32Array(scratch.buffer)
/** Which of the two holds the last bits. */
const lower = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 0 : 1

/** x / sqrt(2) as a float64 that rounds to fewer bits as the quotient does: with its last bit set, since it is never exact. */
function overRootTwo(x: number): number {
  if (x === 0 || !Number.isFinite(x)) return x
  const first = Math.abs(x) * Math.SQRT1_2
  const near = first + excess(x, first) / (4 * first)
  scratch[0] = near
  if ((halves[lower]! & 1) === 0) {
    // Either neighbour has it set.
    if (excess(x, near) > 0) {
      halves[lower]! += 1
    } else if (halves[lower]! > 0) {
      halves[lower]! -= 1
    } else {
      halves[1 - lower]! -= 1
      halves[lower] = 0xffffffff
    }
  }
  return Math.sign(x) * scratch[0]!
}

/** x^2 - 2 root^2, where the two are near. */
function excess(x: number, root: number): number {
  const [a, b] = squared(x)
  const [c, d] = squared(root)
  return a - 2 * c + (b - 2 * d)
}

/** x^2 as a number and the rest, by Dekker's product. */
function squared(x: number): [number, number] {
  const large = x * 134217729
  const high = large - (large - x)
  const low = x - high
  const square = x * x
  return [square, low * low - (square - high * high - 2 * high * low)]
}
