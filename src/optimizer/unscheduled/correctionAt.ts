import { Tensor } from '../../tensors/tensor/index.js'
import { type Arithmetic, arithmeticOf, type Elementwise } from '../arithmetic/arithmetic.js'
import { atCount, type Count, countOp } from '../arithmetic/count.js'
import type { Scalar } from '../arithmetic/operand.js'
import { powerBySquaring } from '../arithmetic/powerBySquaring.js'

interface Decays {
  readonly arithmetic: Arithmetic
  readonly beta1: number
  readonly beta2: number
}

/** sqrt(1 - beta2^t) / (1 - beta1^t), in float32 under 'xla-cpu'. */
export function correctionAt(a: Elementwise, beta1: number, beta2: number, t: number): number
export function correctionAt(a: Elementwise, beta1: number, beta2: number, t: Count): Scalar
export function correctionAt(a: Elementwise, beta1: number, beta2: number, t: Count): Scalar {
  const decays = { arithmetic: a.name, beta1, beta2 }
  return t instanceof Tensor ? atCount(correctionOp, t, decays) : correction(t, decays)
}

function correction(t: number, { arithmetic, beta1, beta2 }: Decays): number {
  const a = arithmeticOf(arithmetic)
  if (a.name === 'ieee') return Math.sqrt(1 - beta2 ** t) / (1 - beta1 ** t)
  const left = (beta: number): number => Math.fround(1 - powerBySquaring(Math.fround(beta), t))
  return Math.fround(Math.fround(Math.sqrt(left(beta2))) / left(beta1))
}

const correctionOp = countOp('correction', correction)
