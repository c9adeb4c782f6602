import type { KnownOp } from '../storage/tensor.js'

/** The record of scaleGradient: elements pass, gradients are multiplied. */
export const scaleGradientOp: KnownOp<{ readonly scale: number }> = {
  name: 'scaleGradient',
  form: 'view',
  rounds: 'never',
  kernel: ([x]) => x!,
}
