import {
  checkArray,
  checkInteger,
  checkNumber,
  checkOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { adam, applyUpdates, withTensorState } from '../../optimizer/index.js'
import { piecewiseConstantSchedule } from '../../schedule/index.js'
import { valueAndGrad } from '../../tensors/autodiff/index.js'
import { compile } from '../../tensors/compile/index.js'
import { foldIn, type Key, randint } from '../../tensors/random/index.js'
import {
  add,
  cast,
  concat,
  div,
  expandDims,
  type FloatDType,
  mean,
  slice,
  sqrt,
  square,
  sub,
  sum,
  type Tensor,
} from '../../tensors/tensor/index.js'
import { mapTree, type Tree } from '../../tensors/tree/index.js'
import type { AliveRule } from './aliveCells.js'
import { damageCircle, drawCircle } from './damageCircle.js'
import { fireMasks } from './fireMasks.js'
import { type NcaParams, ncaParams } from './ncaParams.js'
import { ncaRollout } from './ncaRollout.js'
import { checkState } from './perceive.js'
import { SamplePool } from './samplePool.js'
import { seedState } from './seedState.js'

/** Options of `growth`. Defaults are those that were published. */
export interface GrowthOptions {
  /** What is to be grown: red, green, blue times opacity, and opacity, [height, width, 4]. */
  readonly target: Tensor
  /** Numbers in a cell. Default 16. */
  readonly channels?: number
  /** Features between the two products. Default 128. */
  readonly hidden?: number
  /** States in a step of training. Default 8. */
  readonly batch?: number
  /** States that are kept. Default 1024. */
  readonly poolSize?: number
  /** How long the automaton runs in a step of training: drawn from these, a program for each. Default [64, 72, 80, 88, 96]. */
  readonly steps?: readonly number[]
  /** How many of a batch, the best, are damaged first. Default 3. */
  readonly damaged?: number
  /** Default 2e-3. */
  readonly learningRate?: number
  /** The step of training from which on the rate is a tenth. Default 2000. */
  readonly slowerFrom?: number
  /** The share of the cells that change in a step. Default 0.5. */
  readonly fireRate?: number
  /** What is computed with. Default 'float32'. */
  readonly dtype?: FloatDType
  /** What the state is kept in. Default `dtype`. */
  readonly stateDtype?: FloatDType
}

/** The state of a training: everything needed to resume it bit for bit. */
export interface GrowthPoint {
  readonly key: Key
  readonly step: number
  readonly params: NcaParams
  readonly optimizer: Tree
  readonly pool: SamplePool
}

/** What a step of training found. */
export interface GrowthRecord {
  /** The mean square of what the batch's red, green, blue and opacity are off, after the run. */
  readonly loss: number
  /** How long the automaton ran. */
  readonly steps: number
}

/** A training as two functions. */
export interface Growth {
  /** The automaton that does nothing, and a pool of seeds. */
  start(key: Key): GrowthPoint
  /** A step: the next point, and what was found on the way. */
  step(point: GrowthPoint): readonly [point: GrowthPoint, record: GrowthRecord]
}

const names: OptionTable<GrowthOptions> = {
  target: 'required',
  channels: 'optional',
  hidden: 'optional',
  batch: 'optional',
  poolSize: 'optional',
  steps: 'optional',
  damaged: 'optional',
  learningRate: 'optional',
  slowerFrom: 'optional',
  fireRate: 'optional',
  dtype: 'optional',
  stateDtype: 'optional',
}

/** Cells live where the fourth channel is above 0.1. */
const alive: AliveRule = { channel: 3, threshold: 0.1 }

/**
 * Teaches an automaton to grow a picture from one cell, to keep it and to heal it, as it was published: batches from a pool, the worst
 * state replaced by the seed, the best ones damaged, every gradient divided by its norm, Adam, and the batch put back.
 *
 * Rounding  parameters, gradients' norms and Adam in float32; the automaton as `ncaRollout` says.
 * Special   the same key gives the same bits; a saved point continues as if training had not stopped.
 * Throws    RangeError for a target without four channels, and counts that do not fit together.
 * Cost      a step is one program, recorded at its first run for each length; about 3 times the FLOPs of the run.
 * Source    A. Mordvintsev et al., Growing neural cellular automata, doi:10.23915/distill.00023
 *
 * @example growth({ target: drawPicture('face', { size: 8 }), poolSize: 16 }).start(random.key(0)).pool.size // 16
 */
export function growth(options: GrowthOptions): Growth {
  const settings = checked(options)
  const { target, channels, hidden, batch, poolSize, lengths, damaged, fireRate, dtype, stateDtype } =
    settings
  const [height, width] = target.shape as [number, number]
  const seed = seedState({ shape: [height, width], channels, dtype: stateDtype })
  const optimizer = withTensorState(
    adam({
      learningRate: piecewiseConstantSchedule({
        initValue: settings.learningRate,
        boundariesAndScales: { [settings.slowerFrom]: 0.1 },
      }),
    }),
  )
  const lossOf = (params: NcaParams, x: Tensor, masks: Tensor, steps: number) => {
    const last = ncaRollout(params, x, { steps, masks, alive, dtype, stateDtype })
    const seen = cast(slice(last, [null, null, null, [0, 4]]), 'float32')
    return [mean(square(sub(seen, target))), last] as const
  }
  const update = compile((params: NcaParams, state: Tree, x: Tensor, masks: Tensor) => {
    const steps = masks.shape[0]!
    const [[loss, last], gradient] = valueAndGrad(lossOf, { hasAux: true })(params, x, masks, steps)
    const [updates, next] = optimizer.update(mapTree(normalized, gradient), state, params)
    return { loss, last, params: applyUpdates(params, updates), state: next }
  })
  return {
    start(key) {
      const params = ncaParams(foldIn(key, 0), { channels, hidden })
      const pool = SamplePool.of(seed, poolSize)
      return { key: foldIn(key, 1), step: 0, params, optimizer: optimizer.init(params), pool }
    },
    step(point) {
      const key = foldIn(point.key, point.step)
      const places = ranked(point.pool, point.pool.sample(foldIn(key, 0), batch), target)
      const x = concat([
        expandDims(seed, 0),
        ...places.slice(1).map((place, i) => {
          const state = point.pool.at([place])
          return i + 1 < batch - damaged ? state : damageCircle(state, drawCircle(foldIn(key, 4 + i), 2))
        }),
      ])
      const steps = lengths[randint(foldIn(key, 1), 1, { maxval: lengths.length })[0]!]!
      const masks = fireMasks(foldIn(key, 2), { steps, shape: [batch, height, width], fireRate })
      const { loss, last, params, state } = update(point.params, point.optimizer, x, masks)
      return [
        {
          key: point.key,
          step: point.step + 1,
          params,
          optimizer: state,
          pool: point.pool.with(places, last),
        },
        { loss: loss.item() as number, steps },
      ]
    },
  }
}

/** The places, that of the worst state first. */
function ranked(pool: SamplePool, places: readonly number[], target: Tensor): readonly number[] {
  const wanted = target.toNumbers()
  const losses = new Map(places.map((place) => [place, lossOfState(pool.at([place]), wanted)]))
  // NaN is the worst.
  const rank = (place: number): number => {
    const loss = losses.get(place)!
    return Number.isNaN(loss) ? Number.POSITIVE_INFINITY : loss
  }
  return [...places].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(b) - rank(a)))
}

