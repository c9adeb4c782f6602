import { type NcclNode, ncclTreeOf, type ShownAddition } from './additionsOf.js'
import type { ShownOrder } from './orders.js'

/** A place in the picture. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** The picture of an order: the machines, and for each addition where its two operands are and where its sum is. */
export interface Places {
  readonly machines: readonly Point[]
  readonly additions: readonly { readonly own: Point; readonly from: Point; readonly to: Point }[]
  /** The radius of a machine. */
  readonly radius: number
}

export const [width, height] = [400, 270]
const [left, right, top, bottom] = [26, width - 26, 34, height - 26]

/** Where the machines and the sums of an order are drawn. */
export function placesOf(order: ShownOrder, count: number, additions: readonly ShownAddition[]): Places {
  if (order === 'tree') return binomial(count, additions)
  const machines = order === 'nccl-tree' ? treePlaces(count) : circle(count, order === 'all-to-all')
  const gap = order === 'nccl-tree' ? (right - left) / count : (2 * Math.PI * 135) / count
  return {
    machines,
    additions: additions.map(({ machine, from }) => ({
      own: machines[machine]!,
      from: machines[from]!,
      to: machines[machine]!,
    })),
    radius: Math.min(13, Math.max(4, 0.4 * gap)),
  }
}

/** On an ellipse, clockwise from the top; where machine 0 adds everything it is in the middle. */
function circle(count: number, firstInMiddle: boolean): Point[] {
  const [x, y] = [width / 2, (top + bottom) / 2]
  const around = firstInMiddle ? count - 1 : count
  return Array.from({ length: count }, (_, machine) => {
    if (firstInMiddle && machine === 0) return { x, y }
    const angle = (2 * Math.PI * (firstInMiddle ? machine - 1 : machine)) / around - Math.PI / 2
    return { x: x + ((right - left) / 2) * Math.cos(angle), y: y + ((bottom - top) / 2) * Math.sin(angle) }
  })
}

/** Machines from left to right, the rounds from top to bottom. */
function binomial(count: number, additions: readonly ShownAddition[]): Places {
  const rounds = (additions.at(-1)?.round ?? 0) + 1
  const column = (machine: number): number => left + (machine * (right - left)) / Math.max(1, count - 1)
  const row = (after: number): number => top + (after * (bottom - top)) / rounds
  // The row of each machine's partial sum so far.
  const reached = Array.from({ length: count }, () => 0)
  const at = (machine: number): Point => ({ x: column(machine), y: row(reached[machine]!) })
  const machines = reached.map((_, machine) => at(machine))
  return {
    machines,
    additions: additions.map(({ machine, from, round }) => {
      const [own, sender] = [at(machine), at(from)]
      reached[machine] = round + 1
      return { own, from: sender, to: at(machine) }
    }),
    radius: Math.min(13, Math.max(3, (0.4 * (right - left)) / count)),
  }
}

/** Machines from left to right, the root at the bottom. */
function treePlaces(count: number): Point[] {
  const depths = Array.from({ length: count }, () => 0)
  const visit = ({ machine, depth, children }: NcclNode): void => {
    depths[machine] = depth
    for (const child of children) visit(child)
  }
  visit(ncclTreeOf(count))
  const deepest = Math.max(1, ...depths)
  return depths.map((depth, machine) => ({
    x: left + (machine * (right - left)) / Math.max(1, count - 1),
    y: bottom - (depth * (bottom - top)) / deepest,
  }))
}
