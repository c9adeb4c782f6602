// @ts-ignore: decorator
@inline
export function toInt(x: f64): i32 {
  return i32(x)
}

// @ts-ignore: decorator
@inline
export function exponentOf(x: f64): i32 {
  return (i32(reinterpret<i64>(x) >> 52) & 0x7ff) - 1023
}

// @ts-ignore: decorator
@inline
export function powerOfTwo(k: i32): f64 {
  return reinterpret<f64>(i64(k + 1023) << 52)
}
