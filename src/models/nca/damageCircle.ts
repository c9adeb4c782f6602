import { checkNumber, checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import { type Key, uniform } from '../../tensors/random/index.js'
import { fromBits, type Tensor, where } from '../../tensors/tensor/index.js'
import { checkState } from './perceive.js'

/** A circle, in units of half the length of an axis: -1 is the first cell, 1 the last. */
export interface Circle {
  /** A number for each axis of cells. */
  readonly center: readonly number[]
  /** 0 or more. */
  readonly radius: number
}

const names: OptionTable<Circle> = { center: 'required', radius: 'required' }

/**
 * x with nothing inside of a circle (along a line, of a stretch): every channel +0, chosen, not multiplied, so that no NaN stays.
 *
 * Shape     [..., cells, channels] to the same; as many axes of cells as the center has numbers. Rounding none.
 * Source    A. Mordvintsev et al., Growing neural cellular automata, doi:10.23915/distill.00023
 *
 * @example damageCircle(tensor([[1], [2], [3], [4], [5]]), { center: [0], radius: 0.6 }).toNested() // [[1],[0],[0],[0],[5]]
 */
export function damageCircle(x: Tensor, circle: Circle): Tensor {
  checkState('damageCircle', x)
  checkOptions('damageCircle', circle, names, { positional: 'center' })
  const { center, radius } = circle
  if (!Array.isArray(center) || center.length < 1 || center.length > 2 || x.rank < center.length + 1) {
    throw new RangeError(
      `damageCircle: center is not a number for each axis of cells [${shown(center)}, x ${x.shape.join(', ')}]`,
    )
  }
  for (const at of center) checkNumber('damageCircle', 'a coordinate of the center', at)
  checkNumber('damageCircle', 'radius', radius, 0)
  const cells = x.shape.slice(-1 - center.length, -1)
  return where(circleOf(cells, center, radius), 0, x)
}

/** Which cells lie inside: bool [...cells, 1]. */
function circleOf(cells: readonly number[], center: readonly number[], radius: number): Tensor {
  const along = cells.map((length, axis) =>
    Array.from({ length }, (_, i) => {
      const place = length === 1 ? 0 : (2 * i) / (length - 1) - 1
      return ((place - center[axis]!) / radius) ** 2
    }),
  )
  const [rows, columns] = along.length === 1 ? [[0], along[0]!] : [along[0]!, along[1]!]
  const inside = rows.flatMap((y) => columns.map((x) => (y + x < 1 ? 1 : 0)))
  return fromBits(Uint8Array.from(inside), { shape: [...cells, 1], dtype: 'bool' })
}

/**
 * A circle as the published training draws them: centers from -0.5 to 0.5, radius from 0.1 to 0.4.
 *
 * @example drawCircle(random.key(0), 2).center.length // 2
 */
export function drawCircle(key: Key, dimensions: 1 | 2): Circle {
  if (dimensions !== 1 && dimensions !== 2) {
    throw new RangeError(`drawCircle: dimensions are not 1 or 2 [${shown(dimensions)}]`)
  }
  const [radius, ...center] = uniform(key, 1 + dimensions)
  return { center: center.map((at) => at - 0.5), radius: 0.1 + 0.3 * radius! }
}
