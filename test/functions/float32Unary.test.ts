import { readFileSync } from 'node:fs'
import {
  float32Atan2,
  float32Hypot,
  float32LogAddExp,
  float32Pow,
  float32Unary,
  type UnaryName,
} from 'tpu-toolkit/functions'
import { describe, expect, it } from 'vitest'

const json = (name: string) =>
  JSON.parse(readFileSync(new URL(`../golden/functions/${name}.json`, import.meta.url), 'utf8'))
const { operands, pairs, results } = json('float32_values') as {
  operands: string
  pairs: string
  results: Record<string, string>
}
const hard: Record<string, number[]> = json('hard_float32').functions

const words = (hex: string): Uint32Array =>
  Uint32Array.from({ length: hex.length / 8 }, (_, i) => Number.parseInt(hex.slice(8 * i, 8 * i + 8), 16))
const valuesOf = (hex: string): Float32Array => new Float32Array(words(hex).buffer)
const bitsOf = (values: Float32Array): Uint32Array => {
  const bits = new Uint32Array(values.buffer)
  return bits.map((word) => ((word & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : word))
}
const unaryNames = Object.keys(results).filter((name) => Object.hasOwn(float32Unary, name)) as UnaryName[]

describe('float32Unary', () => {
  it.each(unaryNames)('float32Unary.%s(x) has the bits of MPFR in every binade', (name) => {
    const values = valuesOf(operands)
    const expected = words(results[name]!)
    const actual = bitsOf(Float32Array.from(values, float32Unary[name]))
    expect([...values].filter((_, i) => expected[i] !== actual[i])).toEqual([])
  })

  it.each(Object.keys(hard) as UnaryName[])('float32Unary.%s(x) is right where float64 is not', (name) => {
    const list = hard[name]!
    for (let i = 0; i < list.length; i += 2) {
      expect([list[i], float32Unary[name](list[i]!)]).toEqual([list[i], list[i + 1]])
    }
  })

  // The list's own check: beside a midpoint the engine's float64 value is half an ulp away, in sign as in size.
  it.each(Object.keys(hard).filter((name) => Object.hasOwn(Math, name)) as (UnaryName & keyof typeof Math)[])(
    'the operands listed of %s have results half an ulp from those of Math',
    (name) => {
      const f = Math[name] as (x: number) => number
      const list = hard[name]!
      for (let i = 0; i < list.length; i += 2) {
        const [y, listed] = [f(list[i]!), list[i + 1]!]
        expect([list[i], Math.abs(y - listed) / Math.abs(listed)]).toEqual([
          list[i],
          expect.toSatisfy((d) => d < 2 ** -23),
        ])
      }
    },
  )
})

describe.each([
  ['float32Pow', 'pow', float32Pow],
  ['float32Atan2', 'atan2', float32Atan2],
  ['float32Hypot', 'hypot', float32Hypot],
  ['float32LogAddExp', 'logAddExp', float32LogAddExp],
] as const)('%s', (title, name, f) => {
  it(`${title}(a, b) has the bits of MPFR, ties and powers of few bits among them`, () => {
    const numbers = valuesOf(pairs)
    const expected = words(results[name]!)
    const actual = bitsOf(Float32Array.from(expected, (_, i) => f(numbers[2 * i]!, numbers[2 * i + 1]!)))
    const wrong = [...actual.keys()].filter((i) => actual[i] !== expected[i])
    expect(wrong.map((i) => [numbers[2 * i], numbers[2 * i + 1]])).toEqual([])
  })
})
