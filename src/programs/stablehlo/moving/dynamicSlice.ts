import {
  apply,
  cast,
  type DType,
  isSealed,
  maximum,
  minimum,
  type Op,
  type Reads,
  type Shape,
  sizeOf,
  slice,
  stack,
  Tensor,
  zeros,
} from '../../../tensors/tensor/index.js'
import { integers } from '../values/attributes.js'
import { integerIn } from '../values/integerIn.js'
import { type Lowering, single } from '../values/lowering.js'
import { eachPart, eachPartOf, real, type Value } from '../values/value.js'

/** Where a part begins, moved so that it lies inside. */
function clamped(starts: readonly number[], part: Shape, whole: Shape): readonly number[] {
  return starts.map((start, axis) => Math.min(Math.max(start, 0), whole[axis]! - part[axis]!))
}

function partAt(x: Tensor, starts: readonly number[], sizes: Shape): Tensor {
  const inside = clamped(starts, sizes, x.shape)
  if (inside.every((start, axis) => start === 0 && sizes[axis] === x.shape[axis])) return x
  return slice(
    x,
    inside.map((start, axis): [number, number] => [start, start + sizes[axis]!]),
  )
}

/** x with another tensor in the place of a part: copied row by row of the last axis. */
function withPart(x: Tensor, part: Tensor, starts: readonly number[]): Tensor {
  const inside = clamped(starts, part.shape, x.shape)
  const data = x.data.slice()
  const from = part.data
  const row = part.shape.at(-1) ?? 1
  const rows = row === 0 ? 0 : part.size / row
  const counter = part.shape.slice(0, -1).map(() => 0)
  for (let r = 0; r < rows; r++) {
    let at = 0
    for (let axis = 0; axis < x.rank; axis++) at = at * x.shape[axis]! + inside[axis]! + (counter[axis] ?? 0)
    data.set(from.subarray(r * row, (r + 1) * row) as never, at)
    for (let axis = counter.length - 1; axis >= 0 && ++counter[axis]! === part.shape[axis]; axis--) {
      counter[axis] = 0
    }
  }
  return new Tensor(x.dtype, x.shape, data)
}

const bare = (x: Tensor): Tensor => (x.trace ? new Tensor(x.dtype, x.shape, x.data) : x)

const startsIn = (x: Tensor): number[] => Array.from({ length: x.size }, (_, i) => integerIn(x, i))

/** A part whose place is an operand: x, and the starts as one vector. */
const dynamicSliceOp: Op<{ readonly sizes: Shape }> = {
  name: 'dynamicSlice',
  form: 'whole',
  rounds: 'never',
  kernel: ([x, starts], { sizes }) => {
    const part = partAt(bare(x!), startsIn(starts!), sizes)
    return part === x ? new Tensor(x.dtype, x.shape, x.data) : part
  },
  gradient: ({ g, inputs: [x, starts] }) => [
    apply(dynamicUpdateOp, [zeros(x!.shape, { dtype: x!.dtype }), g, starts!], undefined),
    undefined,
  ],
  flops: () => 0,
}

/** x with a part replaced, whose place is an operand. */
const dynamicUpdateOp: Op<undefined> = {
  name: 'dynamicUpdateSlice',
  form: 'whole',
  rounds: 'never',
  kernel: ([x, part, starts]) => withPart(x!, part!, startsIn(starts!)),
  gradient: ({ g, inputs: [, part, starts] }) => [
    apply(dynamicUpdateOp, [g, zeros(part!.shape, { dtype: part!.dtype }), starts!], undefined),
    apply(dynamicSliceOp, [g, starts!], { sizes: part!.shape }),
    undefined,
  ],
  tangent: ({ tangents: [dx, dpart], inputs: [x, part, starts] }) =>
    apply(
      dynamicUpdateOp,
      [
        dx ?? zeros(x!.shape, { dtype: x!.dtype }),
        dpart ?? zeros(part!.shape, { dtype: part!.dtype }),
        starts!,
      ],
      undefined,
    ),
  flops: () => 0,
  reads: (_, [whole, part]) => {
    // Where the part lies is not known without its starts: an element reads the one in step, and any of the part.
    return [
      { at: undefined, from: (element) => element, count: () => 1 },
      all(sizeOf(part!)),
      all(whole!.length),
    ]
  },
}

const all = (size: number): Reads => ({
  at: Int32Array.from({ length: size }, (_, i) => i),
  from: () => 0,
  count: () => size,
})

/** Starts as one vector of int32; an index that is not known yet stays an operand. */
function startVector(starts: readonly Value[], wholes: Shape): Tensor {
  return stack(starts.map((start, axis) => clampedIndex(real(start), wholes[axis]!)))
}

/** An index as int32: of wider and of unsigned integers what is too large stays too large. */
export function clampedIndex(x: Tensor, length: number): Tensor {
  if (x.dtype === 'int32') return x
  const small: readonly DType[] = ['bool']
  if (small.includes(x.dtype)) return cast(x, 'int32')
  return cast(limited(x, length), 'int32')
}

/** An integer of any width held to -1 ... length, which int32 holds. */
function limited(x: Tensor, length: number): Tensor {
  const isUnsigned = x.dtype.startsWith('u')
  const top = minimum(x, Math.min(length, widest[x.dtype] ?? length))
  return isUnsigned ? top : maximum(top, -1)
}

/** The largest value of narrow integers, which a longer axis exceeds. */
const widest: Readonly<Partial<Record<string, number>>> = {
  int2: 1,
  int4: 7,
  int8: 127,
  int16: 32767,
  uint2: 3,
  uint4: 15,
  uint8: 255,
  uint16: 65535,
}

/** `stablehlo.dynamic_slice`. */
export const dynamicSlice: Lowering = (op) => {
  const sizes = integers(op, 'slice_sizes')
  return single(([x, ...starts]) => {
    if (starts.length === 0) return x
    if (!starts.some((start) => isSealed(real(start)))) {
      const at = starts.map((start) => integerIn(real(start), 0))
      return eachPart(x, (part) => partAt(part, at, sizes))
    }
    return eachPart(x, (part) => apply(dynamicSliceOp, [part, startVector(starts, part.shape)], { sizes }))
  })
}

/** `stablehlo.dynamic_update_slice`. */
export const dynamicUpdateSlice: Lowering = () =>
  single(([x, update, ...starts]) => {
    if (starts.length === 0) return update
    return eachPartOf([x, update], ([whole, part]) =>
      apply(dynamicUpdateOp, [whole!, part!, startVector(starts, whole!.shape)], undefined),
    )
  })
