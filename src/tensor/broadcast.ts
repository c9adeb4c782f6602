import { broadcastStrides, offsetsOf, type Shape, sizeOf } from './shape.js'

/**
 * How operands walk a broadcast result: in `starts.length` runs of `run` elements. Along a run operand i either
 * advances with the result (`steps[i]` 1) or stays (`steps[i]` 0); its k-th run starts at `offsets[i][k]`.
 */
export interface Walk {
  readonly run: number
  readonly steps: readonly (0 | 1)[]
  readonly offsets: readonly Int32Array[]
}

/** The longest runs along which every operand either advances contiguously or stays. */
export function walk(shapes: readonly Shape[], target: Shape): Walk {
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
  if (sizeOf(target) === 0)
    return { run: 0, steps: steps.map(() => 0), offsets: shapes.map(() => new Int32Array(0)) }
  return {
    run,
    steps: steps.map((step) => step ?? 0),
    offsets: strides.map((stride) => offsetsOf(outer, stride.slice(0, axis + 1))),
  }
}
