/** `width` columns of rows of `k` elements, from one on, contiguous. */
export function columns(values: Float32Array, k: number, from: number, width: number): Float32Array {
  const rows = k === 0 ? 0 : values.length / k
  const part = new Float32Array(rows * width)
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < width; j++) part[i * width + j] = values[i * k + from + j]!
  }
  return part
}
