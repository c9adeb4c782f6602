// Rows of bytes that are moved: laid end to end, and taken by their numbers.

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
      let index = load<i32>(indices + usize(i) * 4)
      if (index < 0 && !unsigned) index += length
      if (u32(index) >= u32(length)) return true
      move(to, from + usize(index) * bytes, bytes)
    }
  }
  return false
}
