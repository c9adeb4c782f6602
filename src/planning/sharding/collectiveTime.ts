import {
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  type OptionTable,
  shown,
} from '../../base/options/index.js'

/** A collective operation. */
export type Collective = 'all-gather' | 'reduce-scatter' | 'all-reduce' | 'all-to-all'

const collectives: readonly Collective[] = ['all-gather', 'reduce-scatter', 'all-reduce', 'all-to-all']

/** A collective, and the links it goes over. */
export interface CollectiveTimeOptions {
  readonly op: Collective
  /** Bytes of the whole array, on all devices of the axes together: V. */
  readonly bytes: number
  /** Devices along each axis of the torus that takes part. */
  readonly axisSizes: readonly number[]
  /** One direction of one link: W. */
  readonly linkBytesPerSecond: number
  /** Whether the axes close to rings: all of them, or one answer each. Default: true. */
  readonly wrap?: boolean | readonly boolean[]
  /** The time of one hop. Default: 1e-6. */
  readonly hopSeconds?: number
}

const collectiveTimeNames: OptionTable<CollectiveTimeOptions> = {
  op: 'required',
  bytes: 'required',
  axisSizes: 'required',
  linkBytesPerSecond: 'required',
  wrap: 'optional',
  hopSeconds: 'optional',
}

/** How long a collective takes. */
export interface CollectiveTime {
  /** The larger of the two below. */
  readonly seconds: number
  /** Bytes over links: on rings V / (2 W axes), whatever the number of devices; on lines V (n - 1) / n / (W axes). */
  readonly bandwidthSeconds: number
  /** On rings the exact (n - 1) / n of bandwidthSeconds, which the book leaves out; all-to-all: bandwidthSeconds. */
  readonly exactBandwidthSeconds: number
  /** Hops one after the other: ceil(n / 2) along a ring, n - 1 along a line. */
  readonly latencySeconds: number
  /** What any algorithm sends from a device at least. */
  readonly sentBytesPerDevice: number
}

/**
 * The time of a collective over ICI by the scaling book's model: bandwidth or hops, whichever is more. An all-reduce is a
 * reduce-scatter and an all-gather; an all-to-all moves a quarter of it on a ring, half on a line.
 *
 * Throws    RangeError for sizes and rates that are none.
 * Source    scaling book, part 3 (2025-02-18)
 *
 * @example const gather = { op: 'all-gather', bytes: 2 ** 25, axisSizes: [16], linkBytesPerSecond: 45e9 }
 * collectiveTime(gather).seconds // 0.0003728270222222222
 * collectiveTime({ ...gather, bytes: 4096 }).seconds // 0.000008
 */
export function collectiveTime(options: CollectiveTimeOptions): CollectiveTime {
  checkOptions('collectiveTime', options, collectiveTimeNames)
  const { op, bytes, axisSizes, linkBytesPerSecond, hopSeconds = 1e-6 } = options
  checkName('collectiveTime', 'op', op, collectives)
  checkNumber('collectiveTime', 'bytes', bytes, 0)
  checkNumber('collectiveTime', 'linkBytesPerSecond', linkBytesPerSecond, Number.MIN_VALUE)
  checkNumber('collectiveTime', 'hopSeconds', hopSeconds, 0)
  if (!Array.isArray(axisSizes) || axisSizes.length === 0) {
    throw new RangeError(`collectiveTime: axisSizes is not a list of at least one size [${shown(axisSizes)}]`)
  }
  for (const size of axisSizes) checkInteger('collectiveTime', 'an axis size', size, 1)
  const wraps = wrapsOf(options)
  const devices = axisSizes.reduce((product, size) => product * size, 1)
  const rings = wraps.every((wrap) => wrap)
  const share = (devices - 1) / devices
  const twice = op === 'all-reduce' ? 2 : 1
  const part = op !== 'all-to-all' ? twice : rings ? 1 / 4 : 1 / 2
  const perLink = bytes / (linkBytesPerSecond * axisSizes.length)
  // A device alone sends nothing.
  const bandwidthSeconds = devices === 1 ? 0 : part * (rings ? perLink / 2 : perLink * share)
  const hops = axisSizes.reduce(
    (sum, size, i) => sum + (wraps[i] ? (size === 1 ? 0 : Math.ceil(size / 2)) : size - 1),
    0,
  )
  const latencySeconds = twice * hops * hopSeconds
  return {
    seconds: Math.max(bandwidthSeconds, latencySeconds),
    bandwidthSeconds,
    exactBandwidthSeconds: rings && op !== 'all-to-all' ? bandwidthSeconds * share : bandwidthSeconds,
    latencySeconds,
    sentBytesPerDevice: op === 'all-to-all' ? (bytes * share) / devices : twice * bytes * share,
  }
}

function wrapsOf({ wrap = true, axisSizes }: CollectiveTimeOptions): readonly boolean[] {
  const wraps = typeof wrap === 'boolean' ? axisSizes.map(() => wrap) : wrap
  if (!Array.isArray(wraps) || wraps.length !== axisSizes.length) {
    throw new RangeError(`collectiveTime: wrap is not one answer for each axis [${shown(wrap)}]`)
  }
  return wraps
}
