// Sums of many lanes of float32 at once, each lane a place in a vector: row after row of `width` elements at `from`, one of
// every lane, every step rounded as in sums.ts. `sums` and `rests` hold the running sums and compensations, `to` unless it is 0
// gets them row by row. All are read and written in whole groups of 16: what a group has beyond the width, the groups before
// it write again, and behind the last row there is room for it.

// @ts-ignore: decorator
@inline
function finite(x: v128): v128 {
  return f32x4.lt(f32x4.abs(x), f32x4.splat(Infinity))
}

/** What s + v = t lost, exactly: Knuth's sum, the same number as Neumaier's from the smaller operand. */
// @ts-ignore: decorator
@inline
function lost(s: v128, v: v128, t: v128): v128 {
  const rest = f32x4.sub(t, s)
  return f32x4.add(f32x4.sub(s, f32x4.sub(t, rest)), f32x4.sub(v, rest))
}

// @ts-ignore: decorator
@inline
function column(kind: i32, from: usize, to: usize, rows: i32, stride: usize, sums: usize, rests: usize): void {
  let s0 = v128.load(sums)
  let s1 = v128.load(sums, 16)
  let s2 = v128.load(sums, 32)
  let s3 = v128.load(sums, 48)
  let c0 = v128.load(rests)
  let c1 = v128.load(rests, 16)
  let c2 = v128.load(rests, 32)
  let c3 = v128.load(rests, 48)
  for (let row = 0; row < rows; row++, from += stride) {
    const v0 = v128.load(from)
    const v1 = v128.load(from, 16)
    const v2 = v128.load(from, 32)
    const v3 = v128.load(from, 48)
    if (kind == 0) {
      s0 = f32x4.add(s0, v0)
      s1 = f32x4.add(s1, v1)
      s2 = f32x4.add(s2, v2)
      s3 = f32x4.add(s3, v3)
    } else if (kind == 1) {
      const y0 = f32x4.sub(v0, c0)
      const y1 = f32x4.sub(v1, c1)
      const y2 = f32x4.sub(v2, c2)
      const y3 = f32x4.sub(v3, c3)
      const t0 = f32x4.add(s0, y0)
      const t1 = f32x4.add(s1, y1)
      const t2 = f32x4.add(s2, y2)
      const t3 = f32x4.add(s3, y3)
      c0 = v128.and(f32x4.sub(f32x4.sub(t0, s0), y0), finite(t0))
      c1 = v128.and(f32x4.sub(f32x4.sub(t1, s1), y1), finite(t1))
      c2 = v128.and(f32x4.sub(f32x4.sub(t2, s2), y2), finite(t2))
      c3 = v128.and(f32x4.sub(f32x4.sub(t3, s3), y3), finite(t3))
      s0 = t0
      s1 = t1
      s2 = t2
      s3 = t3
    } else {
      const t0 = f32x4.add(s0, v0)
      const t1 = f32x4.add(s1, v1)
      const t2 = f32x4.add(s2, v2)
      const t3 = f32x4.add(s3, v3)
      c0 = v128.and(f32x4.add(c0, lost(s0, v0, t0)), finite(t0))
      c1 = v128.and(f32x4.add(c1, lost(s1, v1, t1)), finite(t1))
      c2 = v128.and(f32x4.add(c2, lost(s2, v2, t2)), finite(t2))
      c3 = v128.and(f32x4.add(c3, lost(s3, v3, t3)), finite(t3))
      s0 = t0
      s1 = t1
      s2 = t2
      s3 = t3
    }
    if (to) {
      v128.store(to, kind == 2 ? f32x4.add(s0, c0) : s0)
      v128.store(to, kind == 2 ? f32x4.add(s1, c1) : s1, 16)
      v128.store(to, kind == 2 ? f32x4.add(s2, c2) : s2, 32)
      v128.store(to, kind == 2 ? f32x4.add(s3, c3) : s3, 48)
      to += stride
    }
  }
  v128.store(sums, s0)
  v128.store(sums, s1, 16)
  v128.store(sums, s2, 32)
  v128.store(sums, s3, 48)
  v128.store(rests, c0)
  v128.store(rests, c1, 16)
  v128.store(rests, c2, 32)
  v128.store(rests, c3, 48)
}

// @ts-ignore: decorator
@inline
function each(kind: i32, from: usize, to: usize, rows: i32, width: i32, sums: usize, rests: usize): void {
  const stride = <usize>width * 4
  // The last group first: its surplus lies in the row below, in places of the others.
  for (let i = (width - 1) & ~15; i >= 0; i -= 16) {
    const at = <usize>i * 4
    column(kind, from + at, to ? to + at : 0, rows, stride, sums + at, rests + at)
  }
}

export function sequentialColumns(from: usize, to: usize, rows: i32, width: i32, sums: usize, rests: usize): void {
  each(0, from, to, rows, width, sums, rests)
}

export function kahanColumns(from: usize, to: usize, rows: i32, width: i32, sums: usize, rests: usize): void {
  each(1, from, to, rows, width, sums, rests)
}

export function neumaierColumns(from: usize, to: usize, rows: i32, width: i32, sums: usize, rests: usize): void {
  each(2, from, to, rows, width, sums, rests)
}

/** 16 lanes of `count` elements, each `stride` bytes after the one before -> rows of 16; count rounded up to a multiple of 4. */
export function transposeLanes(from: usize, to: usize, count: i32, stride: usize): void {
  for (let group: usize = 0; group < 64; group += 16, from += 4 * stride) {
    let target = to + group
    let a = from
    for (const end = from + ((count + 3) & ~3) * 4; a < end; a += 16, target += 256) {
      const w = v128.load(a)
      const x = v128.load(a + stride)
      const y = v128.load(a + 2 * stride)
      const z = v128.load(a + 3 * stride)
      const low = v128.shuffle<f32>(w, x, 0, 4, 1, 5)
      const high = v128.shuffle<f32>(w, x, 2, 6, 3, 7)
      const lower = v128.shuffle<f32>(y, z, 0, 4, 1, 5)
      const upper = v128.shuffle<f32>(y, z, 2, 6, 3, 7)
      v128.store(target, v128.shuffle<f32>(low, lower, 0, 1, 4, 5))
      v128.store(target + 64, v128.shuffle<f32>(low, lower, 2, 3, 6, 7))
      v128.store(target + 128, v128.shuffle<f32>(high, upper, 0, 1, 4, 5))
      v128.store(target + 192, v128.shuffle<f32>(high, upper, 2, 3, 6, 7))
    }
  }
}
