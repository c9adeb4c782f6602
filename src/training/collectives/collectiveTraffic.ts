import { checkInteger, checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import { checkFloatDType, dtypeFacts, type FloatDType } from '../../tensors/tensor/index.js'
import { chunkSize } from './chunks.js'
import { type ReduceOrder, reduceOrders } from './orders.js'

/** What is sent. */
export interface TrafficOptions {
  readonly order: ReduceOrder
  /** How many replicas there are. */
  readonly replicas: number
  /** How many elements each has. */
  readonly elements: number
  /** The dtype of the elements. Default: 'bfloat16'. */
  readonly dtype?: FloatDType
  /** The dtype of partial sums. Default: that of the elements. */
  readonly accumulate?: FloatDType
}

const names: OptionTable<TrafficOptions> = {
  order: 'required',
  replicas: 'required',
  elements: 'required',
  dtype: 'optional',
  accumulate: 'optional',
}

/** An all-to-all lists a link for every pair of replicas: more would not fit into memory. */
const mostReplicas: Readonly<Record<ReduceOrder, number>> = {
  ring: 2 ** 20,
  tree: 2 ** 20,
  'all-to-all': 2 ** 11,
}

/** Bytes from one replica to another, in all steps together. */
export interface Link {
  readonly from: number
  readonly to: number
  readonly bytes: number
}

/** What an all-reduce moves. */
export interface Traffic {
  /** Steps that must follow one another. */
  readonly steps: number
  /** Every pair of replicas between which something goes, by `from`, then `to`. */
  readonly links: readonly Link[]
  /** Bytes of the busiest link. */
  readonly perLink: number
  /** Bytes that the busiest replica sends. */
  readonly perReplica: number
  /** Bytes on all links. */
  readonly total: number
}

/**
 * The bytes that `allReduce` of one leaf moves over each link. A ring and a tree send partial sums, in `accumulate`,
 * then the result, in `dtype`; an all-to-all sends the elements themselves, so that wide sums cost it nothing.
 * A ring's 2 (N - 1) steps send 2 (N - 1) / N of the elements from every replica, which is the least there is; a tree has
 * 2 ceil(log2 N) steps of all of them; an all-to-all 2 steps over N (N - 1) links.
 *
 * Special   at most 2^20 replicas, 2^11 of an all-to-all, whose links are one for every two of them.
 * Source    Bandwidth optimal all-reduce algorithms, doi:10.1016/j.jpdc.2008.09.002
 *
 * @example collectiveTraffic({ order: 'ring', replicas: 4, elements: 1000 }).perLink // 3000
 * @example collectiveTraffic({ order: 'ring', replicas: 4, elements: 1000, accumulate: 'float32' }).perLink // 4500
 */
export function collectiveTraffic(options: TrafficOptions): Traffic {
  checkOptions('collectiveTraffic', options, names)
  const { order, replicas, elements, dtype = 'bfloat16', accumulate = dtype } = options
  checkName('collectiveTraffic', 'order', order, reduceOrders)
  checkInteger('collectiveTraffic', `replicas of order ${order}`, replicas, 1, mostReplicas[order])
  checkInteger('collectiveTraffic', 'elements', elements, 0)
  const narrow = bitsOf('dtype', dtype)
  const sums = bitsOf('accumulate', accumulate)
  const links: Link[] = []
  const size = (c: number): number => chunkSize(elements, replicas, c % replicas)
  const link = (from: number, to: number, reduced: number, gathered: number, wire = sums): void => {
    links.push({ from, to, bytes: Math.ceil((reduced * wire) / 8) + Math.ceil((gathered * narrow) / 8) })
  }
  let steps = 0
  if (order === 'ring') {
    steps = 2 * (replicas - 1)
    // Each passes on all chunks but the one it completes, then all but the one that its neighbour completed.
    for (let r = 0; r < replicas && replicas > 1; r++) {
      link(r, (r + 1) % replicas, elements - size(r), elements - size(r + 1))
    }
  } else if (order === 'tree') {
    steps = 2 * Math.ceil(Math.log2(replicas))
    for (let reach = 1; reach < replicas; reach *= 2) {
      for (let r = 0; r + reach < replicas; r += 2 * reach) {
        link(r + reach, r, elements, 0)
        link(r, r + reach, 0, elements)
      }
    }
  } else {
    steps = replicas === 1 ? 0 : 2
    for (let from = 0; from < replicas; from++) {
      for (let to = 0; to < replicas; to++) {
        if (to !== from) link(from, to, size(to), size(from), Math.min(narrow, sums))
      }
    }
  }
  links.sort((a, b) => a.from - b.from || a.to - b.to)
  const sent = new Float64Array(replicas)
  for (const { from, bytes } of links) sent[from]! += bytes
  return {
    steps,
    links,
    perLink: links.reduce((most, { bytes }) => Math.max(most, bytes), 0),
    perReplica: sent.reduce((most, bytes) => Math.max(most, bytes), 0),
    total: links.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

function bitsOf(name: string, dtype: FloatDType): number {
  checkFloatDType('collectiveTraffic', name, dtype)
  return dtypeFacts(dtype).bits
}
