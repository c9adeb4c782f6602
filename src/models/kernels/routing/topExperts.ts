import {
  apply,
  arange,
  argsort,
  equal,
  expandDims,
  type KnownOp,
  sizeOf,
  slice,
  sum,
  Tensor,
  where,
  zeros,
} from '../../../tensors/tensor/index.js'

interface Top {
  readonly k: number
}

/** Above in the total order of lax.top_k: NaN above Inf, +0 above -0; equals keep their order. */
function above(a: number, b: number): boolean {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) && !Number.isNaN(b)
  return a > b || (a === 0 && b === 0 && Object.is(b, -0) && Object.is(a, 0))
}

/** The places of the k largest along the last axis, largest first, of equals the lowest place first. */
export const topExpertsOp: KnownOp<Top> = {
  name: 'topExperts',
  form: 'whole',
  rounds: 'decides',
  kernel: ([x], { k }) => {
    const experts = x!.shape.at(-1)!
    const rows = sizeOf(x!.shape.slice(0, -1))
    const values = x!.toNumbers()
    const data = new Int32Array(rows * k)
    for (let row = 0; row < rows; row++) {
      const lane = values.subarray(row * experts, (row + 1) * experts)
      const best = data.subarray(row * k, (row + 1) * k)
      for (let expert = 0, filled = 0; expert < experts; expert++) {
        let place = filled
        while (place > 0 && above(lane[expert]!, lane[best[place - 1]!]!)) place--
        if (place === k) continue
        filled = Math.min(filled + 1, k)
        best.copyWithin(place + 1, place, filled - 1)
        best[place] = expert
      }
    }
    return new Tensor('int32', [...x!.shape.slice(0, -1), k], data)
  },
  exact: ([x], { k }) =>
    slice(argsort(x!, { descending: true }), [...x!.shape.slice(0, -1).map(() => null), [0, k]]),
  gradient: () => [],
}

/** The places of the k largest along the last axis. */
export function topExperts(x: Tensor, k: number): Tensor<'int32'> {
  return apply(topExpertsOp, [x], { k }) as Tensor<'int32'>
}

/** The elements of x at the places of experts along the last axis. */
const chosenOp: KnownOp = {
  name: 'chosen',
  form: 'whole',
  rounds: 'never',
  kernel: ([x, experts]) => {
    const result = zeros(experts!.shape, { dtype: x!.dtype })
    walk(x!, experts!, (from, to) => {
      result.data[to] = x!.data[from]!
    })
    return result
  },
  exact: ([x, experts]) =>
    sum(where(isExpert(experts!, x!.shape.at(-1)!), expandDims(x!, -2), 0), { axis: -1 }),
  gradient: ({ g, inputs: [x, experts] }) => [
    apply(unchosenOp, [g, experts!], { width: x!.shape.at(-1)! }),
    undefined,
  ],
}

/** Whether a place of the last axis, which is new, is the one that an index names. */
const isExpert = (experts: Tensor, width: number): Tensor<'bool'> =>
  equal(expandDims(experts, -1), arange(0, width, { dtype: experts.dtype }))

interface Unchosen {
  readonly width: number
}

/** Its gradient: elements back at their places, +0 elsewhere; a place is named once a row. */
const unchosenOp: KnownOp<Unchosen> = {
  name: 'unchosen',
  form: 'whole',
  rounds: 'never',
  kernel: ([g, experts], { width }) => {
    const result = zeros([...g!.shape.slice(0, -1), width], { dtype: g!.dtype })
    walk(result, experts!, (to, from) => {
      result.data[to] = g!.data[from]!
    })
    return result
  },
  exact: ([g, experts], { width }) =>
    sum(where(isExpert(experts!, width), expandDims(g!, -1), 0), { axis: -2 }),
  gradient: ({ g, inputs: [, experts] }) => [chosen(g, experts!), undefined],
}

function walk(x: Tensor, experts: Tensor, each: (inX: number, inExperts: number) => void): void {
  const width = x.shape.at(-1)!
  const k = experts.shape.at(-1)!
  for (let i = 0; i < experts.size; i++) {
    const expert = Number(experts.data[i])
    if (!(expert >= 0 && expert < width)) {
      throw new RangeError(`route: an expert outside ${width} [${expert}]`)
    }
    each(Math.floor(i / k) * width + expert, i)
  }
}

/** The elements of x at the places of experts along the last axis; the gradient goes back to those. */
export function chosen(x: Tensor, experts: Tensor): Tensor {
  return apply(chosenOp, [x, experts], undefined)
}
