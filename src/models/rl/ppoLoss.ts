import {
  checkFlag,
  checkName,
  checkNumber,
  checkOptions,
  checkRecord,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { stopGradient } from '../../tensors/autodiff/index.js'
import {
  abs,
  add,
  cast,
  checkFloatDType,
  checkTensor,
  div,
  exp,
  type FloatDType,
  greater,
  log,
  max,
  maximum,
  mean,
  minimum,
  mul,
  neg,
  roundingTo,
  square,
  sub,
  sum,
  type Tensor,
  tensor,
} from '../../tensors/tensor/index.js'
import { checkLogits, taken } from './logProbs.js'

/** What a network says of some states. */
export interface Outputs {
  /** [n, actions]. */
  readonly logits: Tensor
  /** [n]. */
  readonly values: Tensor
}

/** What was recorded of the same states, each [n]; all in the dtype of the logits but the actions. */
export interface PpoBatch {
  readonly actions: Tensor
  /** Of the actions, by the policy that took them. */
  readonly logProbs: Tensor
  readonly advantages: Tensor
  /** By the network that took the actions. */
  readonly values: Tensor
  readonly returns: Tensor
}

/** The bounds of ratios as tensors, so that a compiled loss takes others in every call. */
export interface ClipRange {
  readonly low: Tensor
  readonly high: Tensor
  readonly width: Tensor
}

/** Options of `ppoLoss`. */
export interface PpoLossOptions {
  /** How far ratios go from 1 before they stop counting: a number, or what `clipRange` made of one. Default 0.2. */
  readonly clip?: number | ClipRange
  /** Whether values are clipped too, around the old ones. Default false. */
  readonly clipValue?: boolean
  /** Default 0.5. */
  readonly valueCoefficient?: number
  /** Default 0. */
  readonly entropyCoefficient?: number
  /** Half the mean square (CleanRL, PureJaxRL), or the mean square (Stable-Baselines3). Default 'half'. */
  readonly valueLoss?: 'half' | 'whole'
  /** What new and old log-probabilities are rounded to, and their ratio is computed in. Default: that of the logits. */
  readonly logProbs?: FloatDType
  /** What sums over rows are added up in. Default: float32, float64 of float64. */
  readonly accumulate?: FloatDType
}

/** The loss and further metrics, as scalars. */
export interface PpoLoss {
  /** policyLoss - entropyCoefficient entropy + valueCoefficient valueLoss. */
  readonly total: Tensor
  readonly policyLoss: Tensor
  readonly valueLoss: Tensor
  readonly entropy: Tensor
  /** The mean of (ratio - 1) - log ratio. */
  readonly approxKl: Tensor
  /** The mean of -log ratio. */
  readonly oldApproxKl: Tensor
  /** The share of ratios beyond the clip, in float32. */
  readonly clipFraction: Tensor
  /** What each row came to on the way. */
  readonly terms: PpoTerms
}

/** Every value of the way, as it was rounded. */
export type PpoTerms = Readonly<Record<PpoTerm, Tensor>>

/** The names of those values. */
export type PpoTerm =
  | ('shifted' | 'exp' | 'z' | 'logZ' | 'logProbs' | 'probs' | 'entropy' | 'logRatio' | 'ratio')
  | ('surrogate1' | 'surrogate2' | 'policyTerms' | 'valueTerms' | 'k3Terms')

const ppoLossNames: OptionTable<PpoLossOptions> = {
  clip: 'optional',
  clipValue: 'optional',
  valueCoefficient: 'optional',
  entropyCoefficient: 'optional',
  valueLoss: 'optional',
  logProbs: 'optional',
  accumulate: 'optional',
}

const recordedColumns = ['actions', 'logProbs', 'advantages', 'values', 'returns'] as const

/**
 * The loss of proximal policy optimisation: the clipped surrogate, the value loss and the entropy, differentiable by the
 * logits and the values.
 *
 * Shape     n rows; the losses are scalars.
 * Dtype     that of the logits, of all but the actions; the clip fraction float32.
 * Rounding  every operation once: shifted = l - max, exp, z = sum, log z, shifted - log z, exp / z; log p - old, exp of it; -A r,
 *           -A clip(r), their maximum; squares of differences; means divided by the exact n. Coefficients and 1 - clip, 1 + clip
 *           first.
 * Special   ratios are exactly 1 in bfloat16 while log-probabilities differ by less than about 2^-9: the gradient goes on, the
 *           divergence and the clip fraction say 0.
 * Throws    TypeError for arguments that are not tensors and for mixed dtypes; RangeError for shapes and unknown options.
 * Source    J. Schulman et al., Proximal policy optimization algorithms, arXiv:1707.06347; approxKl: J. Schulman, k3, 2020
 *
 * @example const one = (x) => tensor([x])
 * ppoLoss({ logits: tensor([[0, 0]]), values: one(1) }, { actions: tensor([0], { dtype: 'int32' }), logProbs: one(-0.6931471824645996), advantages: one(3), values: one(1), returns: one(3) }).total.item() // -2
 */
export function ppoLoss(outputs: Outputs, batch: PpoBatch, options: PpoLossOptions = noOptions): PpoLoss {
  checkRecord('ppoLoss', 'outputs', outputs, ['logits', 'values'])
  checkRecord('ppoLoss', 'batch', batch, recordedColumns)
  checkOptions('ppoLoss', options, ppoLossNames, { positional: 'clip' })
  const { clip = 0.2, clipValue = false, valueCoefficient = 0.5, entropyCoefficient = 0 } = options
  const { valueLoss: form = 'half', accumulate, logProbs: narrow } = options
  checkLogits('ppoLoss', outputs.logits, batch.actions)
  for (const name of recordedColumns) checkTensor(`ppoLoss: ${name}`, batch[name])
  checkFlag('ppoLoss', 'clipValue', clipValue)
  checkNumber('ppoLoss', 'valueCoefficient', valueCoefficient)
  checkNumber('ppoLoss', 'entropyCoefficient', entropyCoefficient)
  checkName('ppoLoss', 'valueLoss', form, ['half', 'whole'])
  const { logits, values } = outputs
  const how = accumulate === undefined ? {} : { accumulate }
  const { low, high, width } = typeof clip === 'number' ? clipRange(clip, logits.dtype as FloatDType) : clip

  const shifted = sub(logits, stopGradient(max(logits, { axis: 1, keepDims: true })))
  const exponentials = exp(shifted)
  const z = sum(exponentials, { ...how, axis: 1, keepDims: true })
  const logZ = log(z)
  const logProbs = sub(shifted, logZ)
  const probs = div(exponentials, z)
  const entropy = neg(sum(mul(probs, logProbs), { ...how, axis: 1 }))
  const chosen = taken(logProbs, batch.actions)
  const [now, old] =
    narrow === undefined ? [chosen, batch.logProbs] : [cast(chosen, narrow), cast(batch.logProbs, narrow)]
  const difference = sub(now, old)
  const logRatio = cast(difference, chosen.dtype)
  const ratio = cast(exp(difference), chosen.dtype)
  const loss = neg(batch.advantages)
  const surrogate1 = mul(loss, ratio)
  const surrogate2 = mul(loss, minimum(maximum(ratio, low), high))
  const policyTerms = maximum(surrogate1, surrogate2)
  const unclipped = square(sub(values, batch.returns))
  const valueTerms = clipValue
    ? maximum(unclipped, square(sub(nearby(values, batch.values, width), batch.returns)))
    : unclipped
  const k3Terms = sub(sub(ratio, 1), logRatio)

  const average = (x: Tensor): Tensor => mean(x, how)
  const policyLoss = average(policyTerms)
  const meanSquare = average(valueTerms)
  const valueLoss = form === 'half' ? mul(meanSquare, 0.5) : meanSquare
  const meanEntropy = average(entropy)
  const beyond = cast(greater(abs(sub(ratio, 1)), width), 'float32')
  return {
    total: add(sub(policyLoss, mul(meanEntropy, entropyCoefficient)), mul(valueLoss, valueCoefficient)),
    policyLoss,
    valueLoss,
    entropy: meanEntropy,
    approxKl: average(k3Terms),
    oldApproxKl: average(neg(logRatio)),
    clipFraction: mean(beyond),
    terms: {
      ...{ shifted, exp: exponentials, z, logZ, logProbs, probs, entropy, logRatio, ratio },
      ...{ surrogate1, surrogate2, policyTerms, valueTerms, k3Terms },
    },
  }
}

/** The old values plus what the new ones differ by, clipped. */
const nearby = (values: Tensor, old: Tensor, width: Tensor): Tensor =>
  add(old, minimum(maximum(sub(values, old), neg(width)), width))

/**
 * The bounds of ratios in a dtype: 1 - clip, 1 + clip and clip, each rounded once. In bfloat16 0.2 gives .80078125 and 1.203125.
 *
 * Throws    RangeError for a clip outside of 0 to 1.
 *
 * @example clipRange(0.2, 'bfloat16').high.item() // 1.203125
 */
export function clipRange(clip: number, dtype: FloatDType): ClipRange {
  checkNumber('clipRange', 'clip', clip, 0, 1)
  checkFloatDType('clipRange', 'dtype', dtype)
  const round = roundingTo(dtype)
  const scalar = (x: number): Tensor => tensor(round(x), { dtype })
  return { low: scalar(1 - clip), high: scalar(1 + clip), width: scalar(clip) }
}
