// Operands of matrix products, packed: the left in bands of 4 rows, [band][k][4], the right in panels of 8 columns, [panel][k][8].
// Steps from row to row and from column to column are in elements, so that a transposed matrix is read where it lies.

/** Rows in bands; rows that are missing are 0. */
export function packBands(from: usize, row: i32, column: i32, to: usize, rows: i32, depth: i32): void {
  const r = usize(row) * 4
  const s = usize(column) * 4
  for (let i = 0; i < rows; i += 4, from += 4 * r) {
    const left = rows - i
    if (left >= 4) {
      if (row == 1) {
        for (let p = 0, at = from; p < depth; p++, at += s, to += 16) v128.store(to, v128.load(at))
        continue
      }
      let p = 0
      let at = from
      if (column == 1) {
        for (; p + 4 <= depth; p += 4, at += 16, to += 64) {
          transpose(at, r, to, 16)
        }
      }
      for (; p < depth; p++, at += s, to += 16) {
        store<f32>(to, load<f32>(at))
        store<f32>(to, load<f32>(at + r), 4)
        store<f32>(to, load<f32>(at + 2 * r), 8)
        store<f32>(to, load<f32>(at + 3 * r), 12)
      }
    } else {
      for (let p = 0, at = from; p < depth; p++, at += s, to += 16) {
        v128.store(to, f32x4.splat(0))
        for (let q: usize = 0; q < usize(left); q++) store<f32>(to + q * 4, load<f32>(at + q * r))
      }
    }
  }
}

/** Four runs of four elements, `apart` bytes from each other, as four columns `step` bytes from each other. */
// @ts-ignore: decorator
@inline
function transpose(from: usize, apart: usize, to: usize, step: usize): void {
  const r0 = v128.load(from)
  const r1 = v128.load(from + apart)
  const r2 = v128.load(from + 2 * apart)
  const r3 = v128.load(from + 3 * apart)
  const a = i8x16.shuffle(r0, r1, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
  const b = i8x16.shuffle(r2, r3, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
  const c = i8x16.shuffle(r0, r1, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31)
  const d = i8x16.shuffle(r2, r3, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31)
  v128.store(to, i8x16.shuffle(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23))
  v128.store(to + step, i8x16.shuffle(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
  v128.store(to + 2 * step, i8x16.shuffle(c, d, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23))
  v128.store(to + 3 * step, i8x16.shuffle(c, d, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
}

/** Columns in panels; columns that are missing are 0. */
export function packPanels(from: usize, row: i32, column: i32, to: usize, columns: i32, depth: i32): void {
  const r = usize(row) * 4
  const s = usize(column) * 4
  for (let j = 0; j < columns; j += 8, from += 8 * s) {
    const left = columns - j
    if (left >= 8 && column == 1) {
      for (let p = 0, at = from; p < depth; p++, at += r, to += 32) {
        v128.store(to, v128.load(at))
        v128.store(to, v128.load(at, 16), 16)
      }
    } else if (left >= 8 && row == 1) {
      packBandsOfEight(from, s, to, depth)
      to += usize(depth) * 32
    } else {
      const width = usize(min(left, 8))
      for (let p = 0, at = from; p < depth; p++, at += r, to += 32) {
        v128.store(to, f32x4.splat(0))
        v128.store(to, f32x4.splat(0), 16)
        for (let q: usize = 0; q < width; q++) store<f32>(to + q * 4, load<f32>(at + q * s))
      }
    }
  }
}

/** Eight contiguous runs, `apart` bytes from each other, interleaved. */
function packBandsOfEight(from: usize, apart: usize, to: usize, depth: i32): void {
  for (let half: usize = 0; half < 2; half++, from += 4 * apart) {
    let out = to + half * 16
    let at = from
    let p = 0
    for (; p + 4 <= depth; p += 4, at += 16, out += 128) {
      transpose(at, apart, out, 32)
    }
    for (; p < depth; p++, at += 4, out += 32) {
      store<f32>(out, load<f32>(at))
      store<f32>(out, load<f32>(at + apart), 4)
      store<f32>(out, load<f32>(at + 2 * apart), 8)
      store<f32>(out, load<f32>(at + 3 * apart), 12)
    }
  }
}
