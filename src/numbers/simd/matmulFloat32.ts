import { arena, at, block, type Engine } from './arena.js'
import { elementwiseKernels } from './elementwise.wasm.js'
import { type MatmulSizes, matmulBlocks } from './matmulBlocks.js'
import { checkSizes, matmulOperands } from './matmulOperands.js'

/**
 * Matrix product of float32 matrices: acc = float32(acc + float32(a b)), k ascending from +0.
 * Where products are exact in float32 (of float16 values, say) that is the fused step.
 *
 * Shape     a [m, k], b [k, n] -> [m, n]; k = 0 gives +0.
 * Dtype     float32.
 * Rounding  every product and every sum to float32, nearest even.
 * Special   IEEE 754; a NaN is a NaN of no defined sign or payload.
 * Throws    RangeError for lengths that differ from the sizes.
 * Cost      2 m n k operations; allocates the result only, not even that with `out`.
 * Source    none
 */
export function matmulFloat32(
  a: Float32Array,
  b: Float32Array,
  sizes: MatmulSizes,
  out?: Float32Array,
  engine: Engine = 'simd',
): Float32Array {
  checkSizes('matmulFloat32', sizes)
  const result = out ?? new Float32Array(sizes.m * sizes.n)
  const [left, right] = matmulOperands('matmulFloat32', a, b, sizes, result)
  const simd = arena(engine)
  if (simd) matmulBlocks(simd, 'float32', left, right, sizes, result)
  else plainMatmul(left, right, sizes, result)
  return result
}

function plainMatmul(a: Float32Array, b: Float32Array, { m, k, n }: MatmulSizes, out: Float32Array): void {
  out.fill(0)
  for (let i = 0; i < m; i++) {
    for (let p = 0; p < k; p++) {
      const x = a[i * k + p]!
      for (let j = 0; j < n; j++) out[i * n + j] = out[i * n + j]! + Math.fround(x * b[p * n + j]!)
    }
  }
}

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
  const simd = columns <= block / 2 ? arena(engine) : undefined
  if (!simd) {
    for (let i = 0; i < rowScales.length; i++) addRow(total, sums, i * columns, rowScales[i]!, columnScales)
    return
  }
  if (columns === 0) return
  const kernels = elementwiseKernels(simd)
  const [held, added, scales, across] = [at.first, at.second, at.result, at.condition].map(
    (place) => new Float32Array(simd.buffer, place, block),
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
