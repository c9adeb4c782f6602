import {
  apply,
  type FloatDType,
  type KnownOp,
  roundingTo,
  type Tensor,
  take,
  tensor,
} from '../../../tensors/tensor/index.js'

interface Sums {
  readonly k: number
  readonly dtype: FloatDType
}

/** The sum of the rows of each code: from 0, in the order of the rows, every step rounded. */
const codeTotalsOp: KnownOp<Sums> = {
  name: 'codeTotals',
  form: 'whole',
  rounds: 'each step',
  kernel: ([x, codes], { k, dtype }) => {
    const d = x!.shape[1]!
    const totals = new Float64Array(k * d)
    addRows(x!.toNumbers(), (codes as Tensor<'int32'>).data, d, totals, roundingTo(dtype))
    return tensor(totals, { shape: [k, d], dtype })
  },
  gradient: ({ g, inputs: [, codes] }) => [take(g, codes as Tensor<'int32'>, { axis: 0 }), undefined],
}

function addRows(
  x: Float64Array,
  codes: ArrayLike<number>,
  d: number,
  totals: Float64Array,
  round: (value: number) => number,
): void {
  for (let i = 0; i < codes.length; i++) {
    const to = codes[i]! * d
    for (let j = 0; j < d; j++) totals[to + j] = round(totals[to + j]! + x[i * d + j]!)
  }
}

/** How often each code was chosen: from 0, + 1 for every row, every step rounded. */
const codeCountsOp: KnownOp<Sums> = {
  name: 'codeCounts',
  form: 'whole',
  rounds: 'each step',
  kernel: ([codes], { k, dtype }) => {
    const round = roundingTo(dtype)
    const counts = new Float64Array(k)
    for (const code of (codes as Tensor<'int32'>).data) counts[code] = round(counts[code]! + 1)
    return tensor(counts, { shape: [k], dtype })
  },
  gradient: () => [],
}

/** The sums [k, d] of the rows of x [n, d] that have each code; x and the result have the dtype. */
export const codeTotals = (x: Tensor, codes: Tensor<'int32'>, k: number): Tensor =>
  apply(codeTotalsOp, [x, codes], { k, dtype: x.dtype as FloatDType })

/** The counts [k] of each code, in a dtype that rounds them. */
export const codeCounts = (codes: Tensor<'int32'>, k: number, dtype: FloatDType): Tensor =>
  apply(codeCountsOp, [codes], { k, dtype })
