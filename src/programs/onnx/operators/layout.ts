import {
  add,
  arange,
  broadcastTo,
  cast,
  concat,
  equal,
  expandDims,
  eye,
  full,
  less,
  type Range,
  reshape,
  type Shape,
  sizeOf,
  slice,
  squeeze,
  type Tensor,
  take,
  tensor,
  transpose,
  tril,
  triu,
  where,
} from '../../../tensors/tensor/index.js'
import { dtypeOfNumber } from '../file/storedTensor.js'
import type { Call, Operator } from './call.js'

/** A list of positions or lengths as ONNX gives them: int64. */
export function int64s(values: readonly number[], shape?: Shape): Tensor {
  return tensor(values, { dtype: 'int64', ...(shape && { shape }) })
}

function reshaped(call: Call, x?: Tensor, shape?: Tensor): Tensor {
  const value = call.need(x, 0)
  const lengths = [...call.known(call.need(shape, 1), 'the shape')]
  const copies = !call.flag('allowzero')
  const whole = lengths.map((length, i) => (length === 0 && copies ? (value.shape[i] ?? 0) : length))
  const open = whole.indexOf(-1)
  if (open >= 0) {
    const others = whole.reduce((n, length, i) => (i === open ? n : n * length), 1)
    whole[open] = others === 0 ? 0 : value.size / others
  }
  if (sizeOf(whole) !== value.size || !whole.every(Number.isInteger)) {
    throw call.error(`cannot give ${value.size} elements this shape`, lengths.join(' x '))
  }
  return reshape(value, whole)
}

/** The shape that two shapes broadcast to, as NumPy does it. */
export function broadcastShapes(call: Call, a: Shape, b: Shape): number[] {
  const rank = Math.max(a.length, b.length)
  return Array.from({ length: rank }, (_, i) => {
    const [x, y] = [a[i - rank + a.length] ?? 1, b[i - rank + b.length] ?? 1]
    if (x !== y && x !== 1 && y !== 1) {
      throw call.error('has shapes that do not broadcast', a.join(' x '), b.join(' x '))
    }
    return x === 1 ? y : x
  })
}

function expanded(call: Call, x?: Tensor, shape?: Tensor): Tensor {
  const value = call.need(x, 0)
  return broadcastTo(value, broadcastShapes(call, value.shape, call.known(call.need(shape, 1), 'the shape')))
}

function unsqueezed(call: Call, x?: Tensor, axes?: Tensor): Tensor {
  const list = call.list('axes', axes)
  if (!list) throw call.error('lacks its axes')
  return expandDims(call.need(x, 0), list)
}

function squeezed(call: Call, x?: Tensor, axes?: Tensor): Tensor {
  const list = call.list('axes', axes)
  const value = call.need(x, 0)
  return list ? squeeze(value, { axis: list }) : squeeze(value)
}

function flattened(call: Call, x?: Tensor): Tensor {
  const value = call.need(x, 0)
  const given = call.number('axis', 1)
  const axis = given < 0 ? given + value.rank : given
  return reshape(value, [sizeOf(value.shape.slice(0, axis)), sizeOf(value.shape.slice(axis))])
}

function parts(call: Call, x?: Tensor, lengths?: Tensor): readonly Tensor[] {
  const value = call.need(x, 0)
  const axis = call.axis(call.number('axis', 0), value.rank)
  const whole = value.shape[axis]!
  const count = call.number('num_outputs', call.node.outputs.length)
  const each = Math.ceil(whole / count)
  const sizes =
    call.list('split', lengths) ??
    Array.from({ length: count }, (_, i) => Math.max(0, Math.min(each, whole - i * each)))
  let from = 0
  return sizes.map((length) => {
    const ranges: Range[] = value.shape.map((_, i) => (i === axis ? [from, from + length] : null))
    from += length
    return slice(value, ranges)
  })
}

function sliced(call: Call, ...inputs: (Tensor | undefined)[]): Tensor {
  const value = call.need(inputs[0], 0)
  const [starts, ends] = [1, 2].map((i) => call.known(call.need(inputs[i], i), 'its ranges')) as [
    readonly number[],
    readonly number[],
  ]
  const axes = inputs[3] ? call.known(inputs[3], 'its axes') : starts.map((_, i) => i)
  const steps = inputs[4] ? call.known(inputs[4], 'its steps') : starts.map(() => 1)
  const ranges: Range[] = value.shape.map(() => null)
  for (const [i, axis] of axes.entries()) {
    ranges[call.axis(axis, value.rank)] = [starts[i]!, ends[i]!, steps[i]!]
  }
  return slice(value, ranges)
}

