import fc from 'fast-check'
import { decode, encode, type FormatName, format, formatNames } from 'tpu-toolkit/formats'
import { ReplayBuffer } from 'tpu-toolkit/replay'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const wide = formatNames.filter((name) => format(name).bits === 16)
const narrow = formatNames.filter((name) => format(name).bits <= 8 && name !== 'float8_e8m0fnu')

function stored(dtype: FormatName, rows: readonly (readonly number[])[]) {
  const width = rows[0]!.length
  const buffer = new ReplayBuffer({
    capacity: rows.length,
    spec: { x: { shape: [width], dtype } },
    prefetch: 'in-process',
  })
  for (const x of rows) buffer.add({ x, terminated: false })
  const batch = buffer.gather(rows.map((_, i) => i))
  return {
    rows: rows.map((_, i) => [...batch.x.slice(i * width, (i + 1) * width)]),
    error: buffer.stats().columns['x']!.error!,
  }
}

/** Numbers of all sizes with the bits of float32. */
const numbers = fc.integer().map((bits) => new Float32Array(Int32Array.of(bits).buffer)[0]!)

describe(`storage (seed ${seed})`, () => {
  it.each(wide)('%s holds what encode and decode make of each number', (dtype) => {
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 1, maxLength: 20 }), (x) => {
        const { rows, error } = stored(dtype, [x])
        expect(rows[0]).toEqual(x.map((value) => decode(encode(value, dtype), dtype)))
        const kept = x
          .map((value, i) => [value, rows[0]![i]!] as const)
          .filter(([value]) => Number.isFinite(value))
        const fine = kept.filter(([, y]) => Number.isFinite(y))
        expect(error.count).toBe(fine.length)
        expect(error.overflows).toBe(kept.length - fine.length)
        expect(error.underflows).toBe(kept.filter(([value, y]) => value !== 0 && y === 0).length)
        expect(error.maxAbs).toBe(fine.reduce((most, [value, y]) => Math.max(most, Math.abs(value - y)), 0))
      }),
      { seed },
    )
  })

  it.each(narrow)(
    '%s holds x under the smallest power of two for which its column fits, one rounding',
    (dtype) => {
      const { max, mantissaBits, minSubnormal, minPositive } = format(dtype)
      fc.assert(
        fc.property(
          fc.array(
            fc.tuple(
              fc.float({ noNaN: true, min: -3e4, max: 3e4 }),
              fc.float({ noNaN: true, min: -1, max: 1 }),
            ),
            {
              minLength: 1,
              maxLength: 30,
            },
          ),
          (x) => {
            const { rows, error } = stored(dtype, x)
            for (const j of [0, 1] as const) {
              const most = Math.max(...x.map((row) => Math.abs(row[j])))
              // The scale that the docstring promises, by trying: 2^e max >= most, and every code a float32.
              let scale = 2 ** -149 / minPositive
              while (scale * max < most) scale *= 2
              const tiny = (minSubnormal ?? minPositive) * scale
              x.forEach((row, i) => {
                const [value, kept] = [row[j], rows[i]![j]!]
                // Half an ulp where the number is normal under the scale; below, each time the scale grows
                // may round anew, by halves that double: less than one step of the last grid in all.
                const bound = Math.max(2 ** -(mantissaBits + 1) * Math.abs(value), tiny)
                expect(Math.abs(kept - value)).toBeLessThanOrEqual(bound)
                // And it is a code of the format.
                expect(Math.abs(decode(encode(kept / scale, dtype), dtype) * scale)).toBe(Math.abs(kept))
              })
              // The newest row met the final scale.
              const last = x.at(-1)![j]
              expect(rows.at(-1)![j]).toBe(decode(encode(last / scale, dtype), dtype) * scale)
            }
            expect(error.count).toBe(2 * x.length)
            expect(error.overflows).toBe(0)
          },
        ),
        { seed },
      )
    },
  )

  it('the scale grows without changing a bit of numbers that stay normal', () => {
    // 3 of 4 significant bits, and 2^10 between them: e4m3fn has 2^14 between its smallest normal and its largest.
    const { rows, error } = stored('float8_e4m3fn', [[1.75], [-1.25], [0], [1792]])
    expect(rows).toEqual([[1.75], [-1.25], [0], [1792]])
    expect(error).toMatchObject({ maxAbs: 0, rms: 0, relativeRms: 0, rescales: 1, rescaleMaxAbs: 0 })
  })

  it('what a far larger number costs the others is told', () => {
    const { rows, error } = stored('float8_e4m3fn', [[1], [2 ** 20]])
    // Scale 2^12: the smallest step is 2^-9 * 2^12 = 8.
    expect(rows).toEqual([[0], [2 ** 20]])
    expect(error).toMatchObject({ rescales: 1, rescaleMaxAbs: 1 })
  })

  it.each([
    ['float16', [65519, 1e6, 2 ** -26], [65504, Infinity, 0], { overflows: 1, underflows: 1 }],
    ['float8_e5m2', [Infinity, Number.NaN, -3, 0.1], [Infinity, Number.NaN, -3, 0.09375], { overflows: 0 }],
    ['float8_e4m3fn', [Infinity, -0, 3, 1e300], [Number.NaN, -0, 3, Number.NaN], { overflows: 1 }],
  ] as const)('%s stores %j as %j', (dtype, x, expected, error) => {
    const result = stored(dtype, [x])
    expect(result.rows).toEqual([expected])
    expect(result.error).toMatchObject(error)
  })

  it('rms is the root of the mean square error, relativeRms its share of the numbers', () => {
    const x = [1, 1 + 2 ** -9, 3 - 2 ** -8, -5]
    const { rows, error } = stored('bfloat16', [x])
    const squares = x.map((value, i) => (value - rows[0]![i]!) ** 2).reduce((a, b) => a + b)
    expect(error.rms).toBe(Math.sqrt(squares / 4))
    expect(error.relativeRms).toBe(Math.sqrt(squares / x.reduce((sum, value) => sum + value * value, 0)))
    expect(stored('bfloat16', [[0]]).error).toMatchObject({ count: 1, rms: 0, relativeRms: 0 })
  })

  it('dtype stores observations and actions narrowly and rewards in float32', () => {
    const buffer = new ReplayBuffer({ capacity: 2, obsDim: [2, 2], actionDim: 1, dtype: 'float8_e5m2' })
    const columns = Object.entries(buffer.stats().columns).map(([name, column]) => [
      name,
      column.dtype,
      column.bytesPerRow,
    ])
    expect(columns).toEqual([
      ['obs', 'float8_e5m2', 4],
      ['action', 'float8_e5m2', 1],
      ['reward', 'float32', 4],
      ['nextObs', 'float8_e5m2', 4],
    ])
    expect(buffer.stats().columns['reward']!.error).toBeUndefined()
  })
})
