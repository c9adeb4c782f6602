/** `width` columns of rows of `k` elements, from one on, contiguous. */
export function columns(values: Float32Array, k: number, from: number, width: number): Float32Array {
  const rows = k === 0 ? 0 : values.length / k
  const part = new Float32Array(rows * width)
  for (let i = 0, to = 0; i < rows; i++) {
    for (let at = i * k + from, end = at + width; at < end; at++, to++) part[to] = values[at]!
  }
  return part
}
