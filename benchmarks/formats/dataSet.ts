/** Part of a tensor: whole rows of the last axis, or a stretch of one row that begins at a multiple of every block size. */
export interface Piece {
  readonly values: Float32Array
  readonly rowLength: number
}

/** A tensor that can be read again and again, a piece at a time. */
export interface DataTensor {
  readonly name: string
  readonly shape: readonly number[]
  readonly pieces: () => Iterable<Piece>
}

/** What the schemes are measured on. */
export interface DataSet {
  readonly name: string
  readonly title: string
  readonly about: string
  readonly tensors: readonly DataTensor[]
}

/** The number of rows of the last axis, and their length; a scalar is one row of one. */
export function rowsOf(shape: readonly number[]): { rows: number; rowLength: number } {
  const rowLength = shape.at(-1) ?? 1
  return { rows: shape.slice(0, -1).reduce((product, side) => product * side, 1), rowLength }
}

/** A tensor whose values are at hand. */
export function inMemory(name: string, shape: readonly number[], values: Float32Array): DataTensor {
  const { rowLength } = rowsOf(shape)
  return { name, shape, pieces: () => [{ values, rowLength }] }
}
