import { checkInteger, checkName, checkNumber } from '../../../base/options/index.js'
import { assign, compareAssignments } from '../../../models/vq/index.js'
import {
  add,
  expandDims,
  matmul,
  mul,
  slice,
  square,
  sub,
  sum,
  type Tensor,
  transpose,
} from '../../../tensors/tensor/index.js'
import { bfloat16Draws } from '../record/bfloat16Draws.js'
import { examination } from '../record/examination.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, red, say } from '../record/shown.js'

/** The comparison. */
export interface VqWrongCodesOptions extends DTypeOption {
  /** How distances are written. Default: 'expanded'. */
  readonly form?: 'expanded' | 'centred' | 'direct'
  /** What every number of every vector is off zero by. Default: 16. */
  readonly offset?: number
  /** How many vectors are coded. Default: 256. */
  readonly rows?: number
}

const [width, codes] = [16, 32]

/**
 * Vectors coded by |x|^2 - 2 x.c + |c|^2, sums in float32, results in bfloat16.
 *
 * Readings  `wrong`: how many of the vectors have another code than the nearest; the codebook is the first 32 of them, so these
 *           lie on their own codes. The stable twin takes the codebook's mean from both first.
 *
 * @example vqWrongCodes.run().naive.wrong > 200 // true
 */
export const vqWrongCodes: Failure<VqWrongCodesOptions> = failure<VqWrongCodesOptions>({
  id: 'vq-wrong-codes',
  title: 'Distances from one matrix product: nearly every code is wrong',
  story:
    'The nearest code is found by |x|^2 - 2 x.c + |c|^2, because that is one matrix product. Far from zero the three terms are large and their difference is small: in bfloat16 an ulp of |x|^2 is more than the distances themselves, many codes tie, and the first of them wins. Taking the mean of the codebook from both sides costs one subtraction and leaves the differences as they are.',
  source: 'https://github.com/scikit-learn/scikit-learn/issues/9354',
  reported:
    'Pairwise distances of float32 vectors differed from the norm of their difference: the expanded form is used to be fast. Until it was repaired by computing blocks in float64 the documentation warned of it, and whatever searches neighbours with it was affected.',
  repairs: [
    {
      change: 'the mean of the codebook taken from both first, still bfloat16',
      options: { form: 'centred' },
    },
    { change: 'the sum of (x - c)^2, still bfloat16', options: { form: 'direct' } },
    { change: 'results in float32', options: { dtype: 'float32' } },
  ],
  cure: examination('256 vectors and 32 codes at an offset of 16, distances expanded', () => {
    const x = bfloat16Draws(31, [256, width], { mean: 16 })
    const inputs = { x, codebook: slice(x, [[0, codes]]) }
    const right = assign(x, inputs.codebook).data
    return {
      f: expanded,
      inputs,
      question: 'no more than one code in twenty wrong',
      target: {
        holds: (g) => firstLeast(g(inputs)).filter((code, i) => code !== right[i]).length <= 256 / 20,
      },
      groupBy: 'name',
    }
  }),
  options: { dtype: 'optional', form: 'optional', offset: 'optional', rows: 'optional' },
  run({ dtype = 'bfloat16', form = 'expanded', offset = 16, rows = 256 }) {
    checkName(this.id, 'form', form, ['expanded', 'centred', 'direct'])
    checkNumber(this.id, 'offset', offset, 0, 1e6)
    checkInteger(this.id, 'rows', rows, codes, 4096)
    const wrongAt = (where: number, how: 'expanded' | 'centred' | 'direct'): number => {
      const x = bfloat16Draws(31, [rows, width], { mean: where })
      const given = { form: how, dtype, accumulate: 'float32' } as const
      return compareAssignments(x, slice(x, [[0, codes]]), given).wrong
    }
    const [naive, stable] = [wrongAt(offset, form), wrongAt(offset, 'centred')]
    const holds = naive > rows / 20
    const offsets = [0, 1, 2, 4, 8, 16, 32]
    const percent = (how: 'expanded' | 'centred' | 'direct') =>
      offsets.map((x) => ({ x, y: (100 * wrongAt(x, how)) / rows }))
    return {
      naive: { wrong: naive },
      stable: { wrong: stable },
      holds,
      text: holds
        ? `${say(naive)} of ${say(rows)} vectors have a wrong code; with the codebook's mean taken from both sides ${say(stable)}.`
        : `${say(naive)} of ${say(rows)} vectors have a wrong code.`,
      figure: {
        caption: `${rows} vectors of ${width} numbers, normal with variance 1 around the offset; ${codes} codes.`,
        axes: ['offset', 'percent of wrong codes'],
        series: [blue('mean taken first', percent('centred')), red(`${form}, ${dtype}`, percent(form))],
      },
    }
  },
})

function expanded({ x, codebook }: { readonly [name: string]: Tensor }): Tensor {
  const how = { axis: 1, accumulate: 'float32' } as const
  const x2 = expandDims(sum(square(x!), how), 1)
  return add(sub(x2, mul(matmul(x!, transpose(codebook!)), 2)), sum(square(codebook!), how))
}

function firstLeast(distances: Tensor): number[] {
  const [n, k] = distances.shape as [number, number]
  const values = distances.toNumbers()
  return Array.from({ length: n }, (_, i) => {
    const row = values.subarray(i * k, (i + 1) * k)
    return row.indexOf(Math.min(...row))
  })
}
