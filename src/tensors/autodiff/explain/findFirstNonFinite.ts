import { pathsOf, type Tree } from '../../tree/index.js'
import { inputOp } from '../graph/graphOf.js'
import type { Treelike } from '../graph/treelike.js'
import { type Elements, elementsOf, trimmed } from './elements.js'
import { eventKind, largestFinite, threshold } from './eventKind.js'
import { historyOf } from './historyOf.js'
import type { ChainStep, NonFinite } from './nonFinite.js'

/** An element of a node, and the one it leads to on the way to an output. */
interface Lead {
  readonly node: number
  readonly element: number
  /** The next one, or the path of the output that it is in. */
  readonly next: Lead | string
}

/**
 * Where the first value that is not finite came from, of the ones that reach the given tensors; undefined if these are
 * all finite. They must have been computed from the inputs of `record`; a gradient's backward pass is seen too.
 *
 * From every NaN and infinity in the outputs the operands are followed back, element by element, to the operations
 * whose own operands were all finite: of these the first that ran. What happened there is read off its numbers; `history`
 * goes on to where the zero or the large operand was made, `chain` leads from there to the output. `explain` puts it in
 * words. The same computation gives the same answer.
 *
 * @example findFirstNonFinite(div(record(tensor([1, 0])), tensor([1, 0]))).kind // '0 / 0'
 * @example findFirstNonFinite(log(record(tensor([1, 2])))) // undefined
 */
export function findFirstNonFinite(outputs: Treelike): NonFinite | undefined {
  const leaves = pathsOf(outputs as Tree, { op: 'findFirstNonFinite' })
  const bad = leaves.filter(({ leaf }) => firstBad(leaf.toNumbers()) >= 0)
  if (bad.length === 0) return undefined
  const elements = elementsOf(bad.map(({ leaf }) => leaf))
  const leads = bad.flatMap(({ leaf, path }) => {
    const node = elements.indexOf(leaf)
    if (node === undefined) {
      throw new RangeError(
        `findFirstNonFinite: nothing was recorded, compute from record(...) [${path || 'the output'}]`,
      )
    }
    return places(elements.values(leaf)).map((element): Lead => ({ node, element, next: path }))
  })
  const origin = firstOrigin(elements, leads)
  return described(elements, origin)
}

const firstBad = (numbers: Float64Array): number => numbers.findIndex((x) => !Number.isFinite(x))

function places(numbers: Float64Array): number[] {
  return [...numbers.keys()].filter((i) => !Number.isFinite(numbers[i]!))
}

/** Follows everything back, last node first, and gives the origin that ran first; its lowest element. */
function firstOrigin(elements: Elements, leads: readonly Lead[]): Lead {
  const open = elements.nodes.map((): Map<number, Lead> => new Map())
  for (const lead of leads) if (!open[lead.node]!.has(lead.element)) open[lead.node]!.set(lead.element, lead)
  let first: Lead | undefined
  for (let node = elements.nodes.length - 1; node >= 0; node--) {
    const wanted = open[node]!
    if (wanted.size === 0) continue
    const origins = followed(elements, node, wanted, open)
    if (origins.length > 0) first = origins.reduce((a, b) => (b.element < a.element ? b : a))
    wanted.clear()
  }
  return first!
}

/** Hands the wanted elements of a node on to those of its operands that are not finite; gives those that have none. */
function followed(
  elements: Elements,
  node: number,
  wanted: ReadonlyMap<number, Lead>,
  open: readonly Map<number, Lead>[],
): Lead[] {
  const { inputs } = elements.nodes[node]!
  const sources = inputs.flatMap((from, input) => {
    if (typeof from !== 'number') return []
    const numbers = elements.values(elements.inputTensor(node, input))
    return firstBad(numbers) < 0 ? [] : [{ from, input, numbers }]
  })
  if (sources.length === 0) return [...wanted.values()]
  const operands = elements.operands(node)
  // An operation that reads everything gives one list for all elements: it is gone through once.
  const done = new Map<readonly number[], boolean>()
  return [...wanted.values()].filter((lead) => {
    const lists = operands(lead.element)
    let passed = false
    for (const { from, input, numbers } of sources) {
      const list = lists[input]!
      if (!done.has(list)) {
        const bad = list.filter((place) => !Number.isFinite(numbers[place]!))
        for (const element of bad) {
          if (leadsOn(open[from]!.get(element), node)) {
            open[from]!.set(element, { node: from, element, next: lead })
          }
        }
        done.set(list, bad.length > 0)
      }
      passed ||= done.get(list)!
    }
    return !passed
  })
}

/** Whether the way goes on through this node: the one that reads the element first, unless it is an output itself. */
function leadsOn(before: Lead | undefined, node: number): boolean {
  return !before || (typeof before.next !== 'string' && before.next.node !== node)
}

function described(elements: Elements, origin: Lead): NonFinite {
  const step = elements.step(origin.node, origin.element)
  const { record } = elements.nodes[origin.node]!
  const kind = record === inputOp ? 'input' : (eventKind(record, step) ?? 'constant')
  const chain: ChainStep[] = []
  let at = origin.next
  for (; typeof at !== 'string'; at = at.next) {
    const next = elements.step(at.node, at.element)
    const op = elements.nodes[at.node]!.record
    chain.push(trimmed(op, { ...next, kind: eventKind(op, next) }))
  }
  return {
    ...trimmed(record, step),
    kind,
    nodes: elements.nodes.length,
    largest: largestFinite(step.dtype),
    threshold: threshold(record, step.dtype),
    history: kind === 'input' ? [] : historyOf(elements, origin.node, origin.element, kind),
    chain,
    output: at,
  }
}
