import {
  type Axes,
  type Op,
  ops,
  type Shape,
  type Shaping,
  type Slicing,
  stridesOf,
} from '../../tensor/index.js'

/** Elements of a buffer in an order of their own: element [i, j, ...] lies at start + i strides[0] + j strides[1] + ... */
export interface View {
  readonly start: number
  readonly shape: Shape
  readonly strides: readonly number[]
}

/** All elements of a buffer, row-major. */
export function wholeView(shape: Shape): View {
  return { start: 0, shape, strides: stridesOf(shape) }
}

/** Whether the elements lie one behind the other, so that the view is a plain array. */
export function isContiguous({ shape, strides }: View): boolean {
  let step = 1
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] === 1) continue
    if (strides[axis] !== step) return false
    step *= shape[axis]!
  }
  return true
}

/** The view that an operation which only moves elements makes of a view; undefined where that is none. */
export function movedView(op: Op, attributes: unknown, view: View): View | undefined {
  const { start, shape, strides } = view
  switch (op) {
    case ops.transpose: {
      const { axes } = attributes as Axes
      return { start, shape: axes.map((axis) => shape[axis]!), strides: axes.map((axis) => strides[axis]!) }
    }
    case ops.broadcastTo:
      return broadcastView(view, (attributes as Shaping).shape)
    case ops.flip: {
      const { axes } = attributes as Axes
      const from = axes.reduce((at, axis) => at + Math.max(0, shape[axis]! - 1) * strides[axis]!, start)
      return {
        start: from,
        shape,
        strides: strides.map((step, axis) => (axes.includes(axis) ? -step : step)),
      }
    }
    case ops.slice: {
      // Its strides are those of a row-major tensor.
      if (!isContiguous(view)) return undefined
      const slicing = attributes as Slicing
      return { start: start + slicing.start, shape: slicing.shape, strides: slicing.strides }
    }
    default:
      return undefined
  }
}

/** A view repeated along the axes that it lacks or has once. */
export function broadcastView({ start, shape, strides }: View, target: Shape): View {
  const lead = target.length - shape.length
  return {
    start,
    shape: target,
    strides: target.map((length, axis) =>
      axis < lead || (shape[axis - lead] === 1 && length !== 1) ? 0 : strides[axis - lead]!,
    ),
  }
}

/** A view with axes of length 1 dropped and axes joined that run on into each other. */
export function collapsed({ start, shape, strides }: View): View {
  const lengths: number[] = []
  const steps: number[] = []
  for (const [axis, length] of shape.entries()) {
    if (length === 1) continue
    const step = strides[axis]!
    const last = lengths.length - 1
    if (last >= 0 && steps[last] === step * length) {
      lengths[last]! *= length
      steps[last] = step
    } else {
      lengths.push(length)
      steps.push(step)
    }
  }
  return lengths.length === 0
    ? { start, shape: [1], strides: [1] }
    : { start, shape: lengths, strides: steps }
}

/** The places of a view's elements, row-major. */
export function placesOf({ start, shape, strides }: View): number[] {
  let places = [start]
  for (const [axis, length] of shape.entries()) {
    places = places.flatMap((at) => Array.from({ length }, (_, i) => at + i * strides[axis]!))
  }
  return places
}
