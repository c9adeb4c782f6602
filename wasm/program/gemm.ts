// A batch of matrix products with float32 sums: c = a b, k ascending from +0, each sum rounded to float32. For bfloat16 each
// product is exact; where float32 cannot hold the products of two blocks, they are taken in float64.
import { tile, tileExact } from '../assembly/tile'
import { packBands, packPanels } from '../assembly/pack'
import { rounded, word } from './rounding'

/** The largest block in any direction. */
const side = 256

/**
 * Words: opcode, a, strides of a's rows and columns, b, strides of b's rows and columns, c, m, k, n, rounding, record, whether
 * products are exact by themselves, room for packed blocks, batch, starts of the matrices of a and of b (elements).
 */
export function gemm(pc: usize): void {
  const aBase = usize(load<i32>(pc, 4))
  const aRow = load<i32>(pc, 8)
  const aColumn = load<i32>(pc, 12)
  const bBase = usize(load<i32>(pc, 16))
  const bRow = load<i32>(pc, 20)
  const bColumn = load<i32>(pc, 24)
  const cBase = usize(load<i32>(pc, 28))
  const m = load<i32>(pc, 32)
  const k = load<i32>(pc, 36)
  const n = load<i32>(pc, 40)
  const rounding = load<i32>(pc, 44)
  const record = usize(load<i32>(pc, 48))
  const checks = load<i32>(pc, 52) != 0
  const room = usize(load<i32>(pc, 56))
  const batch = load<i32>(pc, 60)
  const aStarts = usize(load<i32>(pc, 64))
  const bStarts = usize(load<i32>(pc, 68))
  for (let item = 0; item < batch; item++) {
    const a = aBase + load<i32>(aStarts + item * 4) * 4
    const b = bBase + load<i32>(bStarts + item * 4) * 4
    const c = cBase + usize(item) * m * n * 4
    product(a, aRow, aColumn, b, bRow, bColumn, c, m, k, n, rounding, record, checks, room)
  }
}

function product(
  a: usize, aRow: i32, aColumn: i32,
  b: usize, bRow: i32, bColumn: i32,
  c: usize, m: i32, k: i32, n: i32,
  rounding: i32, record: usize, checks: bool, room: usize,
): void {
  const packedA = room
  const packedB = packedA + side * side * 4
  const sums = packedB + side * side * 4
  for (let j = 0; j < n; j += side) {
    const columns = min(side, n - j)
    const panels = (columns + 7) >> 3
    let leastB = 0
    let mostB = 0
    for (let i = 0; i < m; i += side) {
      const rows = min(side, m - i)
      const bands = (rows + 3) >> 2
      // Tiles add to what is there: where k goes on, sums of a block before.
      for (let p = 0; p < k; p += side) {
        const depth = min(side, k - p)
        packBands(a + (i * aRow + p * aColumn) * 4, aRow, aColumn, packedA, rows, depth)
        // One block of b serves all rows.
        if (i == 0 || k > side) {
          packPanels(b + (p * bRow + j * bColumn) * 4, bRow, bColumn, packedB, columns, depth)
          if (checks) {
            leastB = range(packedB, panels * depth * 8)
            mostB = largest
          }
        }
        let exact = true
        if (checks) {
          const leastA = range(packedA, bands * depth * 4)
          // A value with exponent field e (1 for subnormals) is below 2^(e - 126) and a multiple of 2^(e - 134).
          exact = largest + mostB <= 380 && leastA + leastB >= 119
        }
        if (p == 0) memory.fill(sums, 0, usize(bands) * panels * 128)
        multiply(packedA, packedB, sums, bands, panels, depth, exact)
      }
      if (k == 0) memory.fill(sums, 0, usize(bands) * panels * 128)
      put(sums, panels, c + (i * n + j) * 4, n, rows, columns, rounding, record)
    }
  }
}

function multiply(a: usize, b: usize, sums: usize, bands: i32, panels: i32, depth: i32, exact: bool): void {
  const stride = usize(panels) * 32
  for (let panel = 0; panel < panels; panel++) {
    const right = b + panel * depth * 32
    for (let band = 0; band < bands; band++) {
      const left = a + band * depth * 16
      const c = sums + usize(band) * 4 * stride + panel * 32
      if (exact) {
        tile(left, right, c, stride, depth)
      } else {
        tileExact(left, right, c, stride, depth)
        tileExact(left, right + 16, c + 16, stride, depth)
      }
    }
  }
}

