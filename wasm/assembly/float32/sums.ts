// Sums and running sums of one lane of float32 at `from`, every step rounded, in the orders of
// src/tensors/tensor/reductions/sumLane.ts and scanLane.ts, their readable twins. `state` holds the running sum and its compensation, so
// that a lane can be added part by part. `scratch` has room for twice the lane.

// @ts-ignore: decorator
@inline
function finite(x: f32): bool {
  return abs(x) < Infinity
}

/** Left to right, the running sums to `to` unless that is 0. */
export function sequentialLane(from: usize, to: usize, count: i32, state: usize): void {
  let s = load<f32>(state)
  const end = from + count * 4
  if (to) {
    for (; from < end; from += 4, to += 4) {
      s += load<f32>(from)
      store<f32>(to, s)
    }
  } else {
    for (; from < end; from += 4) s += load<f32>(from)
  }
  store<f32>(state, s)
}

export function kahanLane(from: usize, to: usize, count: i32, state: usize): void {
  let s = load<f32>(state)
  let c = load<f32>(state, 4)
  for (const end = from + count * 4; from < end; from += 4) {
    const y = load<f32>(from) - c
    const t = s + y
    c = t - s - y
    s = t
    if (!finite(t)) c = 0
    if (to) {
      store<f32>(to, s)
      to += 4
    }
  }
  store<f32>(state, s)
  store<f32>(state, c, 4)
}

/** The sum is that of the two numbers of the state. What a step lost, exactly, is Knuth's: a choice of operands takes longer. */
export function neumaierLane(from: usize, to: usize, count: i32, state: usize): void {
  let s = load<f32>(state)
  let c = load<f32>(state, 4)
  for (const end = from + count * 4; from < end; from += 4) {
    const v = load<f32>(from)
    const t = s + v
    const rest = t - s
    c += s - (t - rest) + (v - rest)
    s = t
    if (to) {
      store<f32>(to, finite(s) ? s + c : s)
      to += 4
    }
  }
  store<f32>(state, s)
  // A sum that is not finite stays so.
  store<f32>(state, finite(s) ? c : 0, 4)
}

export function pairwiseSum(from: usize, n: i32): f32 {
  if (n == 4) return load<f32>(from) + load<f32>(from, 4) + (load<f32>(from, 8) + load<f32>(from, 12))
  if (n == 3) return load<f32>(from) + (load<f32>(from, 4) + load<f32>(from, 8))
  if (n == 2) return load<f32>(from) + load<f32>(from, 4)
  if (n == 1) return load<f32>(from)
  const half = n >> 1
  return pairwiseSum(from, half) + pairwiseSum(from + half * 4, n - half)
}

/** lane[2 i] + lane[2 i + 1], `half` of them; `to` may be `from`. */
function pairSums(from: usize, to: usize, half: i32): void {
  for (; half >= 4; half -= 4, from += 32, to += 16) {
    const x = v128.load(from)
    const y = v128.load(from, 16)
    v128.store(to, f32x4.add(v128.shuffle<f32>(x, y, 0, 2, 4, 6), v128.shuffle<f32>(x, y, 1, 3, 5, 7)))
  }
  for (; half > 0; half--, from += 8, to += 4) store<f32>(to, load<f32>(from) + load<f32>(from, 4))
}

export function associativeSum(from: usize, n: i32, scratch: usize): f32 {
  if (n == 1) return load<f32>(from)
  const last = load<f32>(from + (n - 1) * 4)
  pairSums(from, scratch, n >> 1)
  const paired = associativeSum(scratch, n >> 1, scratch)
  return n & 1 ? paired + last : paired
}

function rowSum(from: usize, end: usize): f32 {
  let s: f32 = 0
  for (; from < end; from += 4) s += load<f32>(from)
  return s
}

/** Sums of rows of `width` to `to`, the first of them starting `front` places before the lane; how many there are. */
function rowSums(from: usize, n: i32, width: i32, front: i32, to: usize): i32 {
  const rows = (n + front + width - 1) / width
  for (let row = 0; row < rows; row++) {
    const start = max(0, row * width - front)
    const end = min(n, (row + 1) * width - front)
    store<f32>(to + row * 4, rowSum(from + start * 4, from + end * 4))
  }
  return rows
}

export function blockedSum(from: usize, n: i32, width: i32, scratch: usize): f32 {
  if (n <= width) return rowSum(from, from + n * 4)
  const last = rowSums(from, n, width, 0, scratch) - 1
  return load<f32>(scratch + last * 4) + blockedSum(scratch, last, width, scratch + last * 4 + 4)
}

export function windowedSum(from: usize, n: i32, width: i32, scratch: usize): f32 {
  while (n > width) {
    const padding = (width - (n % width)) % width
    n = rowSums(from, n, width, padding >> 1, scratch)
    from = scratch
    scratch += n * 4
  }
  return rowSum(from, from + n * 4)
}

/** Adds a number to each of n. */
function raise(to: usize, n: i32, by: f32): void {
  const all = f32x4.splat(by)
  for (; n >= 4; n -= 4, to += 16) v128.store(to, f32x4.add(v128.load(to), all))
  for (; n > 0; n--, to += 4) store<f32>(to, load<f32>(to) + by)
}

export function pairwiseScan(from: usize, to: usize, n: i32): void {
  const first = load<f32>(from)
  store<f32>(to, first)
  if (n == 1) return
  // The short ones written out: halves of 1 and 1, 1 and 2, 2 and 2.
  if (n <= 4) {
    const second = load<f32>(from, 4)
    const pair = second + first
    store<f32>(to, pair, 4)
    if (n == 3) store<f32>(to, load<f32>(from, 8) + second + first, 8)
    if (n == 4) {
      const third = load<f32>(from, 8)
      store<f32>(to, third + pair, 8)
      store<f32>(to, load<f32>(from, 12) + third + pair, 12)
    }
    return
  }
  const half = n >> 1
  pairwiseScan(from, to, half)
  pairwiseScan(from + half * 4, to + half * 4, n - half)
  raise(to + half * 4, n - half, load<f32>(to + half * 4 - 4))
}

export function associativeScan(from: usize, to: usize, n: i32, scratch: usize): void {
  const half = n >> 1
  if (half > 0) {
    const odd = scratch + half * 4
    pairSums(from, scratch, half)
    associativeScan(scratch, odd, half, odd + half * 4)
    for (let i = 0; i < half; i++) store<f32>(to + i * 8 + 4, load<f32>(odd + i * 4))
  }
  store<f32>(to, load<f32>(from))
  for (let i = 2; i < n; i += 2) store<f32>(to + i * 4, load<f32>(to + i * 4 - 4) + load<f32>(from + i * 4))
}

function rowScan(from: usize, to: usize, n: i32): void {
  let s: f32 = 0
  for (const end = from + n * 4; from < end; from += 4, to += 4) {
    s += load<f32>(from)
    store<f32>(to, s)
  }
}

export function blockedScan(from: usize, to: usize, n: i32, width: i32, scratch: usize): void {
  if (n <= width) {
    rowScan(from, to, n)
    return
  }
  const rows = rowSums(from, n, width, 0, scratch)
  const before = scratch + rows * 4
  blockedScan(scratch, before, rows, width, before + rows * 4)
  for (let row = 0; row < rows; row++) {
    const start = row * width
    const count = min(width, n - start)
    rowScan(from + start * 4, to + start * 4, count)
    raise(to + start * 4, count, row == 0 ? 0 : load<f32>(before + row * 4 - 4))
  }
}
