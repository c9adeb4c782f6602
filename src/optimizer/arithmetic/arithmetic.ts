import { decode, encode } from '../../bf16/index.js'
import { castTo, type Expression, leaf } from '../../compile/index.js'
import { decodeArray, encodeArray } from '../../formats/index.js'
import { flushOp } from '../../numerics/index.js'
import { checkName, type OptionTable } from '../../options/index.js'
import {
  apply,
  type FloatDType,
  full,
  type KnownOp,
  type Op,
  ops,
  roundingTo,
  type Shape,
  sizeOf,
  Tensor,
  wideDType,
} from '../../tensor/index.js'
import {
  type Decoded,
  Deferred,
  decodedOf,
  type Operand,
  promote,
  type Scalar,
  tensorOf,
  valuesFor,
} from './decoded.js'
import { floatOf } from './floatOf.js'
import { addLoop, divLoop, type Loop, mulLoop, sqrtLoop, subLoop } from './loops.js'
import { powf } from './powf.js'
import { areRecorded, inShape, perform, Recorded } from './recorded.js'

/**
 * Whose arithmetic an optimizer imitates. 'ieee': every operation correctly rounded, subnormals kept, norms free of
 * overflow. 'xla-cpu': what optax computes op by op on XLA's CPU backend: subnormals flushed, an array divided by a
 * scalar multiplied by the rounded reciprocal (float32; in float16 rounded to it), its orders of summation and its powf.
 *
 * Measured over the trajectories of test/golden/optimizer: Adam, AdamW, NAdam(W) and AMSGrad end on the same parameters
 * in both; LAMB within 16 ulp of float32, LARS 64, Adafactor 126, RAdam 1155.
 */
export type Arithmetic = 'ieee' | 'xla-cpu'

/** The option every transform takes. */
export interface ArithmeticOption {
  /** Default: 'ieee'. */
  readonly arithmetic?: Arithmetic
}

/** The names of `ArithmeticOption`. */
export const arithmeticNames: OptionTable<ArithmeticOption> = {
  arithmetic: 'optional',
}

/** The smallest normal float32, which is bfloat16's too: below it 'xla-cpu' sees zeros. */
const minNormalFloat32 = 2 ** -126

/** The elementwise operations of an arithmetic, each result rounded once to the dtype its operands meet in. */
export interface Elementwise {
  readonly name: Arithmetic
  add(a: Operand, b: Operand): Decoded
  sub(a: Operand, b: Operand): Decoded
  mul(a: Operand, b: Operand): Decoded
  /** An array times a number that is not rounded to its dtype first: one rounding. */
  scaled(a: Operand, factor: number): Decoded
  /** An element by an element. */
  div(a: Operand, b: Operand): Decoded
  /** An array by one number: in 'xla-cpu' times its rounded reciprocal, unless the array has one element. */
  divScalar(a: Operand, b: Operand): Decoded
  sqrt(a: Operand): Decoded
  rsqrt(a: Operand): Decoded
  maximum(a: Operand, b: Operand): Decoded
  minimum(a: Operand, b: Operand): Decoded
  sign(a: Operand): Decoded
  abs(a: Operand): Decoded
  /** An element where its partner is above 0, else 0. */
  whereAbove(a: Operand, by: Operand): Decoded
  /** The float power of each element. */
  pow(a: Operand, exponent: number): Decoded
  /** A new value of each element and its partner, rounded as every result. */
  map(f: (a: number, b: number) => number, a: Operand, b: Operand): Decoded
  /** A number rounded to a dtype the way a weak constant is. */
  weak(value: number, dtype: FloatDType): number
  /** 1 - s, weak where s is. */
  oneMinus(s: Scalar): Scalar
  /** base ** n in float32, or in float64 where what it is for is float64. */
  power(base: Scalar, n: number, dtype: FloatDType): number
  /** The zero that a value counts as: itself in 'ieee'. */
  flush(value: number): number
}

const roundToHalf = roundingTo('float16')

function keep(value: number): number {
  return value
}

function flushed(value: number): number {
  return value < minNormalFloat32 && value > -minNormalFloat32 ? value * 0 : value
}

const engines: Readonly<Record<Arithmetic, Elementwise>> = {
  ieee: make('ieee'),
  'xla-cpu': make('xla-cpu'),
}

/** The operations of a named arithmetic. */
export function arithmeticOf(name: Arithmetic = 'ieee'): Elementwise {
  checkName('optimizer', 'arithmetic', name, Object.keys(engines))
  return engines[name]
}

