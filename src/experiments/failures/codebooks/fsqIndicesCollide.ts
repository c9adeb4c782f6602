import { checkArray, checkInteger } from '../../../base/options/index.js'
import { fsq } from '../../../models/vq/index.js'
import { add, cast, mul, sum, type Tensor, tensor } from '../../../tensors/tensor/index.js'
import { examination } from '../record/examination.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, red, say } from '../record/shown.js'

/** The indices. */
export interface FsqIndicesCollideOptions extends DTypeOption {
  /** Levels of each number. Default: [8, 5, 5, 5]. */
  readonly levels?: readonly number[]
}

/**
 * Indices of finite scalar quantisation, computed from the values in bfloat16 with float32 sums.
 *
 * Readings  `codes`: how many there are, `distinct`: how many indices come out, `beyond`: how many codes have one that there is not.
 *           The stable twin computes them in float32.
 *
 * @example fsqIndicesCollide.run().naive.distinct // 507
 */
export const fsqIndicesCollide: Failure<FsqIndicesCollideOptions> = failure<FsqIndicesCollideOptions>({
  id: 'fsq-indices-collide',
  title: 'Indices in bfloat16: of 1,000 codes 507 are left',
  story:
    'Finite scalar quantisation rounds each number to a few levels, and the index of a code is the digits times 1, 8, 40, 200. A model cast to bfloat16 computes that in bfloat16 too, which has every whole number up to 256 only: above it two or four codes share an index, the largest becomes one that there is not, and half of the codebook seems to be dead. The values are right; only the indices need whole numbers.',
  source: 'https://github.com/lucidrains/vector-quantize-pytorch/issues/114',
  reported:
    'With levels 8, 5, 5, 5 the share of codes in use scratches 50 % from below in bfloat16 training, and 100 % in float32. The library forces float32 for the step since.',
  repairs: [
    { change: 'indices in float32', options: { dtype: 'float32' } },
    { change: 'no more than 256 codes, levels 8, 6, 5', options: { levels: [8, 6, 5] } },
  ],
  cure: examination('the indices of 1,000 codes', () => {
    const own = [8, 5, 5, 5]
    const inputs = { values: cast(everyCode(own), 'bfloat16') }
    const basis = fsq(own).basis
    const half = own.map((level) => Math.floor(level / 2))
    return {
      f: ({ values }: { readonly [name: string]: Tensor }): Tensor => {
        const row = (numbers: readonly number[]): Tensor => tensor(numbers, { dtype: values!.dtype })
        const digits = add(mul(values!, row(half)), row(half))
        return cast(sum(mul(digits, row(basis)), { axis: 1, accumulate: 'float32' }), 'float32')
      },
      inputs,
      question: 'no two codes have one index',
      target: { holds: (g) => new Set(g(inputs).toNumbers()).size === 1000 },
      groupBy: 'name',
    }
  }),
  options: { dtype: 'optional', levels: 'optional' },
  run({ dtype = 'bfloat16', levels = [8, 5, 5, 5] }) {
    checkArray(this.id, 'levels', levels)
    for (const level of levels) checkInteger(this.id, 'a level', level, 2, 64)
    const { size, index } = fsq(levels)
    checkInteger(this.id, 'the number of codes', size, 2, 2 ** 16)
    const values = everyCode(levels)
    const naive = Array.from(index(values, { dtype, accumulate: 'float32' }).toNumbers())
    const stable = Array.from(index(values, { dtype: 'float32' }).toNumbers())
    const [left, right] = [countsOf(naive, size), countsOf(stable, size)]
    const holds = left.distinct < size
    const from = Math.max(0, Math.min(size - 64, (naive.findIndex((found, i) => found !== i) || 257) - 9))
    const shown = Array.from({ length: Math.min(64, size) }, (_, i) => from + i)
    return {
      naive: { codes: size, ...left },
      stable: { codes: size, ...right },
      holds,
      text: holds
        ? `The ${say(size)} codes have ${say(left.distinct)} indices, and ${say(left.beyond)} codes one that there is not; in float32 they have ${say(right.distinct)}.`
        : `Each of ${say(left.distinct)} codes has an index of its own.`,
      figure: {
        caption: `Levels ${levels.join(', ')}.`,
        axes: ['index of the code', 'index as computed'],
        series: [
          blue(
            'exact',
            shown.map((x) => ({ x, y: x })),
            'no dots',
          ),
          red(
            dtype,
            shown.map((x) => ({ x, y: naive[x]! })),
          ),
        ],
      },
    }
  },
})

/** The values of every code, in the order of the codes. */
function everyCode(levels: readonly number[]): Tensor<'float64'> {
  const { size, decode } = fsq(levels)
  return decode(
    tensor(
      Int32Array.from({ length: size }, (_, i) => i),
      { dtype: 'int32' },
    ),
  )
}

function countsOf(indices: readonly number[], size: number): { distinct: number; beyond: number } {
  return { distinct: new Set(indices).size, beyond: indices.filter((index) => index >= size).length }
}
