import { type Arena, at, block, longestLane, ofArena } from './arena.js'
import { isStepwise, type LaneOrder, laneViews, type StepwiseOrder } from './float32Lanes.js'
import { type SumKernels, sumKernels } from './sum.wasm.js'

const views = /*#__PURE__*/ ofArena(({ buffer }) => ({
  columnSums: new Float32Array(buffer, at.columnSums, block),
  columnRests: new Float32Array(buffer, at.columnRests, block),
}))

/** Lanes that are added at once where each lies along memory. */
const together = 16
/** Elements of each of them that are added in one go. */
const span = 512

/**
 * The sums of the columns of a matrix of float32 numbers, [rows, sums.length] from `start` on, each in the given order with
 * every step rounded to float32; with `running` its rows after each row of the matrix. `addsLane` says for which; a NaN may have any sign.
 */
export function float32ColumnSums(
  arena: Arena,
  values: Float32Array,
  start: number,
  rows: number,
  order: LaneOrder,
  sums: Float32Array,
  running?: Float32Array,
): void {
  const width = sums.length
  if (!isStepwise(order)) {
    treeColumns(arena, values, start, rows, order, sums, running)
    return
  }
  const { lane, scan } = laneViews(arena)
  const kernel = sumKernels(arena)[`${order}Columns`]
  for (let first = 0; first < width; first += block) {
    const columns = Math.min(block, width - first)
    // Rows lie one behind the other where they are whole.
    const step = columns === width ? Math.floor(block / columns) : 1
    clear(arena, columns)
    for (let row = 0; row < rows; row += step) {
      const count = Math.min(step, rows - row) * columns
      const from = start + row * width + first
      lane.set(values.subarray(from, from + count))
      kernel(at.lane, running ? at.scan : 0, count / columns, columns, at.columnSums, at.columnRests)
      running?.set(scan.subarray(0, count), row * width + first)
    }
    sums.set(totals(arena, columns, order), first)
  }
}

/** Columns whose totals, and the totals of these, have room beside the elements whatever the order. */
const mostColumns = 4096
/** Rows of a part of a matrix shorter than this are not worth a view each. */
const shortPart = 24

/** The orders that are trees: all rows of some columns at once, in place. */
function treeColumns(
  arena: Arena,
  values: Float32Array,
  start: number,
  rows: number,
  order: Exclude<LaneOrder, StepwiseOrder>,
  sums: Float32Array,
  running: Float32Array | undefined,
): void {
  const width = sums.length
  const kernels = sumKernels(arena)
  const { lane } = laneViews(arena)
  const most = Math.min(width, mostColumns, Math.floor(longestLane / rows))
  for (let first = 0; first < width; first += most) {
    const columns = Math.min(most, width - first)
    copyColumns(values, start + first, width, lane, 0, columns, rows, columns)
    if (running) {
      scanTrees(kernels, order, rows, 4 * columns)
      copyColumns(lane, 0, columns, running, first, width, rows, columns)
    } else {
      addTrees(kernels, order, rows, 4 * columns)
      sums.set(lane.subarray(0, columns), first)
    }
  }
}

function addTrees(
  kernels: SumKernels,
  order: Exclude<LaneOrder, StepwiseOrder>,
  rows: number,
  bytes: number,
): void {
  if (order === 'pairwise') kernels.pairwiseColumns(at.lane, rows, bytes)
  else if (order === 'associative') kernels.associativeColumns(at.lane, rows, bytes)
  else if ('blocked' in order) kernels.blockedColumns(at.lane, rows, order.blocked, bytes)
  else kernels.windowedColumns(at.lane, rows, order.windowed, bytes)
}

function scanTrees(
  kernels: SumKernels,
  order: Exclude<LaneOrder, StepwiseOrder>,
  rows: number,
  bytes: number,
): void {
  if (order === 'pairwise') kernels.pairwiseScanColumns(at.lane, rows, bytes)
  else if (order === 'associative') kernels.associativeScanColumns(at.lane, rows, bytes, bytes)
  else if ('blocked' in order) kernels.blockedScanColumns(at.lane, rows, order.blocked, bytes, at.scratch)
}

/** `columns` elements of each of the rows, which begin `step` apart, to rows that begin `gap` apart. */
function copyColumns(
  from: Float32Array,
  start: number,
  step: number,
  to: Float32Array,
  first: number,
  gap: number,
  rows: number,
  columns: number,
): void {
  if (step === columns && gap === columns) {
    to.set(from.subarray(start, start + rows * columns), first)
    return
  }
  for (let row = 0, i = start, k = first; row < rows; row++, i += step, k += gap) {
    if (columns < shortPart) for (let j = 0; j < columns; j++) to[k + j] = from[i + j]!
    else to.set(from.subarray(i, i + columns), k)
  }
}

/** The sums of lanes of one length, `laneOf(k)` being read at once, each in the given order with every step rounded to float32. */
export function float32LaneSums(
  arena: Arena,
  laneOf: (k: number) => Float32Array,
  length: number,
  order: StepwiseOrder,
  sums: Float32Array,
): void {
  const kernels = sumKernels(arena)
  const { lane } = laneViews(arena)
  const lanes: Float32Array[] = []
  for (let first = 0; first < sums.length; first += together) {
    const count = Math.min(together, sums.length - first)
    for (let k = 0; k < count; k++) lanes[k] = laneOf(first + k)
    clear(arena, together)
    for (let start = 0; start < length; start += span) {
      const end = Math.min(start + span, length)
      for (let k = 0; k < count; k++) lane.set(lanes[k]!.subarray(start, end), k * span)
      kernels.transposeLanes(at.lane, at.scan, end - start, span * 4)
      kernels[`${order}Columns`](at.scan, 0, end - start, together, at.columnSums, at.columnRests)
    }
    sums.set(totals(arena, count, order), first)
  }
}

function clear(arena: Arena, width: number): void {
  const { columnSums, columnRests } = views(arena)
  columnSums.fill(0, 0, width)
  columnRests.fill(0, 0, width)
}

function totals(arena: Arena, width: number, order: StepwiseOrder): Float32Array {
  const { columnSums, columnRests } = views(arena)
  const sums = columnSums.subarray(0, width)
  // Neumaier's sum is that of both.
  if (order === 'neumaier') for (let j = 0; j < width; j++) sums[j] = sums[j]! + columnRests[j]!
  return sums
}
