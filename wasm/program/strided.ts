// Elements of a view in row-major order. A view's record: rank, the place of its first element, then for each
// axis its length, its stride in elements, and the number of view elements of one step along it.

/** `count` elements of 32 bits from element `start` on. */
export function load32(to: usize, base: usize, view: usize, start: i32, count: i32): void {
  const rank = load<i32>(view)
  const last = view + 8 + usize(rank - 1) * 12
  const length = load<i32>(last)
  const stride = load<i32>(last, 4)
  while (count > 0) {
    const first = start % length
    const run = min(length - first, count)
    let from = base + (offset(view, last, start) + first * stride) * 4
    const end = to + usize(run) * 4
    if (stride == 1) {
      memory.copy(to, from, usize(run) * 4)
    } else if (stride == 0) {
      const x = v128.load32_splat(from)
      // Not one element too many: what lies behind may be another thread's part of the same copy.
      let at = to
      for (; at + 16 <= end; at += 16) v128.store(at, x)
      for (; at < end; at += 4) v128.store32_lane(at, x, 0)
    } else {
      for (let at = to; at < end; at += 4, from += stride * 4) store<i32>(at, load<i32>(from))
    }
    to = end
    start += run
    count -= run
  }
}

/** `count` elements of 64 bits from element `start` on. */
export function load64(to: usize, base: usize, view: usize, start: i32, count: i32): void {
  const rank = load<i32>(view)
  const last = view + 8 + usize(rank - 1) * 12
  const length = load<i32>(last)
  const stride = load<i32>(last, 4)
  while (count > 0) {
    const first = start % length
    const run = min(length - first, count)
    let from = base + (offset(view, last, start) + first * stride) * 8
    const end = to + usize(run) * 8
    for (let at = to; at < end; at += 8, from += stride * 8) store<i64>(at, load<i64>(from))
    to = end
    start += run
    count -= run
  }
}

/** Where the row of a view's element lies, from the base; axes but the last. */
// @ts-ignore: decorator
@inline
function offset(view: usize, last: usize, element: i32): i32 {
  let sum = load<i32>(view, 4)
  for (let axis = view + 8; axis < last; axis += 12) {
    sum += ((element / load<i32>(axis, 8)) % load<i32>(axis)) * load<i32>(axis, 4)
  }
  return sum
}
