import { readable } from '../../../base/text/index.js'
import { type FormatName, format } from '../../../numbers/formats/index.js'
import { adamw, applyGradients, type GradientTransformation } from '../../../optimizer/index.js'
import { key } from '../../../tensors/random/index.js'
import { cast, full, type Tensor, tensor } from '../../../tensors/tensor/index.js'
import { leavesOf, type Tree } from '../../../tensors/tree/index.js'
import {
  type Stepper,
  type StoredParamsOptions,
  stalledUpdates,
  storedParams,
} from '../../../training/lowprecision/index.js'
import { atLongest, formatNumber } from '../lab/formatNumber.js'
import { gradient, hyper, size, start } from '../lab/leastSquares.js'
import type { Lab, Role } from '../lab/measurement.js'
import { type Operation, powersOfTwo } from '../lab/operation.js'

/** Parameters at the steps that are looked at, and the share of that step's updates too small to move theirs. */
type Snapshots = ReadonlyMap<number, { readonly params: Tensor; readonly stallShare: number }>

interface Mode {
  readonly name: string
  readonly role: Role
  readonly options: (lab: Lab) => StoredParamsOptions
}

const modes: readonly Mode[] = [
  {
    name: 'all in the dtype',
    role: 'naive',
    options: ({ dtype }) => ({ mode: 'nearest', dtype, optimizerDtype: dtype }),
  },
  { name: 'float32 state', role: 'other', options: ({ dtype }) => ({ mode: 'nearest', dtype }) },
  {
    name: 'stochastic',
    role: 'other',
    options: ({ dtype, seed }) => ({ mode: 'stochastic', dtype, random: key(seed) }),
  },
  { name: 'kahan', role: 'other', options: ({ dtype }) => ({ mode: 'kahan', dtype }) },
  { name: 'master copy', role: 'stable', options: ({ dtype }) => ({ mode: 'master', dtype }) },
]

const weights = (params: Tree): Tensor => leavesOf(params)[0]!

/** The parameters as the dtype has them, from where all runs start. */
const startIn = (dtype: FormatName): Tensor<FormatName> => tensor(start, { dtype })

function exactWeights(lab: Lab): Map<number, Float64Array> {
  const optimizer = adamw(hyper)
  const found = new Map<number, Float64Array>()
  let point = { params: [cast(startIn(lab.dtype), 'float64')] as Tree, state: optimizer.init([]) }
  point = { ...point, state: optimizer.init(point.params) }
  for (let step = 1; step <= Math.max(...lab.lengths); step++) {
    const g = gradient(weights(point.params).toNumbers(), (x) => x)
    point = applyGradients(optimizer, [tensor(g, { dtype: 'float64' })], point)
    if (lab.lengths.includes(step)) found.set(step, weights(point.params).toNumbers())
  }
  return found
}

function run(lab: Lab, options: StoredParamsOptions): Snapshots {
  const found = new Map<number, { params: Tensor; stallShare: number }>()
  const inner = adamw(hyper) as GradientTransformation
  let stallShare = 0
  let params: Tensor = startIn(lab.dtype)
  const watched: GradientTransformation = {
    init: (tree) => inner.init(tree),
    update(grads, state, tree) {
      const [updates, next] = inner.update(grads, state, tree)
      stallShare = stalledUpdates([params], updates).share
      return [updates, next]
    },
  }
  const optimizer = storedParams(watched, options) as Stepper
  let point = optimizer.init([params])
  for (let step = 1; step <= Math.max(...lab.lengths); step++) {
    const g = gradient(params.toNumbers(), Math.fround)
    point = optimizer.step([tensor(g, { dtype: lab.dtype })], point)
    params = weights(point.params)
    if (lab.lengths.includes(step)) found.set(step, { params, stallShare })
  }
  return found
}

/** Parameters under AdamW, stored in the dtype in every way there is. */
export const optimizerCase: Operation = {
  name: 'optimizer',
  title: 'Optimizer',
  about:
    'The parameters of 64 x 64 least squares under AdamW (rate 0.001, b2 0.999, weight decay 0.01), as the model sees them after so many steps, against the same run in float64. "All in the dtype": parameters, gradients, moments and updates. In the other ways gradients are rounded to the dtype and the optimizer computes in float32; its updates are added to nearest ("float32 state"), rounded up or down at random ("stochastic"), with a second number for what was rounded away ("kahan"), or to a float32 copy ("master copy"). "Stalled" is the share of the last step\'s updates that are under half an ulp of their parameter: to nearest, they change nothing.',
  lengthName: 'steps',
  lengths: [...powersOfTwo(2, 256), 500],
  running: false,
  training: true,
  growth: 'maxAbs',
  trials: (lab) => {
    const { signed } = format(lab.dtype)
    const exact = exactWeights(lab)
    const runs = new Map(signed ? modes.map(({ name, options }) => [name, run(lab, options(lab))]) : [])
    return lab.lengths.map((length) => () => ({
      variant: '',
      input: 'least squares',
      length,
      reference: exact.get(length)!,
      ways: modes.map(({ name, role }) => {
        const seen = runs.get(name)?.get(length)
        return {
          name,
          role,
          // Parameters of both signs have no place in a format without a sign.
          compute: () => seen?.params ?? full([size], Number.NaN, { dtype: lab.dtype }),
          stallShare: () => seen?.stallShare ?? null,
        }
      }),
    }))
  },
  finding: (rows, dtype) => {
    const at = (way: string) => atLongest(rows, { way })
    const naive = at('all in the dtype')
    if (!naive) return ''
    if (naive.stallShare === null) {
      return `${dtype} has no negative numbers: parameters of both signs cannot be stored in it, at 0 of ${readable(naive.length)} steps.`
    }
    const stalled = readable(100 * naive.stallShare, 3)
    const off = (way: string) => formatNumber(at(way)?.maxAbs, 2)
    return `After ${readable(naive.length)} steps ${stalled} % of the updates are under half an ulp of their ${dtype} parameter. The largest distance from the float64 run: ${off('all in the dtype')} all in ${dtype}, ${off('float32 state')} with float32 state, ${off('stochastic')} rounded stochastically, ${off('kahan')} with Kahan's compensation, ${off('master copy')} with a float32 master copy; the last is what rounding for the model costs.`
  },
  figures: () => [
    {
      input: 'least squares',
      variant: '',
      measure: 'maxAbs',
      caption: 'Largest distance of a parameter from the float64 run.',
    },
    {
      input: 'least squares',
      variant: '',
      measure: 'stallShare',
      caption:
        "Share of a step's updates under half an ulp of their parameter. Only to nearest are they lost.",
    },
  ],
}
