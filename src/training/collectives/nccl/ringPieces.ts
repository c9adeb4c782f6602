import type { ChannelPart } from './channelParts.js'
import type { NcclReduction } from './ncclOptions.js'
import type { Piece } from './pieces.js'

/** The chunks of a channel's elements, each with the order in which the ring adds it. */
export function ringPieces(
  { channel, start, end }: ChannelPart,
  elementBytes: number,
  { rings, chunkBytes }: NcclReduction,
): Piece[] {
  const ring = startingAtFirst(rings[channel % rings.length]!)
  const count = ring.length
  const grain = 16 / elementBytes
  const pieces: Piece[] = []
  let chunk = chunkBytes / elementBytes
  for (let loop = start; loop < end; loop += count * chunk) {
    const left = end - loop
    // The last loop has shorter chunks, so that every replica has something to add.
    if (left < count * chunk) chunk = Math.ceil(Math.ceil(left / count) / grain) * grain
    for (let c = 0; c < count; c++) {
      const from = loop + c * chunk
      if (from >= end) break
      const order = ring.map((_, hop) => ring[(c + 1 + hop) % count]!)
      pieces.push({ start: from, end: Math.min(end, from + chunk), order })
    }
  }
  return pieces
}

/** Positions in a ring are counted from replica 0. */
function startingAtFirst(ring: readonly number[]): number[] {
  const at = ring.indexOf(0)
  return [...ring.slice(at), ...ring.slice(0, at)]
}
