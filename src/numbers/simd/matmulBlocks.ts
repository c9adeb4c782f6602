import { type Arena, at, block, ofArena, side } from './arena.js'
import { type ProductKernels, productKernels } from './product.wasm.js'

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

// Bands have 4 rows and panels 8 columns, of float64 4: wasm/assembly/matmul.ts.
const up4 = (n: number) => (n + 3) & ~3
const up8 = (n: number) => (n + 7) & ~7

/** What is multiplied: bfloat16 codes, or numbers of one type. */
export type MatmulKind = 'codes' | 'float32' | 'float64' | 'int32'

/** Elements on their way in, out, or as sums. */
type Elements = Uint16Array | Float32Array | Float64Array | Int32Array

/** How a kind is copied in, packed, multiplied and copied out. */
interface Way {
  /** The largest block in any direction. */
  readonly side: number
  /** Columns of a panel. */
  readonly panel: number
  /** Where elements are copied to before they are packed. */
  readonly views: (arena: Arena) => { readonly staging: Elements; readonly sums: Elements }
  readonly packLeft: (kernels: ProductKernels, row: number, rows: number, depth: number) => void
  readonly packRight: (
    kernels: ProductKernels,
    row: number,
    rows: number,
    depth: number,
    width: number,
  ) => void
  /** Returns how many tiles went the exact way. */
  readonly multiply: (kernels: ProductKernels, bands: number, panels: number, depth: number) => number
}

const { left, packedLeft, packedRight, sums, leftRange, rightRange } = at

const float32Views = /*#__PURE__*/ ofArena(({ buffer }) => ({
  staging: new Float32Array(buffer, left, block),
  sums: new Float32Array(buffer, sums, side * side),
}))
const int32Views = /*#__PURE__*/ ofArena(({ buffer }) => ({
  staging: new Int32Array(buffer, left, block),
  sums: new Int32Array(buffer, sums, side * side),
}))
const float64Views = /*#__PURE__*/ ofArena(({ buffer }) => ({
  staging: new Float64Array(buffer, left, block),
  sums: new Float64Array(buffer, sums, (side / 2) ** 2),
}))
const codesViews = /*#__PURE__*/ ofArena((arena) => ({
  staging: new Uint16Array(arena.buffer, left, block),
  sums: float32Views(arena).sums,
  out: new Uint16Array(arena.buffer, at.out, block),
}))

const float32: Way = {
  side,
  panel: 8,
  views: float32Views,
  packLeft: (kernels, row, rows, depth) =>
    kernels.packLeftFloat32(left, packedLeft + row * depth * 4, rows, depth),
  packRight: (kernels, row, rows, depth, width) =>
    kernels.packRightFloat32(left, packedRight, row, rows, depth, width),
  multiply: (kernels, bands, panels, depth) => {
    kernels.multiplyFloat32(packedLeft, packedRight, sums, bands, panels, depth)
    return 0
  },
}

const ways: Readonly<Record<MatmulKind, Way>> = {
  float32,
  // Packed as 32 bits each, whatever they mean.
  int32: {
    ...float32,
    views: int32Views,
    multiply: (kernels, bands, panels, depth) => {
      kernels.multiplyInt32(packedLeft, packedRight, sums, bands, panels, depth)
      return 0
    },
  },
  float64: {
    side: side / 2,
    panel: 4,
    views: float64Views,
    packLeft: (kernels, row, rows, depth) =>
      kernels.packLeftFloat64(left, packedLeft + row * depth * 8, rows, depth),
    packRight: (kernels, row, rows, depth, width) =>
      kernels.packRightFloat64(left, packedRight, row, rows, depth, width),
    multiply: (kernels, bands, panels, depth) => {
      kernels.multiplyFloat64(packedLeft, packedRight, sums, bands, panels, depth)
      return 0
    },
  },
  codes: {
    ...float32,
    views: codesViews,
    packLeft: (kernels, row, rows, depth) =>
      kernels.packLeft(left, packedLeft + row * depth * 4, leftRange + row * 8, rows, depth),
    packRight: (kernels, row, rows, depth, width) =>
      kernels.packRight(left, packedRight, rightRange, row, rows, depth, width),
    multiply: (kernels, bands, panels, depth) =>
      kernels.multiply(packedLeft, packedRight, sums, bands, panels, depth, leftRange, rightRange),
  },
}

