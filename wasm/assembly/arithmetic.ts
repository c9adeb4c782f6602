import { codesOfResults, high, low } from './codes'

// Codes at `a` and `b` -> codes at `to`; count rounded up to a multiple of 8. Float32 arithmetic and then rounding
// is rounding once: 24 >= 2 * 8 + 2 bits.

export function add(a: usize, b: usize, to: usize, count: i32): void {
  const end = to + ((count + 7) & ~7) * 2
  for (; to < end; a += 16, b += 16, to += 16) {
    const x = v128.load(a)
    const y = v128.load(b)
    v128.store(to, codesOfResults(f32x4.add(low(x), low(y)), f32x4.add(high(x), high(y))))
  }
}

export function sub(a: usize, b: usize, to: usize, count: i32): void {
  const end = to + ((count + 7) & ~7) * 2
  for (; to < end; a += 16, b += 16, to += 16) {
    const x = v128.load(a)
    const y = v128.load(b)
    v128.store(to, codesOfResults(f32x4.sub(low(x), low(y)), f32x4.sub(high(x), high(y))))
  }
}

export function mul(a: usize, b: usize, to: usize, count: i32): void {
  const end = to + ((count + 7) & ~7) * 2
  for (; to < end; a += 16, b += 16, to += 16) {
    const x = v128.load(a)
    const y = v128.load(b)
    v128.store(to, codesOfResults(f32x4.mul(low(x), low(y)), f32x4.mul(high(x), high(y))))
  }
}

export function div(a: usize, b: usize, to: usize, count: i32): void {
  const end = to + ((count + 7) & ~7) * 2
  for (; to < end; a += 16, b += 16, to += 16) {
    const x = v128.load(a)
    const y = v128.load(b)
    v128.store(to, codesOfResults(f32x4.div(low(x), low(y)), f32x4.div(high(x), high(y))))
  }
}

export function min(a: usize, b: usize, to: usize, count: i32): void {
  const end = to + ((count + 7) & ~7) * 2
  for (; to < end; a += 16, b += 16, to += 16) {
    const x = v128.load(a)
    const y = v128.load(b)
    v128.store(to, codesOfResults(f32x4.min(low(x), low(y)), f32x4.min(high(x), high(y))))
  }
}

export function max(a: usize, b: usize, to: usize, count: i32): void {
  const end = to + ((count + 7) & ~7) * 2
  for (; to < end; a += 16, b += 16, to += 16) {
    const x = v128.load(a)
    const y = v128.load(b)
    v128.store(to, codesOfResults(f32x4.max(low(x), low(y)), f32x4.max(high(x), high(y))))
  }
}
