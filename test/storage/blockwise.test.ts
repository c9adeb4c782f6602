import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { key as keyOf, bits as randomWords } from 'tpu-toolkit/random'
import {
  type BlockwiseName,
  blockwiseNames,
  dynamicMap,
  fromBlockwise,
  toBlockwise,
} from 'tpu-toolkit/storage'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { seed } from '../support/seed.js'

interface Sums {
  readonly codes: number
  readonly scales: number
  readonly values: number
}

const key = new Columns('storage/blockwise')
const count = key.facts['count'] as number
const rows = key.facts['formats'] as Record<
  string,
  Sums & { readonly salt: number; readonly block: number; readonly short?: Sums }
>
const kinds = blockwiseNames.flatMap((name) => [true, false].map((signed) => [name, signed] as const))

/** The hash that scripts/golden/torch/state_formats.py draws from. */
function hash(i: number, salt: number): number {
  let h = (Math.imul(i, 0x9e3779b1) + salt) | 0
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}

function numbers(n: number, salt: number, signed: boolean): Float32Array {
  const words = new Uint32Array(n)
  for (let i = 0; i < n; i++) {
    const e = hash(i, salt + 1)
    const height = hash(i >>> 7, salt + 2) % 20
    const exponent = (e & 1 ? 97 + ((e >>> 1) % 31) : 124 + ((e >>> 1) % 4)) + height - 10
    words[i] = (hash(i, salt) & (signed ? 0x807fffff : 0x7fffff)) | (exponent << 23)
  }
  return new Float32Array(words.buffer)
}

