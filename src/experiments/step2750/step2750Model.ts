import { checkRecord } from '../../base/options/index.js'
import { forms } from '../../models/ssm/index.js'
import { logAddExp } from '../../numerics/index.js'
import { add, cast, exp, mul, neg, reshape, sub, sum, type Tensor } from '../../tensors/tensor/index.js'
import type { Parameters } from './parameters.js'
import { checkRun, type Step2750Run } from './step2750Options.js'

/** One sequence in the dtype of the model, each [L]. */
export interface Sequence {
  readonly x: Tensor
  readonly y: Tensor
  readonly clock: Tensor
}

/**
 * The steps and the rate of the layer, op by op in the dtype of the model:
 *   dt = softplus(g dt_gap + dt_bias),  A = -exp(a_log).
 */
export function stepsAndRate(
  parameters: Parameters,
  sequence: Pick<Sequence, 'clock'>,
  run: Pick<Step2750Run, 'dtype'>,
): { dt: Tensor; A: Tensor } {
  checkRecord('stepsAndRate', 'parameters', parameters, ['aLog', 'dtBias', 'dtGap'])
  checkRecord('stepsAndRate', 'sequence', sequence, ['clock'])
  checkRecord('stepsAndRate', 'run', run, ['dtype'])
  const { aLog, dtBias, dtGap } = parameters
  const { clock } = sequence
  const { dtype } = run
  const z = add(mul(clock, cast(dtGap, dtype)), cast(dtBias, dtype))
  return { dt: logAddExp(z, 0), A: neg(exp(cast(aLog, dtype))) }
}

/**
 * The loss of one sequence, a state-space layer of one state and one channel with B = b and C = c at every position:
 *   mean((y_hat - y)^2), its squares, their running sum and the factor 1 / L in float32.
 */
export function lossOf(parameters: Parameters, sequence: Sequence, run: Step2750Run): Tensor {
  checkRun('lossOf', run)
  const { dtype, form, cumsum, length } = run
  const { dt, A } = stepsAndRate(parameters, sequence, run)
  const B = reshape(cast(parameters.b, dtype), [1, 1])
  const C = reshape(cast(parameters.c, dtype), [1, 1])
  const outputs = forms[form]({ x: reshape(sequence.x, [length, 1]), dt, A, B, C }, { cumsum })
  const residual = cast(sub(reshape(outputs, [length]), sequence.y), 'float32')
  return mul(sum(mul(residual, residual)), 1 / length)
}
