import { checkName, type OptionTable } from '../../base/options/index.js'
import { withArithmetic } from '../../tensors/compile/index.js'
import {
  abs,
  add,
  apply,
  div,
  type FloatDType,
  flush,
  full,
  greater,
  type KnownOp,
  less,
  maximum,
  minimum,
  mul,
  reshape,
  roundingTo,
  rsqrt,
  sameShape,
  sign,
  sqrt,
  sub,
  Tensor,
  where,
  wideDType,
} from '../../tensors/tensor/index.js'
import { floatOf, inDtype, type Operand, promote, type Scalar } from './operand.js'
import { powf } from './powf.js'
import { areRecorded } from './recorded.js'

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

/** The elementwise operations of an arithmetic, each result rounded once to the dtype its operands meet in. */
export interface Elementwise {
  readonly name: Arithmetic
  add(a: Operand, b: Operand): Tensor
  /** The sum with a tensor of the caller's own, which is written over it where nobody records or observes. */
  addOver(a: Operand, own: Tensor): Tensor
  sub(a: Operand, b: Operand): Tensor
  mul(a: Operand, b: Operand): Tensor
  /** The true quotient, of an array by one number too. */
  div(a: Operand, b: Operand): Tensor
  /** An array by one number: in 'xla-cpu' times its rounded reciprocal, unless the array has one element. */
  divScalar(a: Operand, b: Operand): Tensor
  sqrt(a: Tensor): Tensor
  rsqrt(a: Tensor): Tensor
  maximum(a: Operand, b: Operand): Tensor
  minimum(a: Operand, b: Operand): Tensor
  less(a: Operand, b: Operand): Tensor<'bool'>
  sign(a: Tensor): Tensor
  abs(a: Tensor): Tensor
  /** An element where its partner is above 0, else 0. */
  whereAbove(a: Tensor, by: Tensor): Tensor
  /** The float power of each element. */
  pow(a: Tensor, exponent: number): Tensor
  /** A number rounded to a dtype the way a weak constant is. */
  weak(value: number, dtype: FloatDType): number
  /** 1 - s, weak where s is. */
  oneMinus(s: Scalar): Scalar
  /** base ** n in float32, or in float64 where what it is for is float64. */
  power(base: Scalar, n: number, dtype: FloatDType): number
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

/** The operations of `tensor` in an arithmetic, on operands of any dtypes. */
function make(name: Arithmetic): Elementwise {
  const xla = name === 'xla-cpu'
  // XLA computes in float32 on narrower formats too.
  const single = (value: number, dtype: FloatDType): number =>
    xla && dtype !== 'float64' ? Math.fround(value) : value
  /** Both operands in the dtype where they meet; one element beside many has no axes. */
  const meet = (a: Operand, b: Operand): readonly [Operand, Operand] => {
    if (typeof a === 'number') return [single(a, floatOf((b as Tensor).dtype)), b]
    if (typeof b === 'number') return [a, single(b, floatOf(a.dtype))]
    const dtype = promote(floatOf(a.dtype), floatOf(b.dtype))
    return [beside(inDtype(a, dtype), b), beside(inDtype(b, dtype), a)]
  }
  const both = (f: (a: Operand, b: Operand) => Tensor): ((a: Operand, b: Operand) => Tensor) => {
    const done = withArithmetic(name, f)
    return (a, b) => done(...meet(a, b))
  }
  const divided = both(div)
  /** The backend's rule for div multiplies an array by the reciprocal of one number. */
  const truly = (a: Operand, b: Operand): Tensor => {
    const [x, y] = meet(a, b)
    const dtype = floatOf((x instanceof Tensor ? x : (y as Tensor)).dtype)
    if (!xla || dtype === 'float64') return div(x, y)
    const [top, under] = [x, y].map((side) => flush(strong(side, dtype)))
    return inDtype(flush(div(top!, under!)), dtype)
  }
  const minus = both(sub)
  const plus = both(add)
  return {
    name,
    add: plus,
    addOver: (a, own) => {
      const fits = a instanceof Tensor && a.dtype === own.dtype && sameShape(a.shape, own.shape)
      return fits && !xla && !areRecorded(a, own) ? add(a, own, { out: own }) : plus(a, own)
    },
    sub: minus,
    mul: both(mul),
    divScalar: divided,
    div: truly,
    sqrt: withArithmetic(name, sqrt),
    rsqrt: withArithmetic(name, rsqrt),
    maximum: both(maximum),
    minimum: both(minimum),
    less: both(less) as Elementwise['less'],
    sign: withArithmetic(name, sign),
    abs,
    whereAbove: withArithmetic(name, (a, by) => where(greater(by, 0), a, 0)),
    pow: (a, exponent) => apply(powerOp, [a], { exponent, xla }),
    weak: (value, dtype) => roundingTo(dtype)(single(value, dtype)),
    oneMinus: (s) => (typeof s === 'number' ? 1 - s : minus(1, s)),
    power: (base, n, dtype) => {
      const value = typeof base === 'number' ? base : base.item()
      if (dtype === 'float64') return value ** n
      return xla ? powf(Math.fround(value), n) : Math.fround(Math.fround(value) ** n)
    },
  }
}

/** One element without axes where what it meets has more elements, so that results have the shape of those. */
function beside(x: Tensor, other: Tensor): Tensor {
  return x.size === 1 && x.rank > 0 && other.size !== 1 ? reshape(x, []) : x
}

/** An operand in float32, a number rounded to a dtype first. */
function strong(x: Operand, dtype: FloatDType): Tensor<'float32'> {
  return inDtype(typeof x === 'number' ? full([], x, { dtype }) : x, 'float32') as Tensor<'float32'>
}

/** A smaller float32 counts as zero in 'xla-cpu'. */
const minNormalFloat32 = 2 ** -126

/** The zero that a number counts as in 'xla-cpu'. */
export function flushed(value: number): number {
  return Math.abs(value) < minNormalFloat32 ? value * 0 : value
}

/** The float power, whose exponent is not rounded to the dtype, and glibc's in 'xla-cpu': no operation of `tensor` has these bits. */
const powerOp: KnownOp<{ readonly exponent: number; readonly xla: boolean }> = {
  name: 'power',
  form: 'elementwise',
  rounds: 'once',
  kernel: ([x], { exponent, xla }) => {
    const wide = inDtype(x!, wideDType(x!.dtype))
    const single = xla && wide.dtype === 'float32'
    const f = single
      ? (y: number) => flushed(powf(flushed(y), Math.fround(exponent)))
      : (y: number) => y ** exponent
    const powers = (wide.data as Float64Array).map(f)
    return inDtype(new Tensor(wide.dtype, x!.shape, powers), floatOf(x!.dtype))
  },
}
