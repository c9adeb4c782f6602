import { sizeOf } from '../../tensor/index.js'
import type { Graph, Node } from '../graph/graph.js'
import { bytesEach, type Edges, isWhole } from './planEdges.js'
import { isLoop, isScan, type LoopStep, type Schedule, type Step } from './schedule.js'

/** What comes in for a loop and goes out of it tile by tile, through memory that stays in the cache. */
export interface Stream {
  readonly ins: readonly Node[]
  readonly outs: readonly Node[]
}

/** The most elements of a tile. */
export const mostInTile = 16384

/** Loops over fewer elements than these have all of them in the cache as it is. */
const least = 32768

/** Elements of a tile of a loop: whole blocks, about 8,192, that end where vectors do. */
export function tileOf(block: number): number {
  let tile = block
  while (tile % 16 !== 0 || tile < mostInTile / 2) tile *= 2
  return tile <= mostInTile ? tile : block * 16
}

/**
 * The loops of a program that need no whole arguments or results in memory: arguments that one loop alone reads, element by element
 * as they lie, and results that it makes and nothing else reads. `stays`: results that are to lie in memory until the end.
 */
export function planStreams(
  graph: Graph,
  { steps, placeOf }: Schedule,
  edges: Edges,
  stays: (result: Node) => boolean,
): ReadonlyMap<LoopStep, Stream> {
  /** The one step that reads a value; undefined where there are several. */
  const readers = new Map<Node, Step | undefined>()
  const parts = new Set<Node>()
  const read = (node: Node, step: Step): void => {
    readers.set(node, readers.has(node) && readers.get(node) !== step ? undefined : step)
  }
  for (const step of steps) {
    if (!isLoop(step)) {
      for (const { stored } of step.reads) read(stored, step)
      continue
    }
    for (const { reads } of step.nodes) {
      for (const place of reads) {
        if (!place) continue
        read(place.stored, step)
        if (!isWhole(place, step.shape, place.stored, bytesEach(edges, place.stored))) parts.add(place.stored)
      }
    }
  }
  const results = new Map<Node, number>()
  for (const output of graph.outputs) {
    const { stored } = placeOf(output)
    results.set(stored, (results.get(stored) ?? 0) + 1)
  }
  const streams = new Map<LoopStep, Stream>()
  for (const step of steps) {
    if (!isLoop(step) || isScan(step) || sizeOf(step.shape) < least) continue
    const looked = edges.looks.get(step) ?? []
    const ins = [...readers].flatMap(([node, reader]) =>
      reader === step &&
      node.source.kind === 'argument' &&
      (edges.codes.has(node) || looked.includes(node)) &&
      !parts.has(node) &&
      !results.has(node)
        ? [node]
        : [],
    )
    const outs = step.nodes.flatMap(({ node }) =>
      (edges.codes.has(node) || edges.left.has(node)) &&
      results.get(node) === 1 &&
      (!readers.has(node) || (readers.get(node) === step && !parts.has(node))) &&
      !stays(node)
        ? [node]
        : [],
    )
    if (ins.length + outs.length > 0) streams.set(step, { ins, outs })
  }
  return streams
}