/** Sums of a block to their places, rounded. */
function put(
  sums: usize, panels: i32, to: usize, stride: i32, rows: i32, columns: i32, rounding: i32, record: usize,
): void {
  if (rounding == 0) putExact(sums, panels, to, stride, rows, columns, record)
  else if (rounding == 1) putBfloat16(sums, panels, to, stride, rows, columns, record)
  else if (rounding == 2) putFormat(sums, panels, to, stride, rows, columns, record)
  else putTop(sums, panels, to, stride, rows, columns, record)
}

// Each a function of its own, see arithmetic.ts.
function putExact(sums: usize, panels: i32, to: usize, stride: i32, rows: i32, columns: i32, record: usize): void {
  places(0, sums, panels, to, stride, rows, columns, record)
}
function putBfloat16(sums: usize, panels: i32, to: usize, stride: i32, rows: i32, columns: i32, record: usize): void {
  places(1, sums, panels, to, stride, rows, columns, record)
}
function putFormat(sums: usize, panels: i32, to: usize, stride: i32, rows: i32, columns: i32, record: usize): void {
  places(2, sums, panels, to, stride, rows, columns, record)
}
function putTop(sums: usize, panels: i32, to: usize, stride: i32, rows: i32, columns: i32, record: usize): void {
  places(3, sums, panels, to, stride, rows, columns, record)
}

// @ts-ignore: decorator
@inline
function places(
  rounding: i32, sums: usize, panels: i32, to: usize, stride: i32, rows: i32, columns: i32, record: usize,
): void {
  const r0 = rounding > 1 ? word(record, 0) : i32x4.splat(0)
  const r1 = rounding > 1 ? word(record, 1) : i32x4.splat(0)
  const r2 = rounding > 1 ? word(record, 2) : i32x4.splat(0)
  const r3 = rounding > 1 ? word(record, 3) : i32x4.splat(0)
  const r4 = rounding > 1 ? word(record, 4) : i32x4.splat(0)
  const width = usize(panels) * 32
  const whole = usize(columns >> 2) * 16
  const left = columns & 3
  for (let row = 0; row < rows; row++, sums += width, to += stride * 4) {
    for (let at: usize = 0; at < whole; at += 16) {
      v128.store(to + at, rounded(rounding, v128.load(sums + at), r0, r1, r2, r3, r4))
    }
    if (left) {
      // What lies behind a row is the next one's, written already perhaps.
      v128.store(sums + whole, rounded(rounding, v128.load(sums + whole), r0, r1, r2, r3, r4))
      memory.copy(to + whole, sums + whole, usize(left) * 4)
    }
  }
}

/** The largest exponent field of finite values that `range` saw last, at least 1. */
let largest: i32 = 0

/**
 * The smallest exponent field, at least 1, of values that are not 0; zeros, infinities and NaNs multiply alike in every type. Counts are
 * multiples of 4.
 */
function range(at: usize, count: i32): i32 {
  let low = i32x4.splat(0x7fffffff)
  let high = i32x4.splat(0)
  for (const end = at + usize(count) * 4; at < end; at += 16) {
    const size = v128.and(v128.load(at), i32x4.splat(0x7fffffff))
    // A zero less one is the largest unsigned number, and stays out.
    low = i32x4.min_u(low, i32x4.sub(size, i32x4.splat(1)))
    high = i32x4.max_s(high, v128.and(size, i32x4.lt_s(size, i32x4.splat(0x7f800000))))
  }
  const most = max(
    max(i32x4.extract_lane(high, 0), i32x4.extract_lane(high, 1)),
    max(i32x4.extract_lane(high, 2), i32x4.extract_lane(high, 3)),
  )
  const least = min(
    min(u32(i32x4.extract_lane(low, 0)), u32(i32x4.extract_lane(low, 1))),
    min(u32(i32x4.extract_lane(low, 2)), u32(i32x4.extract_lane(low, 3))),
  )
  largest = max(most >> 23, 1)
  return max(i32((least + 1) >> 23), 1)
}
