import { logSoftmax } from '../../../numerics/index.js'
import { adamw, chain, clipByGlobalNorm, makeTrainStep } from '../../../optimizer/index.js'
import { valueAndGrad } from '../../../tensors/autodiff/index.js'
import { compile } from '../../../tensors/compile/index.js'
import { foldIn, key, randint, uniform } from '../../../tensors/random/index.js'
import {
  cast,
  type FloatDType,
  mean,
  mul,
  neg,
  oneHot,
  sum,
  type Tensor,
  tensor,
} from '../../../tensors/tensor/index.js'
import { curveOf, type Outcome, type StepReport } from '../record/outcome.js'
import { prompts, rightToken, sequence, tokens } from './chainTask.js'
import { initPolicy, logitsOf, type PolicyInputs, type PolicyParameters } from './policy.js'

/** How sampler and trainer compute. */
export interface PolicyTraining {
  /** In which both engines round. */
  readonly dtype: FloatDType
  /** Whether each token's gradient is weighted by the ratio of trainer and sampler, at most 2. Default false. */
  readonly corrected?: boolean
}

/** How large a run is. */
export interface PolicySizes {
  readonly width: number
  readonly layers: number
  readonly steps: number
}

const sequences = 64
/** The last part of a run, whose rewards are its result. */
const resultShare = 5
const largestRatio = 2

interface Episodes {
  readonly inputs: PolicyInputs
  readonly actions: Int32Array
  /** Of the sampler. */
  readonly logProbs: Float64Array
  /** Of each sequence: the share of right tokens. */
  readonly rewards: Float64Array
}

/**
 * Trains a softmax policy by REINFORCE where one engine samples and another one computes the gradients, as LLM frameworks do: both have the
 * same weights and dtype, but add up products in another order. Measures the share of wrong tokens in the last fifth of the run; its
 * `bits` are how far the trainer's probability of a token is from the sampler's, relatively, root mean square over that fifth.
 */
export function trainPolicy(
  training: PolicyTraining,
  { width, layers, steps }: PolicySizes,
  seed: number,
  report?: StepReport,
): Outcome {
  const { dtype, corrected = false } = training
  const sampler = compile(
    (params: PolicyParameters, prompt: Tensor<'int32'>, place: Tensor<'int32'>, before: Tensor<'int32'>) =>
      logProbsOf(params, { prompt, place, before }, dtype, 'split'),
  )
  const trainer = (params: PolicyParameters, { prompt, place, before }: PolicyInputs): Tensor =>
    logProbsOf(params, { prompt, place, before }, dtype, 'whole')
  const loss = (
    params: PolicyParameters,
    prompt: Tensor<'int32'>,
    place: Tensor<'int32'>,
    before: Tensor<'int32'>,
    chosen: Tensor<'float32'>,
    weights: Tensor<'float32'>,
  ): Tensor => {
    const logProbs = trainer(params, { prompt, place, before })
    return neg(mean(mul(sum(mul(logProbs, chosen), { axis: -1 }), weights)))
  }
  const rule = chain(clipByGlobalNorm(1), adamw({ learningRate: 3e-3, weightDecay: 0 }))
  const step = makeTrainStep(compile(valueAndGrad(loss)), rule)
  const ask = compile(
    (params: PolicyParameters, prompt: Tensor<'int32'>, place: Tensor<'int32'>, before: Tensor<'int32'>) =>
      trainer(params, { prompt, place, before }),
  )
  const params = initPolicy(foldIn(key(seed), 0), { width, layers })
  let point = { params, state: rule.init(params) }
  const wrong: number[] = []
  let [squares, count] = [0, 0]
  for (let i = 0; i < steps; i++) {
    const episodes = sampled(point.params, sampler, seed, i)
    const { inputs, actions, logProbs, rewards } = episodes
    const meanReward = rewards.reduce((total, reward) => total + reward, 0) / sequences
    wrong.push(1 - meanReward)
    const own = ask(point.params, inputs.prompt, inputs.place, inputs.before).toNumbers()
    const ratios = Array.from(actions, (action, n) => Math.exp(own[n * tokens + action]! - logProbs[n]!))
    if (i >= steps - Math.ceil(steps / resultShare)) {
      for (const ratio of ratios) squares += (ratio - 1) ** 2
      count += ratios.length
    }
    const weights = ratios.map((ratio, n) => {
      const advantage = rewards[Math.floor(n / sequence)]! - meanReward
      return corrected ? advantage * Math.min(ratio, largestRatio) : advantage
    })
    const chosen = cast(oneHot(tensor(actions, { dtype: 'int32' }), tokens), 'float32') as Tensor<'float32'>
    const after = step(point, inputs.prompt, inputs.place, inputs.before, chosen, tensor(weights))
    if (!Number.isFinite(after.loss.item())) {
      return { loss: Number.NaN, curve: curveOf(wrong), bits: [], nonFiniteStep: i }
    }
    point = after
    report?.(i + 1, 1 - meanReward)
  }
  const last = wrong.slice(-Math.ceil(steps / resultShare))
  return {
    loss: last.reduce((total, value) => total + value, 0) / last.length,
    curve: curveOf(wrong),
    bits: [
      { layer: 'probability of a token', kind: 'forward', error: Math.sqrt(squares / Math.max(1, count)) },
    ],
    nonFiniteStep: null,
  }
}

