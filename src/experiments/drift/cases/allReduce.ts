import { readable } from '../../../base/text/index.js'
import { mesh } from '../../../planning/sharding/index.js'
import { type FloatDType, tensor } from '../../../tensors/tensor/index.js'
import { allReduce, deviceMesh, type GroupOrder } from '../../../training/collectives/index.js'
import { boundOf } from '../lab/bounds.js'
import { normalDraws } from '../lab/driftInputs.js'
import { atLongest, formatNumber } from '../lab/formatNumber.js'
import type { Role } from '../lab/measurement.js'
import { type Operation, powersOfTwo } from '../lab/operation.js'
import { LongSum } from '../lab/reference.js'

/** Elements of a gradient; every replica has a gradient of its own. */
const elements = 64

const offsets = { 'mean 0': 0, 'mean 1': 1 } as const

const ways: readonly { name: string; role: Role; order: GroupOrder; wide: boolean }[] = [
  { name: 'ring', role: 'naive', order: 'ring', wide: false },
  { name: 'ring both ways', role: 'other', order: 'bidirectional', wide: false },
  { name: 'all-to-all', role: 'other', order: 'all-to-all', wide: false },
  { name: 'tree', role: 'other', order: 'tree', wide: false },
  { name: 'ring in float32', role: 'stable', order: 'ring', wide: true },
  { name: 'tree in float32', role: 'other', order: 'tree', wide: true },
]

/** The sum of gradients over replicas, in the orders of real networks. */
export const allReduceCase: Operation = {
  name: 'allreduce',
  title: 'All-reduce',
  about:
    'The sum over N replicas of a gradient of 64 standard normal numbers, of mean 0 or 1. A ring adds each of its N chunks hop by hop from another replica on, the second half of them the other way round where both directions are used; an all-to-all adds in the order of the replicas; a tree adds pairs. Every partial sum is rounded to the dtype or to float32, and the total to the dtype.',
  lengthName: 'replicas',
  lengths: powersOfTwo(2, 2048),
  running: false,
  training: true,
  growth: 'maxAbs',
  trials: (lab) => {
    const { dtype } = lab
    const draws = normalDraws(lab.seed, 7, elements * Math.max(...lab.lengths))
    return Object.entries(offsets).flatMap(([input, offset]) =>
      lab.lengths.map((length) => () => {
        const replicas = Array.from({ length }, (_, r) =>
          tensor(
            draws.subarray(r * elements, (r + 1) * elements).map((z) => z + offset),
            { dtype },
          ),
        )
        const devices = deviceMesh(mesh({ shape: [length], axisNames: ['replica'] }))
        const held = devices.addends('replica', replicas)
        const values = replicas.map((x) => x.toNumbers())
        const totals = (of: (x: number) => number): Float64Array =>
          Float64Array.from({ length: elements }, (_, i) => {
            const sum = new LongSum()
            for (const row of values) sum.add(of(row[i]!))
            return sum.value
          })
        const sumAbs = Math.max(...totals(Math.abs))
        return {
          variant: '',
          input,
          length,
          reference: totals((x) => x),
          ways: ways.map(({ name, role, order, wide }) => {
            const accumulate: FloatDType = wide ? 'float32' : dtype
            const how = {
              n: length,
              dtype,
              accumulate,
              order: order === 'tree' ? 'pairwise' : 'sequential',
            } as const
            return {
              name,
              role,
              compute: () =>
                order === 'bidirectional'
                  ? devices.allReduce(held, { axis: 'replica', order, accumulate }).result.shards[0]!
                  : allReduce(replicas, { order, accumulate }),
              bound: () => boundOf('sum', how, sumAbs),
            }
          }),
        }
      }),
    )
  },
  finding: (rows, dtype) => {
    const of = (way: string) => atLongest(rows, { input: 'mean 1', way })
    const ring = of('ring')
    if (!ring) return ''
    const off = (way: string) => formatNumber(of(way)?.maxUlps, 3)
    return `Over ${readable(ring.length)} replicas the ${dtype} sum of gradients of mean 1 is off by up to ${off('ring')} ulps around a ring and ${off('tree')} up a tree; with float32 partial sums by ${off('ring in float32')}.`
  },
  figures: () =>
    Object.keys(offsets).map((input) => ({
      input,
      variant: '',
      measure: 'maxAbs' as const,
      caption: `Largest error of an element by the number of replicas, gradients of ${input}.`,
    })),
}
