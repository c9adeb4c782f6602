import {
  broadcastTo,
  concat,
  reshape,
  type Shape,
  sameShape,
  sizeOf,
  slice,
} from '../../../tensors/tensor/index.js'
import { eachPart, eachPartOf, shapeOf, type Value } from './value.js'

/** The shape that tensors of some shapes have together: each is that, or has one element. */
export function commonShape(shapes: readonly Shape[]): Shape {
  return shapes.reduce((all, shape) => (shape.length > all.length || sizeOf(all) === 1 ? shape : all), [])
}

/** A function of scalars on tensors of one shape (or of one element), one element after the other. */
export function perElement(
  values: readonly Value[],
  f: (scalars: readonly Value[]) => readonly Value[],
): readonly Value[] {
  const shape = commonShape(values.map(shapeOf))
  const flat = values.map((value) => eachPart(value, (x) => reshape(broadcastTo(x, shape), [sizeOf(shape)])))
  const rows = Array.from({ length: sizeOf(shape) }, (_, i) =>
    f(flat.map((value) => eachPart(value, (x) => slice(x, [i])))),
  )
  const [first] = rows
  if (!first) throw new RangeError('has no elements to go through one by one [0]')
  return first.map((_, k) =>
    eachPartOf(
      rows.map((row) => row[k]),
      (xs) => reshape(concat(xs.map((x) => reshape(x, [1]))), shape),
    ),
  )
}

/** A value of a lifted region as whole lanes: one that is the same for all has fewer axes. */
export function broadcastLanes(value: Value, lanes: Shape): Value {
  return eachPart(value, (x) => (sameShape(x.shape, lanes) ? x : broadcastTo(x, lanes)))
}
