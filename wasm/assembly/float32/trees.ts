// Sums of many lanes at once in the orders that are trees, as sums.ts has them of one lane: element i of all lanes is row i, `bytes`
// long, the rows one behind the other. All is done in place; of sums row 0 is the result, and the others are lost.

/** b + c -> a, where c may be a. */
// @ts-ignore: decorator
@inline
function add(a: usize, b: usize, c: usize, bytes: usize): void {
  const end = a + bytes
  for (const whole = a + (bytes & ~15); a < whole; a += 16, b += 16, c += 16) {
    v128.store(a, f32x4.add(v128.load(b), v128.load(c)))
  }
  for (; a < end; a += 4, b += 4, c += 4) store<f32>(a, load<f32>(b) + load<f32>(c))
}

/** +0 + b -> a. */
// @ts-ignore: decorator
@inline
function begin(a: usize, b: usize, bytes: usize): void {
  const end = a + bytes
  for (const whole = a + (bytes & ~15); a < whole; a += 16, b += 16) {
    v128.store(a, f32x4.add(f32x4.splat(0), v128.load(b)))
  }
  for (; a < end; a += 4, b += 4) store<f32>(a, <f32>0 + load<f32>(b))
}

export function pairwiseColumns(at: usize, n: i32, bytes: usize): void {
  if (n == 1) return
  const half = n >> 1
  const right = at + <usize>half * bytes
  if (half > 1) pairwiseColumns(at, half, bytes)
  if (n - half > 1) pairwiseColumns(right, n - half, bytes)
  add(at, at, right, bytes)
}

export function associativeColumns(at: usize, n: i32, bytes: usize): void {
  const half = n >> 1
  if (half == 0) return
  for (let i = 0; i < half; i++) {
    const from = at + <usize>(2 * i) * bytes
    add(at + <usize>i * bytes, from, from + bytes, bytes)
  }
  associativeColumns(at, half, bytes)
  // The last row lies behind all that was written.
  if (n & 1) add(at, at, at + <usize>(n - 1) * bytes, bytes)
}

/** Sums of consecutive rows, `width` of them each, the first starting `front` before the lane: sum i in row i; how many. */
function sumsOfRows(at: usize, n: i32, width: i32, front: i32, bytes: usize): i32 {
  const count = (n + front + width - 1) / width
  for (let i = 0; i < count; i++) {
    const to = at + <usize>i * bytes
    const start = max(0, i * width - front)
    const end = min(n, (i + 1) * width - front)
    begin(to, at + <usize>start * bytes, bytes)
    for (let row = start + 1; row < end; row++) add(to, to, at + <usize>row * bytes, bytes)
  }
  return count
}

export function blockedColumns(at: usize, n: i32, width: i32, bytes: usize): void {
  if (n <= width) {
    sumsOfRows(at, n, n, 0, bytes)
    return
  }
  const last = sumsOfRows(at, n, width, 0, bytes) - 1
  blockedColumns(at, last, width, bytes)
  add(at, at, at + <usize>last * bytes, bytes)
}

export function windowedColumns(at: usize, n: i32, width: i32, bytes: usize): void {
  while (n > width) n = sumsOfRows(at, n, width, ((width - (n % width)) % width) >> 1, bytes)
  sumsOfRows(at, n, n, 0, bytes)
}

export function pairwiseScanColumns(at: usize, n: i32, bytes: usize): void {
  if (n == 1) return
  const half = n >> 1
  const right = at + <usize>half * bytes
  if (half > 1) pairwiseScanColumns(at, half, bytes)
  if (n - half > 1) pairwiseScanColumns(right, n - half, bytes)
  const end = at + <usize>n * bytes
  for (let row = right; row < end; row += bytes) add(row, right - bytes, row, bytes)
}

/** `step` is the distance of two elements: the scan of the pair sums lies where the second of each pair lay. */
export function associativeScanColumns(at: usize, n: i32, bytes: usize, step: usize): void {
  const half = n >> 1
  if (half == 0) return
  for (let i = 0, row = at; i < half; i++, row += 2 * step) add(row + step, row, row + step, bytes)
  associativeScanColumns(at + step, half, bytes, 2 * step)
  for (let i = 2, row = at + 2 * step; i < n; i += 2, row += 2 * step) add(row, row - step, row, bytes)
}

/** `scratch` has room for the totals of the blocks, those of their blocks, and so on. */
export function blockedScanColumns(at: usize, n: i32, width: i32, bytes: usize, scratch: usize): void {
  const blocks = (n + width - 1) / width
  for (let i = 0; i < blocks; i++) {
    let row = at + <usize>(i * width) * bytes
    begin(row, row, bytes)
    for (let k = i * width + 1; k < min(n, (i + 1) * width); k++) {
      row += bytes
      add(row, row - bytes, row, bytes)
    }
    memory.copy(scratch + <usize>i * bytes, row, bytes)
  }
  if (blocks <= 1) return
  blockedScanColumns(scratch, blocks, width, bytes, scratch + <usize>blocks * bytes)
  for (let k = width; k < n; k++) {
    const row = at + <usize>k * bytes
    add(row, scratch + <usize>(k / width - 1) * bytes, row, bytes)
  }
}
