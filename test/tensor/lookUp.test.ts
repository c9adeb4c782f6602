import { decode, encode, type FormatName, format, formatNames, type Rounding } from 'tpu-toolkit/formats'
import { unaryTable } from 'tpu-toolkit/functions'
import { cast, exp, fromBits, neg, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { firstDifference, words } from '../bf16/drawnCodes.js'
import { seed } from '../support/seed.js'

/** Every code of a format, over and over, out of order. */
function everyCode<D extends FormatName>(dtype: D, length: number): Tensor<D> {
  const count = 2 ** format(dtype).bits
  const codes = Uint16Array.from({ length }, (_, i) => (i * 40503) % count)
  return fromBits(codes, { dtype })
}

describe.each(formatNames)('functions, %s', (dtype) => {
  it.each([10, 4095, 4096, 4097, 70001])('exp looks up %i codes', (length) => {
    const x = everyCode(dtype, length)
    const table = unaryTable('exp', dtype)
    const expected = x.data.map((code) => table[code]!)
    expect(firstDifference(exp(x).data, expected)).toBeUndefined()
    expect(firstDifference(exp(x, { out: x }).data, expected)).toBeUndefined()
  })

  it('neg and exp take turns', () => {
    const x = everyCode(dtype, 5000)
    for (const [operation, name] of [
      [exp, 'exp'],
      [neg, 'neg'],
      [exp, 'exp'],
    ] as const) {
      const table = unaryTable(name, dtype)
      expect(
        firstDifference(
          operation(x).data,
          x.data.map((code) => table[code]!),
        ),
      ).toBeUndefined()
    }
  })
})

/** The code in another format, one rounding; a NaN keeps its sign where both formats have one. */
function castCode(code: number, from: FormatName, to: FormatName): number {
  const value = decode(code, from)
  const rounded = encode(value, to)
  const negative = (code & format(from).signMask) !== 0 && format(from).nan !== 'negative-zero'
  const { nan, signMask } = format(to)
  if (!Number.isNaN(value) || !negative || nan === 'negative-zero') return rounded
  return nan === 'none' ? 0 : rounded + signMask
}

describe.each(formatNames)('cast from %s', (from) => {
  it.each(formatNames)('to %s rounds the value of every code once; a NaN keeps its sign', (to) => {
    // Each code more than once, and more than a table asks for.
    const x = everyCode(from, format(from).bits > 8 ? 70001 : 9000)
    const actual = cast(x, to).data
    // A few at a time go without a table.
    const few = Array.from(
      { length: 40 },
      (_, i) => cast(fromBits(x.data.slice(50 * i, 50 * i + 50), { dtype: from }), to).data,
    )
    expect(
      firstDifference(
        actual.slice(0, 2000),
        few.flatMap((part) => [...part]),
      ),
    ).toBeUndefined()
    if (from === to) return
    const expected = Uint16Array.from({ length: 2 ** format(from).bits }, (_, code) =>
      castCode(code, from, to),
    )
    expect(
      firstDifference(
        actual,
        Uint16Array.from(x.data, (code) => expected[code]!),
      ),
    ).toBeUndefined()
  })

  it.each(['nearest-away', 'toward-zero', 'up', 'down', 'to-odd'] as const satisfies Rounding[])(
    'rounds every code in mode %s',
    (rounding) => {
      const to = from === 'float8_e5m2' ? 'float8_e4m3fn' : 'float8_e5m2'
      const x = everyCode(from, 9000)
      for (const saturate of [false, true]) {
        const actual = cast(x, to, { rounding, saturate }).data
        for (let i = 0; i < x.size; i++) {
          const value = decode(x.data[i]!, from)
          const expected = encode(value, to, { rounding, saturate })
          if (!Number.isNaN(value) && actual[i] !== expected) {
            expect([i, value, actual[i]]).toEqual([i, value, expected])
          }
        }
      }
    },
  )
})

describe(`cast(x, dtype, stochastic) (seed ${seed})`, () => {
  it('draws a word for each element and rounds as encode does', () => {
    const drawn = words(seed, 5000)
    const source = () => {
      let next = 0
      return { rounding: 'stochastic', random: () => drawn[next++]! } as const
    }
    const values = Float64Array.from({ length: 5000 }, (_, i) => Math.tan(i) * 3)
    for (const x of [
      tensor(values, { dtype: 'float64' }),
      tensor(values),
      tensor(values, { dtype: 'bfloat16' }),
    ]) {
      for (const to of ['float8_e4m3fn', 'float16'] as const) {
        const options = source()
        const expected = [...x.toNumbers()].map((value) => encode(value, to, options))
        expect(firstDifference(cast(x, to, source()).data, expected)).toBeUndefined()
      }
    }
  })
})

describe('without WebAssembly', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.resetModules()
  })

  it('functions, casts and float16 arithmetic give the same codes', async () => {
    const codes = Uint16Array.from({ length: 70001 }, (_, i) => (i * 40503) & 0xffff)
    const run = ({ add, cast, exp, fromBits }: typeof import('tpu-toolkit/tensor')) => {
      const x = fromBits(codes, { dtype: 'float16' })
      const y = fromBits(codes.slice().reverse(), { dtype: 'float16' })
      return [exp(x), cast(x, 'bfloat16'), add(x, y)].map(({ data }) => data)
    }
    const expected = run(await import('tpu-toolkit/tensor'))
    vi.stubGlobal('WebAssembly', undefined)
    vi.resetModules()
    const actual = run(await import('tpu-toolkit/tensor'))
    actual.forEach((data, i) => {
      expect(firstDifference(data, expected[i]!)).toBeUndefined()
    })
  })
})