function lossOfState(state: Tensor, wanted: Float64Array): number {
  const channels = state.shape.at(-1)!
  const values = state.toNumbers()
  let total = 0
  for (let i = 0; i < wanted.length; i++) {
    total += (values[Math.floor(i / 4) * channels + (i % 4)]! - wanted[i]!) ** 2
  }
  return total / wanted.length
}

/** Divided by its norm: so that a step does not depend on how far the automaton ran away. */
function normalized(gradient: Tensor): Tensor {
  return div(gradient, add(sqrt(sum(square(gradient))), 1e-8))
}

/** The options with all options filled in. */
function checked(options: GrowthOptions) {
  checkOptions('growth', options, names, { positional: 'target' })
  const { target, channels = 16, hidden = 128, batch = 8, poolSize = 1024, damaged = 3 } = options
  const { steps = [64, 72, 80, 88, 96], learningRate = 2e-3, slowerFrom = 2000, fireRate = 0.5 } = options
  const { dtype = 'float32', stateDtype = dtype } = options
  checkState('growth', target)
  if (target.rank !== 3 || target.shape[2] !== 4 || target.size === 0) {
    throw new RangeError(`growth: target is not [height, width, 4] [${target.shape.join(', ')}]`)
  }
  checkInteger('growth', 'channels', channels, 4)
  checkInteger('growth', 'poolSize', poolSize, 1)
  checkInteger('growth', 'batch', batch, 1, poolSize)
  checkInteger('growth', 'damaged', damaged, 0, batch - 1)
  checkArray('growth', 'steps', steps)
  if (steps.length === 0) throw new RangeError('growth: steps are none [no numbers]')
  for (const length of steps) checkInteger('growth', 'a number of steps', length, 1)
  checkNumber('growth', 'learningRate', learningRate, 0)
  checkInteger('growth', 'slowerFrom', slowerFrom, 1)
  checkNumber('growth', 'fireRate', fireRate, 0, 1)
  const wide = cast(target, 'float32')
  return {
    target: wide,
    channels,
    hidden,
    batch,
    poolSize,
    lengths: steps,
    damaged,
    learningRate,
    slowerFrom,
    fireRate,
    dtype,
    stateDtype,
  }
}
