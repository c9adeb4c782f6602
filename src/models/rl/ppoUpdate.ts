import {
  checkInteger,
  checkOptions,
  checkRecord,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import {
  adam,
  applyGradients,
  chain,
  clipByGlobalNorm,
  type LearningRate,
  makeTrainStep,
  type Point,
  type State,
} from '../../optimizer/index.js'
import { valueAndGrad } from '../../tensors/autodiff/index.js'
import { type Compiled, compile } from '../../tensors/compile/index.js'
import { cast, equal, mean, mul, slice, type Tensor, tensor } from '../../tensors/tensor/index.js'
import { mapTree, type Tree, type Treelike } from '../../tensors/tree/index.js'
import { dynamicLossScale, type LossScaleOptions, type Stepper } from '../../training/lowprecision/index.js'
import { accumulateGradients } from './accumulateGradients.js'
import type { ActorCritic } from './actorCritic.js'
import { normalizeAdvantages } from './normalizeAdvantages.js'
import { type ClipRange, clipRange, type PpoBatch, ppoLoss } from './ppoLoss.js'
import { fullPrecision, type PpoPrecision } from './precision.js'
import { type PpoSettings, presets } from './presets.js'

type Chosen =
  | ('clip' | 'entropyCoefficient' | 'valueCoefficient' | 'valueLoss' | 'clipValue' | 'normalize')
  | ('maxGradNorm' | 'eps' | 'microBatch')

/** Options of `ppoUpdate`: what of `PpoSettings` concerns a minibatch. Default: those of the preset 'cleanrl'. */
export interface PpoUpdateOptions extends Partial<Pick<PpoSettings, Chosen>> {
  /** A number, or a function of the minibatches before. Default 2.5e-4. */
  readonly learningRate?: LearningRate
  /** Where it rounds. Default: float32. */
  readonly precision?: PpoPrecision
  /** Scales the loss for networks in float16, and leaves out steps whose gradients are not finite. Default: not. */
  readonly lossScale?: LossScaleOptions
}

/** Rows to learn from: what `ppoLoss` asks for, float32, and what the network was shown. */
export interface Minibatch extends PpoBatch {
  /** [n, ...]. */
  readonly observations: Tensor
}

/** What a minibatch came to, before its step. */
export interface PpoStats {
  readonly loss: number
  readonly policyLoss: number
  readonly valueLoss: number
  readonly entropy: number
  readonly approxKl: number
  readonly clipFraction: number
  /** The share of ratios that are exactly 1. */
  readonly exactlyOne: number
}

/** The update of a network, minibatch by minibatch. */
export interface PpoUpdate<P extends Treelike> {
  /** The parameters with the optimizer's state before its first step. */
  init(params: P): Point<State, P>
  /** One step; another clip than the options' where a schedule has one. */
  step(
    point: Point<State, P>,
    minibatch: Minibatch,
    clip?: number,
  ): readonly [point: Point<State, P>, stats: PpoStats]
}

/** The further results of a loss. */
type LossStats = Readonly<Record<Exclude<keyof PpoStats, 'loss'>, Tensor>>
type LossInputs = PpoBatch & {
  readonly observations: Tensor
  readonly clip: ClipRange
  readonly scale: Tensor
}

const updateNames: OptionTable<PpoUpdateOptions> = {
  clip: 'optional',
  entropyCoefficient: 'optional',
  valueCoefficient: 'optional',
  valueLoss: 'optional',
  clipValue: 'optional',
  normalize: 'optional',
  maxGradNorm: 'optional',
  eps: 'optional',
  microBatch: 'optional',
  learningRate: 'optional',
  precision: 'optional',
  lossScale: 'optional',
}

/**
 * A step of PPO for a minibatch: its advantages normalised, the network, `ppoLoss`, its gradients, their global norm clipped, Adam.
 * All of it is one compiled program; with `microBatch` the gradients are one each, weighted by their rows, then normed and
 * applied once.
 *
 * Dtype     parameters and Adam's moments as the network made them.
 * Rounding  the network's outputs once to `precision.loss`; sums of the loss over rows in float32, in float64 for a float64 loss;
 *           micro-batches are added up in `precision.gradients`.
 * Special   advantages are normalised over the whole minibatch, before it is cut up. With `lossScale` a step whose gradients are
 *           not finite is left out.
 * Throws    RangeError for unknown options and rows of unlike numbers.
 * Cost      a program for each number of rows, made at its first call.
 *
 * @example ppoUpdate(towers({ inputs: 4, actions: 2 }), { learningRate: 1e-3 }).init({ actor: [], critic: [] }).state.length // 2
 */
export function ppoUpdate<P extends Treelike>(
  network: ActorCritic<P>,
  options: PpoUpdateOptions = noOptions,
): PpoUpdate<P> {
  checkRecord('ppoUpdate', 'the network', network, ['init', 'apply'])
  checkOptions('ppoUpdate', options, updateNames)
  const settings = { ...presets.cleanrl, ...options }
  const { learningRate = presets.cleanrl.learningRate, microBatch } = options
  if (microBatch !== undefined) checkInteger('ppoUpdate', 'microBatch', microBatch, 1)
  const precision = fullPrecision('ppoUpdate', options.precision ?? {})
  const optimizer = chain(clipByGlobalNorm(settings.maxGradNorm), adam({ learningRate, eps: settings.eps }))
  const normalized = compile((advantages: Tensor) =>
    settings.normalize === 'none' ? advantages : normalizeAdvantages(advantages, { by: settings.normalize }),
  )

  const lossOf = (apart: boolean) => (params: P, inputs: LossInputs) => {
    const { logits, values } = network.apply(params, inputs.observations)
    const to = (x: Tensor): Tensor => cast(x, precision.loss)
    const advantages = apart ? inputs.advantages : normalized(inputs.advantages)
    const loss = ppoLoss(
      { logits: to(logits), values: to(values) },
      {
        actions: inputs.actions,
        logProbs: to(inputs.logProbs),
        advantages: to(advantages),
        values: to(inputs.values),
        returns: to(inputs.returns),
      },
      {
        clip: inputs.clip,
        clipValue: settings.clipValue,
        valueCoefficient: settings.valueCoefficient,
        entropyCoefficient: settings.entropyCoefficient,
        valueLoss: settings.valueLoss,
        ...(precision.logProbs !== precision.loss && { logProbs: precision.logProbs }),
      },
    )
    const { policyLoss, valueLoss, entropy, approxKl, clipFraction } = loss
    const exactlyOne = mean(cast(equal(loss.terms.ratio, 1), 'float32'))
    const beside: LossStats = { policyLoss, valueLoss, entropy, approxKl, clipFraction, exactlyOne }
    const total = cast(loss.total, 'float32')
    const scaled = options.lossScale === undefined ? total : mul(total, inputs.scale)
    return [scaled, { ...beside, total }] as const
  }

  const gradient = (
    apart: boolean,
  ): Compiled<[P, LossInputs], [[Tensor, LossStats & { total: Tensor }], P]> =>
    compile(valueAndGrad(lossOf(apart), { hasAux: true })) as Compiled<
      [P, LossInputs],
      [[Tensor, LossStats & { total: Tensor }], P]
    >
  const whole = gradient(false)
  const part = gradient(true)
  const together = makeTrainStep(whole, optimizer)
  const plain: Stepper<State> = {
    init: (params) => ({ params, state: optimizer.init(params) }) as never,
    step: (grads, point) => applyGradients(optimizer, grads, point as never) as never,
  }
  const stepper =
    options.lossScale === undefined ? plain : (dynamicLossScale(plain, options.lossScale) as Stepper<State>)

  function step(
    point: Point<State, P>,
    minibatch: Minibatch,
    clip: number = settings.clip,
  ): readonly [Point<State, P>, PpoStats] {
    const n = checkMinibatch(minibatch)
    const scale = tensor(options.lossScale === undefined ? 1 : (point.state as { scale: number }).scale)
    const inputs: LossInputs = { ...minibatch, clip: clipRange(clip, precision.loss), scale }
    if (microBatch === undefined || microBatch >= n) {
      if (options.lossScale === undefined) {
        const next = together(point as never, inputs)
        return [
          { params: next.params, state: next.state },
          averaged([{ rows: n, stats: statsOf(next.loss[1]) }]),
        ]
      }
      const [[, beside], grads] = whole(point.params, inputs)
      return [stepper.step(grads, point), averaged([{ rows: n, stats: statsOf(beside) }])]
    }
    const seen: { rows: number; stats: PpoStats }[] = []
    const cut = { ...inputs, advantages: normalized(minibatch.advantages) }
    function* parts(size: number): Generator<{ gradients: P; rows: number }> {
      for (let from = 0; from < n; from += size) {
        const rows = Math.min(size, n - from)
        const [[, beside], gradients] = part(point.params, rowsOf(cut, from, rows))
        seen.push({ rows, stats: statsOf(beside) })
        yield { gradients, rows }
      }
    }
    const sums = accumulateGradients(parts(microBatch), { rows: n, dtype: precision.gradients })
    const grads = mapTree((sum): Tensor => cast(sum, 'float32'), sums as Tree) as Treelike as P
    return [stepper.step(grads, point), averaged(seen)]
  }

  return { init: (params) => stepper.init(params as never) as Point<State, P>, step }
}

const recorded = ['observations', 'actions', 'logProbs', 'advantages', 'values', 'returns'] as const

function checkMinibatch(minibatch: Minibatch): number {
  checkRecord('ppoUpdate: step', 'the minibatch', minibatch, recorded)
  const n = minibatch.actions.shape[0] ?? 0
  for (const name of recorded) {
    if (minibatch[name].shape[0] !== n || n === 0) {
      throw new RangeError(
        `ppoUpdate: step: ${name} are not rows for each action [${minibatch[name].shape.join(', ')}]`,
      )
    }
  }
  return n
}

function rowsOf(inputs: LossInputs, from: number, rows: number): LossInputs {
  const cut = Object.fromEntries(recorded.map((name) => [name, slice(inputs[name], [[from, from + rows]])]))
  return { ...inputs, ...cut }
}

/** Averages weighted by rows. */
export function averaged(parts: readonly { readonly rows: number; readonly stats: PpoStats }[]): PpoStats {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  const of = (name: keyof PpoStats): number =>
    parts.reduce((sum, part) => sum + part.rows * part.stats[name], 0) / rows
  return {
    loss: of('loss'),
    policyLoss: of('policyLoss'),
    valueLoss: of('valueLoss'),
    entropy: of('entropy'),
    approxKl: of('approxKl'),
    clipFraction: of('clipFraction'),
    exactlyOne: of('exactlyOne'),
  }
}

function statsOf(beside: LossStats & { readonly total: Tensor }): PpoStats {
  return {
    loss: beside.total.item(),
    policyLoss: beside.policyLoss.item(),
    valueLoss: beside.valueLoss.item(),
    entropy: beside.entropy.item(),
    approxKl: beside.approxKl.item(),
    clipFraction: beside.clipFraction.item(),
    exactlyOne: beside.exactlyOne.item(),
  }
}
