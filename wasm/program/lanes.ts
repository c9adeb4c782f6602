// Sums, extrema and running sums of lanes: arrays [outer, length, inner], a lane running along the middle. Every step is
// rounded as `steps` says (EXACT is float32), the total once as `rounding` says; `record` serves both.
import { roundOne, roundStep, toBfloat16, toFormat, word } from './rounding'

/**
 * Words: opcode, from, to, outer, length, inner, steps, rounding, record of steps, record of results, divisor or 0, and
 * whether the elements are float64.
 */
export function sumLanes(pc: usize): void {
  const from = usize(load<i32>(pc, 4))
  const to = usize(load<i32>(pc, 8))
  const outer = load<i32>(pc, 12)
  const length = load<i32>(pc, 16)
  const inner = load<i32>(pc, 20)
  const steps = load<i32>(pc, 24)
  const rounding = load<i32>(pc, 28)
  const stepRecord = usize(load<i32>(pc, 32))
  const record = usize(load<i32>(pc, 36))
  const divisor = load<i32>(pc, 40)
  const wide = load<i32>(pc, 44) != 0
  if (wide) {
    for (let o = 0; o < outer; o++) {
      for (let i = 0; i < inner; i++) {
        let at = from + (usize(o) * length * inner + i) * 8
        let s: f64 = 0
        for (let k = 0; k < length; k++, at += inner * 8) s += load<f64>(at)
        if (divisor) s /= f64(divisor)
        store<f64>(to + (usize(o) * inner + i) * 8, s)
      }
    }
    return
  }
  for (let o = 0; o < outer; o++) {
    const base = from + usize(o) * length * inner * 4
    const result = to + usize(o) * inner * 4
    let i = 0
    if (steps < 2) {
      // Four lanes side by side; sixteen while there are so many.
      for (; i + 16 <= inner; i += 16) columns16(base + i * 4, result + i * 4, length, inner, steps)
      for (; i + 4 <= inner; i += 4) {
        let s = f32x4.splat(0)
        let at = base + i * 4
        for (let k = 0; k < length; k++, at += inner * 4) {
          s = f32x4.add(s, v128.load(at))
          if (steps == 1) s = toBfloat16(s)
        }
        v128.store(result + i * 4, s)
      }
    } else if (steps == 2) {
      for (; i + 4 <= inner; i += 4) {
        let s = f32x4.splat(0)
        let at = base + i * 4
        const r0 = word(stepRecord, 0)
        const r1 = word(stepRecord, 1)
        const r2 = word(stepRecord, 2)
        const r3 = word(stepRecord, 3)
        const r4 = word(stepRecord, 4)
        const r5 = word(stepRecord, 5)
        for (let k = 0; k < length; k++, at += inner * 4) {
          s = toFormat(f32x4.add(s, v128.load(at)), r0, r1, r2, r3, r4, r5)
        }
        v128.store(result + i * 4, s)
      }
    }
    // Vectors hold float32 sums, still to be divided and rounded.
    for (let done = 0; done < i; done++) {
      const s = load<f32>(result + done * 4)
      store<f32>(result + done * 4, finish(f64(s), divisor, rounding, record))
    }
    for (; i < inner; i++) {
      const s = lane(base + i * 4, length, inner, steps, stepRecord)
      store<f32>(result + i * 4, finish(s, divisor, rounding, record))
    }
  }
}

function columns16(from: usize, to: usize, length: i32, inner: i32, steps: i32): void {
  let a = f32x4.splat(0)
  let b = f32x4.splat(0)
  let c = f32x4.splat(0)
  let d = f32x4.splat(0)
  if (steps == 0) {
    for (let k = 0; k < length; k++, from += inner * 4) {
      a = f32x4.add(a, v128.load(from))
      b = f32x4.add(b, v128.load(from, 16))
      c = f32x4.add(c, v128.load(from, 32))
      d = f32x4.add(d, v128.load(from, 48))
    }
  } else {
    for (let k = 0; k < length; k++, from += inner * 4) {
      a = toBfloat16(f32x4.add(a, v128.load(from)))
      b = toBfloat16(f32x4.add(b, v128.load(from, 16)))
      c = toBfloat16(f32x4.add(c, v128.load(from, 32)))
      d = toBfloat16(f32x4.add(d, v128.load(from, 48)))
    }
  }
  v128.store(to, a)
  v128.store(to, b, 16)
  v128.store(to, c, 32)
  v128.store(to, d, 48)
}

// @ts-ignore: decorator
@inline
function finish(sum: f64, divisor: i32, rounding: i32, record: usize): f32 {
  return roundOne(divisor ? sum / f64(divisor) : sum, rounding, record)
}

function lane(at: usize, length: i32, inner: i32, steps: i32, record: usize): f64 {
  if (steps == 3) {
    let wide: f64 = 0
    for (let k = 0; k < length; k++, at += inner * 4) wide += f64(load<f32>(at))
    return wide
  }
  let s: f32 = 0
  if (steps == 0) for (let k = 0; k < length; k++, at += inner * 4) s += load<f32>(at)
  else for (let k = 0; k < length; k++, at += inner * 4) s = roundStep(s + load<f32>(at), steps, record)
  return f64(s)
}

/** Words: opcode, from, to, outer, length, inner, whether it is the largest, whether the elements are float64. */
export function extremumLanes(pc: usize): void {
  const from = usize(load<i32>(pc, 4))
  const to = usize(load<i32>(pc, 8))
  const outer = load<i32>(pc, 12)
  const length = load<i32>(pc, 16)
  const inner = load<i32>(pc, 20)
  const largest = load<i32>(pc, 24) != 0
  const wide = load<i32>(pc, 28) != 0
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < inner; i++) {
      const first = usize(o) * length * inner + i
      const result = usize(o) * inner + i
      if (wide) {
        let at = from + first * 8
        let best = load<f64>(at)
        for (let k = 1; k < length; k++) {
          at += inner * 8
          best = largest ? max(best, load<f64>(at)) : min(best, load<f64>(at))
        }
        store<f64>(to + result * 8, best)
      } else {
        let at = from + first * 4
        let best = load<f32>(at)
        for (let k = 1; k < length; k++) {
          at += inner * 4
          best = largest ? max(best, load<f32>(at)) : min(best, load<f32>(at))
        }
        store<f32>(to + result * 4, best)
      }
    }
  }
}

/** Words as of a sum, without a divisor: opcode, from, to, outer, length, inner, steps, rounding, records. */
export function scanLanes(pc: usize): void {
  const from = usize(load<i32>(pc, 4))
  const to = usize(load<i32>(pc, 8))
  const outer = load<i32>(pc, 12)
  const length = load<i32>(pc, 16)
  const inner = load<i32>(pc, 20)
  const steps = load<i32>(pc, 24)
  const rounding = load<i32>(pc, 28)
  const stepRecord = usize(load<i32>(pc, 32))
  const record = usize(load<i32>(pc, 36))
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < inner; i++) {
      const first = (usize(o) * length * inner + i) * 4
      let s: f32 = 0
      let wide: f64 = 0
      for (let k = 0; k < length; k++) {
        const at = first + usize(k) * inner * 4
        if (steps == 3) {
          wide += f64(load<f32>(from + at))
          store<f32>(to + at, roundOne(wide, rounding, record))
        } else {
          s = roundStep(s + load<f32>(from + at), steps, stepRecord)
          store<f32>(to + at, roundStep(s, rounding, record))
        }
      }
    }
  }
}
