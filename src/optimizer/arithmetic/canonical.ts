/** Gives every NaN the canonical bits. */
export function canonical(values: Float32Array | Float64Array): void {
  for (let i = 0; i < values.length; i++) if (Number.isNaN(values[i])) values[i] = Number.NaN
}
