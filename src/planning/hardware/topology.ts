import { shown } from '../../base/options/index.js'
import { type Chip, type ChipLike, chipOf } from './chip.js'

/**
 * The topologies that Cloud offers of a generation, smallest first; of those with as many chips the most compact first,
 * which is the one that the slice's name means.
 *
 * v5e, v6e: eight shapes from 1x1 to 16x16. v4, v5p, tpu7x: 2x2x1, 2x2x2, 2x2x4, 2x4x4, then A <= B <= C, all multiples of
 * 4, up to the largest job; v5p has 12x24x24 and the whole pod besides, tpu7x 1x1x1. v2, v3: powers of two.
 *
 * Shape     none. Dtype none. Rounding none.
 * Source    the generations' pages of Cloud; the entries of MaxText's table.
 *
 * @example topologies('v5e').map((shape) => shape.join('x')).join(' ') // '1x1 2x2 2x4 4x4 4x8 8x8 8x16 16x16'
 */
export function topologies(given: ChipLike): readonly (readonly number[])[] {
  const chip = chipOf('topologies', given)
  const known = remembered.get(chip.name)
  if (known) return known
  const list = chip.podTopology.length === 3 ? cubes(chip) : planes(chip)
  const sorted = list.sort((a, b) => chipsOf(a) - chipsOf(b) || sum(a) - sum(b))
  const frozen = Object.freeze(sorted.map((shape) => Object.freeze(shape)))
  remembered.set(chip.name, frozen)
  return frozen
}

const remembered = new Map<string, readonly (readonly number[])[]>()

/** The chips of a topology: the product of its sides. */
export const chipsOf = (topology: readonly number[]): number => topology.reduce((n, side) => n * side, 1)

const sum = (shape: readonly number[]): number => shape.reduce((total, side) => total + side, 0)

function planes({ name, podTopology: [pod = 16] }: Chip): number[][] {
  const shapes = name === 'v5e' || name === 'v6e' ? [[1, 1]] : []
  for (let side = 2; side <= pod; side *= 2) {
    shapes.push([side, side])
    if (2 * side <= pod) shapes.push([side, 2 * side])
  }
  return shapes
}

function cubes({ name, podTopology, largestJobTopology }: Chip): number[][] {
  const small = name === 'tpu7x' ? [[1, 1, 1]] : []
  const shapes = [...small, [2, 2, 1], [2, 2, 2], [2, 2, 4], [2, 4, 4]]
  const most = chipsOf(largestJobTopology)
  for (let a = 4; a ** 3 <= most; a += 4) {
    for (let b = a; a * b ** 2 <= most; b += 4) {
      for (let c = b; a * b * c <= most; c += 4) shapes.push([a, b, c])
    }
  }
  // MaxText names two shapes beyond the largest job of v5p: the pod and this one.
  if (name === 'v5p') shapes.push([12, 24, 24], [...podTopology])
  return shapes
}

/**
 * Which axes of a topology close to a ring. v5e, v6e: an axis of 16; v2, v3: an axis as long as the pod's; v4, v5p, tpu7x:
 * all three where the slice is made of whole 4x4x4 cubes, else none.
 *
 * Shape     one answer for each axis. Dtype none. Rounding none.
 * Source    Cloud; all 223 entries of MaxText's table obey.
 *
 * @example wrapAround('v5e', [8, 16]) // [false, true]
 * @example wrapAround('v5p', [2, 2, 4]) // [false, false, false]
 */
export function wrapAround(given: ChipLike, topology: readonly number[]): readonly boolean[] {
  const { podTopology } = chipOf('wrapAround', given)
  checkShape('wrapAround', topology)
  if (podTopology.length === 2) return topology.map((side) => side === podTopology[0])
  const whole = topology.every((side) => side % 4 === 0)
  return topology.map(() => whole)
}

/**
 * Whether the links of a topology can be twisted, which shortens the longest way: AxAx2A and Ax2Ax2A of whole cubes.
 *
 * @example isTwistable([4, 4, 8]) // true
 * @example isTwistable([4, 4, 4]) // false
 */
export function isTwistable(topology: readonly number[]): boolean {
  checkShape('isTwistable', topology)
  const [a = 0, b = 0, c = 0] = topology
  return topology.length === 3 && a % 4 === 0 && c === 2 * a && (b === a || b === c)
}

function checkShape(op: string, topology: unknown): void {
  if (!Array.isArray(topology)) {
    throw new TypeError(`${op}: the topology is no list of sides [${shown(topology)}]`)
  }
}
