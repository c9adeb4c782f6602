import type { Storage } from './dtype.js'

/** Makes every NaN in native floats the canonical quiet one, sign 0: processors disagree on the sign of theirs. */
export function canonicalizeNaN(data: Storage): void {
  if (!(data instanceof Float32Array || data instanceof Float64Array)) return
  for (let i = 0; i < data.length; i++) {
    if (Number.isNaN(data[i]!)) data[i] = Number.NaN
  }
}