function make(name: Arithmetic): Elementwise {
  const xla = name === 'xla-cpu'
  // XLA computes in float32 on narrower formats too, and flushes there.
  const isFlushed = (dtype: FloatDType): boolean => xla && dtype !== 'float64'
  const weak = (value: number, dtype: FloatDType): number =>
    roundingTo(dtype)(isFlushed(dtype) ? Math.fround(value) : value)

  const map = (f: (a: number, b: number) => number, left: Operand, right: Operand, loop?: Loop): Decoded => {
    const a = typeof left === 'number' ? undefined : asDecoded(left)
    const b = typeof right === 'number' ? undefined : asDecoded(right)
    const dtype = a && b ? promote(a.dtype, b.dtype) : (a ?? b)?.dtype
    if (!dtype) throw new TypeError('optimizer: needs a tensor among the operands')
    const x = a?.values ?? one(dtype, weak(left as number, dtype))
    const y = b?.values ?? one(dtype, weak(right as number, dtype))
    const shape = shapeOf(a, b)
    const out = valuesFor(dtype, x.length === 1 ? y.length : x.length)
    const dx = x.length === out.length ? 1 : 0
    const dy = y.length === out.length ? 1 : 0
    if (loop && !xla) {
      loop(out, dx === 0 ? x[0]! : x, dy === 0 ? y[0]! : y)
      // Rounding to float32 first is innocuous for + - * / and the root: 24 >= 2 * 11 + 2 bits, float16's 11 being the most.
      if (dtype === 'bfloat16') {
        decode(encode(out as Float32Array), out as Float32Array)
      } else if (dtype !== 'float32' && dtype !== 'float64') {
        decodeArray(encodeArray(out as Float32Array, dtype), dtype, out as Float32Array)
      }
      return { dtype, shape, values: out, own: true }
    }
    const inFloat32 = isFlushed(dtype)
    const flush = inFloat32 ? flushed : keep
    if (dtype === 'float32' || dtype === 'float64') {
      // The storage rounds.
      for (let i = 0; i < out.length; i++) {
        out[i] = f(flush(x[i * dx]!), flush(y[i * dy]!))
        if (inFloat32) out[i] = flush(out[i]!)
      }
    } else {
      const round = roundingTo(dtype)
      for (let i = 0; i < out.length; i++) {
        const exact = f(flush(x[i * dx]!), flush(y[i * dy]!))
        out[i] = round(inFloat32 ? flush(Math.fround(exact)) : exact)
      }
    }
    return { dtype, shape, values: out, own: true }
  }
  /** An operand in the dtype of an operation; in float32, flushed, where XLA computes so. */
  const entering = (x: Expression, dtype: FloatDType, flushed = isFlush(x)): Expression => {
    const inDtype = castTo(x, dtype)
    if (!isFlushed(dtype)) return inDtype
    const single = castTo(inDtype, 'float32')
    return flushed ? single : flushedExpression(single)
  }
  const operand = (x: Operand, dtype: FloatDType): Expression => entering(expressionOf(x, dtype, weak), dtype)
  /** The same of an operand whose operations somebody sees, in its own shape, or in one that fits the shape of the result. */
  const seen = (x: Operand, dtype: FloatDType, shape: Shape): Expression => {
    if (typeof x === 'number') {
      return entering(leaf(full([], isFlushed(dtype) ? Math.fround(x) : x, { dtype })), dtype)
    }
    const whole = x instanceof Tensor ? x : tensorOf(x)
    const placed = leaf(inShape(whole, whole.size === sizeOf(shape) ? shape : []))
    return entering(placed, dtype, x instanceof Recorded && x.flushed)
  }
  /** What an operation gives, from what it is in the dtype that it computes in. */
  const result = (x: Expression, dtype: FloatDType): Expression =>
    castTo(isFlushed(dtype) ? flushedExpression(castTo(x, 'float32')) : x, dtype)

  /**
   * An operation of one or two operands, deferred where there are enough elements to be worth a program: `inside` makes it of
   * expressions in the dtype that it computes in, `f` and `loop` are the same element by element.
   */
  const deferred = (
    inside: (a: Expression, b: Expression, shape: Shape) => Expression,
    f: (a: number, b: number) => number,
    a: Operand,
    b: Operand,
    loop?: Loop,
  ): Decoded => {
    const dtype = dtypeOf(a, b)
    const shape = shapeOf(sized(a), sized(b))
    const size = sizeOf(shape)
    if (dtype && areRecorded(a, b)) {
      const done = perform(result(inside(seen(a, dtype, shape), seen(b, dtype, shape), shape), dtype))
      return new Recorded(done, isFlushed(dtype) && dtype !== 'float8_e8m0fnu')
    }
    if (!dtype || size < worthAProgram) return map(f, a, b, loop)
    const made = result(inside(operand(a, dtype), operand(b, dtype), [size]), dtype)
    return new Deferred(dtype, shape, made, () => map(f, a, b, loop))
  }
  const both =
    (op: Op) =>
    (x: Expression, y: Expression, shape: Shape): Expression => ({
      op,
      inputs: [x, y],
      dtype: x.dtype,
      shape,
    })
  const alone =
    (op: Op) =>
    (x: Expression, _: Expression, shape: Shape): Expression => ({ op, inputs: [x], dtype: x.dtype, shape })
  const inFloat64 = (x: Expression, f: (x: Expression) => Expression): Expression =>
    castTo(f(castTo(x, 'float64')), x.dtype)

  const div = (a: Operand, b: Operand): Decoded => deferred(both(ops.div), (x, y) => x / y, a, b, divLoop)
  // No rounding to bfloat16 between reciprocal and product; float16 has one.
  const byReciprocal = (x: number, y: number): number => x * flushed(Math.fround(1 / y))
  const byHalfReciprocal = (x: number, y: number): number => x * roundToHalf(1 / y)
  const divScalar = (a: Operand, b: Operand): Decoded => {
    const many = typeof a !== 'number' && sizeOf(a.shape) > 1
    const dtype = dtypeOf(a, b)
    if (!xla || !many || !dtype || dtype === 'float64') return div(a, b)
    const half = dtype === 'float16'
    const f = half ? byHalfReciprocal : byReciprocal
    if (areRecorded(a, b)) {
      const inverse = (y: Expression, shape: Shape): Expression =>
        half
          ? castTo(both(ops.div)(leaf(full([], 1, { dtype })), castTo(y, dtype), shape), 'float32')
          : flushedExpression(both(ops.div)(single('float32', 1), y, shape))
      return deferred((x, y, shape) => both(ops.mul)(x, inverse(y, shape), shape), f, a, b)
    }
    if (typeof b !== 'number' && sizeOf(b.shape) !== 1) return map(f, a, b)
    const divisor = flushed(typeof b === 'number' ? weak(b, dtype) : asDecoded(b).values[0]!)
    const factor = half ? roundToHalf(1 / divisor) : flushed(Math.fround(1 / divisor))
    const times = single('float32', factor)
    return deferred((x, _, shape) => both(ops.mul)(x, times, shape), f, a, b)
  }
  const power = (x: Operand, exponent: number): Decoded =>
    map((y) => (xla ? powf(Math.fround(y), Math.fround(exponent)) : y ** exponent), x, 0)
  // No operation of `ops` has these bits.
  const powerOp: KnownOp<{ readonly exponent: number }> = {
    name: 'power',
    form: 'elementwise',
    rounds: 'once',
    kernel: ([x], { exponent }) => tensorOf(power(x!, exponent)),
  }
  const sub = (a: Operand, b: Operand): Decoded => deferred(both(ops.sub), (x, y) => x - y, a, b, subLoop)
  return {
    name,
    map: (f, a, b) => map(f, a, b),
    scaled: (a, factor) => {
      // A float64 factor has too many bits for a rounding to float32 on the way to a narrower format.
      const dtype = dtypeOf(a, 0)
      const wide = dtype === 'float32' || dtype === 'float64'
      const loop: Loop | undefined = wide ? (out, x) => mulLoop(out, x, factor) : undefined
      return deferred(
        (x, _, shape) => inFloat64(x, (y) => both(ops.mul)(y, single('float64', factor), shape)),
        (x) => x * factor,
        a,
        0,
        loop,
      )
    },
    weak,
    div,
    divScalar,
    sub,
    flush: xla ? flushed : keep,
    add: (a, b) => deferred(both(ops.add), (x, y) => x + y, a, b, addLoop),
    mul: (a, b) => deferred(both(ops.mul), (x, y) => x * y, a, b, mulLoop),
    sqrt: (a) => deferred(alone(ops.sqrt), Math.sqrt, a, 0, sqrtLoop),
    rsqrt: (a) =>
      deferred(
        (x, _, shape) =>
          inFloat64(x, (y) => both(ops.div)(single('float64', 1), alone(ops.sqrt)(y, y, shape), shape)),
        (x) => 1 / Math.sqrt(x),
        a,
        0,
      ),
    maximum: (a, b) => deferred(both(ops.maximum), Math.max, a, b),
    minimum: (a, b) => deferred(both(ops.minimum), Math.min, a, b),
    sign: (a) => deferred(alone(ops.sign), Math.sign, a, 0),
    abs: (a) => (areRecorded(a) ? deferred(alone(ops.abs), Math.abs, a, 0) : map(Math.abs, a, 0)),
    whereAbove: (a, by) => {
      const f = (x: number, y: number): number => (y > 0 ? x : 0)
      const inside = (x: Expression, y: Expression, shape: Shape): Expression => {
        const zero = single(x.dtype as FloatDType, 0)
        const above: Expression = {
          op: ops.greater,
          inputs: [y, castTo(zero, y.dtype)],
          dtype: 'bool',
          shape,
        }
        return { op: ops.where, inputs: [above, x, castTo(zero, x.dtype)], dtype: x.dtype, shape }
      }
      return areRecorded(a, by) ? deferred(inside, f, a, by) : map(f, a, by)
    },
    pow: (a, exponent) =>
      areRecorded(a)
        ? new Recorded(apply(powerOp, [a instanceof Tensor ? a : tensorOf(a as Decoded)], { exponent }))
        : power(a, exponent),
    oneMinus: (s) => (typeof s === 'number' ? 1 - s : tensorOf(sub(1, s))),
    power: (base, n, dtype) => {
      const value = typeof base === 'number' ? base : base.item()
      if (dtype === 'float64') return value ** n
      return xla ? powf(Math.fround(value), n) : Math.fround(Math.fround(value) ** n)
    },
  }
}

