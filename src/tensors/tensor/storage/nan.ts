import type { Storage } from './dtype.js'

/** Makes every NaN in native floats the canonical quiet one, sign 0: processors disagree on the sign of theirs. */
export function canonicalizeNaN(data: Storage): void {
  if (data instanceof Float32Array) {
    if (hasNaN(new Int32Array(data.buffer, data.byteOffset, data.length))) replaceNaN(data)
  } else if (data instanceof Float64Array) {
    replaceNaN(data)
  }
}

const magnitude = 0x7fffffff
const infinity = 0x7f800000

/** Whether a float32 among these words is a NaN: its magnitude is beyond infinity's. Without a branch for each, since there is rarely one. */
function hasNaN(words: Int32Array): boolean {
  let all = 0
  const whole = words.length & ~3
  for (let i = 0; i < whole; i += 4) {
    all |=
      (infinity - (words[i]! & magnitude)) |
      (infinity - (words[i + 1]! & magnitude)) |
      (infinity - (words[i + 2]! & magnitude)) |
      (infinity - (words[i + 3]! & magnitude))
  }
  for (let i = whole; i < words.length; i++) all |= infinity - (words[i]! & magnitude)
  return all < 0
}

function replaceNaN(data: Float32Array | Float64Array): void {
  for (let i = 0; i < data.length; i++) {
    if (Number.isNaN(data[i]!)) data[i] = Number.NaN
  }
}
