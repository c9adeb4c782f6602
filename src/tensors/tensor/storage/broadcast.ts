import { broadcastStrides, offsetsOf, type Shape, sameShape, sizeOf } from './shape.js'

/**
 * How operands walk a broadcast result: in `starts.length` runs of `run` elements. Along a run operand i either
 * advances with the result (`steps[i]` 1) or stays (`steps[i]` 0); its k-th run starts at `offsets[i][k]`.
 */
export interface Walk {
  readonly run: number
  readonly steps: readonly (0 | 1)[]
  readonly offsets: readonly Int32Array[]
}

const fromStart = Int32Array.of(0)

/** The longest runs along which every operand either advances contiguously or stays. */
export function walk(shapes: readonly Shape[], target: Shape): Walk {
  return oneRun(shapes, target) ?? runs(shapes, target)
}

/** The walk of operands that have the shape of the result or one element: a single run. */
function oneRun(shapes: readonly Shape[], target: Shape): Walk | undefined {
  const run = sizeOf(target)
  if (run === 0) return undefined
  const steps: (0 | 1)[] = []
  for (const shape of shapes) {
    if (sameShape(shape, target)) steps.push(1)
    else if (sizeOf(shape) === 1) steps.push(0)
    else return undefined
  }
  return { run, steps, offsets: shapes.map(() => fromStart) }
}

function runs(shapes: readonly Shape[], target: Shape): Walk {
  const strides = shapes.map((shape) => broadcastStrides(shape, target))
  const steps: (0 | 1 | undefined)[] = shapes.map(() => undefined)
  let run = 1
  let axis = target.length - 1
  for (; axis >= 0; axis--) {
    if (target[axis] === 1) continue
    const here = strides.map((stride) => (stride[axis] === 0 ? 0 : 1))
    if (steps.some((step, i) => step !== undefined && step !== here[i])) break
    for (const [i, step] of here.entries()) steps[i] = step as 0 | 1
    run *= target[axis]!
  }
  const outer = target.slice(0, axis + 1)
  if (sizeOf(target) === 0) {
    return { run: 0, steps: steps.map(() => 0), offsets: shapes.map(() => new Int32Array(0)) }
  }
  return {
    run,
    steps: steps.map((step) => step ?? 0),
    offsets: strides.map((stride) => offsetsOf(outer, stride.slice(0, axis + 1))),
  }
}