/** Fewer elements than this are done before a program is found. */
const worthAProgram = 64

/** Whether an expression is what `result` gives where subnormal numbers are flushed: no operand of it is one again. */
function isFlush(x: Expression): boolean {
  if ('tensor' in x) return false
  if (x.op === flushOp) return true
  const [from] = x.inputs
  // float8_e8m0fnu has no zero: what it makes of one is subnormal.
  if (x.dtype === 'float8_e8m0fnu') return false
  return x.op === ops.cast && from !== undefined && 'op' in from && from.op === flushOp
}

function flushedExpression(x: Expression): Expression {
  return { op: flushOp, inputs: [x], dtype: 'float32', shape: x.shape }
}

/** One number as an expression: float64 as such, that of any narrower dtype as float32. */
function single(dtype: FloatDType, value: number): Expression {
  const wide = wideDType(dtype)
  return leaf(new Tensor<'float32' | 'float64'>(wide, [], one(dtype, value)))
}

/** An operand as an expression in one axis, a single element in none; numbers are rounded to the dtype of the operation. */
function expressionOf(x: Operand, dtype: FloatDType, weak: Elementwise['weak']): Expression {
  if (typeof x === 'number') return single(dtype, weak(x, dtype))
  if (x instanceof Deferred) return x.expression
  const size = sizeOf(x.shape)
  const shape = size === 1 ? [] : [size]
  if (x instanceof Tensor) return leaf(new Tensor(x.dtype, shape, x.data))
  const wide = x.values instanceof Float32Array ? 'float32' : 'float64'
  return castTo(leaf(new Tensor<'float32' | 'float64'>(wide, shape, x.values)), x.dtype)
}

