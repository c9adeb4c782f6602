import {
  add,
  apply,
  type Op,
  reshape,
  sizeOf,
  stridesOf,
  Tensor,
  take,
  untraced,
} from '../../../tensors/tensor/index.js'
import { repeated } from '../moving/moves.js'
import { turnsOf } from '../moving/turns.js'
import { integers, region } from '../values/attributes.js'
import { lastOf } from '../values/lastOf.js'
import type { Elements, Lowering } from '../values/lowering.js'
import { broadcastLanes } from '../values/perElement.js'
import { simpleBody } from '../values/simpleBody.js'
import { real } from '../values/value.js'
import { placesIn, type WindowShape, windowCounts } from './reduceWindow.js'

interface Selecting {
  readonly window: WindowShape
}

/** What the two regions of an operation do. */
interface Bodies {
  /** Whether the element found so far stays, for one value of each window and the next one. */
  readonly stays: (found: Tensor, next: Tensor) => Tensor
  /** What becomes of a value at its place and the next of the source that goes there; 'add' for a sum. */
  readonly join: 'add' | ((there: Tensor, next: Tensor) => Tensor)
}

/** For each window the flat place of its element that is selected, -1 where the window has no element of the operand. */
function selectedPlaces(x: Tensor, window: WindowShape, stays: Bodies['stays']): Int32Array {
  const counts = windowCounts(x.shape, window)
  const count = sizeOf(counts)
  const strides = stridesOf(x.shape)
  const steps = stridesOf(counts)
  const found = new Int32Array(count).fill(-1)
  for (const place of placesIn(window.sizes)) {
    const at = new Int32Array(count)
    for (let i = 0; i < count; i++) {
      let flat = 0
      for (let axis = 0; axis < x.rank; axis++) {
        const step = Math.floor(i / steps[axis]!) % counts[axis]!
        const base = step * window.strides[axis]! + place[axis]! * window.dilations[axis]! - window.low[axis]!
        const index = base / window.baseDilations[axis]!
        if (!Number.isInteger(index) || index < 0 || index >= x.shape[axis]!) flat = -Infinity
        flat += index * strides[axis]!
      }
      at[i] = flat >= 0 ? flat : -1
    }
    const asked: number[] = []
    for (let i = 0; i < count; i++) {
      if (at[i]! < 0) continue
      if (found[i]! < 0) found[i] = at[i]!
      else asked.push(i)
    }
    if (asked.length === 0) continue
    const values = (places: readonly number[]): Tensor => take(reshape(x, [x.size]), places)
    const kept = broadcastLanes(
      stays(values(asked.map((i) => found[i]!)), values(asked.map((i) => at[i]!))),
      [asked.length],
    ) as Tensor
    for (const [k, i] of asked.entries()) if (!kept.data[k]) found[i] = at[i]!
  }
  return found
}

/** An operand, a source with one element a window, and the initial value of all places. */
function selectAndScatterOp({ stays, join }: Bodies): Op<Selecting> {
  const backOp = selectBackOp(stays)
  return {
    name: 'selectAndScatter',
    form: 'whole',
    rounds: 'each step',
    kernel: (inputs, { window }) => {
      const [x, source, init] = inputs.map(untraced) as [Tensor, Tensor, Tensor]
      const places = selectedPlaces(x, window, stays)
      const result = new Tensor(x.dtype, x.shape, repeated(init, x.shape).data.slice())
      const from = reshape(source, [source.size])
      const flat = reshape(result, [result.size])
      for (const turn of turnsOf(places)) {
        const at = turn.map((i) => places[i]!)
        const there = take(flat, at)
        const next = take(from, turn)
        const made = join === 'add' ? add(there, next) : join(there, next)
        for (const [k, place] of at.entries()) result.data[place] = made.data[k]!
      }
      return result
    },
    gradient: ({ g, inputs: [x, source], attributes }) => {
      if (join !== 'add') {
        throw new TypeError('selectAndScatter: has no gradient where its body is no sum [scatter]')
      }
      return [undefined, apply(backOp, [g, x!, source!], attributes), undefined]
    },
  }
}

/** The elements of g at the selected places, in the shape of the source. */
function selectBackOp(stays: Bodies['stays']): Op<Selecting> {
  return {
    name: 'selectAndScatterBack',
    form: 'whole',
    rounds: 'never',
    kernel: ([g, x, source], { window }) => {
      const places = selectedPlaces(untraced(x!), window, stays)
      return reshape(take(untraced(g!), [...places]), source!.shape)
    },
  }
}

/** `stablehlo.select_and_scatter`: what the gradient of a maximum over windows is. */
export const selectAndScatter: Lowering = (op, context) => {
  const select = context.lifted(region(op, 0))
  const scatter = context.lifted(region(op, 1))
  const isSum = simpleBody(region(op, 1)) === 'stablehlo.add'
  const opOf = lastOf((first: Elements, second: Elements, sums: boolean) =>
    selectAndScatterOp({
      stays: (found, next) => real(first([found, next])[0]),
      join: sums ? 'add' : (there, next) => broadcastLanes(second([there, next])[0], there.shape) as Tensor,
    }),
  )
  return ([x, source, init], frame) => {
    const sizes = integers(
      op,
      'window_dimensions',
      real(x).shape.map(() => 1),
    )
    const ones = sizes.map(() => 1)
    const padding = integers(
      op,
      'padding',
      sizes.flatMap(() => [0, 0]),
    )
    const window: WindowShape = {
      sizes,
      strides: integers(op, 'window_strides', ones),
      baseDilations: ones,
      dilations: ones,
      low: sizes.map((_, axis) => padding[2 * axis]!),
      high: sizes.map((_, axis) => padding[2 * axis + 1]!),
    }
    const own = opOf(select(frame), scatter(frame), isSum && real(x).dtype !== 'bool')
    return [apply(own, [real(x), real(source), real(init)], { window })]
  }
}
