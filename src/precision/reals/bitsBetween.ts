import type { DTypeFacts } from '../../tensors/tensor/index.js'
import { bitsApart, bitsApartReal } from './bitsOfError.js'
import type { Reals } from './realArithmetic.js'

/** The bits between elements of two wide values, whichever arithmetic they are of. */
export function bitsBetween(got: unknown, exact: unknown, grid: DTypeFacts): (i: number) => number {
  if (isReals(got) && isReals(exact)) return (i) => bitsApartReal(got.values[i]!, exact.values[i]!, grid)
  const [x, y] = [got, exact] as { data: Float64Array }[]
  return (i) => bitsApart(x!.data[i]!, y!.data[i]!, grid)
}

function isReals(value: unknown): value is Reals {
  return typeof value === 'object' && value !== null && 'values' in value
}
