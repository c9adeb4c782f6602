// Comparisons of float32 at `a` and `b` -> bytes 0 or 1 at `to`, and choices by such bytes; counts rounded up to a multiple
// of 16. A step of 0 makes the one element at a pointer serve all.

// @ts-ignore: decorator
@inline
function holds(kind: i32, x: v128, y: v128): v128 {
  if (kind == 0) return f32x4.eq(x, y)
  if (kind == 1) return f32x4.ne(x, y)
  if (kind == 2) return f32x4.lt(x, y)
  return f32x4.le(x, y)
}

// @ts-ignore: decorator
@inline
function each(kind: i32, a: usize, b: usize, to: usize, count: i32, stepA: i32, stepB: i32): void {
  const end = to + ((count + 15) & ~15)
  const ones = i8x16.splat(1)
  if (stepA && stepB) {
    for (; to < end; a += 64, b += 64, to += 16) {
      const low = i16x8.narrow_i32x4_s(
        holds(kind, v128.load(a), v128.load(b)),
        holds(kind, v128.load(a, 16), v128.load(b, 16)),
      )
      const high = i16x8.narrow_i32x4_s(
        holds(kind, v128.load(a, 32), v128.load(b, 32)),
        holds(kind, v128.load(a, 48), v128.load(b, 48)),
      )
      v128.store(to, v128.and(i8x16.narrow_i16x8_s(low, high), ones))
    }
    return
  }
  const x = v128.load32_splat(a)
  const y = v128.load32_splat(b)
  for (; to < end; a += stepA * 64, b += stepB * 64, to += 16) {
    const low = i16x8.narrow_i32x4_s(
      holds(kind, stepA ? v128.load(a) : x, stepB ? v128.load(b) : y),
      holds(kind, stepA ? v128.load(a, 16) : x, stepB ? v128.load(b, 16) : y),
    )
    const high = i16x8.narrow_i32x4_s(
      holds(kind, stepA ? v128.load(a, 32) : x, stepB ? v128.load(b, 32) : y),
      holds(kind, stepA ? v128.load(a, 48) : x, stepB ? v128.load(b, 48) : y),
    )
    v128.store(to, v128.and(i8x16.narrow_i16x8_s(low, high), ones))
  }
}

export function equalFloat32(a: usize, b: usize, to: usize, count: i32, stepA: i32, stepB: i32): void {
  each(0, a, b, to, count, stepA, stepB)
}

export function notEqualFloat32(a: usize, b: usize, to: usize, count: i32, stepA: i32, stepB: i32): void {
  each(1, a, b, to, count, stepA, stepB)
}

export function lessFloat32(a: usize, b: usize, to: usize, count: i32, stepA: i32, stepB: i32): void {
  each(2, a, b, to, count, stepA, stepB)
}

export function lessEqualFloat32(a: usize, b: usize, to: usize, count: i32, stepA: i32, stepB: i32): void {
  each(3, a, b, to, count, stepA, stepB)
}

/** The bits of 4 bytes each at `a` where the byte at `condition` is not 0, else of those at `b`. */
export function where32(
  condition: usize,
  a: usize,
  b: usize,
  to: usize,
  count: i32,
  stepA: i32,
  stepB: i32,
): void {
  const end = to + ((count + 15) & ~15) * 4
  const x = v128.load32_splat(a)
  const y = v128.load32_splat(b)
  for (; to < end; condition += 16, a += stepA * 64, b += stepB * 64, to += 64) {
    const no = i8x16.eq(v128.load(condition), i8x16.splat(0))
    const low = i16x8.extend_low_i8x16_s(no)
    const high = i16x8.extend_high_i8x16_s(no)
    v128.store(to, chosen(i32x4.extend_low_i16x8_s(low), a, b, x, y, stepA, stepB))
    v128.store(to, chosen(i32x4.extend_high_i16x8_s(low), a + 16, b + 16, x, y, stepA, stepB), 16)
    v128.store(to, chosen(i32x4.extend_low_i16x8_s(high), a + 32, b + 32, x, y, stepA, stepB), 32)
    v128.store(to, chosen(i32x4.extend_high_i16x8_s(high), a + 48, b + 48, x, y, stepA, stepB), 48)
  }
}

// @ts-ignore: decorator
@inline
function chosen(no: v128, a: usize, b: usize, x: v128, y: v128, stepA: i32, stepB: i32): v128 {
  return v128.bitselect(stepB ? v128.load(b) : y, stepA ? v128.load(a) : x, no)
}