/** The positions of an axis that a padded one reads, by the modes that repeat elements. */
const paddedPlaces: Readonly<Record<string, (at: number, length: number) => number>> = {
  edge: (at, length) => Math.min(Math.max(at, 0), length - 1),
  wrap: (at, length) => ((at % length) + length) % length,
  reflect: (at, length) => {
    const period = Math.max(2 * (length - 1), 1)
    const inside = ((at % period) + period) % period
    return inside < length ? inside : period - inside
  },
}

function padded(call: Call, x?: Tensor, widths?: Tensor, fill?: Tensor, axes?: Tensor): Tensor {
  let value = call.need(x, 0)
  const mode = call.text('mode', 'constant')
  const given = call.known(call.need(widths, 1), 'its widths')
  const along = axes
    ? call.known(axes, 'its axes').map((axis) => call.axis(axis, value.rank))
    : value.shape.map((_, i) => i)
  for (const [i, axis] of along.entries()) {
    const [before, after] = [given[i]!, given[i + along.length]!]
    if (before === 0 && after === 0) continue
    value =
      mode === 'constant'
        ? paddedBy(value, axis, before, after, fill)
        : repeated(call, mode, value, axis, before, after)
  }
  return value
}

/** x with constants at the ends of an axis; a negative width cuts elements off. */
export function paddedBy(
  x: Tensor,
  axis: number,
  before: number,
  after: number,
  fill: Tensor | undefined,
): Tensor {
  const length = x.shape[axis]!
  const kept = slice(
    x,
    x.shape.map((_, i) => (i === axis ? [Math.max(0, -before), length - Math.max(0, -after)] : null)),
  )
  const end = (count: number): Tensor => {
    const shape = x.shape.map((n, i) => (i === axis ? count : n))
    return fill ? broadcastTo(reshape(fill, []), shape) : full(shape, 0, { dtype: x.dtype })
  }
  return concat([...(before > 0 ? [end(before)] : []), kept, ...(after > 0 ? [end(after)] : [])], { axis })
}

function repeated(call: Call, mode: string, x: Tensor, axis: number, before: number, after: number): Tensor {
  const place = paddedPlaces[mode]
  if (!place) throw call.error('has an unknown mode', mode)
  const length = x.shape[axis]!
  const places = Array.from({ length: before + length + after }, (_, i) => place(i - before, length))
  return take(x, places, { axis })
}

function tiled(call: Call, x?: Tensor, repeats?: Tensor): Tensor {
  const value = call.need(x, 0)
  const counts = call.known(call.need(repeats, 1), 'its repeats')
  const split = reshape(
    value,
    value.shape.flatMap((n) => [1, n]),
  )
  const wide = broadcastTo(
    split,
    value.shape.flatMap((n, i) => [counts[i]!, n]),
  )
  return reshape(
    wide,
    value.shape.map((n, i) => n * counts[i]!),
  )
}

function ranged(call: Call, from?: Tensor, to?: Tensor, by?: Tensor): Tensor {
  const [start, limit, step] = [from, to, by].map((x, i) => call.known(call.need(x, i), 'its ends')[0]!) as [
    number,
    number,
    number,
  ]
  const count = Math.max(0, Math.ceil((limit - start) / step))
  return tensor(
    Array.from({ length: count }, (_, i) => start + i * step),
    { dtype: from!.dtype },
  )
}

function filled(call: Call, shape?: Tensor): Tensor {
  const lengths = call.known(call.need(shape, 0), 'the shape')
  const value = call.tensor('value')
  return value ? broadcastTo(reshape(value, []), lengths) : full(lengths, 0)
}

function constant(call: Call): Tensor {
  const whole = call.tensor('value')
  if (whole) return whole
  const floats = call.numbers('value_floats')
  if (floats) return tensor(floats)
  const ints = call.numbers('value_ints')
  if (ints) return int64s(ints)
  if (call.has('value_float')) return tensor(call.number('value_float', 0))
  if (call.has('value_int')) return int64s([call.number('value_int', 0)], [])
  throw call.error('has a value that no tensor can hold')
}

function shapeOf(call: Call, x?: Tensor): Tensor {
  const { shape } = call.need(x, 0)
  const end = call.number('end', shape.length)
  return int64s(shape.slice(call.number('start', 0), end))
}

