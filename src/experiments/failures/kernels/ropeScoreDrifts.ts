import { checkInteger } from '../../../base/options/index.js'
import { applyRope, ropeCache, ropeFrequencies } from '../../../models/kernels/index.js'
import {
  cast,
  checkFloatDType,
  concat,
  cos,
  type FloatDType,
  mean,
  mul,
  ones,
  reshape,
  sin,
  type Tensor,
  tensor,
} from '../../../tensors/tensor/index.js'
import { examination } from '../record/examination.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, red, say } from '../record/shown.js'

/** The rotary embedding; `dtype` is that of the angles. */
export interface RopeScoreDriftsOptions extends DTypeOption {
  /** The dtype of the frequencies. Default: that of the angles. */
  readonly frequencies?: FloatDType
  /** How far the key lies behind the query. Default: 8. */
  readonly distance?: number
  /** The last position of the key. Default: 4095. */
  readonly positions?: number
}

const dim = 128
const allowed = 0.1
const steps = 64

/**
 * A rotary embedding with bfloat16 angles: what a query finds at a distance depends on where the query stands.
 *
 * Readings  `drift`, how far the score of a fixed distance moves at most, where scores lie between -1 and 1; `firstOff`, the
 *           first of 65 positions at which it is off by 0.1; `scores` by position. The stable twin has float32 angles.
 *
 * @example ropeScoreDrifts.run().naive.drift > 0.25 // true
 */
export const ropeScoreDrifts: Failure<RopeScoreDriftsOptions> = failure<RopeScoreDriftsOptions>({
  id: 'rope-score-drifts',
  title: 'A rotary score of distance 8 depends on where it is read',
  story:
    'Rotary embeddings promise that the score of a query and a key depends on their distance alone: both are turned, and what counts is the difference of two angles. An angle is position times frequency, up to the position itself in radians, and a bfloat16 number of that size is off by up to whole turns. The two angles of a pair are rounded apart from each other, so their difference is noise that grows with the position. Frequencies that are rounded once are a smaller matter: another model, but still one of distances, harmful only where training and serving differ.',
  source: 'https://arxiv.org/abs/2411.13476',
  reported:
    'When precision meets position (Wang and others): under bfloat16 RoPE loses its relative property, the more so the longer the context, the first token worst; long-context training with the affected positions suffers, and anchoring one token in all documents repairs part of it.',
  repairs: [
    { change: 'angles in float32', options: { dtype: 'float32' } },
    {
      change: 'bfloat16 frequencies, float32 angles',
      options: { dtype: 'float32', frequencies: 'bfloat16' },
    },
    { change: 'float16 angles of 16 positions', options: { dtype: 'float16', positions: 16 } },
  ],
  cure: examination('scores of distance 8 at positions up to 4,095', () => {
    const values = ropeFrequencies({ dim }).values
    const inputs = { positions: tensor(ladder(4095)), later: tensor(ladder(4095, 8)), frequencies: values }
    return {
      f: scores,
      inputs,
      question: 'the score of a distance moves by less than 0.1',
      target: { holds: (g) => driftOf([...g(inputs).toNumbers()]) < allowed },
    }
  }),
  options: { dtype: 'optional', frequencies: 'optional', distance: 'optional', positions: 'optional' },
  run({ dtype = 'bfloat16', frequencies = dtype, distance = 8, positions = 4095 }) {
    checkFloatDType(this.id, 'frequencies', frequencies)
    checkInteger(this.id, 'distance', distance, 0, 2 ** 15)
    checkInteger(this.id, 'positions', positions, 1, 2 ** 17)
    const keys = ladder(positions)
    const readings = (angles: FloatDType, of: FloatDType) => {
      const at = scoresOf({ keys, distance, angles, frequencies: of })
      const off = at.findIndex((score) => Math.abs(score - at[0]!) >= allowed)
      return { drift: driftOf(at), firstOff: off < 0 ? null : keys[off]!, scores: at }
    }
    const naive = readings(dtype, frequencies)
    const stable = readings('float32', 'float32')
    const holds = naive.firstOff !== null
    const moved = `The score of distance ${say(distance)} moves by ${say(naive.drift)} over ${say(positions)} positions`
    return {
      naive,
      stable,
      holds,
      text: holds
        ? `${moved}, by 0.1 first at ${say(naive.firstOff ?? 0)}; with float32 angles by ${say(stable.drift)}.`
        : `${moved}, which no model sees.`,
      figure: {
        caption:
          'The score of a query and a key at one distance, 1 where both have turned alike, by the position of the key.',
        axes: ['position of the key', 'score'],
        series: [
          blue(
            'float32 angles',
            keys.map((x, i) => ({ x, y: stable.scores[i]! })),
          ),
          red(
            `angles ${dtype}`,
            keys.map((x, i) => ({ x, y: naive.scores[i]! })),
          ),
        ],
      },
    }
  },
})

/** 65 positions from 0 to the last, plus `more`; fewer where there are fewer. */
function ladder(last: number, more = 0): number[] {
  const count = Math.min(steps, last)
  return Array.from({ length: count + 1 }, (_, i) => Math.round((i * last) / count) + more)
}

function driftOf(of: readonly number[]): number {
  return Math.max(...of.map((score) => Math.abs(score - of[0]!)))
}

interface Request {
  readonly keys: readonly number[]
  readonly distance: number
  readonly angles: FloatDType
  readonly frequencies: FloatDType
}

/** q R(p + distance) times k R(p) over dim, for queries and keys of ones: the mean of cos(distance w). */
function scoresOf({ keys, distance, angles, frequencies }: Request): number[] {
  const made = ropeFrequencies({ dim, dtype: frequencies })
  const turned = [0, distance].map((more) => {
    const at = keys.map((position) => position + more)
    return applyRope(ones([keys.length, dim]), ropeCache(made, at, { angles, dtype: 'float32' })).toNumbers()
  })
  const [k, q] = turned
  return keys.map((_, row) => {
    let total = 0
    for (let i = row * dim; i < (row + 1) * dim; i++) total += k![i]! * q![i]!
    return total / dim
  })
}

/** The same as one computation in bfloat16, for the doctor. */
function scores({ positions, later, frequencies }: { readonly [name: string]: Tensor }): Tensor {
  const narrow = cast(frequencies!, 'bfloat16')
  const table = (at: Tensor): Tensor => {
    const angles = mul(reshape(cast(at, 'bfloat16'), [at.size, 1]), narrow)
    return concat([cos(angles), sin(angles)], { axis: 1 })
  }
  return mul(mean(mul(table(positions!), table(later!)), { axis: 1, accumulate: 'bfloat16' }), 2)
}
