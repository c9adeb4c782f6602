import type { FormatName } from '../../../numbers/formats/index.js'
import { type Tensor, tensor } from '../../../tensors/tensor/index.js'
import type { Lab } from './measurement.js'
import { exactCumsum } from './reference.js'

/** An input in the dtype under test: any beginning of it as a tensor, and the numbers it then holds. */
export interface Sequence {
  readonly name: string
  readonly start: (length: number) => Tensor<FormatName>
  /** The rounded values, as long as the longest length. */
  readonly values: Float64Array
  /** The sum of the absolute values of the first so many. */
  readonly sumAbs: (length: number) => number
}

/** The inputs of a lab, rounded to its dtype once. */
export function sequences(lab: Lab): Sequence[] {
  const longest = lab.lengths.at(-1) ?? 0
  return lab.inputs.map(({ name, values }) => sequence(name, values.subarray(0, longest), lab.dtype))
}

/** Any values as a sequence. */
export function sequence(name: string, values: Float64Array, dtype: FormatName): Sequence {
  const rounded = tensor(values, { dtype }).toNumbers()
  const sums = exactCumsum(rounded.map(Math.abs))
  const sumAbs = (length: number): number => (length === 0 ? 0 : sums[length - 1]!)
  return { name, values: rounded, sumAbs, start: (length) => tensor(rounded.subarray(0, length), { dtype }) }
}
