import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { checkFloatDType, type FloatDType } from '../../tensors/tensor/index.js'

/** Where PPO rounds outside its networks, which have their own policies. Default: float32 everywhere. */
export interface PpoPrecision {
  /** What an agent is shown. */
  readonly observations?: FloatDType
  /** Log-probabilities, old and new, and their ratio. */
  readonly logProbs?: FloatDType
  /** Everything of `ppoLoss`, whose sums stay in float32. */
  readonly loss?: FloatDType
  /** Rewards, values and the recursion of `gae`. */
  readonly gae?: FloatDType
  /** What the gradients of micro-batches are rounded to and added up in, before the norm and Adam see them as float32. */
  readonly gradients?: FloatDType
}

const precisionNames: OptionTable<PpoPrecision> = {
  observations: 'optional',
  logProbs: 'optional',
  loss: 'optional',
  gae: 'optional',
  gradients: 'optional',
}

/** The precision with all dtypes filled in, checked. */
export function fullPrecision(op: string, precision: PpoPrecision): Required<PpoPrecision> {
  checkOptions(`${op}: precision`, precision, precisionNames)
  const { observations = 'float32', logProbs = 'float32', loss = 'float32', gae = 'float32' } = precision
  const { gradients = 'float32' } = precision
  const full = { observations, logProbs, loss, gae, gradients }
  for (const [what, dtype] of Object.entries(full)) checkFloatDType(`${op}: precision`, what, dtype)
  return full
}
