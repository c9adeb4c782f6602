import { checkInteger } from '../../base/options/index.js'
import { foldIn, key, normal } from '../../tensors/random/index.js'
import {
  add,
  cast,
  checkFloatDType,
  type FloatDType,
  type Tensor,
  tensor,
} from '../../tensors/tensor/index.js'
import { allReduce, type ReduceOrder } from '../../training/collectives/index.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, red, say } from './record/shown.js'

/** The reduction. */
export interface RingAllReduceOptions extends DTypeOption {
  /** Default: 'ring'. */
  readonly order?: ReduceOrder
  /** The dtype of partial sums. Default: that of the gradients. */
  readonly accumulate?: FloatDType
  /** The largest number of replicas; rings of 2, 4, 8 ... are run up to it. Default: 256. */
  readonly replicas?: number
}

const elements = 256

/**
 * Gradients averaged over a ring in bfloat16: the more replicas, the wronger.
 *
 * Readings  `replicas` and the largest relative error of the 256 means, `errors`, one a ring; `worst` of the largest. The
 *           replicas' gradients are draws of mean and variance 1. The stable form is 'all-to-all' with float32 sums.
 *
 * @example ringAllReduce.run().naive.worst > 0.01 // true
 */
export const ringAllReduce: Failure<RingAllReduceOptions> = failure<RingAllReduceOptions>({
  id: 'ring-all-reduce',
  title: 'A bfloat16 all-reduce is the worse the larger the ring',
  story:
    'In a ring a chunk of the gradient travels from replica to replica, and each adds its share to the partial sum: N - 1 roundings one after the other, the later ones of a share to a sum that is many times larger. The same gradients, averaged over 256 replicas, have lost digits that they have over 4. A tree adds values of like size and rounds log2 N times; float32 sums lose nothing that shows.',
  source: 'https://github.com/NVIDIA/nccl/issues/1026',
  reported:
    'A request for float32 accumulation of bfloat16 gradients. The maintainers: rings are the least precise algorithm, since one value is added to the sum of N with N increasing; trees add values of equal weight, and a direct all-to-all can be better still.',
  repairs: [
    { change: 'float32 partial sums', options: { accumulate: 'float32' } },
    { change: 'a tree, still bfloat16', options: { order: 'tree' } },
    { change: 'gradients in float32', options: { dtype: 'float32' } },
    { change: 'a ring of 4', options: { replicas: 4 } },
  ],
  cure: {
    none: 'the partial sums live in a collective, between devices, and not in operations of one program',
  },
  options: { dtype: 'optional', order: 'optional', accumulate: 'optional', replicas: 'optional' },
  run({ dtype = 'bfloat16', order = 'ring', accumulate = dtype, replicas = 256 }) {
    checkFloatDType(this.id, 'accumulate', accumulate)
    checkInteger(this.id, 'replicas', replicas, 2, 1024)
    const gradients = Array.from({ length: replicas }, (_, r) => {
      return cast(add(tensor(normal(foldIn(key(9), r), elements)), 1), dtype)
    })
    const sizes = Array.from({ length: Math.floor(Math.log2(replicas)) }, (_, i) => 2 ** (i + 1))
    const errors = (how: ReduceOrder, sums: FloatDType) =>
      sizes.map((n) => worstError(gradients.slice(0, n), how, sums))
    const naive = errors(order, accumulate)
    const stable = errors('all-to-all', 'float32')
    const [worst, right] = [naive.at(-1)!, stable.at(-1)!]
    const most = sizes.at(-1)!
    const holds = worst > 0.01 && worst > 4 * naive[0]!
    const points = (values: readonly number[]) => values.map((y, i) => ({ x: sizes[i]!, y }))
    return {
      naive: { worst, replicas: sizes, errors: naive },
      stable: { worst: right, replicas: sizes, errors: stable },
      holds,
      text: `Over ${say(sizes[0]!)} replicas the worst mean is off by ${percent(naive[0]!)}, over ${say(most)} by ${percent(worst)}; with float32 sums by ${percent(right)}.`,
      figure: {
        caption: `The largest relative error of ${elements} mean gradients, by the number of replicas.`,
        axes: [
          { label: 'replicas', scale: 'log2' },
          { label: 'largest relative error', scale: 'log10' },
        ],
        series: [
          blue('float32 sums', points(stable)),
          red(`${order}, ${accumulate} sums`, points(naive)),
          { name: `tree, ${dtype} sums`, color: 'grey', points: points(errors('tree', dtype)), dashed: true },
        ],
      },
    }
  },
})

/** The largest relative error of the means: against the same gradients in float64. */
function worstError(gradients: readonly Tensor[], order: ReduceOrder, accumulate: FloatDType): number {
  const means = allReduce(gradients, { order, op: 'mean', accumulate }).toNumbers()
  const wide = gradients.map((gradient) => cast(gradient, 'float64'))
  const exact = allReduce(wide, { order: 'tree', op: 'mean' }).toNumbers()
  // Where a mean is small the error is that of its largest neighbours: relative to the mean of means, 1.
  return means.reduce((worst, mean, i) => Math.max(worst, Math.abs(mean - exact[i]!)), 0)
}

function percent(share: number): string {
  return `${say(Number((100 * share).toPrecision(2)))} %`
}
