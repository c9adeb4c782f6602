import type { DType } from '../../tensors/tensor/index.js'
import type { Link } from './collectiveTraffic.js'
import type { Sharded } from './sharded.js'

/** The links between neighbours of a mesh. */
export interface Wires {
  /** One direction of one link: W. */
  readonly bytesPerSecond: number
  /** The time of one hop. Default: 1e-6. */
  readonly hopSeconds?: number
  /** Whether the mesh's axes close to rings. Default: true. */
  readonly wrap?: boolean
}

/** What one collective moved. */
export interface Movement {
  readonly op: 'all-gather' | 'reduce-scatter' | 'all-reduce' | 'all-to-all'
  readonly axis: string
  /** Steps that follow one another. */
  readonly steps: number
  /** Bytes from device to device, by their numbers, all steps together; all-to-all: along the links in between. */
  readonly links: readonly Link[]
  /** Bytes of the busiest link. */
  readonly perLink: number
  /** Bytes that the busiest device sends. */
  readonly perDevice: number
  /** perLink over the links' rate, or the hops one after the other, whichever is more; null where no wires were given. */
  readonly seconds: number | null
}

/** A tensor that came of a collective, and what that moved. */
export interface Moved<D extends DType = DType> {
  readonly result: Sharded<D>
  readonly movements: readonly Movement[]
}

/** The movement of messages that are known by link. */
export function movementOf(
  op: Movement['op'],
  axis: string,
  steps: number,
  links: readonly Link[],
  wires: Wires | undefined,
): Movement {
  const byPair = new Map<string, { from: number; to: number; bytes: number }>()
  const sent = new Map<number, number>()
  for (const { from, to, bytes } of links) {
    if (bytes === 0) continue
    const pair = byPair.get(`${from} ${to}`)
    if (pair) pair.bytes += bytes
    else byPair.set(`${from} ${to}`, { from, to, bytes })
    sent.set(from, (sent.get(from) ?? 0) + bytes)
  }
  const merged = [...byPair.values()].sort((a, b) => a.from - b.from || a.to - b.to)
  const most = (values: Iterable<number>): number => {
    let max = 0
    for (const value of values) max = Math.max(max, value)
    return max
  }
  const perLink = most(merged.map(({ bytes }) => bytes))
  const seconds = wires ? Math.max(perLink / wires.bytesPerSecond, steps * (wires.hopSeconds ?? 1e-6)) : null
  return { op, axis, steps, links: merged, perLink, perDevice: most(sent.values()), seconds }
}

/** How a ring is used: one way round, or half of everything each way. */
export type RingOrder = 'ring' | 'bidirectional'

/**
 * What goes round a ring when everyone passes on n - 1 pieces of so many bytes; half of each piece the other way round where
 * both directions are used. Without wrap-around the pieces go along the line, each way as many as are to pass.
 */
export function ringLinks(
  devices: readonly number[],
  bytes: number,
  order: RingOrder,
  wrap: boolean,
): Link[] {
  const n = devices.length
  if (n === 1) return []
  if (!wrap) {
    return devices.slice(1).flatMap((right, i) => [
      { from: devices[i]!, to: right, bytes: (i + 1) * bytes },
      { from: right, to: devices[i]!, bytes: (n - 1 - i) * bytes },
    ])
  }
  const forward = order === 'ring' ? bytes : Math.ceil(bytes / 2)
  return devices.flatMap((device, i) => [
    { from: device, to: devices[(i + 1) % n]!, bytes: (n - 1) * forward },
    { from: device, to: devices[(i + n - 1) % n]!, bytes: (n - 1) * (bytes - forward) },
  ])
}

/** What goes along the links when everyone sends everyone else so many bytes, the shorter way, halves where both are as long. */
export function allToAllLinks(devices: readonly number[], bytes: number, wrap: boolean): Link[] {
  const n = devices.length
  const links: Link[] = []
  const send = (from: number, hops: number, step: 1 | -1, size: number): void => {
    for (let h = 0; h < hops; h++) {
      const [a, b] = [from + h * step, from + (h + 1) * step]
      links.push({ from: devices[(a + n * n) % n]!, to: devices[(b + n * n) % n]!, bytes: size })
    }
  }
  for (let from = 0; from < n; from++) {
    for (let to = 0; to < n; to++) {
      const [right, left] = [(to - from + n) % n, (from - to + n) % n]
      if (from === to) continue
      if (!wrap) {
        send(from, Math.abs(to - from), to > from ? 1 : -1, bytes)
      } else if (right === left) {
        send(from, right, 1, Math.ceil(bytes / 2))
        send(from, left, -1, Math.floor(bytes / 2))
      } else if (right < left) {
        send(from, right, 1, bytes)
      } else {
        send(from, left, -1, bytes)
      }
    }
  }
  return links
}
