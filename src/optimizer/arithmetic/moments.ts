import {
  apply,
  cast,
  type FloatDType,
  full,
  type KnownOp,
  Tensor,
  wideDType,
} from '../../tensors/tensor/index.js'
import { type Arithmetic, arithmeticOf, type Elementwise } from './arithmetic.js'
import { atCount, type Count, countOp } from './count.js'
import type { Operand, Scalar } from './operand.js'
import { areRecorded } from './recorded.js'

/** (1 - decay) g + decay m: each product rounded, then the sum. */
export function updateMoment(a: Elementwise, decay: Scalar, g: Operand, moment: Operand): Tensor {
  return a.addOver(a.mul(a.oneMinus(decay), g), a.mul(decay, moment))
}

/** (1 - decay) g^2 + decay v. */
export function updateSecondMoment(a: Elementwise, decay: Scalar, g: Operand, moment: Operand): Tensor {
  return a.addOver(a.mul(a.oneMinus(decay), a.mul(g, g)), a.mul(decay, moment))
}

/**
 * moment / (1 - decay^n), the denominator in float32 from the unrounded decay, then cast to the moment's dtype.
 * optax compiles this step: in 'xla-cpu' a tree of exactly one leaf, and every float16 leaf, multiplies by the reciprocal.
 */
export function biasCorrection(
  a: Elementwise,
  decay: Scalar,
  n: Count,
  moment: Tensor,
  leafCount: number,
): Tensor {
  const { dtype } = moment
  const denominator = biasDenominator(a, decay, n, dtype as FloatDType)
  return leafCount === 1 || dtype === 'float16'
    ? a.divScalar(moment, denominator)
    : a.div(moment, denominator)
}

/** 1 - decay^n as `biasCorrection` divides by it. */
export function biasDenominator(a: Elementwise, decay: Scalar, n: number, dtype: FloatDType): number
export function biasDenominator(a: Elementwise, decay: Scalar, n: Count, dtype: FloatDType): Scalar
export function biasDenominator(a: Elementwise, decay: Scalar, n: Count, dtype: FloatDType): Scalar {
  const wide = wideDType(dtype)
  // A strong decay keeps its dtype: the power is rounded to it, and so is the difference.
  const own = typeof decay === 'number' ? wide : (decay.dtype as FloatDType)
  const bias = { arithmetic: a.name, own, dtype }
  if (typeof decay === 'number') {
    const weak = { ...bias, base: decay }
    return n instanceof Tensor ? cast(atCount(biasOp, n, weak), dtype) : denominator(n, weak)
  }
  if (!(n instanceof Tensor) && !areRecorded(decay)) return denominator(n, { ...bias, base: decay.item() })
  const count = n instanceof Tensor ? n : full([], n, { dtype: 'int32' })
  return apply(strongBiasOp, [count, decay], bias)
}

interface Rounding {
  readonly arithmetic: Arithmetic
  readonly own: FloatDType
  readonly dtype: FloatDType
}

function denominator(
  n: number,
  { arithmetic, base, own, dtype }: Rounding & { readonly base: number },
): number {
  const a = arithmeticOf(arithmetic)
  const power = a.weak(a.power(base, n, wideDType(dtype)), own)
  return a.weak(a.weak(1 - power, own), dtype)
}

const biasOp = countOp('biasDenominator', denominator)

/** The same of a decay that is a tensor, its second operand. */
const strongBiasOp: KnownOp<Rounding> = {
  name: 'biasDenominator',
  form: 'whole',
  rounds: 'each step',
  kernel: ([count, decay], rounding) =>
    full([], denominator(count!.item(), { ...rounding, base: decay!.item() }), { dtype: rounding.dtype }),
}
