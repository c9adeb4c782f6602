import {
  chain,
  clipByGlobalNorm,
  type GradientTransformation,
  makeTrainStep,
  type Point,
} from '../../../optimizer/index.js'
import { type Schedule, warmupCosineDecaySchedule } from '../../../schedule/index.js'
import { valueAndGrad } from '../../../tensors/autodiff/index.js'
import { compile } from '../../../tensors/compile/index.js'
import { foldIn, key } from '../../../tensors/random/index.js'
import { type FloatDType, type Tensor, tensor } from '../../../tensors/tensor/index.js'
import { type StoredParamsOptions, storedParams } from '../../../training/lowprecision/index.js'
import { decoder } from '../decoder/decoder.js'
import type { Decoder, DecoderParameters, DecoderParts, DecoderSizes } from '../decoder/decoderParts.js'
import { curveOf, type Outcome, type StepReport } from '../record/outcome.js'
import { type Crop, heldOutCrop, trainingCrop } from '../text/characters.js'
import { attentionLost, productsLost } from './bitsLost.js'
import { directionsLost } from './directionsLost.js'

/** How an arm trains a decoder; what it leaves out is the baseline's: bfloat16 products, AdamW with float32 states. */
export interface DecoderTraining extends DecoderParts {
  /** The optimizer of a rate and of a size. */
  readonly optimizer: (rate: Schedule, sizes: DecoderSizes) => GradientTransformation
  /** The dtype of the Newton-Schulz steps of that optimizer, whose error is measured. */
  readonly newtonSchulz?: FloatDType
  /** The peak of the rate. Default 4e-3. */
  readonly peak?: number
  /** How the parameters are kept. Default: in float32. */
  readonly stored?: Pick<StoredParamsOptions, 'mode'>
  /** What the decoder is made of from a share of the steps on, where that is another thing than before. */
  readonly later?: { readonly after: number; readonly parts: DecoderParts }
  /** What it is made of when it is tested. Default: as it was trained last. */
  readonly tested?: DecoderParts
}

/** How long and with what a decoder is trained. */
export interface RunSizes extends DecoderSizes {
  readonly steps: number
}

/** Windows of a step and of the test. */
const batch = 8
const heldOut = 32
const length = 64

const lossOf =
  (model: Decoder) =>
  (
    params: DecoderParameters,
    tokens: Tensor<'int32'>,
    next: Tensor<'int32'>,
    words: Tensor<'uint32'>,
  ): Tensor =>
    model.loss(model.apply(params, tokens, words), next)

/**
 * Trains a decoder on the text of the pages, every step one compiled program, and measures its loss on text that it has not seen,
 * in nats a character. A seed decides weights, windows and random words: arms of one seed differ in their arithmetic alone.
 */
export function trainDecoder(
  training: DecoderTraining,
  { steps, ...sizes }: RunSizes,
  seed: number,
  report?: StepReport,
): Outcome {
  const { later, tested } = training
  const models = [decoder(sizes, training), decoder(sizes, later?.parts ?? training)] as const
  const change = Math.ceil(steps * (later?.after ?? 1))
  const rate = warmupCosineDecaySchedule({
    initValue: 0,
    peakValue: training.peak ?? 4e-3,
    warmupSteps: Math.ceil(steps / 10),
    decaySteps: steps,
    endValue: (training.peak ?? 4e-3) / 10,
  })
  const rule = chain(clipByGlobalNorm(1), training.optimizer(rate, sizes))
  const stepping = (model: Decoder): Stepping =>
    stepperOf(compile(valueAndGrad(lossOf(model))), rule, training, seed)
  let run = stepping(models[0])
  let point = run.init(models[0].init(foldIn(key(seed), 0)))
  const losses: number[] = []
  for (let i = 0; i < steps; i++) {
    if (i === change) run = stepping(models[1])
    const crop = trainingCrop(seed, i, { batch, length })
    const after = run.step(point, crop, wordsOf(seed, i))
    losses.push(after.loss)
    if (!Number.isFinite(after.loss)) {
      return { loss: Number.NaN, curve: curveOf(losses), bits: [], nonFiniteStep: i }
    }
    point = after.point
    report?.(i + 1, after.loss)
  }
  const test = heldOutCrop({ batch: heldOut, length })
  const words = wordsOf(seed, steps)
  const model = tested ? decoder(sizes, tested) : models[1]
  const loss = lossOf(model)(point.params, test.tokens, test.next, words).item()
  return {
    loss,
    curve: curveOf(losses),
    bits: measured(training, sizes, point.params, words),
    nonFiniteStep: null,
  }
}

/** What every product of the arm loses at these parameters, over the first windows of the test. */
function measured(
  training: DecoderTraining,
  sizes: DecoderSizes,
  params: DecoderParameters,
  words: Tensor<'uint32'>,
): Outcome['bits'] {
  const parts = training.tested ?? training.later?.parts ?? training
  const { product, attend } = parts
  const { newtonSchulz } = training
  const { tokens, next } = heldOutCrop({ batch, length })
  const through = (own: DecoderParts) => (at: DecoderParameters) =>
    lossOf(decoder(sizes, { ...parts, ...own }))(at, tokens, next, words)
  return [
    ...(product ? productsLost(product, (at, taken) => through({ product: taken })(at), params) : []),
    ...(newtonSchulz ? directionsLost(newtonSchulz, through({}), params) : []),
    ...(attend ? attentionLost(attend, (at, taken) => through({ attend: taken })(at), params) : []),
  ]
}

type Loss = (
  params: DecoderParameters,
  tokens: Tensor<'int32'>,
  next: Tensor<'int32'>,
  words: Tensor<'uint32'>,
) => readonly [Tensor, DecoderParameters]

interface Running {
  readonly params: DecoderParameters
  readonly state: Point['state']
}

interface Stepping {
  init(params: DecoderParameters): Running
  step(
    point: Running,
    crop: Crop,
    words: Tensor<'uint32'>,
  ): { readonly loss: number; readonly point: Running }
}

/** Steps of parameters in float32, one program each; or of stored ones, whose gradients are one program. */
function stepperOf(
  lossAndGrad: Loss,
  rule: GradientTransformation,
  { stored }: DecoderTraining,
  seed: number,
): Stepping {
  if (stored === undefined) {
    const step = makeTrainStep(lossAndGrad, rule)
    return {
      init: (params) => ({ params, state: rule.init(params) }),
      step: (point, { tokens, next }, words) => {
        const after = step(point, tokens, next, words)
        return { loss: after.loss.item(), point: after }
      },
    }
  }
  const random = stored.mode === 'stochastic' ? { random: foldIn(key(seed), 2) } : {}
  const kept = storedParams(rule, { ...stored, ...random })
  return {
    init: (params) => kept.init(params) as Running,
    step: (point, { tokens, next }, words) => {
      const [loss, grads] = lossAndGrad(point.params, tokens, next, words)
      return { loss: loss.item(), point: kept.step(grads, point as never) as Running }
    },
  }
}

/** Two random words of a step. */
function wordsOf(seed: number, step: number): Tensor<'uint32'> {
  return tensor([...foldIn(foldIn(key(seed), 3), step).data], { dtype: 'uint32' })
}
