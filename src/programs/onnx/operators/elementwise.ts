import {
  abs,
  acos,
  acosh,
  add,
  asin,
  asinh,
  atan,
  atanh,
  cast,
  ceil,
  cos,
  cosh,
  type DType,
  div,
  equal,
  erf,
  exp,
  expm1,
  floor,
  full,
  gelu,
  geluTanh,
  greater,
  greaterEqual,
  isFloat,
  isInf,
  isNaN,
  less,
  lessEqual,
  log,
  logicalAnd,
  logicalNot,
  logicalOr,
  maximum,
  minimum,
  mul,
  neg,
  notEqual,
  pow,
  reciprocal,
  relu,
  rint,
  sigmoid,
  sign,
  sin,
  sinh,
  softplus,
  sqrt,
  sub,
  type Tensor,
  tan,
  tanh,
  truncDiv,
  where,
} from '../../../tensors/tensor/index.js'
import type { Call, Operator } from './call.js'
import { inWide } from './wide.js'

type Unary = (x: Tensor) => Tensor
type Binary = (a: Tensor, b: Tensor) => Tensor

const unary =
  (f: Unary): Operator =>
  (call, x) =>
    f(call.need(x, 0))

const binary =
  (f: Binary): Operator =>
  (call, a, b) =>
    f(call.need(a, 0), call.need(b, 1))

/** Several steps that ONNX defines as one: in float32, rounded once to the dtype. */
const fused =
  (f: (x: Tensor, call: Call) => Tensor): Operator =>
  (call, x) =>
    inWide(call.need(x, 0), (wide) => f(wide, call))

const variadic =
  (f: Binary): Operator =>
  (call, ...inputs) =>
    inputs.map((x, i) => call.need(x, i)).reduce((a, b) => f(a, b))

const negative = (x: Tensor): Tensor => less(x, 0)

/** The rectified line of slope 1 above zero and `f` below. */
const below = (x: Tensor, f: (x: Tensor) => Tensor): Tensor => where(negative(x), f(x), x)

/** Selu's constants: opset 22 of ONNX. */
const seluAlpha = 1.6732631921768188
const seluGamma = 1.0507010221481323

function power(base: Tensor, exponent: Tensor): Tensor {
  if (base.dtype === exponent.dtype && isFloat(base.dtype)) return pow(base, exponent)
  // The result has the dtype of the base, whatever the exponent's is.
  const wide: DType = isFloat(base.dtype) && base.dtype !== 'float64' ? 'float32' : 'float64'
  return cast(pow(cast(base, wide), cast(exponent, wide)), base.dtype)
}

function clipped(call: Call, x?: Tensor, low?: Tensor, high?: Tensor): Tensor {
  let result = call.need(x, 0)
  if (low) result = maximum(result, low)
  if (high) result = minimum(result, high)
  return result
}

function meanOf(call: Call, ...inputs: (Tensor | undefined)[]): Tensor {
  const given = inputs.map((x, i) => call.need(x, i))
  return inWide(given[0]!, () =>
    div(
      given.map((x) => cast(x, 'float32') as Tensor).reduce((a, b) => add(a, b)),
      given.length,
    ),
  )
}

/** a / b; of integers cut toward zero. */
function quotient(a: Tensor, b: Tensor): Tensor {
  return isFloat(a.dtype) ? div(a, b) : truncDiv(a, b)
}

/** `condition` as a number of the dtype: 1 or 0. */
function as01(condition: Tensor, dtype: DType): Tensor {
  return cast(condition, dtype)
}

function geluOf(call: Call, x?: Tensor): Tensor {
  const how = call.text('approximate', 'none')
  if (how !== 'none' && how !== 'tanh') throw call.error('has an unknown approximation', how)
  return (how === 'tanh' ? geluTanh : gelu)(call.need(x, 0))
}

function infinite(call: Call, x?: Tensor): Tensor {
  const value = call.need(x, 0)
  let result = isInf(value)
  if (!call.flag('detect_positive', 1)) result = logicalAnd(result, negative(value))
  if (!call.flag('detect_negative', 1)) result = logicalAnd(result, greater(value, 0))
  return result
}

/** Comparisons of booleans are those of 0 and 1. */
const compared =
  (f: (a: Tensor, b: Tensor) => Tensor): Operator =>
  (call, a, b) => {
    const [left, right] = [call.need(a, 0), call.need(b, 1)]
    return left.dtype === 'bool' ? f(cast(left, 'int32'), cast(right, 'int32')) : f(left, right)
  }

