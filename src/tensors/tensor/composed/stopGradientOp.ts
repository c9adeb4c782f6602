import type { KnownOp } from '../storage/tensor.js'

/** The record of stopGradient: elements pass, gradients do not. */
export const stopGradientOp: KnownOp = {
  name: 'stopGradient',
  form: 'view',
  rounds: 'never',
  kernel: ([x]) => x!,
}
