import { type Arena, at, block, side } from './arena.js'

/** Sizes of a matrix product: a is [m, k], b is [k, n], the result [m, n], all row-major. */
export interface MatmulSizes {
  readonly m: number
  readonly k: number
  readonly n: number
}

/** A part of the product: `rows` of a by `depth` of k by `columns` of b, beginning at row i, k p and column j. */
interface Part {
  readonly i: number
  readonly p: number
  readonly j: number
  readonly rows: number
  readonly depth: number
  readonly columns: number
}

// Bands have 4 rows and panels 8 columns: wasm/assembly/matmul.ts.
const up4 = (n: number) => (n + 3) & ~3
const up8 = (n: number) => (n + 7) & ~7

/** Copies rows of a matrix into the arena, each `width` long there; what is beyond them is zero. */
function copyRows<T extends Uint16Array | Float32Array>(
  to: T,
  width: number,
  from: T,
  stride: number,
  row: number,
  column: number,
  rows: number,
  columns: number,
  paddedRows: number,
): void {
  if (columns !== width || rows !== paddedRows) to.fill(0, 0, paddedRows * width)
  if (columns === stride && columns === width) {
    to.set(from.subarray(row * stride, (row + rows) * stride) as never)
    return
  }
  for (let r = 0; r < rows; r++) {
    const start = (row + r) * stride + column
    to.set(from.subarray(start, start + columns) as never, r * width)
  }
}

function packLeft(arena: Arena, a: Uint16Array | Float32Array, stride: number, part: Part): void {
  const { kernels } = arena
  const { i, p, rows, depth } = part
  const step = Math.floor(block / depth) & ~3
  for (let row = 0; row < rows; row += step) {
    const count = Math.min(step, rows - row)
    const to = at.packedLeft + row * depth * 4
    if (a instanceof Float32Array) {
      copyRows(arena.leftFloat32, depth, a, stride, i + row, p, count, depth, up4(count))
      kernels.packLeftFloat32(at.left, to, up4(count), depth)
    } else {
      copyRows(arena.leftCodes, depth, a, stride, i + row, p, count, depth, up4(count))
      kernels.packLeft(at.left, to, at.leftRange + row * 8, up4(count), depth)
    }
  }
}

function packRight(arena: Arena, b: Uint16Array | Float32Array, stride: number, part: Part): void {
  const { kernels } = arena
  const { p, j, depth, columns } = part
  const width = up8(columns)
  const step = Math.floor(block / width)
  for (let row = 0; row < depth; row += step) {
    const count = Math.min(step, depth - row)
    if (b instanceof Float32Array) {
      copyRows(arena.leftFloat32, width, b, stride, p + row, j, count, columns, count)
      kernels.packRightFloat32(at.left, at.packedRight, row, count, depth, width)
    } else {
      copyRows(arena.leftCodes, width, b, stride, p + row, j, count, columns, count)
      kernels.packRight(at.left, at.packedRight, at.rightRange, row, count, depth, width)
    }
  }
}

function multiply(arena: Arena, exact: boolean, part: Part): number {
  const { kernels } = arena
  const bands = up4(part.rows) / 4
  const panels = up8(part.columns) / 8
  if (!exact) {
    kernels.multiplyFloat32(at.packedLeft, at.packedRight, at.sums, bands, panels, part.depth)
    return 0
  }
  const { packedLeft, packedRight, sums, leftRange, rightRange } = at
  return kernels.multiply(packedLeft, packedRight, sums, bands, panels, part.depth, leftRange, rightRange)
}

function storeSums(arena: Arena, out: Uint16Array | Float32Array, stride: number, part: Part): void {
  const { kernels, sums, outCodes } = arena
  const { i, j, rows, columns } = part
  const width = up8(columns)
  const step = Math.floor(block / width)
  for (let row = 0; row < rows; row += step) {
    const count = Math.min(step, rows - row)
    const source = out instanceof Float32Array ? sums.subarray(row * width) : outCodes
    if (!(out instanceof Float32Array)) kernels.encodeSums(at.sums + row * width * 4, at.out, count * width)
    if (columns === stride && columns === width) {
      out.set(source.subarray(0, count * width), (i + row) * stride)
      continue
    }
    for (let r = 0; r < count; r++) {
      out.set(source.subarray(r * width, r * width + columns), (i + row + r) * stride + j)
    }
  }
}

/**
 * A matrix product by blocks, k ascending from +0 into float32 sums: of codes by fused steps and rounded once to codes,
 * of float32 by multiplying and adding. Returns how many tiles of codes went the exact way.
 */
export function matmulBlocks<T extends Uint16Array | Float32Array>(
  arena: Arena,
  a: T,
  b: T,
  sizes: MatmulSizes,
  out: T,
): number {
  const { m, k, n } = sizes
  const exact = !(a instanceof Float32Array)
  let slow = 0
  for (let i = 0; i < m; i += side) {
    const rows = Math.min(side, m - i)
    for (let j = 0; j < n; j += side) {
      const columns = Math.min(side, n - j)
      arena.sums.fill(0, 0, up4(rows) * up8(columns))
      for (let p = 0; p < k; p += side) {
        const part = { i, p, j, rows, depth: Math.min(side, k - p), columns }
        arena.kernels.clearRanges(at.leftRange, side / 4)
        arena.kernels.clearRanges(at.rightRange, side / 8)
        packLeft(arena, a, k, part)
        packRight(arena, b, n, part)
        slow += multiply(arena, exact, part)
      }
      storeSums(arena, out, n, { i, p: 0, j, rows, depth: 0, columns })
    }
  }
  return slow
}
