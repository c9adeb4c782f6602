/** A typed array whose elements are numbers. */
export type NumericArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array

/** What can be permuted and chosen from. */
export type Values = number | NumericArray | readonly unknown[]

/** How many values there are: a number n stands for 0, 1, ..., n - 1. */
export function countOf(op: string, values: Values): number {
  const n = typeof values === 'number' ? values : lengthOf(values)
  if (!(Number.isInteger(n) && n >= 0 && n < 2 ** 31)) {
    throw new RangeError(`${op}: not an array or an integer in 0..2^31-1 [${String(values).slice(0, 50)}]`)
  }
  return n
}

const lengthOf = (values: NumericArray | readonly unknown[]): number =>
  Array.isArray(values) || ArrayBuffer.isView(values) ? values.length : Number.NaN

/** The values at the indices, as an array of the values' own type; of a number, the indices themselves. */
export function take(values: Values, indices: Int32Array): Int32Array | NumericArray | unknown[] {
  if (typeof values === 'number') return indices
  if (!ArrayBuffer.isView(values)) return Array.from(indices, (i) => values[i])
  const taken = new (values.constructor as new (n: number) => NumericArray)(indices.length)
  for (let i = 0; i < indices.length; i++) taken[i] = (values as NumericArray)[indices[i]!]!
  return taken
}
