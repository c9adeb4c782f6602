import { quantizeArray } from 'tpu-toolkit/blocks'
import { type BlockElement, quantizeBlocks } from 'tpu-toolkit/formats'
import { n, values } from './inputs.js'
import { checkEqual, type Operation } from './operation.js'

const elements: readonly BlockElement[] = [
  'float8_e4m3fn',
  'float8_e5m2',
  'float6_e2m3fn',
  'float6_e3m2fn',
  'float4_e2m1fn',
  'int8',
]

/** MX quantisation in blocks of 32, scales and codes, beside a plain encode of the element format. */
export const blockOperations: readonly Operation[] = elements.map((element): Operation => {
  const op = `quantize mx ${element}`
  return {
    op,
    n,
    bytes: 5,
    // int8 is no float format: its measure is the widest float element's.
    goal: { ratio: 2, of: `encode f32 ${element === 'int8' ? 'float8_e4m3fn' : element}` },
    prepare(n) {
      const input = values(1, n)
      const out = { scales: new Uint8Array(n / 32), codes: new Uint8Array(n) }
      return {
        run: () => quantizeArray(input, { element }, out),
        check: () => {
          const plain = quantizeBlocks(input, { element })
          checkEqual(op, out.scales, (i) => plain.scales[i]!)
          checkEqual(op, out.codes, (i) => plain.codes[i]!)
        },
      }
    },
  }
})
