import {
  checkFunction,
  checkInteger,
  checkOptions,
  checkRecord,
  type OptionTable,
} from '../../base/options/index.js'
import { logSoftmax } from '../../numerics/index.js'
import type { Point, State } from '../../optimizer/index.js'
import { compile } from '../../tensors/compile/index.js'
import { foldIn, gumbel, type Key, permutation } from '../../tensors/random/index.js'
import { cast, type Shape, sizeOf, type Tensor, tensor } from '../../tensors/tensor/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import type { LossScaleOptions } from '../../training/lowprecision/index.js'
import { type Environment, type VectorState, vectorEnv } from '../env/index.js'
import type { ActorCritic } from './actorCritic.js'
import { explainedVariance } from './explainedVariance.js'
import { gae } from './gae.js'
import { averaged, type Minibatch, type PpoStats, ppoUpdate } from './ppoUpdate.js'
import { fullPrecision, type PpoPrecision } from './precision.js'
import type { PpoSettings } from './presets.js'
import { collect, type Finished, type Rollout } from './rollout.js'

/** Options of `ppo`. */
export interface PpoOptions<P extends Treelike = Treelike, S = unknown> {
  readonly environment: Environment<S>
  readonly network: ActorCritic<P>
  /** The network with the same parameters in another precision, for choosing actions. Default: `network`. */
  readonly rolloutNetwork?: ActorCritic<P>
  readonly settings: PpoSettings
  /** Steps of all environments together, after which rates that fall are 0. Whole updates: the last may go beyond. */
  readonly steps: number
  readonly precision?: PpoPrecision
  /** As `ppoUpdate`'s. */
  readonly lossScale?: LossScaleOptions
  /** Is shown every rollout before it is learned from: to keep it, in a replay buffer say. */
  readonly onRollout?: (rollout: Rollout) => void
}

/** Where a run stands, all of it. */
export interface PpoState<P extends Treelike = Treelike, S = unknown> {
  /** Updates done. */
  readonly update: number
  readonly point: Point<State, P>
  readonly vector: VectorState<S>
  /** Rewards of the running episodes so far. */
  readonly running: readonly number[]
  /** Returns of the last 100 episodes that ended, the newest last. */
  readonly returns: readonly number[]
  readonly key: Key
}

/** What an update came to. */
export interface PpoProgress extends PpoStats {
  readonly update: number
  /** Steps of all environments so far. */
  readonly steps: number
  /** Episodes that ended, with the steps of the whole run when they did. */
  readonly finished: readonly Finished[]
  /** The mean of the last 100 returns; NaN before any. */
  readonly meanReturn: number
  /** The share of ratios that are exactly 1 in the first minibatch, whose policy has not moved. */
  readonly exactlyOneAtFirst: number
  readonly explainedVariance: number
}

/** A run as a function from state to state. */
export interface Ppo<P extends Treelike = Treelike, S = unknown> {
  /** How many updates there are to do. */
  readonly updates: number
  /** The state before the first update: fresh parameters, environments begun anew. */
  init(key: Key): PpoState<P, S>
  /** One rollout and what is learned from it. */
  update(state: PpoState<P, S>): readonly [state: PpoState<P, S>, progress: PpoProgress]
  /** The action of the greatest logit for observations one after the other. */
  act(params: P, observations: Float32Array): Int32Array
}

const ppoNames: OptionTable<PpoOptions> = {
  environment: 'required',
  network: 'required',
  rolloutNetwork: 'optional',
  settings: 'required',
  steps: 'required',
  precision: 'optional',
  lossScale: 'optional',
  onRollout: 'optional',
}

