// Arithmetic of float32 arrays at `a` and `b` -> float32 at `to`, which may be one of them; counts rounded up to a multiple
// of 4. A step of 0 makes the one number at `a` or `b` serve every element. NaN results are canonical: 0x7fc00000.

// @ts-ignore: decorator
@inline
export function canonical(x: v128): v128 {
  return v128.bitselect(i32x4.splat(0x7fc00000), x, f32x4.ne(x, x))
}

// @ts-ignore: decorator
@inline
function operation(kind: i32, x: v128, y: v128): v128 {
  if (kind == 0) return f32x4.add(x, y)
  if (kind == 1) return f32x4.sub(x, y)
  if (kind == 2) return f32x4.mul(x, y)
  if (kind == 3) return f32x4.div(x, y)
  if (kind == 4) return f32x4.min(x, y)
  return f32x4.max(x, y)
}

// @ts-ignore: decorator
@inline
function each(kind: i32, a: usize, b: usize, to: usize, count: i32, stepA: i32, stepB: i32): void {
  const end = to + ((count + 3) & ~3) * 4
  if (stepA && stepB) {
    for (; to < end; a += 16, b += 16, to += 16) {
      v128.store(to, canonical(operation(kind, v128.load(a), v128.load(b))))
}
  } else if (stepA) {
    const y = v128.load32_splat(b)
    for (; to < end; a += 16, to += 16) v128.store(to, canonical(operation(kind, v128.load(a), y)))
  } else if (stepB) {
    const x = v128.load32_splat(a)
    for (; to < end; b += 16, to += 16) v128.store(to, canonical(operation(kind, x, v128.load(b))))
  } else {
    const z = canonical(operation(kind, v128.load32_splat(a), v128.load32_splat(b)))
    for (; to < end; to += 16) v128.store(to, z)
  }
}

export function addFloat32(a: usize, b: usize, to: usize, count: i32, stepA: i32, stepB: i32): void {
  each(0, a, b, to, count, stepA, stepB)
}

export function subFloat32(a: usize, b: usize, to: usize, count: i32, stepA: i32, stepB: i32): void {
  each(1, a, b, to, count, stepA, stepB)
}

export function mulFloat32(a: usize, b: usize, to: usize, count: i32, stepA: i32, stepB: i32): void {
  each(2, a, b, to, count, stepA, stepB)
}

export function divFloat32(a: usize, b: usize, to: usize, count: i32, stepA: i32, stepB: i32): void {
  each(3, a, b, to, count, stepA, stepB)
}

export function minFloat32(a: usize, b: usize, to: usize, count: i32, stepA: i32, stepB: i32): void {
  each(4, a, b, to, count, stepA, stepB)
}

export function maxFloat32(a: usize, b: usize, to: usize, count: i32, stepA: i32, stepB: i32): void {
  each(5, a, b, to, count, stepA, stepB)
}
