import { encodeArray, encoder, type FormatName, format } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'

// All 2^32 float32 through encodeArray's tables and rows, against the scalar encoder: half a minute a format.
// ENCODE_FORMATS=name,name chooses others.

const names = (process.env['ENCODE_FORMATS'] ?? 'float8_e4m3fn,float8_e5m2fnuz,float4_e2m1fn,float16').split(
  ',',
)
const block = 2 ** 20

describe.each(names as FormatName[])('encodeArray(values), %s', (name) => {
  it('gives the code of each of the 2^32 float32', () => {
    const bits = new Uint32Array(block)
    const values = new Float32Array(bits.buffer)
    const out = format(name).bits > 8 ? new Uint16Array(block) : new Uint8Array(block)
    const encode = encoder(name)
    let wrong: string | undefined
    for (let start = 0; start < 2 ** 32 && wrong === undefined; start += block) {
      for (let i = 0; i < block; i++) bits[i] = start + i
      encodeArray(values, name, undefined, out)
      for (let i = 0; i < block; i++) {
        const value = values[i]!
        // NaN, whose sign only its bits show, is the business of the ordinary tests.
        if (!Number.isNaN(value) && out[i] !== encode(value)) {
          wrong ??= `${(start + i).toString(16)}: ${out[i]}`
        }
      }
    }
    expect(wrong).toBeUndefined()
  })
})