/**
 * Proximal policy optimisation. Everything that a run has stands in its state, and all that is random comes from its key: the
 * same key, settings and environment give the same bits, and a saved state continues as if it had not been saved.
 *
 * Dtype     networks as their policies say; everything else float32, unless `precision` says otherwise.
 * Rounding  observations once to `precision.observations`; log-probabilities op by op in `precision.loss`, then once to
 *           `precision.logProbs`; then `gae`, and `ppoUpdate` for each minibatch.
 * Special   actions are drawn as the greatest of logits + Gumbel draws, in float32, the first of equals.
 * Throws    RangeError for unknown options, and as the environment.
 * Cost      three programs: the policy, a minibatch, and one for the rest of rows that the minibatch does not divide.
 * Source    J. Schulman et al., Proximal policy optimization algorithms, arXiv:1707.06347
 *
 * @example const run = ppo({ environment: env.cartPole(), network: towers({ inputs: 4, actions: 2 }), settings: presets['zoo-cartpole'], steps: 512 })
 * run.updates // 2
 */
export function ppo<P extends Treelike, S>(options: PpoOptions<P, S>): Ppo<P, S> {
  checkOptions('ppo', options, ppoNames)
  const { environment, network, settings, steps, rolloutNetwork = network, onRollout } = options
  checkRecord('ppo', 'the network', network, ['init', 'apply'])
  checkRecord('ppo', 'the network of rollouts', rolloutNetwork, ['init', 'apply'])
  checkInteger('ppo', 'steps', steps, 1)
  checkSettings(settings)
  if (onRollout !== undefined) checkFunction('ppo', 'onRollout', onRollout)
  const precision = fullPrecision('ppo', options.precision ?? {})
  const envs = vectorEnv(environment, { count: settings.environments })
  const rows = settings.environments * settings.rollout
  const updates = Math.ceil(steps / rows)
  const minibatches = Math.ceil(rows / settings.minibatch)
  const shape = environment.observationShape
  const size = sizeOf(shape)

  /** How much of the run is left at an update. */
  const left = (update: number): number => 1 - update / updates
  const perUpdate = settings.epochs * minibatches
  const { learningRate } = settings
  const learner = ppoUpdate(network, {
    clip: settings.clip,
    entropyCoefficient: settings.entropyCoefficient,
    valueCoefficient: settings.valueCoefficient,
    valueLoss: settings.valueLoss,
    clipValue: settings.clipValue,
    normalize: settings.normalize,
    maxGradNorm: settings.maxGradNorm,
    eps: settings.eps,
    ...(settings.microBatch !== undefined && { microBatch: settings.microBatch }),
    learningRate:
      settings.rateSchedule === 'constant'
        ? learningRate
        : (step) => learningRate * left(Math.floor(step / perUpdate)),
    precision,
    ...(options.lossScale !== undefined && { lossScale: options.lossScale }),
  })
  const says = compile((params: P, observations: Tensor) => {
    const { logits, values } = rolloutNetwork.apply(params, observations)
    const logs = logSoftmax(cast(logits, precision.loss))
    return {
      logits: cast(logits, 'float32'),
      logProbs: cast(cast(logs, precision.logProbs), 'float32'),
      values: cast(values, 'float32'),
    }
  })
  const shown = (x: Float32Array): Float32Array =>
    precision.observations === 'float32' ? x : rounded(x, precision.observations)

  function init(key: Key): PpoState<P, S> {
    return {
      update: 0,
      point: learner.init(network.init(foldIn(key, 0))),
      vector: envs.reset(foldIn(key, 1)),
      running: Array.from({ length: settings.environments }, () => 0),
      returns: [],
      key,
    }
  }

  function update(state: PpoState<P, S>): readonly [PpoState<P, S>, PpoProgress] {
    checkRecord('ppo: update', 'state', state, ['update', 'point', 'vector', 'running', 'returns', 'key'])
    checkInteger('ppo: update', 'the update', state.update, 0, updates - 1)
    const key = foldIn(foldIn(state.key, 2), state.update)
    const { rollout, finished, after } = collect(
      envs,
      (observations) => says(state.point.params, observations),
      state,
      { steps: settings.rollout, draws: gumbel(foldIn(key, 0), rows * environment.actions), shown },
    )
    onRollout?.(rollout)
    const { advantages, returns } = estimates(rollout, settings, precision.gae)
    const clip = settings.clip * (settings.clipSchedule === 'linear' ? left(state.update) : 1)
    let { point } = state
    const all: { stats: PpoStats; rows: number }[] = []
    for (let epoch = 0; epoch < settings.epochs; epoch++) {
      const order = permutation(foldIn(key, 1 + epoch), rows)
      for (let from = 0; from < rows; from += settings.minibatch) {
        const places = order.subarray(from, from + settings.minibatch)
        const [next, stats] = learner.step(
          point,
          gathered(rollout, { advantages, returns }, places, shape),
          clip,
        )
        point = next
        all.push({ stats, rows: places.length })
      }
    }
    const before = state.update * rows
    const lately = [...state.returns, ...finished.map((episode) => episode.return)].slice(-100)
    const progress = {
      ...averaged(all),
      update: state.update + 1,
      steps: before + rows,
      finished: finished.map((episode) => ({ return: episode.return, step: before + episode.step })),
      meanReturn: lately.reduce((a, b) => a + b, 0) / lately.length,
      exactlyOneAtFirst: all[0]!.stats.exactlyOne,
      explainedVariance: explainedVariance(tensor(rollout.values), tensor(returns)),
    }
    return [{ update: state.update + 1, point, ...after, returns: lately, key: state.key }, progress]
  }

  function act(params: P, observations: Float32Array): Int32Array {
    const { logits } = says(
      params,
      tensor(shown(observations), { shape: [observations.length / size, ...shape] }),
    )
    const scores = logits.toNumbers()
    const width = environment.actions
    return Int32Array.from({ length: scores.length / width }, (_, i) => {
      const row = scores.subarray(i * width, (i + 1) * width)
      return row.indexOf(Math.max(...row))
    })
  }

  return { updates, init, update, act }
}