function oneHotOf(call: Call, indices?: Tensor, depth?: Tensor, values?: Tensor): Tensor {
  const count = call.known(call.need(depth, 1), 'its depth')[0]!
  const at = cast(call.need(indices, 0), 'int32')
  const [off, on] = [0, 1].map((i) => slice(call.need(values, 2), [i])) as [Tensor, Tensor]
  const axis = call.axis(call.number('axis', -1), at.rank + 1)
  const places = reshape(
    arange(0, count, { dtype: 'int32' }),
    Array.from({ length: at.rank + 1 }, (_, i) => (i === axis ? count : 1)),
  )
  const wanted = expandDims(where(less(at, 0), add(at, count), at), axis)
  return where(equal(wanted, places), on, off)
}

function eyeLike(call: Call, x?: Tensor): Tensor {
  const { shape, dtype } = call.need(x, 0)
  const wanted = call.has('dtype') ? dtypeOfNumber(call.number('dtype', 1)) : dtype
  return cast(eye(shape[0]!, { columns: shape[1]!, k: call.number('k', 0), dtype: 'float32' }), wanted!)
}

function triangle(call: Call, x?: Tensor, k?: Tensor): Tensor {
  const diagonal = k ? call.known(k, 'its diagonal')[0]! : 0
  return (call.flag('upper', 1) ? triu : tril)(call.need(x, 0), { k: diagonal })
}

function transposed(call: Call, x?: Tensor): Tensor {
  const value = call.need(x, 0)
  return transpose(value, call.numbers('perm') ?? value.shape.map((_, i) => value.rank - 1 - i))
}

function depthToSpace(call: Call, x?: Tensor): Tensor {
  const value = call.need(x, 0)
  const block = call.number('blocksize', 1)
  const [n, c, h, w] = value.shape as [number, number, number, number]
  const depth = c / block ** 2
  const shape = [n, depth, h * block, w * block]
  return call.text('mode', 'DCR') === 'DCR'
    ? reshape(transpose(reshape(value, [n, block, block, depth, h, w]), [0, 3, 4, 1, 5, 2]), shape)
    : reshape(transpose(reshape(value, [n, depth, block, block, h, w]), [0, 1, 4, 2, 5, 3]), shape)
}

function spaceToDepth(call: Call, x?: Tensor): Tensor {
  const value = call.need(x, 0)
  const block = call.number('blocksize', 1)
  const [n, c, h, w] = value.shape as [number, number, number, number]
  const split = reshape(value, [n, c, h / block, block, w / block, block])
  const order = call.text('mode', 'DCR') === 'CRD' ? [0, 1, 3, 5, 2, 4] : [0, 3, 5, 1, 2, 4]
  return reshape(transpose(split, order), [n, c * block ** 2, h / block, w / block])
}

function cropped(call: Call, x?: Tensor, shape?: Tensor): Tensor {
  let value = call.need(x, 0)
  const lengths = call.known(call.need(shape, 1), 'the shape')
  const axes = call.numbers('axes') ?? value.shape.map((_, i) => i)
  for (const [i, given] of axes.entries()) {
    const axis = call.axis(given, value.rank)
    const more = lengths[i]! - value.shape[axis]!
    // A crop of an odd number of elements takes more from the end, and so does padding.
    const before = more >= 0 ? Math.floor(more / 2) : -Math.floor(-more / 2)
    value = paddedBy(value, axis, before, more - before, undefined)
  }
  return value
}

/** Operators that move elements, and those that say shapes. */
export const layoutOperators: Readonly<Record<string, Operator>> = {
  CenterCropPad: cropped,
  Concat: (call, ...inputs) => {
    const given = inputs.map((x, i) => call.need(x, i))
    return concat(given, { axis: call.axis(call.number('axis', 0), given[0]!.rank) })
  },
  Constant: constant,
  ConstantOfShape: filled,
  DepthToSpace: depthToSpace,
  Expand: expanded,
  EyeLike: eyeLike,
  Flatten: flattened,
  OneHot: oneHotOf,
  Pad: padded,
  Range: ranged,
  Reshape: reshaped,
  Shape: shapeOf,
  Size: (call, x) => int64s([call.need(x, 0).size], []),
  Slice: sliced,
  SpaceToDepth: spaceToDepth,
  Split: parts,
  Squeeze: squeezed,
  Tile: tiled,
  Transpose: transposed,
  Trilu: triangle,
  Unsqueeze: unsqueezed,
}
