import { checkInteger } from '../../../base/options/index.js'
import {
  arange,
  cast,
  checkFloatDType,
  concat,
  cos,
  exp,
  type FloatDType,
  mul,
  reshape,
  sin,
  type Tensor,
  tensor,
} from '../../../tensors/tensor/index.js'
import { examination } from '../record/examination.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, red, say } from '../record/shown.js'

/** The rotary embedding. */
export interface RopePositionsAliasOptions extends DTypeOption {
  /** The dtype of positions, frequencies and angles. Default: the dtype of the result. */
  readonly phases?: FloatDType
  /** Positions. Default: 1024. */
  readonly positions?: number
}

const frequencies = 32

/**
 * Rotary position embeddings with angles in bfloat16: from 256 on, neighbouring positions are one.
 *
 * Readings  `distinct` rows (cos, sin) among the positions, `firstAlias`: the first position whose row is that of the
 *           position before. The stable twin computes angles, cos and sin in float32 and rounds the rows.
 *
 * @example ropePositionsAlias.run().naive.firstAlias // 257
 */
export const ropePositionsAlias: Failure<RopePositionsAliasOptions> = failure<RopePositionsAliasOptions>({
  id: 'rope-positions-alias',
  title: 'Rotary positions above 256 are no longer different',
  story:
    'A rotary embedding turns the position, a whole number, into angles. Cast to bfloat16 together with everything else, 257 becomes 256, and further on two, four, eight positions share one number: attention cannot tell these tokens apart, whatever the model learned. Only the angles need float32; their cosines may be rounded.',
  source: 'https://github.com/huggingface/candle/pull/3520',
  reported:
    'Positions and frequencies were cast to bfloat16 before their product: positions above about 256 are no longer exact, the angles of long contexts become noise, and embeddings of long texts diverged from the reference. The fix builds the angles in float32.',
  repairs: [
    { change: 'angles in float32, cos and sin rounded to bfloat16', options: { phases: 'float32' } },
    { change: 'everything in float32', options: { dtype: 'float32' } },
  ],
  cure: examination('rotary embeddings of 1,024 positions', () => {
    const inputs = { positions: arange(0, 1024), exponents: tensor(frequencyExponents()) }
    return {
      f: rotary,
      inputs,
      question: 'no two positions beside each other are alike',
      target: { holds: (g) => !aliased(g(inputs)) },
    }
  }),
  options: { dtype: 'optional', phases: 'optional', positions: 'optional' },
  run({ dtype = 'bfloat16', phases = dtype, positions = 1024 }) {
    checkFloatDType(this.id, 'phases', phases)
    checkInteger(this.id, 'positions', positions, 2, 2 ** 15)
    const naive = distinctRows(embedding(positions, phases, dtype))
    const stable = distinctRows(embedding(positions, 'float32', dtype))
    const holds = naive.firstAlias !== null
    const kept = arange(0, positions, { dtype: phases }).toNumbers()
    const from = Math.max(0, (naive.firstAlias ?? 257) - 17)
    const shown = Array.from({ length: Math.min(64, positions - from) }, (_, i) => from + i)
    return {
      naive: { distinct: naive.distinct, firstAlias: naive.firstAlias },
      stable: { distinct: stable.distinct, firstAlias: stable.firstAlias },
      holds,
      text: holds
        ? `Position ${say(naive.firstAlias!)} has the same embedding as the one before; of ${say(positions)} positions ${say(naive.distinct)} are different, with float32 angles ${say(stable.distinct)}.`
        : `All ${say(naive.distinct)} positions have embeddings of their own.`,
      figure: {
        caption: `What ${phases} makes of the position.`,
        axes: ['position', 'position as kept'],
        series: [
          blue(
            'exact',
            shown.map((x) => ({ x, y: x })),
            'no dots',
          ),
          red(
            phases,
            shown.map((x) => ({ x, y: kept[x]! })),
          ),
        ],
        markers: holds
          ? [{ x: naive.firstAlias!, label: `${naive.firstAlias} is taken for ${kept[naive.firstAlias!]}` }]
          : [],
      },
    }
  },
})

/** The rows (cos, sin) of positions 0, 1, ... at the frequencies 10000^(-i / 32), computed in `phases`. */
function embedding(positions: number, phases: FloatDType, dtype: FloatDType): Tensor {
  const rate = Math.log(10_000) / frequencies
  const frequency = exp(
    tensor(
      Float64Array.from({ length: frequencies }, (_, i) => -i * rate),
      { dtype: phases },
    ),
  )
  const angles = mul(reshape(arange(0, positions, { dtype: phases }), [positions, 1]), frequency)
  return cast(concat([cos(angles), sin(angles)], { axis: 1 }), dtype)
}

function distinctRows(table: Tensor): { distinct: number; firstAlias: number | null } {
  const [rows, width] = table.shape as [number, number]
  const bits = table.toBits()
  const names = Array.from({ length: rows }, (_, i) => bits.slice(i * width, (i + 1) * width).join())
  const alias = names.findIndex((name, i) => i > 0 && name === names[i - 1])
  return { distinct: new Set(names).size, firstAlias: alias === -1 ? null : alias }
}

function rotary({ positions, exponents }: { readonly [name: string]: Tensor }): Tensor {
  const at = reshape(cast(positions!, 'bfloat16'), [1024, 1])
  const angles = mul(at, exp(cast(exponents!, 'bfloat16')))
  return concat([cos(angles), sin(angles)], { axis: 1 })
}

function frequencyExponents(): Float64Array {
  return Float64Array.from({ length: 16 }, (_, i) => (-i * Math.log(10_000)) / 16)
}

function aliased(table: Tensor): boolean {
  const width = table.shape[1]!
  const bits = table.toBits()
  const rows = Array.from({ length: table.shape[0]! }, (_, i) =>
    bits.slice(i * width, (i + 1) * width).join(),
  )
  return rows.some((row, i) => i > 0 && row === rows[i - 1])
}
