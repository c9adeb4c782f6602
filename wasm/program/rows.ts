// Rows that are moved: laid end to end, taken by their numbers, added to others by their numbers.
import { roundStep } from './rounding'

/** Words: opcode, number of parts, to, rows, bytes of a row of the result; for each part from, bytes of its rows. Gives the next words. */
export function joinParts(pc: usize): usize {
  const parts = load<i32>(pc, 4)
  const rows = load<i32>(pc, 12)
  const apart = usize(load<i32>(pc, 16))
  let to = usize(load<i32>(pc, 8))
  pc += 20
  for (let part = 0; part < parts; part++, pc += 8) {
    const own = usize(load<i32>(pc, 4))
    let from = usize(load<i32>(pc))
    let at = to
    for (let row = 0; row < rows; row++, from += own, at += apart) move(at, from, own)
    to += own
  }
  return pc
}

// @ts-ignore: decorator
@inline
function move(to: usize, from: usize, bytes: usize): void {
  if (bytes == 4) store<i32>(to, load<i32>(from))
  else if (bytes == 8) store<i64>(to, load<i64>(from))
  else memory.copy(to, from, bytes)
}

/**
 * Words: opcode, from, to, outer, length of the axis, bytes of its rows, number of indices, where they lie, whether they have no
 * sign. True where one is outside the axis: then nothing more is taken.
 */
export function takeRows(pc: usize): bool {
  let from = usize(load<i32>(pc, 4))
  let to = usize(load<i32>(pc, 8))
  const outer = load<i32>(pc, 12)
  const length = load<i32>(pc, 16)
  const bytes = usize(load<i32>(pc, 20))
  const count = load<i32>(pc, 24)
  const indices = usize(load<i32>(pc, 28))
  const unsigned = load<i32>(pc, 32) != 0
  for (let o = 0; o < outer; o++, from += usize(length) * bytes) {
    for (let i = 0; i < count; i++, to += bytes) {
      const index = fromFront(indices + usize(i) * 4, length, unsigned)
      if (u32(index) >= u32(length)) return true
      move(to, from + usize(index) * bytes, bytes)
    }
  }
  return false
}

/** An index counted from the front; one that is outside of `length` stays so. */
// @ts-ignore: decorator
@inline
function fromFront(at: usize, length: i32, unsigned: bool): i32 {
  const index = load<i32>(at)
  return index < 0 && !unsigned ? index + length : index
}

/**
 * Words: opcode, from, to, outer, length of the axis, elements of its rows, number of indices, where they lie, whether they have no
 * sign, how steps and results are rounded, their records, room for a number a row. A row that is named once is moved as it is, one
 * that is named more often is the sum of its own from +0 on. True where an index is outside.
 */
export function scatterRows(pc: usize): bool {
  let from = usize(load<i32>(pc, 4))
  let to = usize(load<i32>(pc, 8))
  const outer = load<i32>(pc, 12)
  const length = load<i32>(pc, 16)
  const inner = usize(load<i32>(pc, 20))
  const count = load<i32>(pc, 24)
  const indices = usize(load<i32>(pc, 28))
  const unsigned = load<i32>(pc, 32) != 0
  const steps = load<i32>(pc, 36)
  const rounding = load<i32>(pc, 40)
  const stepRecord = usize(load<i32>(pc, 44))
  const record = usize(load<i32>(pc, 48))
  const times = usize(load<i32>(pc, 52))
  const bytes = inner * 4
  memory.fill(times, 0, usize(length) * 4)
  memory.fill(to, 0, usize(outer) * usize(length) * bytes)
  for (let i = 0; i < count; i++) {
    const index = fromFront(indices + usize(i) * 4, length, unsigned)
    if (u32(index) >= u32(length)) return true
    const at = times + usize(index) * 4
    store<i32>(at, load<i32>(at) + 1)
  }
  for (let o = 0; o < outer; o++, to += usize(length) * bytes) {
    for (let i = 0; i < count; i++, from += bytes) {
      const index = usize(fromFront(indices + usize(i) * 4, length, unsigned))
      const row = to + index * bytes
      if (load<i32>(times + index * 4) == 1) memory.copy(row, from, bytes)
      else addRow(row, from, bytes, steps, stepRecord)
    }
    if (rounding == steps) continue
    for (let index: usize = 0; index < usize(length); index++) {
      if (load<i32>(times + index * 4) < 2) continue
      const row = to + index * bytes
      for (let at = row; at < row + bytes; at += 4) store<f32>(at, roundStep(load<f32>(at), rounding, record))
    }
  }
  return false
}

function addRow(row: usize, from: usize, bytes: usize, steps: i32, record: usize): void {
  let i: usize = 0
  if (steps == 0) {
    for (; i + 16 <= bytes; i += 16) v128.store(row + i, f32x4.add(v128.load(row + i), v128.load(from + i)))
  }
  for (; i < bytes; i += 4) {
    store<f32>(row + i, roundStep(load<f32>(row + i) + load<f32>(from + i), steps, record))
  }
}
