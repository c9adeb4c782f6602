import * as code from '../engine/opcodes.js'
import type { Graph, Node } from '../graph/graph.js'
import { bytesOutside, edgeOf, widthOf } from '../graph/values.js'
import { broadcastView, collapsed } from '../graph/view.js'
import { isLoop, isScan, type LoopStep, type Place, type Schedule } from './schedule.js'

/** How what comes in and goes out does so: in a pass over all elements before and after the steps, unless a loop does it block by block. */
export interface Edges {
  /** Arguments and results that lie in memory as storage has them: loops alone read them, along, and write them. */
  readonly codes: ReadonlySet<Node>
  /** float32 arguments whose NaNs a loop looks at, by that loop. */
  readonly looks: ReadonlyMap<LoopStep, readonly Node[]>
  /** float32 results that the loop which makes them writes with one NaN for all. */
  readonly left: ReadonlySet<Node>
}

/** In a pass, all of them. */
export const inPasses: Edges = { codes: new Set(), looks: new Map(), left: new Set() }

/** Bytes of an element of a value where it lies in memory. */
export function bytesEach({ codes }: Pick<Edges, 'codes'>, node: Node): 1 | 2 | 4 | 8 {
  return (codes.has(node) ? bytesOutside(node.dtype) : undefined) ?? widthOf(node.dtype)
}

/** Loops that read an argument as storage has it: each takes its elements apart anew. */
const mostLoops = 2

/** Whether a loop over a shape reads a place element by element as it lies, from where vectors begin. */
export function isAlong({ view }: Place, shape: readonly number[], bytes: number): boolean {
  const { start, strides } = collapsed(broadcastView(view, shape))
  return strides.length === 1 && strides[0] === 1 && (start * bytes) % 16 === 0
}

/** Which arguments and results need no pass of their own. */
export function planEdges(graph: Graph, { steps, placeOf }: Schedule): Edges {
  const makers = new Map<Node, LoopStep>()
  const loopsOf = new Map<Node, Set<LoopStep>>()
  /** Read otherwise than along. */
  const entered = new Set<Node>()
  for (const step of steps) {
    if (!isLoop(step)) {
      for (const { stored } of step.reads) entered.add(stored)
      if (!isScan(step)) entered.add(step.node)
      else for (const result of step.results) entered.add(result)
      continue
    }
    for (const { node, reads } of step.nodes) {
      makers.set(node, step)
      for (const place of reads) {
        if (!place) continue
        const bytes = bytesOutside(place.stored.dtype) ?? 4
        if (!isAlong(place, step.shape, bytes)) entered.add(place.stored)
        const loops = loopsOf.get(place.stored) ?? new Set()
        loopsOf.set(place.stored, loops.add(step))
      }
    }
  }
  const codes = new Set<Node>()
  const looks = new Map<LoopStep, Node[]>()
  const left = new Set<Node>()
  for (const node of graph.nodes) {
    const loops = [...(loopsOf.get(node) ?? [])]
    if (node.source.kind !== 'argument' || loops.length === 0) continue
    if (edgeOf(node.dtype) === code.FLOAT32) {
      // One that reads all elements, each once.
      const looking = loops.find(({ nodes, shape }) =>
        nodes.some(({ reads }) =>
          reads.some((place) => place?.stored === node && isWhole(place, shape, node, 4)),
        ),
      )
      if (looking) looks.set(looking, [...(looks.get(looking) ?? []), node])
    } else if (bytesOutside(node.dtype) && !entered.has(node) && loops.length <= mostLoops) {
      codes.add(node)
    }
  }
  for (const output of graph.outputs) {
    const { stored } = placeOf(output)
    if (!makers.has(stored)) continue
    if (edgeOf(stored.dtype) === code.FLOAT32) left.add(stored)
    else if (bytesOutside(stored.dtype) && !entered.has(stored)) codes.add(stored)
  }
  return { codes, looks, left }
}

/** The same of all elements of a value. */
export function isWhole(place: Place, shape: readonly number[], node: Node, bytes: number): boolean {
  return isAlong(place, shape, bytes) && collapsed(broadcastView(place.view, shape)).shape[0] === node.size
}
