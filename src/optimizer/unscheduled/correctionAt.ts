import type { Elementwise } from '../arithmetic/arithmetic.js'
import { powerBySquaring } from '../arithmetic/powerBySquaring.js'

/** sqrt(1 - beta2^t) / (1 - beta1^t), in float32 under 'xla-cpu'. */
export function correctionAt(a: Elementwise, beta1: number, beta2: number, t: number): number {
  if (a.name === 'ieee') return Math.sqrt(1 - beta2 ** t) / (1 - beta1 ** t)
  const left = (beta: number): number => Math.fround(1 - powerBySquaring(Math.fround(beta), t))
  return Math.fround(Math.fround(Math.sqrt(left(beta2))) / left(beta1))
}