const crc = (array: Uint8Array | Float32Array): number =>
  crc32(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
const floats = (words: Uint32Array): Float32Array => new Float32Array(words.slice().buffer)

function sumsOf(values: Float32Array, name: BlockwiseName, signed: boolean): Sums {
  const blocks = toBlockwise(values, name, { signed })
  const decoded = fromBlockwise(blocks, name, { signed, length: values.length })
  return { codes: crc(blocks.codes), scales: crc(blocks.scales), values: crc(decoded.map((x) => x + 0)) }
}

describe(`block-wise formats of optimizer states (seed ${seed})`, () => {
  it.each([true, false])('dynamicMap has the bits of bitsandbytes and torchao, signed %s', (signed) => {
    expect(dynamicMap({ signed })).toEqual(floats(key.u32(`map8 ${pythonName(signed)}`)))
    if (!signed) return
    expect(dynamicMap({ bits: 4, exponentBits: 3 })).toEqual(floats(key.u32('map4 True')))
  })

  it('the map of 4-bit second moments is torchao’s linear one', () => {
    const codes = Uint8Array.from({ length: 8 }, (_, i) => (2 * i * 16) | (2 * i + 1))
    const scales = Float32Array.of(1)
    expect(fromBlockwise({ codes, scales }, 'torchao-4bit', { signed: false })).toEqual(
      floats(key.u32('map4 False')),
    )
  })

  it.each(kinds)('%s, signed %s: codes, scales and values of 2^20 numbers', (name, signed) => {
    const row = rows[`${name} ${pythonName(signed)}`]!
    const values = numbers(count, row.salt, signed)
    expect(sumsOf(values, name, signed)).toEqual({ codes: row.codes, scales: row.scales, values: row.values })
    if (row.short === undefined) return
    expect(sumsOf(values.slice(0, 3 * row.block + 77), name, signed)).toEqual(row.short)
  })

  it.each(kinds)('%s, signed %s: the codes around every bound', (name, signed) => {
    const column = `${name} ${pythonName(signed)} edge`
    const { codes } = toBlockwise(floats(key.u32(`${column}s`)), name, { signed })
    expect(codes).toEqual(key.u8(`${column} codes`))
  })

  it.each(blockwiseNames)('%s: blocks of zeros, NaN, infinities and subnormals', (name) => {
    const { codes, scales } = toBlockwise(floats(key.u32(`${name} special`)), name)
    const expected = key.u8(`${name} special codes`)
    // The NaN of Inf / Inf has the sign bit on x86; here NaN have none.
    const alike = name === 'torchao-fp8' ? expected.map((code) => (code === 255 ? 127 : code)) : expected
    expect(codes).toEqual(alike)
    expect(scales).toEqual(floats(key.u32(`${name} special scales`)))
  })

  it('a number comes back within half the distance between the neighbours of its map', () => {
    const names = blockwiseNames.filter((name) => !/cpu|fp8/.test(name))
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.boolean(),
        fc.array(
          fc.float({ noNaN: true, noDefaultInfinity: true, min: Math.fround(-1e9), max: Math.fround(1e9) }),
          {
            minLength: 1,
            maxLength: 300,
          },
        ),
        (name, signed, given) => {
          const values = Float32Array.from(given, (x) => (signed ? x : Math.abs(x)))
          const blocks = toBlockwise(values, name, { signed })
          const decoded = fromBlockwise(blocks, name, { signed, length: values.length })
          const map =
            name === 'torchao-4bit'
              ? signed
                ? dynamicMap({ bits: 4, exponentBits: 3 })
                : Float32Array.from({ length: 16 }, (_, i) => (i + 1) / 16)
              : dynamicMap({ signed })
          const size = name === 'torchao-4bit' ? 128 : 256
          values.forEach((x, i) => {
            const scale = blocks.scales[Math.floor(i / size)]!
            if (scale < 1e-30) return
            const nearest = Math.min(...Array.from(map, (m) => Math.abs(m * scale - x)))
            // Two roundings on the way to x / scale, one of the bound, one of the product.
            expect(Math.abs(decoded[i]! - x)).toBeLessThanOrEqual(nearest + 4 * 2 ** -24 * scale)
          })
        },
      ),
      { seed, numRuns: 40 },
    )
  })

  it.each(kinds)('%s, signed %s: random words round to a neighbour, right on average', (name, signed) => {
    const n = 1024
    const values = numbers(n, 99, signed)
    const down = toBlockwise(values, name, { signed, words: new Uint32Array(n).fill(0xffffffff) })
    const up = toBlockwise(values, name, { signed, words: new Uint32Array(n) })
    const [low, high] = [down, up].map((blocks) => fromBlockwise(blocks, name, { signed }))
    const sums = new Float64Array(n)
    const draws = 64
    let others = 0
    for (let draw = 0; draw < draws; draw++) {
      const words = randomWords(keyOf(draw), n)
      const drawn = fromBlockwise(toBlockwise(values, name, { signed, words }), name, { signed })
      for (let i = 0; i < n; i++) {
        sums[i]! += drawn[i]! / draws
        if (drawn[i] !== low![i] && drawn[i] !== high![i]) others++
      }
    }
    expect(others).toBe(0)
    let [error, variance] = [0, 0]
    for (let i = 0; i < n; i++) {
      const width = Math.abs(high![i]! - low![i]!)
      // Numbers beyond the ends of a map have one neighbour.
      if (width === 0) continue
      error += (sums[i]! - values[i]!) / width
      variance += 1 / (4 * draws)
    }
    expect(Math.abs(error)).toBeLessThan(5 * Math.sqrt(variance))
  })

  it('refuses what is no block-wise form', () => {
    const blocks = toBlockwise(new Float32Array(4), 'torchao-4bit')
    expect(() => toBlockwise(new Float32Array(4), 'dynamic' as never)).toThrow(
      'toBlockwise: unknown block-wise format',
    )
    expect(() => toBlockwise([1] as never, 'torchao-8bit')).toThrow('toBlockwise: values are no Float32Array')
    expect(() => toBlockwise(new Float32Array(2), 'torchao-8bit', { words: new Uint32Array(1) })).toThrow(
      'words are not one a number [1 of 2]',
    )
    expect(() => fromBlockwise(blocks, 'torchao-4bit', { length: 6 })).toThrow('length')
    expect(() => fromBlockwise({ ...blocks, scales: new Float32Array(2) }, 'torchao-4bit')).toThrow(
      'scales are not one a block of 128 [2 for 4 numbers]',
    )
    expect(() => dynamicMap({ exponentBits: 8 })).toThrow('exponentBits')
    expect(() => dynamicMap({ signed: false, exponentBits: 3 })).toThrow('codes are left over')
  })
})

function pythonName(flag: boolean): string {
  return flag ? 'True' : 'False'
}
