import { arena, arithmeticBlocks, type BinaryKernel, type Engine } from '../numbers/simd/index.js'
import { add, div, max, min, mul, sub } from './arithmetic.js'
import { checkCodes, outFor, settled } from './outArray.js'

const scalar: Readonly<Record<BinaryKernel, (a: number, b: number) => number>> = {
  add,
  sub,
  mul,
  div,
  min,
  max,
}

function combine(
  op: BinaryKernel,
  a: Uint16Array,
  b: Uint16Array,
  out: Uint16Array | undefined,
  engine: Engine,
): Uint16Array {
  checkCodes(`${op}Arrays`, a)
  checkCodes(`${op}Arrays`, b)
  if (a.length !== b.length && a.length !== 1 && b.length !== 1) {
    throw new RangeError(`${op}Arrays: lengths differ and neither is 1 [${a.length} and ${b.length}]`)
  }
  const result = outFor(`${op}Arrays`, a.length === 1 ? b.length : a.length, out)
  const left = a.length === 1 ? Uint16Array.of(a[0]!) : settled(a, result)
  const right = b.length === 1 ? Uint16Array.of(b[0]!) : settled(b, result)
  const simd = arena(engine)
  if (simd) {
    arithmeticBlocks(simd, op, left, right, result)
    return result
  }
  const stepA = a.length === 1 ? 0 : 1
  const stepB = b.length === 1 ? 0 : 1
  const f = scalar[op]
  for (let i = 0; i < result.length; i++) result[i] = f(left[i * stepA]!, right[i * stepB]!)
  return result
}

/**
 * a + b, element by element over bfloat16 codes; an operand of length 1 serves every element.
 *
 * Shape     two equal lengths, or one of them 1; `out` as long as the longer, and it may be an operand.
 * Dtype     Uint16Array codes.
 * Rounding  once, nearest even; subnormals are kept.
 * Special   any NaN, or Inf - Inf: the canonical NaN 0x7FC0.
 * Error     half an ulp of bfloat16.
 * Throws    RangeError for lengths that do not fit.
 * Cost      one pass; allocates the result only, not even that with `out`.
 * Source    none
 *
 * @example addArrays(Uint16Array.of(0x3f80, 0x4380), Uint16Array.of(0x3f80)) // [0x4000, 0x4380]
 */
export function addArrays(
  a: Uint16Array,
  b: Uint16Array,
  out?: Uint16Array,
  engine: Engine = 'simd',
): Uint16Array {
  return combine('add', a, b, out, engine)
}

/**
 * a - b; in all else as addArrays.
 *
 * @example subArrays(Uint16Array.of(0x4000), Uint16Array.of(0x3f80)) // [0x3f80]
 */
export function subArrays(
  a: Uint16Array,
  b: Uint16Array,
  out?: Uint16Array,
  engine: Engine = 'simd',
): Uint16Array {
  return combine('sub', a, b, out, engine)
}

/**
 * a b, where 0 times Inf is the canonical NaN; in all else as addArrays.
 *
 * @example mulArrays(Uint16Array.of(0x4000), Uint16Array.of(0x4000)) // [0x4080]
 */
export function mulArrays(
  a: Uint16Array,
  b: Uint16Array,
  out?: Uint16Array,
  engine: Engine = 'simd',
): Uint16Array {
  return combine('mul', a, b, out, engine)
}

/**
 * a / b, where 0 / 0 and Inf / Inf are the canonical NaN and x / 0 is Inf; in all else as addArrays.
 *
 * @example divArrays(Uint16Array.of(0x3f80), Uint16Array.of(0x4040)) // [0x3eab]
 */
export function divArrays(
  a: Uint16Array,
  b: Uint16Array,
  out?: Uint16Array,
  engine: Engine = 'simd',
): Uint16Array {
  return combine('div', a, b, out, engine)
}

/**
 * The smaller, IEEE 754-2019 minimum: a NaN operand gives the canonical NaN, -0 < +0; in all else as addArrays.
 *
 * @example minArrays(Uint16Array.of(0x0000), Uint16Array.of(0x8000)) // [0x8000]
 */
export function minArrays(
  a: Uint16Array,
  b: Uint16Array,
  out?: Uint16Array,
  engine: Engine = 'simd',
): Uint16Array {
  return combine('min', a, b, out, engine)
}

/**
 * The larger, IEEE 754-2019 maximum: a NaN operand gives the canonical NaN, -0 < +0; in all else as addArrays.
 *
 * @example maxArrays(Uint16Array.of(0x8000), Uint16Array.of(0x0000)) // [0x0000]
 */
export function maxArrays(
  a: Uint16Array,
  b: Uint16Array,
  out?: Uint16Array,
  engine: Engine = 'simd',
): Uint16Array {
  return combine('max', a, b, out, engine)
}
