// Sums, extrema and running sums of lanes: arrays [outer, length, inner], a lane running along the middle. Every step is
// rounded as `steps` says (EXACT is float32), the total once as `rounding` says; `record` serves both.
import { TO_FLOAT64 } from '../../src/tensors/compile/engine/opcodes'
import { roundOne, roundStep, toBfloat16, toFormat, toTop, word } from './rounding'

/**
 * Words: opcode, from, to, outer, length, inner, steps, rounding, record of steps, record of results, divisor or 0,
 * whether the elements are float64, and how many of the inner lanes are summed, from the first on.
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
  const side = load<i32>(pc, 48)
  if (wide) {
    for (let o = 0; o < outer; o++) {
      for (let i = 0; i < side; i++) {
        let at = from + (usize(o) * length * inner + i) * 8
        let s: f64 = 0
        for (let k = 0; k < length; k++, at += inner * 8) s += load<f64>(at)
        if (divisor) s /= f64(divisor)
        store<f64>(to + (usize(o) * inner + i) * 8, s)
      }
    }
    return
  }
  let o = 0
  if (inner == 1) {
    // Four lanes side by side, each in its own order.
    for (; o + 4 <= outer; o += 4) {
      const base = from + usize(o) * length * 4
      const result = to + usize(o) * 4
      if (steps == TO_FLOAT64) {
        wideRows(base, result, length, divisor, rounding, record)
      } else {
        v128.store(result, rows(base, length, steps, stepRecord))
        if (divisor || rounding != steps) finishAll(result, 4, divisor, rounding, record)
      }
    }
  }
  for (; o < outer; o++) {
    const base = from + usize(o) * length * inner * 4
    const result = to + usize(o) * inner * 4
    let i = 0
    if (steps < 2) {
      // Sixteen lanes side by side while there are so many.
      for (; i + 16 <= side; i += 16) columns16(base + i * 4, result + i * 4, length, inner, steps)
    }
    if (steps != TO_FLOAT64) {
      for (; i + 4 <= side; i += 4) {
        v128.store(result + i * 4, columns(base + i * 4, length, inner, steps, stepRecord))
      }
    }
    // Vectors hold sums in float32, still to be divided and rounded.
    if (divisor || rounding != steps) finishAll(result, i, divisor, rounding, record)
    for (; i < side; i++) {
      const s = lane(base + i * 4, length, inner, steps, stepRecord)
      store<f32>(result + i * 4, finish(s, divisor, rounding, record))
    }
  }
}

/** Four lanes, one behind the other, summed in float64. */
function wideRows(from: usize, to: usize, length: i32, divisor: i32, rounding: i32, record: usize): void {
  const step = usize(length) * 4
  let a: f64 = 0
  let b: f64 = 0
  let c: f64 = 0
  let d: f64 = 0
  for (let k = 0; k < length; k++, from += 4) {
    a += f64(load<f32>(from))
    b += f64(load<f32>(from + step))
    c += f64(load<f32>(from + 2 * step))
    d += f64(load<f32>(from + 3 * step))
  }
  store<f32>(to, finish(a, divisor, rounding, record))
  store<f32>(to, finish(b, divisor, rounding, record), 4)
  store<f32>(to, finish(c, divisor, rounding, record), 8)
  store<f32>(to, finish(d, divisor, rounding, record), 12)
}

/** The sums of four lanes, one behind the other. */
function rows(from: usize, length: i32, steps: i32, record: usize): v128 {
  const step = usize(length) * 4
  let s = f32x4.splat(0)
  if (steps == 0) {
    for (let k = 0; k < length; k++, from += 4) s = f32x4.add(s, across(from, step))
  } else if (steps == 1) {
    for (let k = 0; k < length; k++, from += 4) s = toBfloat16(f32x4.add(s, across(from, step)))
  } else {
    for (let k = 0; k < length; k++, from += 4) s = stepped(f32x4.add(s, across(from, step)), steps, record)
  }
  return s
}

// @ts-ignore: decorator
@inline
function across(from: usize, step: usize): v128 {
  const a = v128.load32_zero(from)
  const b = v128.load32_lane(from + step, a, 1)
  const c = v128.load32_lane(from + 2 * step, b, 2)
  return v128.load32_lane(from + 3 * step, c, 3)
}

