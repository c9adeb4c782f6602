import { checkFunction, checkName } from '../../base/options/index.js'
import {
  type Accumulation,
  apply,
  cast,
  div,
  entryOf,
  flush,
  isFloat,
  mul,
  noRows,
  type Op,
  type OpTable,
  ops,
  type Reduction,
  type Scan,
  sizeOf,
  substitute,
  type Tensor,
} from '../tensor/index.js'

/** An operation as a backend does it. */
type Rule = (inputs: readonly Tensor[], attributes: unknown, op: Op) => Tensor

/** The elements as XLA's CPU backend computes on them: float32, subnormal numbers as zeros. float64 stays. */
function entering(x: Tensor): Tensor {
  return x.dtype === 'float64' || !isFloat(x.dtype) ? x : flush(cast(x, 'float32'))
}

function leaving(x: Tensor, { dtype }: Tensor): Tensor {
  return x.dtype === 'float32' && isFloat(dtype) ? cast(flush(x as Tensor<'float32'>), dtype) : x
}

/** In float32 and out again, subnormal numbers as zeros on both sides. */
const flushed: Rule = (inputs, attributes, op) =>
  leaving(apply(op, inputs.map(entering), attributes), inputs[0]!)

/** Of what gives no floats: its operands are zeros where they are subnormal. */
const compared: Rule = (inputs, attributes, op) => apply(op, inputs.map(entering), attributes)

/** An array of more than one element by a single one: times its reciprocal, which is rounded, in float16 to that. */
const divided: Rule = (inputs, attributes, op) => {
  const [a, b] = inputs as [Tensor, Tensor]
  const many = sizeOf(a.shape) > 1 && sizeOf(b.shape) === 1
  if (!many || a.dtype === 'float64') return flushed(inputs, attributes, op)
  const inverse = flush(div(1, entering(b)) as Tensor<'float32'>)
  const factor = a.dtype === 'float16' ? cast(cast(inverse, 'float16'), 'float32') : inverse
  return leaving(mul(entering(a), factor), a)
}

/** XLA pads vectors of this length and less to windows of 32; the order of longer ones is not known. */
const windowed = 1025

/** float32 inside, one rounding out: a vector by windows of 32, everything else in C order. */
function added([x]: readonly Tensor[], { axes, keepDims }: Reduction): Tensor {
  const vector = x!.rank === 1 && x!.shape[0]! <= windowed
  const how: Accumulation = { order: vector ? { windowed: 32 } : 'sequential', accumulate: 'float32' }
  return apply(ops.sum, [entering(x!)], { axes, keepDims, how })
}

const summed: Rule = (inputs, attributes, op) => {
  const [x] = inputs as [Tensor]
  if (!isFloat(x.dtype) || x.dtype === 'float64') return apply(op, inputs, attributes)
  return leaving(added(inputs, attributes as Reduction), x)
}

/** The sum times the float32 reciprocal of the count. */
const averaged: Rule = (inputs, attributes, op) => {
  const [x] = inputs as [Tensor]
  if (x.dtype === 'float64') return apply(op, inputs, attributes)
  const { axes } = attributes as Reduction
  const count = axes.reduce((n, axis) => n * x.shape[axis]!, 1)
  return leaving(mul(flush(added(inputs, attributes as Reduction) as Tensor<'float32'>), 1 / count), x)
}

/** Rows of 16, every addition rounded to the dtype. */
const scanned: Rule = ([x], attributes, op) => {
  if (!isFloat(x!.dtype)) return apply(op, [x!], attributes)
  const { axis } = attributes as Scan
  return apply(op, [x!], { axis, how: { order: { blocked: 16 }, accumulate: x!.dtype } })
}

/** What XLA's CPU backend does to each operation; 'none': what it does as everybody, and what nobody has measured. */
const xlaCpu: OpTable<Rule> = {
  ...noRows('moves', 'decides', 'bits'),
  ...{ add: flushed, sub: flushed, mul: flushed, div: divided, minimum: flushed, maximum: flushed },
  ...{
    sqrt: flushed,
    rsqrt: flushed,
    cbrt: flushed,
    reciprocal: flushed,
    square: flushed,
    sign: flushed,
    relu: flushed,
  },
  ...{ exp: flushed, log: flushed, log1p: flushed },
  ...{
    equal: compared,
    notEqual: compared,
    less: compared,
    lessEqual: compared,
    greater: compared,
    greaterEqual: compared,
  },
  ...{ sum: summed, mean: averaged, cumsum: scanned, matmul: flushed },
  // They give their argument back where it is small, subnormal ones too.
  ...{ tanh: 'none', expm1: 'none', sin: 'none', cos: 'none' },
  // Bits are moved.
  ...{ neg: 'none', abs: 'none', where: 'none', cast: 'none' },
  // Not measured.
  ...{ exp2: 'none', log2: 'none', log10: 'none', tan: 'none', asin: 'none', acos: 'none', atan: 'none' },
  ...{ sinh: 'none', cosh: 'none', asinh: 'none', acosh: 'none', atanh: 'none', sigmoid: 'none' },
  ...{ softplus: 'none', silu: 'none', gelu: 'none', geluTanh: 'none', erf: 'none', erfc: 'none' },
  ...{ lgamma: 'none', floor: 'none', ceil: 'none', rint: 'none', trunc: 'none', pow: 'none' },
  ...{ atan2: 'none', hypot: 'none', rem: 'none', max: 'none', min: 'none', cumprod: 'none' },
}

/**
 * f in the arithmetic of a backend: every operation that it runs, those of gradients inside too, done as the backend does it. 'xla-cpu' is
 * JAX op by op on XLA's CPU backend: float32 inside, subnormal float32 numbers zeros before and after arithmetic, roots, `exp`,
 * `log` and comparisons; an array by one number times its rounded reciprocal; sums in float32 and its order; `cumsum` by rows of
 * 16. 'ieee' is f itself.
 *
 * Rounding  once to the dtype of the result, from float32: for + - * / and roots of formats of up to 16 bits that is the correct one.
 *           Of sums the order is XLA's where it is known: vectors of up to 1,025 by windows of 32; others in C order. Functions
 *           are rounded correctly where XLA's are not, and those that nobody has measured keep subnormal numbers.
 * Special   moves keep subnormal numbers, as do tanh, expm1, sin and cos. float64 and integers are as they were. Operations
 *           of one's own are as they are; a compiled function runs operation by operation; what is compiled here is one program.
 * Source    jax 0.10.2, its results on every bfloat16 code: the tests say which
 *
 * @example withArithmetic('xla-cpu', (x) => mul(x, 1))(tensor(1e-40)).item() // 0
 * @example withArithmetic('xla-cpu', (x) => div(x, 41))(tensor([82, 41])).toNested()[1] // 0.9999999403953552
 */
// biome-ignore lint/suspicious/noExplicitAny: parameters of any types must be assignable.
export function withArithmetic<A extends readonly any[], R>(
  arithmetic: 'ieee' | 'xla-cpu',
  f: (...args: A) => R,
): (...args: A) => R {
  checkName('withArithmetic', 'arithmetic', arithmetic, ['ieee', 'xla-cpu'])
  checkFunction('withArithmetic', 'f', f)
  if (arithmetic === 'ieee') return f
  return (...args) =>
    substitute(
      () => f(...args),
      (op, inputs, attributes) => entryOf(xlaCpu, op)?.(inputs, attributes, op),
    )
}
