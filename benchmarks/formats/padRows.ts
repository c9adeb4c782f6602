/** Rows made longer by zeros until blocks divide them; the values themselves where blocks do already. */
export function padRows(values: Float32Array, rowLength: number, blockSize: number): Float32Array {
  if (rowLength % blockSize === 0) return values
  const wide = Math.ceil(rowLength / blockSize) * blockSize
  const rows = values.length / rowLength
  const padded = new Float32Array(rows * wide)
  for (let row = 0; row < rows; row++) {
    padded.set(values.subarray(row * rowLength, (row + 1) * rowLength), row * wide)
  }
  return padded
}

/** The rows again, without what was added. */
export function unpadRows(padded: Float32Array, rowLength: number, blockSize: number): Float32Array {
  if (rowLength % blockSize === 0) return padded
  const wide = Math.ceil(rowLength / blockSize) * blockSize
  const rows = padded.length / wide
  const values = new Float32Array(rows * rowLength)
  for (let row = 0; row < rows; row++) {
    values.set(padded.subarray(row * wide, row * wide + rowLength), row * rowLength)
  }
  return values
}