/** Elementwise operators of ONNX's own domain. */
export const elementwiseOperators: Readonly<Record<string, Operator>> = {
  Abs: unary(abs),
  Acos: unary(acos),
  Acosh: unary(acosh),
  Add: binary(add),
  And: binary((a, b) => logicalAnd(a, b)),
  Asin: unary(asin),
  Asinh: unary(asinh),
  Atan: unary(atan),
  Atanh: unary(atanh),
  Ceil: unary(ceil),
  Celu: fused((x, call) => {
    const alpha = call.number('alpha', 1)
    return add(maximum(x, 0), minimum(mul(expm1(div(x, alpha)), alpha), 0))
  }),
  Clip: clipped,
  Cos: unary(cos),
  Cosh: unary(cosh),
  Div: binary(quotient),
  Dropout: (call, x, ratio, training) => {
    const value = call.need(x, 0)
    // A mask would be drawn by the runtime's own generator.
    const share = ratio ? call.known(ratio, 'its ratio')[0] : 0.5
    if (share !== 0 && training && call.known(training, 'its mode')[0] !== 0) {
      throw call.error('draws a mask in training mode')
    }
    return [value, full(value.shape, 1, { dtype: 'bool' })]
  },
  Elu: fused((x, call) => below(x, (y) => mul(expm1(y), call.number('alpha', 1)))),
  Equal: compared(equal),
  Erf: unary(erf),
  Exp: unary(exp),
  Floor: unary(floor),
  Gelu: geluOf,
  Greater: compared(greater),
  GreaterOrEqual: compared(greaterEqual),
  HardSigmoid: fused((x, call) =>
    maximum(minimum(add(mul(x, call.number('alpha', 0.2)), call.number('beta', 0.5)), 1), 0),
  ),
  HardSwish: fused((x) => mul(x, maximum(minimum(add(mul(x, 1 / 6), 0.5), 1), 0))),
  Identity: unary((x) => x),
  IsInf: infinite,
  IsNaN: unary((x) => isNaN(x)),
  LeakyRelu: fused((x, call) => below(x, (y) => mul(y, call.number('alpha', 0.01)))),
  Less: compared(less),
  LessOrEqual: compared(lessEqual),
  Log: unary(log),
  Max: variadic(maximum),
  Mean: meanOf,
  Min: variadic(minimum),
  Mish: fused((x) => mul(x, tanh(softplus(x)))),
  Mul: binary(mul),
  Neg: unary(neg),
  Not: unary((x) => logicalNot(x)),
  Or: binary((a, b) => logicalOr(a, b)),
  PRelu: (call, x, slope) => below(call.need(x, 0), (y) => mul(y, call.need(slope, 1))),
  Pow: binary(power),
  Reciprocal: unary(reciprocal),
  Relu: unary((x) => (isFloat(x.dtype) ? relu(x) : maximum(x, 0))),
  Round: unary(rint),
  Selu: fused((x, call) => {
    const [alpha, gamma] = [call.number('alpha', seluAlpha), call.number('gamma', seluGamma)]
    return mul(
      below(x, (y) => mul(expm1(y), alpha)),
      gamma,
    )
  }),
  Shrink: fused((x, call) => {
    const [lambda, bias] = [call.number('lambd', 0.5), call.number('bias', 0)]
    const above = where(greater(x, lambda), sub(x, bias), mul(x, 0))
    return where(less(x, -lambda), add(x, bias), above)
  }),
  Sigmoid: unary(sigmoid),
  Sign: unary(sign),
  Sin: unary(sin),
  Sinh: unary(sinh),
  Softplus: unary(softplus),
  Softsign: fused((x) => div(x, add(abs(x), 1))),
  Sqrt: unary(sqrt),
  Sub: binary(sub),
  Sum: variadic(add),
  Swish: fused((x, call) => mul(x, sigmoid(mul(x, call.number('alpha', 1))))),
  Tan: unary(tan),
  Tanh: unary(tanh),
  ThresholdedRelu: fused((x, call) => mul(x, as01(greater(x, call.number('alpha', 1)), x.dtype))),
  Where: (call, condition, a, b) =>
    where(call.need(condition, 0) as Tensor<'bool'>, call.need(a, 1), call.need(b, 2)),
  Xor: compared(notEqual),
}