/** Log-probabilities [n, tokens]: the softmax is float32 in both engines, of logits in the dtype. */
function logProbsOf(
  params: PolicyParameters,
  inputs: PolicyInputs,
  dtype: FloatDType,
  order: 'whole' | 'split',
): Tensor {
  return logSoftmax(cast(logitsOf(params, inputs, dtype, order), 'float32'))
}

type Sampler = (
  params: PolicyParameters,
  prompt: Tensor<'int32'>,
  place: Tensor<'int32'>,
  before: Tensor<'int32'>,
) => Tensor

/** Sequences that the sampler writes, token after token. */
function sampled(params: PolicyParameters, sampler: Sampler, seed: number, step: number): Episodes {
  const own = foldIn(foldIn(key(seed), 1), step)
  const asked = randint(foldIn(own, 0), sequences, { minval: 0, maxval: prompts })
  const count = sequences * sequence
  const [prompt, place, before, actions] = [0, 0, 0, 0].map(() => new Int32Array(count)) as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ]
  const logProbs = new Float64Array(count)
  const rewards = new Float64Array(sequences)
  const last = new Int32Array(sequences).fill(tokens)
  const row = (values: ArrayLike<number>): Tensor<'int32'> => tensor(Array.from(values), { dtype: 'int32' })
  for (let t = 0; t < sequence; t++) {
    const places = new Int32Array(sequences).fill(t)
    const logs = sampler(params, row(asked), row(places), row(last)).toNumbers()
    const draws = uniform(foldIn(own, 1 + t), sequences)
    for (let s = 0; s < sequences; s++) {
      const at = s * sequence + t
      const action = drawn(logs.slice(s * tokens, (s + 1) * tokens), draws[s]!)
      prompt[at] = asked[s]!
      place[at] = t
      before[at] = last[s]!
      actions[at] = action
      logProbs[at] = logs[s * tokens + action]!
      if (action === rightToken(asked[s]!, t, last[s]!)) rewards[s]! += 1 / sequence
      last[s] = action
    }
  }
  return {
    inputs: { prompt: row(prompt), place: row(place), before: row(before) },
    actions,
    logProbs,
    rewards,
  }
}

/** The first category at which the running probability exceeds the draw. */
function drawn(logs: Float64Array, draw: number): number {
  let total = 0
  for (const [i, log] of logs.entries()) {
    total += Math.exp(log)
    if (draw < total) return i
  }
  return logs.length - 1
}
