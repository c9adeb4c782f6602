import {
  concat,
  reshape,
  sizeOf,
  slice,
  sum,
  type Tensor,
  transpose,
  zeros,
} from '../../../tensors/tensor/index.js'

/** Fewer elements than this XLA adds by itself. */
export const libraryElements = 4096

const lanes = 16

/**
 * A float32 sum over axes in the order of YNNPACK, to which XLA's CPU backend gives the sums of 4,096 float32 numbers and more: along the
 * last axis 16 running sums side by side, each by groups of four, then of four groups, and so on, and at the end halves of the 16;
 * along other axes groups of four, of four groups, and those one after the other. Neighbouring axes count as one, others follow
 * from the inside out.
 *
 * Error     of whole tensors and of columns of more than about 100 the library cuts the work by its size, which is not modelled: the
 *           last bits may be others.
 * Source    measured with jax 0.10.2: where two large numbers cancel tells which elements were added before.
 */
export function librarySum(x: Tensor, axes: readonly number[]): Tensor {
  let { now, reduced } = merged(x, axes)
  let isInner = true
  for (const axis of [...reduced].reverse()) {
    const shape = now.shape
    const rest = shape.flatMap((_, i) => (i === axis ? [] : [i]))
    const rows = transpose(now, [axis, ...rest])
    const isLast = axis === shape.length - 1
    now = !isInner ? inOrder(rows) : isLast ? byLanes(rows) : inOrder(byFours(byFours(rows)))
    isInner = false
  }
  return reshape(
    now,
    x.shape.filter((_, axis) => !axes.includes(axis)),
  )
}

/** x with neighbouring axes that are reduced as one, and without axes of length 1. */
function merged(x: Tensor, axes: readonly number[]): { now: Tensor; reduced: readonly number[] } {
  const shape: number[] = []
  const reduced: number[] = []
  let before = false
  for (const [axis, length] of x.shape.entries()) {
    if (length === 1) continue
    const isReduced = axes.includes(axis)
    if (isReduced && before) {
      shape[shape.length - 1]! *= length
    } else {
      if (isReduced) reduced.push(shape.length)
      shape.push(length)
    }
    before = isReduced
  }
  return { now: reshape(x, shape), reduced }
}

/** The sum of [n, ...] over its first axis, one after the other. */
function inOrder(x: Tensor): Tensor {
  return x.shape[0] === 1 ? reshape(x, x.shape.slice(1)) : sum(x, { axis: 0, accumulate: 'float32' })
}

/** [n, ...] as [n / 4, ...], each the sum of four neighbours. */
function byFours(x: Tensor): Tensor {
  const [n, ...rest] = x.shape as [number, ...number[]]
  if (n === 1) return x
  const all = filled(x, 4)
  return sum(reshape(all, [all.shape[0]! / 4, 4, ...rest]), { axis: 1, accumulate: 'float32' })
}

/** The sum of [n, ...] over its first axis, whose elements lie side by side. */
function byLanes(x: Tensor): Tensor {
  const rest = x.shape.slice(1)
  const all = filled(x, lanes)
  let now = reshape(all, [all.shape[0]! / lanes, lanes, ...rest])
  while (now.shape[0]! > 1) now = byFours(now)
  now = reshape(now, [lanes, ...rest])
  for (let half = lanes / 2; half >= 1; half /= 2) {
    const pairs = concat([slice(now, [[0, half]]), slice(now, [[half, 2 * half]])])
    now = sum(reshape(pairs, [2, half, ...rest]), { axis: 0, accumulate: 'float32' })
  }
  return reshape(now, rest)
}

/** [n, ...] with zeros behind, so that n is a multiple. */
function filled(x: Tensor, multiple: number): Tensor {
  const [n, ...rest] = x.shape as [number, ...number[]]
  const missing = Math.ceil(n / multiple) * multiple - n
  return missing === 0 || sizeOf(rest) === 0 ? x : concat([x, zeros([missing, ...rest], { dtype: x.dtype })])
}
