import {
  concat,
  flip,
  reshape,
  type Shape,
  sizeOf,
  slice,
  type Tensor,
  transpose,
  zeros,
} from '../../../tensors/tensor/index.js'
import type { Operation } from '../module.js'
import { padded } from '../moving/pad.js'
import { placesIn } from '../reducing/reduceWindow.js'
import { fields, integer, integers } from '../values/attributes.js'
import { type Lowering, single } from '../values/lowering.js'
import { real } from '../values/value.js'
import { type DotSemantics, dotSemantics, product } from './dot.js'

interface Sides {
  /** Axes of the operand: batch, features, then the spatial ones. */
  readonly input: readonly number[]
  /** Axes of the kernel: input features, output features, spatial. */
  readonly kernel: readonly number[]
  /** Axes of the result: batch, features, spatial. */
  readonly output: readonly number[]
}

function sidesOf(op: Operation): Sides {
  const entries = fields(op, 'dimension_numbers')
  const one = (name: string): number => integer(op, name, undefined, entries)
  const many = (name: string): readonly number[] => integers(op, name, undefined, entries)
  return {
    input: [
      one('input_batch_dimension'),
      one('input_feature_dimension'),
      ...many('input_spatial_dimensions'),
    ],
    kernel: [
      one('kernel_input_feature_dimension'),
      one('kernel_output_feature_dimension'),
      ...many('kernel_spatial_dimensions'),
    ],
    output: [
      one('output_batch_dimension'),
      one('output_feature_dimension'),
      ...many('output_spatial_dimensions'),
    ],
  }
}

interface Geometry {
  readonly strides: readonly number[]
  readonly low: readonly number[]
  readonly high: readonly number[]
  readonly inputDilation: readonly number[]
  readonly kernelDilation: readonly number[]
  readonly reversal: readonly number[]
}

function geometryOf(op: Operation, rank: number): Geometry {
  const ones = new Array<number>(rank).fill(1)
  const padding = integers(op, 'padding', new Array<number>(2 * rank).fill(0))
  return {
    strides: integers(op, 'window_strides', ones),
    low: ones.map((_, axis) => padding[2 * axis]!),
    high: ones.map((_, axis) => padding[2 * axis + 1]!),
    inputDilation: integers(op, 'lhs_dilation', ones),
    kernelDilation: integers(op, 'rhs_dilation', ones),
    reversal: integers(
      op,
      'window_reversal',
      ones.map(() => 0),
    ),
  }
}

/**
 * A convolution of [batch, features, spatial...] with [features, outputs, spatial...]: every window as a row, times the kernel as a
 * matrix, so that an element is one sum over the window and then the features.
 */
function convolved(x: Tensor, kernel: Tensor, geometry: Geometry, semantics: DotSemantics): Tensor {
  const [batch, features, ...spatial] = x.shape as [number, number, ...number[]]
  const [, outputs, ...window] = kernel.shape as [number, number, ...number[]]
  const { strides, low, high, inputDilation, kernelDilation, reversal } = geometry
  const none = [0, 0]
  const all = padded(
    x,
    zeros([], { dtype: x.dtype }),
    [...none, ...low],
    [...none, ...high],
    [...none, ...inputDilation.map((n) => n - 1)],
  )
  const counts = spatial.map((_, axis) => {
    const span = (window[axis]! - 1) * kernelDilation[axis]! + 1
    const length = all.shape[axis + 2]!
    return length < span ? 0 : Math.floor((length - span) / strides[axis]!) + 1
  })
  const size = sizeOf(window)
  const shape: Shape = [batch, outputs, ...counts]
  if (sizeOf(shape) === 0 || size === 0 || features === 0) return zeros(shape, { dtype: semantics.result })
  const turned = reversal.flatMap((isReversed, axis) => (isReversed ? [axis + 2] : []))
  const weights = turned.length > 0 ? flip(kernel, { axis: turned }) : kernel
  const parts = [...placesIn(window)].map((place) =>
    reshape(
      slice(all, [
        null,
        null,
        ...place.map((index, axis): [number, number, number] => {
          const start = index * kernelDilation[axis]!
          return [start, start + (counts[axis]! - 1) * strides[axis]! + 1, strides[axis]!]
        }),
      ]),
      [batch, 1, features, sizeOf(counts)],
    ),
  )
  const rows = reshape(transpose(parts.length === 1 ? parts[0]! : concat(parts, { axis: 1 }), [0, 3, 1, 2]), [
    batch * sizeOf(counts),
    size * features,
  ])
  const spatialAxes = window.map((_, axis) => axis + 2)
  const matrix = reshape(transpose(weights, [...spatialAxes, 0, 1]), [size * features, outputs])
  const result = reshape(product(rows, matrix, semantics), [batch, ...counts, outputs])
  return transpose(result, [0, counts.length + 1, ...counts.map((_, axis) => axis + 1)])
}

/** So many equal parts along an axis. */
function parted(x: Tensor, axis: number, count: number): Tensor[] {
  const length = x.shape[axis]! / count
  const lead = x.shape.slice(0, axis).map(() => null)
  return Array.from({ length: count }, (_, i) => slice(x, [...lead, [i * length, (i + 1) * length]]))
}

/** `stablehlo.convolution`. */
export const convolution: Lowering = (op, context) => {
  const sides = sidesOf(op)
  const geometry = geometryOf(op, sides.input.length - 2)
  const semantics = dotSemantics(op, context)
  const featureGroups = integer(op, 'feature_group_count', 1)
  const batchGroups = integer(op, 'batch_group_count', 1)
  return single(([a, b]) => {
    const x = transpose(real(a), sides.input)
    const kernel = transpose(real(b), sides.kernel)
    const groups = Math.max(featureGroups, batchGroups)
    const xs = groups === 1 ? [x] : parted(x, featureGroups > 1 ? 1 : 0, groups)
    const kernels = groups === 1 ? [kernel] : parted(kernel, 1, groups)
    const results = xs.map((part, i) => convolved(part, kernels[i]!, geometry, semantics))
    const joined = results.length === 1 ? results[0]! : concat(results, { axis: 1 })
    const back = sides.output.map((_, axis) => sides.output.indexOf(axis))
    return transpose(joined, back)
  })
}