function rounded(x: Float32Array, dtype: Required<PpoPrecision>['observations']): Float32Array {
  return Float32Array.from(cast(tensor(x), dtype).toNumbers())
}

interface Estimates {
  readonly advantages: Float32Array
  readonly returns: Float32Array
}

function estimates(
  rollout: Rollout,
  { gamma, lambda, truncation }: PpoSettings,
  dtype: Required<PpoPrecision>['gae'],
): Estimates {
  const column = (x: Float32Array | Uint8Array): Tensor =>
    tensor(x, { shape: [rollout.steps, rollout.environments] })
  const { advantages, returns } = gae(
    {
      rewards: column(rollout.rewards),
      values: column(rollout.values),
      nextValues: column(rollout.nextValues),
      terminated: column(rollout.terminated),
      truncated: column(rollout.truncated),
    },
    { gamma, lambda, dtype, truncation },
  )
  return {
    advantages: Float32Array.from(advantages.toNumbers()),
    returns: Float32Array.from(returns.toNumbers()),
  }
}

function gathered(
  rollout: Rollout,
  { advantages, returns }: Estimates,
  places: Int32Array,
  shape: Shape,
): Minibatch {
  const n = places.length
  const size = rollout.observations.length / rollout.actions.length
  const observations = new Float32Array(n * size)
  for (const [i, place] of places.entries()) {
    observations.set(rollout.observations.subarray(place * size, (place + 1) * size), i * size)
  }
  const column = (x: Float32Array): Tensor => tensor(Float32Array.from(places, (place) => x[place]!))
  return {
    observations: tensor(observations, { shape: [n, ...shape] }),
    actions: tensor(
      Int32Array.from(places, (place) => rollout.actions[place]!),
      { dtype: 'int32' },
    ),
    logProbs: column(rollout.logProbs),
    advantages: column(advantages),
    values: column(rollout.values),
    returns: column(returns),
  }
}

function checkSettings(settings: PpoSettings): void {
  checkRecord('ppo', 'settings', settings, ['environments', 'rollout', 'epochs', 'minibatch', 'learningRate'])
  for (const name of ['environments', 'rollout', 'epochs', 'minibatch'] as const) {
    checkInteger('ppo: settings', name, settings[name], 1)
  }
}
