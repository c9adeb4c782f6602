import { arena as arenaOf, at, block, type Engine } from './arena.js'
import { elementwiseKernels } from './elementwise.wasm.js'

/**
 * Rows of `total`, each plus that of `sums` times (scale of its row times scale of its column): product of scales, product and sum
 * each once to float32.
 */
export function addScaledRows(
  total: Float32Array,
  sums: Float32Array,
  rowScales: Float32Array,
  columnScales: Float32Array,
  engine: Engine = 'simd',
): void {
  const columns = columnScales.length
  const arena = columns <= block / 2 ? arenaOf(engine) : undefined
  if (!arena) {
    for (let i = 0; i < rowScales.length; i++) addRow(total, sums, i * columns, rowScales[i]!, columnScales)
    return
  }
  if (columns === 0) return
  const kernels = elementwiseKernels(arena)
  const [held, added, scales, across] = [at.first, at.second, at.result, at.condition].map(
    (place) => new Float32Array(arena.buffer, place, block),
  ) as [Float32Array, Float32Array, Float32Array, Float32Array]
  across.set(columnScales)
  const step = Math.floor(block / columns)
  for (let row = 0; row < rowScales.length; row += step) {
    const own = rowScales.subarray(row, row + step)
    const [from, to] = [row * columns, (row + own.length) * columns]
    held.set(total.subarray(from, to))
    added.set(sums.subarray(from, to))
    scales.set(own)
    kernels.addScaledRows(at.first, at.second, at.result, at.condition, own.length, columns)
    total.set(held.subarray(0, to - from), from)
  }
}

/** The scalar reference, for one row. */
function addRow(
  total: Float32Array,
  sums: Float32Array,
  from: number,
  scale: number,
  columnScales: Float32Array,
): void {
  for (let j = 0, i = from; j < columnScales.length; j++, i++) {
    const both = Math.fround(scale * columnScales[j]!)
    total[i] = total[i]! + Math.fround(sums[i]! * both)
  }
}