/** What `shapeOf` reads of an operand. */
function sized(x: Operand): { readonly shape: Shape } | undefined {
  return typeof x === 'number' ? undefined : x
}

function asDecoded(x: Decoded | Tensor): Decoded {
  return x instanceof Tensor ? decodedOf(x) : x
}

function dtypeOf(a: Operand, b: Operand): FloatDType | undefined {
  const first = typeof a === 'number' ? undefined : floatOf(a.dtype)
  const second = typeof b === 'number' ? undefined : floatOf(b.dtype)
  return first && second ? promote(first, second) : (first ?? second)
}

function one(dtype: FloatDType, value: number): Float32Array | Float64Array {
  return dtype === 'float64' ? Float64Array.of(value) : Float32Array.of(value)
}

/** The shape of the operand that is no single element; that of two such is the one of more axes. */
function shapeOf(a: { readonly shape: Shape } | undefined, b: { readonly shape: Shape } | undefined): Shape {
  if (!a || !b) return (a ?? b)?.shape ?? []
  const [n, m] = [sizeOf(a.shape), sizeOf(b.shape)]
  if (n !== m && n !== 1 && m !== 1) {
    throw new RangeError(`optimizer: shapes differ [${a.shape.join(', ')} and ${b.shape.join(', ')}]`)
  }
  if (n === m) return n === 1 && a.shape.length < b.shape.length ? b.shape : a.shape
  return n === 1 ? b.shape : a.shape
}
