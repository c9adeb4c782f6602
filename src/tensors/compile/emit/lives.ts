import type { Graph, Node } from '../graph/graph.js'
import { isLoop, isScan, type Schedule } from './schedule.js'

/** The values that must lie in memory, each with the steps between which it does; arguments of what runs again through all. */
export function lastReads(
  graph: Graph,
  { steps, placeOf }: Schedule,
  again: boolean,
): Map<Node, { from: number; to: number }> {
  const made = new Map<Node, number>()
  const lives = new Map<Node, { from: number; to: number }>()
  const read = (node: Node, step: number): void => {
    const from = made.get(node) ?? 0
    const life = lives.get(node) ?? { from, to: from }
    life.to = Math.max(life.to, step)
    lives.set(node, life)
  }
  for (const [i, step] of steps.entries()) {
    if (isScan(step)) {
      for (const place of step.reads) read(place.stored, i + 1)
      for (const result of step.results) {
        made.set(result, i + 1)
        read(result, i + 1)
      }
      continue
    }
    for (const { node, reads } of isLoop(step) ? step.nodes : [step]) {
      for (const place of reads) if (place) read(place.stored, i + 1)
      made.set(node, i + 1)
      if (!isLoop(step)) read(node, i + 1)
    }
  }
  for (const node of graph.outputs) read(placeOf(node).stored, steps.length + 1)
  if (again) for (const [node] of lives) if (node.source.kind === 'argument') read(node, steps.length + 1)
  return lives
}
