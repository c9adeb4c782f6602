import { compile } from 'tpu-toolkit/compile'
import {
  damageCircle,
  drawPicture,
  fireMasks,
  lostUpdates,
  type NcaParams,
  ncaStep,
  seedState,
  trainedFlower,
} from 'tpu-toolkit/nca'
import { foldIn, key, uniform } from 'tpu-toolkit/random'
import { mul, reshape, slice, type Tensor } from 'tpu-toolkit/tensor'
import { type Arithmetic, arithmetics, type Grown, side, type Wound } from './automatonMessages.js'

const channels = 12
const target = drawPicture('flower', { size: side }).toNumbers()

/** A field of cells that grows step by step. */
export interface Field {
  readonly step: () => void
  readonly hurt: (wound: Wound) => void
  /** What red, green, blue and opacity are, and how far off. */
  readonly seen: () => Pick<Grown, 'cells' | 'loss'>
  /** The share of the updates that rounding to nearest would take. */
  readonly lost: () => number
}

/** The fields of all arithmetics. */
export interface Fields {
  readonly fields: readonly Field[]
  /** One step of all. */
  readonly advance: () => void
}

/** The fields at their seed, of the flower with its updates multiplied by `scale`. */
export function fieldsOf(seed: number, scale: number): Fields {
  const learned = trainedFlower()
  const params = { ...learned, w2: mul(learned.w2, scale), b2: mul(learned.b2, scale) }
  let steps = 0
  const fields = arithmetics.map((arithmetic) => fieldOf(arithmetic, params, () => draws(seed, steps)))
  return {
    fields,
    advance() {
      for (const { step } of fields) step()
      steps++
    },
  }
}

interface Draws {
  readonly mask: Tensor
  readonly shares: () => Tensor
}

/** What is drawn for a step, the same in every arithmetic: which cells fire, and what is rounded up. */
function draws(seed: number, step: number): Draws {
  const drawn = foldIn(key(seed), step)
  const masks = fireMasks(foldIn(drawn, 0), { steps: 1, shape: [side, side] })
  return {
    mask: reshape(masks, [side, side]),
    shares: () => uniform(foldIn(drawn, 1), [side, side, channels]),
  }
}

function fieldOf({ dtype, stateDtype, rounding }: Arithmetic, params: NcaParams, draw: () => Draws): Field {
  const rule = { dtype, stateDtype, alive: {} } as const
  let state = seedState({ shape: [side, side], channels, dtype: stateDtype })
  const plain = compile((x: Tensor, mask: Tensor) => ncaStep(params, x, { ...rule, mask }))
  const random = compile((x: Tensor, mask: Tensor, shares: Tensor) =>
    ncaStep(params, x, { ...rule, mask, draws: shares }),
  )
  return {
    step() {
      const { mask, shares } = draw()
      state = rounding === 'stochastic' ? random(state, mask, shares()) : plain(state, mask)
    },
    hurt({ x, y, radius }) {
      state = damageCircle(state, { center: [y, x], radius })
    },
    seen() {
      const cells = Float32Array.from(slice(state, [null, null, [0, 4]]).toNumbers())
      const loss = cells.reduce((sum, value, i) => sum + (value - target[i]!) ** 2, 0) / cells.length
      return { cells, loss }
    },
    lost: () => lostUpdates(params, state, rule).share,
  }
}
