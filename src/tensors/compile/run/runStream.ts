import { dtypeFacts, type Tensor } from '../../tensor/index.js'
import type { StreamCall, Streamed } from '../emit/emitted.js'
import type { Host, Machine } from '../engine/machine.js'
import type { Node } from '../graph/graph.js'
import { argumentOf } from './argumentOf.js'

/**
 * Runs a loop tile by tile: arguments are copied in just before it reads them and results out when they are made, so that what it
 * goes along is in the cache and nowhere whole in its memory. True where it came upon a NaN that a program keeps no account of.
 */
export function runStream(
  { place, size, tile, ins, outs }: StreamCall,
  args: readonly Tensor[],
  made: Map<Node, Tensor['data']>,
  machine: Machine,
  host: Host,
): boolean {
  const { bytes, words } = machine.views
  const group = place / 4
  const given = ins.map(({ node }) => bytesOf(argumentOf(node, args).data))
  const results = outs.map(({ node }) => {
    const data = new (dtypeFacts(node.dtype).storage)(size)
    made.set(node, data)
    return bytesOf(data)
  })
  for (let from = 0; from < size; from += tile) {
    const to = Math.min(size, from + tile)
    words[group + 1] = from
    words[group + 2] = to
    for (const each of ins) locate(words, group, each, from)
    for (const each of outs) locate(words, group, each, from)
    for (let i = 0; i < ins.length; i++) {
      const { at, along } = ins[i]!
      bytes.set(given[i]!.subarray(from * along, to * along), at)
      // Codes behind the last one are read too, and are not to be taken for NaNs.
      if (to === size) bytes.fill(0, at + (to - from) * along, at + (to - from) * along + 16)
    }
    if (machine.run(place, host)) return true
    for (let i = 0; i < outs.length; i++) {
      const { at, along } = outs[i]!
      results[i]!.set(bytes.subarray(at, at + (to - from) * along), from * along)
    }
  }
  return false
}

/** Says in the words of a loop where its elements from `from` on lie. */
function locate(
  words: Uint32Array,
  group: number,
  { at, along, words: standing }: Streamed,
  from: number,
): void {
  // The last bits of an operand say by how many bytes an element it runs along; addresses go round.
  for (const word of standing) words[group + word] = at - from * along + along
}

const bytesOf = (data: Tensor['data']): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
