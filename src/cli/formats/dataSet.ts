import { type PiecewiseTensor, rowsOf } from '../../tensors/blocks/index.js'

/** What the schemes are measured on. */
export interface DataSet {
  readonly name: string
  readonly title: string
  readonly about: string
  readonly tensors: readonly PiecewiseTensor[]
}

/** A tensor whose values are at hand. */
export function inMemory(name: string, shape: readonly number[], values: Float32Array): PiecewiseTensor {
  const { rowLength } = rowsOf(shape)
  return { name, shape, pieces: () => [{ values, rowLength }] }
}