/** Copies rows of a matrix into the arena, each `width` long there; what is beyond them is zero. */
function copyRows(
  to: Elements,
  width: number,
  from: Elements,
  stride: number,
  row: number,
  column: number,
  rows: number,
  columns: number,
  paddedRows: number,
): void {
  if (columns !== width || rows !== paddedRows) to.fill(0, 0, paddedRows * width)
  if (columns === stride && columns === width) {
    to.set(from.subarray(row * stride, (row + rows) * stride))
    return
  }
  for (let r = 0; r < rows; r++) {
    const start = (row + r) * stride + column
    to.set(from.subarray(start, start + columns), r * width)
  }
}

function packLeft(arena: Arena, way: Way, a: Elements, stride: number, part: Part): void {
  const { i, p, rows, depth } = part
  const kernels = productKernels(arena)
  const { staging } = way.views(arena)
  const step = Math.floor(block / depth) & ~3
  for (let row = 0; row < rows; row += step) {
    const count = Math.min(step, rows - row)
    copyRows(staging, depth, a, stride, i + row, p, count, depth, up4(count))
    way.packLeft(kernels, row, up4(count), depth)
  }
}

function packRight(arena: Arena, way: Way, b: Elements, stride: number, part: Part): void {
  const { p, j, depth, columns } = part
  const kernels = productKernels(arena)
  const { staging } = way.views(arena)
  const width = up8(columns)
  const step = Math.floor(block / width)
  for (let row = 0; row < depth; row += step) {
    const count = Math.min(step, depth - row)
    copyRows(staging, width, b, stride, p + row, j, count, columns, count)
    way.packRight(kernels, row, count, depth, width)
  }
}

function storeSums(arena: Arena, way: Way, codes: boolean, out: Elements, stride: number, part: Part): void {
  const { i, j, rows, columns } = part
  const width = up8(columns)
  const step = Math.floor(block / width)
  const totals = way.views(arena).sums
  for (let row = 0; row < rows; row += step) {
    const count = Math.min(step, rows - row)
    if (codes) productKernels(arena).encodeSums(sums + row * width * 4, at.out, count * width)
    const source = codes ? codesViews(arena).out : totals.subarray(row * width)
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
 * A matrix product by blocks, k ascending from +0: of codes by fused steps into float32 sums, rounded once to codes; of float32
 * and float64 by multiplying and adding, each rounded; of int32 modulo 2^32. Returns how many tiles of codes went the exact
 * way.
 */
export function matmulBlocks(
  arena: Arena,
  kind: MatmulKind,
  a: Elements,
  b: Elements,
  { m, k, n }: MatmulSizes,
  out: Elements,
): number {
  const way = ways[kind]
  const kernels = productKernels(arena)
  const totals = way.views(arena).sums
  let slow = 0
  for (let i = 0; i < m; i += way.side) {
    const rows = Math.min(way.side, m - i)
    for (let j = 0; j < n; j += way.side) {
      const columns = Math.min(way.side, n - j)
      totals.fill(0, 0, up4(rows) * up8(columns))
      for (let p = 0; p < k; p += way.side) {
        const part = { i, p, j, rows, depth: Math.min(way.side, k - p), columns }
        if (kind === 'codes') {
          kernels.clearRanges(leftRange, side / 4)
          kernels.clearRanges(rightRange, side / 8)
        }
        packLeft(arena, way, a, k, part)
        packRight(arena, way, b, n, part)
        slow += way.multiply(kernels, up4(rows) / 4, up8(columns) / way.panel, part.depth)
      }
      storeSums(arena, way, kind === 'codes', out, n, { i, p: 0, j, rows, depth: 0, columns })
    }
  }
  return slow
}
