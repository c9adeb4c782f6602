import * as bf16 from 'tpu-toolkit/bf16'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { isLong } from '../support/long.js'
import { seed } from '../support/seed.js'
import { anyCodes, codesBetween, firstDifference, lengths, specialCodes, unaligned } from './drawnCodes.js'

const operations = [
  ['add', bf16.addArrays, bf16.add],
  ['sub', bf16.subArrays, bf16.sub],
  ['mul', bf16.mulArrays, bf16.mul],
  ['div', bf16.divArrays, bf16.div],
  ['min', bf16.minArrays, bf16.min],
  ['max', bf16.maxArrays, bf16.max],
] as const

const power = isLong ? 22 : 18
const many = [anyCodes(seed, 2 ** power), anyCodes(seed + 1, 2 ** power)] as const

describe.each(operations)(`%sArrays(a, b) (seed ${seed})`, (name, arrays, scalar) => {
  it(`equals ${name} on 2^${power} random pairs, and simd equals plain`, () => {
    const [a, b] = many
    const actual = arrays(a, b)
    expect(
      firstDifference(
        actual,
        a.map((code, i) => scalar(code, b[i]!)),
      ),
    ).toBeUndefined()
    expect(firstDifference(actual, arrays(a, b, undefined, 'plain'))).toBeUndefined()
  })

  it(`equals ${name} on 2^${power - 2} pairs of near exponents`, () => {
    const a = codesBetween(seed + 2, 2 ** (power - 2), 120, 130)
    const b = codesBetween(seed + 3, 2 ** (power - 2), 120, 130)
    expect(
      firstDifference(
        arrays(a, b),
        a.map((code, i) => scalar(code, b[i]!)),
      ),
    ).toBeUndefined()
  })

  it.each(['simd', 'plain'] as const)(
    'every special code with every other, one operand of length 1, %s',
    (engine) => {
      const codes = Uint16Array.from(specialCodes)
      for (const code of codes) {
        const one = Uint16Array.of(code)
        const right = arrays(codes, one, undefined, engine)
        expect(
          firstDifference(
            right,
            codes.map((a) => scalar(a, code)),
          ),
        ).toBeUndefined()
        const left = arrays(one, codes, undefined, engine)
        expect(
          firstDifference(
            left,
            codes.map((b) => scalar(code, b)),
          ),
        ).toBeUndefined()
      }
    },
  )

  it.each(lengths)('handles length %i, unaligned, writing nothing beside out', (length) => {
    const a = unaligned(anyCodes(seed + 4, length))
    const b = unaligned(anyCodes(seed + 5, length))
    const out = new Uint16Array(length + 2).fill(0xabcd)
    arrays(a, b, out.subarray(1, 1 + length))
    expect([out[0], out[length + 1]]).toEqual([0xabcd, 0xabcd])
    expect(
      firstDifference(
        out.subarray(1, -1),
        a.map((code, i) => scalar(code, b[i]!)),
      ),
    ).toBeUndefined()
    if (length === 0) return
    const fixed = arrays(a, b.subarray(0, 1))
    expect(
      firstDifference(
        fixed,
        a.map((code) => scalar(code, b[0]!)),
      ),
    ).toBeUndefined()
  })

  it.each(['simd', 'plain'] as const)('may write over either operand, or beside its start, %s', (engine) => {
    const a = anyCodes(seed + 6, 40000)
    const b = anyCodes(seed + 7, 40000)
    const expected = a.map((code, i) => scalar(code, b[i]!))
    const left = a.slice()
    expect(firstDifference(arrays(left, b, left, engine), expected)).toBeUndefined()
    const right = b.slice()
    expect(firstDifference(arrays(a, right, right, engine), expected)).toBeUndefined()
    const wider = new Uint16Array(40001)
    wider.set(a)
    expect(
      firstDifference(arrays(wider.subarray(0, 40000), b, wider.subarray(1), engine), expected),
    ).toBeUndefined()
    const own = a.slice()
    const first = a[0]!
    const twice = arrays(own, own.subarray(0, 1), own, engine)
    expect(
      firstDifference(
        twice,
        a.map((code) => scalar(code, first)),
      ),
    ).toBeUndefined()
  })

  it('takes an empty operand beside one of length 1', () => {
    expect(arrays(new Uint16Array(0), Uint16Array.of(0x3f80))).toHaveLength(0)
  })

  it('throws on lengths that do not fit', () => {
    expect(() => arrays(new Uint16Array(4), new Uint16Array(3))).toThrow(
      new RangeError(`${name}Arrays: lengths differ and neither is 1 [4 and 3]`),
    )
    expect(() => arrays(new Uint16Array(4), new Uint16Array(4), new Uint16Array(1))).toThrow(
      new RangeError(`${name}Arrays: out has another length than the result [1, not 4]`),
    )
  })
})

describe.each([operations[0], operations[2]])('%sArrays(a, every code)', (name, arrays) => {
  it('equals the exact single rounding for one left operand in 64', () => {
    const keys = new Columns(`formats/binary_bfloat16_${name}`).u32('row_hash')
    const every = Uint16Array.from({ length: 65536 }, (_, code) => code)
    const out = new Uint16Array(65536)
    for (let a = 21; a < 65536; a += 64) {
      arrays(Uint16Array.of(a), every, out)
      let hash = 0x811c9dc5
      for (let b = 0; b < 65536; b++) hash = Math.imul(hash ^ out[b]!, 0x01000193)
      if (hash >>> 0 !== keys[a]) expect([a, hash >>> 0]).toEqual([a, keys[a]])
    }
  })
})