/** The sums of four lanes side by side. */
function columns(from: usize, length: i32, inner: i32, steps: i32, record: usize): v128 {
  const step = usize(inner) * 4
  let s = f32x4.splat(0)
  if (steps == 0) {
    for (let k = 0; k < length; k++, from += step) s = f32x4.add(s, v128.load(from))
  } else if (steps == 1) {
    for (let k = 0; k < length; k++, from += step) s = toBfloat16(f32x4.add(s, v128.load(from)))
  } else {
    for (let k = 0; k < length; k++, from += step) s = stepped(f32x4.add(s, v128.load(from)), steps, record)
  }
  return s
}

// @ts-ignore: decorator
@inline
function stepped(x: v128, steps: i32, record: usize): v128 {
  const r0 = word(record, 0)
  const r1 = word(record, 1)
  const r2 = word(record, 2)
  const r3 = word(record, 3)
  const r4 = word(record, 4)
  return steps == 2 ? toFormat(x, r0, r1, r2, r3, r4) : toTop(x, r0, r1, r2, r3, r4)
}

function finishAll(at: usize, count: i32, divisor: i32, rounding: i32, record: usize): void {
  for (const end = at + usize(count) * 4; at < end; at += 4) {
    store<f32>(at, finish(f64(load<f32>(at)), divisor, rounding, record))
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
  if (steps == TO_FLOAT64) {
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
    let i = 0
    if (!wide) {
      for (; i + 4 <= inner; i += 4) {
        const first = (usize(o) * length * inner + i) * 4
        v128.store(to + (usize(o) * inner + i) * 4, extremum(from + first, usize(inner) * 4, length, largest))
      }
      if (inner == 1 && length >= 4) {
        store<f32>(to + usize(o) * 4, extremumOfRow(from + usize(o) * length * 4, length, largest))
        continue
      }
    }
    for (; i < inner; i++) {
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

/** The extrema of four lanes side by side. */
function extremum(from: usize, step: usize, length: i32, largest: bool): v128 {
  let best = v128.load(from)
  if (largest) for (let k = 1; k < length; k++) best = f32x4.max(best, v128.load((from += step)))
  else for (let k = 1; k < length; k++) best = f32x4.min(best, v128.load((from += step)))
  return best
}

/** The extrema of every fourth of so many times sixteen elements. */
function extremumOf16(from: usize, times: i32, largest: bool): v128 {
  let a = v128.load(from)
  let b = v128.load(from, 16)
  let c = v128.load(from, 32)
  let d = v128.load(from, 48)
  if (largest) {
    for (let k = 1; k < times; k++) {
      from += 64
      a = f32x4.max(a, v128.load(from))
      b = f32x4.max(b, v128.load(from, 16))
      c = f32x4.max(c, v128.load(from, 32))
      d = f32x4.max(d, v128.load(from, 48))
    }
    return f32x4.max(f32x4.max(a, b), f32x4.max(c, d))
  }
  for (let k = 1; k < times; k++) {
    from += 64
    a = f32x4.min(a, v128.load(from))
    b = f32x4.min(b, v128.load(from, 16))
    c = f32x4.min(c, v128.load(from, 32))
    d = f32x4.min(d, v128.load(from, 48))
  }
  return f32x4.min(f32x4.min(a, b), f32x4.min(c, d))
}

/** The extremum of one lane of at least four elements, which is the same in any order. */
function extremumOfRow(from: usize, length: i32, largest: bool): f32 {
  // The last four may be some of those before.
  let best = v128.load(from + usize(length - 4) * 4)
  if (length >= 32) {
    // Four by four, none of which waits for another.
    const most = extremumOf16(from, length >> 4, largest)
    best = largest ? f32x4.max(best, most) : f32x4.min(best, most)
    from += usize(length & ~15) * 4
    length &= 15
  }
  if (length >= 4) {
    const most = extremum(from, 16, length >> 2, largest)
    best = largest ? f32x4.max(best, most) : f32x4.min(best, most)
  }
  const a = f32x4.extract_lane(best, 0)
  const b = f32x4.extract_lane(best, 1)
  const c = f32x4.extract_lane(best, 2)
  const d = f32x4.extract_lane(best, 3)
  return largest ? max(max(a, b), max(c, d)) : min(min(a, b), min(c, d))
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
        if (steps == TO_FLOAT64) {
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
