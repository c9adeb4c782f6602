// One tile of a matrix product, whose operands are packed as matmul.ts states; `stride` is the distance of the rows of sums in bytes.

/** One tile, k ascending; each product and each sum rounded to float32. */
export function tile(a: usize, b: usize, c: usize, stride: usize, k: i32): void {
  const c1 = c + stride
  const c2 = c1 + stride
  const c3 = c2 + stride
  let s00 = v128.load(c)
  let s01 = v128.load(c, 16)
  let s10 = v128.load(c1)
  let s11 = v128.load(c1, 16)
  let s20 = v128.load(c2)
  let s21 = v128.load(c2, 16)
  let s30 = v128.load(c3)
  let s31 = v128.load(c3, 16)
  const end = a + usize(k) * 16
  while (a < end) {
    const x = v128.load(b)
    const y = v128.load(b, 16)
    const a0 = v128.load32_splat(a)
    s00 = f32x4.add(s00, f32x4.mul(a0, x))
    s01 = f32x4.add(s01, f32x4.mul(a0, y))
    const a1 = v128.load32_splat(a, 4)
    s10 = f32x4.add(s10, f32x4.mul(a1, x))
    s11 = f32x4.add(s11, f32x4.mul(a1, y))
    const a2 = v128.load32_splat(a, 8)
    s20 = f32x4.add(s20, f32x4.mul(a2, x))
    s21 = f32x4.add(s21, f32x4.mul(a2, y))
    const a3 = v128.load32_splat(a, 12)
    s30 = f32x4.add(s30, f32x4.mul(a3, x))
    s31 = f32x4.add(s31, f32x4.mul(a3, y))
    a += 16
    b += 32
  }
  v128.store(c, s00)
  v128.store(c, s01, 16)
  v128.store(c1, s10)
  v128.store(c1, s11, 16)
  v128.store(c2, s20)
  v128.store(c2, s21, 16)
  v128.store(c3, s30)
  v128.store(c3, s31, 16)
}

/** Half a tile, 4 columns, in float64: products exact, each sum rounded to float32, whatever the operands are. */
export function tileExact(a: usize, b: usize, c: usize, stride: usize, k: i32): void {
  const c1 = c + stride
  const c2 = c1 + stride
  const c3 = c2 + stride
  let s00 = wideLow(v128.load(c))
  let s01 = wideHigh(v128.load(c))
  let s10 = wideLow(v128.load(c1))
  let s11 = wideHigh(v128.load(c1))
  let s20 = wideLow(v128.load(c2))
  let s21 = wideHigh(v128.load(c2))
  let s30 = wideLow(v128.load(c3))
  let s31 = wideHigh(v128.load(c3))
  const end = a + usize(k) * 16
  for (; a < end; a += 16, b += 32) {
    const x = wideLow(v128.load(b))
    const y = wideHigh(v128.load(b))
    const a0 = f64x2.splat(f64(load<f32>(a)))
    s00 = fround(f64x2.add(s00, f64x2.mul(a0, x)))
    s01 = fround(f64x2.add(s01, f64x2.mul(a0, y)))
    const a1 = f64x2.splat(f64(load<f32>(a, 4)))
    s10 = fround(f64x2.add(s10, f64x2.mul(a1, x)))
    s11 = fround(f64x2.add(s11, f64x2.mul(a1, y)))
    const a2 = f64x2.splat(f64(load<f32>(a, 8)))
    s20 = fround(f64x2.add(s20, f64x2.mul(a2, x)))
    s21 = fround(f64x2.add(s21, f64x2.mul(a2, y)))
    const a3 = f64x2.splat(f64(load<f32>(a, 12)))
    s30 = fround(f64x2.add(s30, f64x2.mul(a3, x)))
    s31 = fround(f64x2.add(s31, f64x2.mul(a3, y)))
  }
  v128.store(c, narrow(s00, s01))
  v128.store(c1, narrow(s10, s11))
  v128.store(c2, narrow(s20, s21))
  v128.store(c3, narrow(s30, s31))
}

// @ts-ignore: decorator
@inline
function wideLow(x: v128): v128 {
  return f64x2.promote_low_f32x4(x)
}

// @ts-ignore: decorator
@inline
function wideHigh(x: v128): v128 {
  return f64x2.promote_low_f32x4(i8x16.shuffle(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15))
}

// @ts-ignore: decorator
@inline
function fround(x: v128): v128 {
  return f64x2.promote_low_f32x4(f32x4.demote_f64x2_zero(x))
}

// @ts-ignore: decorator
@inline
function narrow(x: v128, y: v128): v128 {
  const a = f32x4.demote_f64x2_zero(x)
  const b = f32x4.demote_f64x2_zero(y)
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
}
