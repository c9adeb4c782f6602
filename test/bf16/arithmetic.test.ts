import { add, div, fma, fromNumber, max, min, mul, round, sub, toNumber } from 'tpu-toolkit/bf16'
import { decode, encode } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { isLong } from '../support/long.js'
import { seed } from '../support/seed.js'

/** FNV-1a over the 16-bit results of one row, as the keys have it. */
function rowHash(op: (a: number, b: number) => number, a: number): number {
  let hash = 0x811c9dc5
  for (let b = 0; b < 65536; b++) hash = Math.imul(hash ^ op(a, b), 0x01000193)
  return hash >>> 0
}

/** xorshift32, the generator of the fma keys. */
function xorshift32(state: number): () => number {
  let s = state
  return () => {
    s ^= s << 13
    s ^= s >>> 17
    s ^= s << 5
    return s >>> 0
  }
}

const interesting = [
  0x0000, 0x0001, 0x0002, 0x007f, 0x0080, 0x0081, 0x00ff, 0x0100, 0x3f00, 0x3f7f, 0x3f80, 0x3f81, 0x4000,
  0x4040, 0x42ff, 0x4300, 0x7e80, 0x7f00, 0x7f7e, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff,
].flatMap((code) => [code, code | 0x8000])

const apart = isLong ? 64 : 1024
const rows = isLong ? 64 : 8

describe.each([
  ['add', add],
  ['mul', mul],
] as const)('%s', (name, op) => {
  it(`${name}(a, b) equals the exact single rounding for one left operand in ${apart} and every right one`, () => {
    const keys = new Columns(`formats/binary_bfloat16_${name}`).u32('row_hash')
    for (let a = 37; a < 65536; a += apart) {
      if (rowHash(op, a) !== keys[a]) expect([a, rowHash(op, a)]).toEqual([a, keys[a]])
    }
  })
})

describe('sub and div', () => {
  it('sub(a, b) is add(a, -b), for one a in 1,031 and every b', () => {
    for (let a = 0; a < 65536; a += 1031) {
      for (let b = 0; b < 65536; b++) {
        if (sub(a, b) !== add(a, b ^ 0x8000)) expect([a, b, sub(a, b)]).toEqual([a, b, add(a, b ^ 0x8000)])
      }
    }
  })

  /** Whether the rational a / b rounds to code q: |a - v b| against the half-way products, in exact integers. */
  function nearestQuotient(a: number, b: number, q: number): boolean {
    // Every finite bfloat16 is an integer of 2^-133; half-way points of 2^-134.
    const integer = (code: number): bigint => {
      const exponent = (code >> 7) & 0xff
      const mantissa = BigInt(exponent === 0 ? code & 0x7f : (code & 0x7f) | 0x80)
      return mantissa << BigInt(Math.max(exponent, 1) - 1)
    }
    const [n, d, v] = [integer(a & 0x7fff), integer(b & 0x7fff), q & 0x7fff]
    if (n === 0n) return v === 0
    const above = integer(v) + integer(v + 1) // half-way to the next code up, in units of 2^-134
    const below = v === 0 ? 0n : integer(v - 1) + integer(v)
    const quotient = n << 134n // n / d in units of 2^-134, times d
    const even = v % 2 === 0
    const notAbove = v >= 0x7f80 || (even ? quotient <= above * d : quotient < above * d)
    const notBelow = v === 0 || (even ? quotient >= below * d : quotient > below * d)
    return notAbove && notBelow
  }

  it(`div(a, b) is the rational quotient rounded once (seed ${seed})`, () => {
    const next = xorshift32(seed)
    const pairs: [number, number][] = interesting.flatMap((a) =>
      interesting.map((b): [number, number] => [a, b]),
    )
    for (let i = 0; i < 20_000; i++) pairs.push([next() >>> 16, next() >>> 16])
    for (const [a, b] of pairs) {
      const [x, y, quotient] = [toNumber(a), toNumber(b), div(a, b)]
      if (!Number.isFinite(x) || !Number.isFinite(y) || y === 0) {
        if (quotient !== encode(x / y, 'bfloat16')) expect(quotient).toBe(encode(x / y, 'bfloat16'))
      } else if (quotient >> 15 !== (a ^ b) >> 15 || !nearestQuotient(a, b, quotient)) {
        expect([a, b, quotient]).toEqual('the rational quotient rounded once')
      }
    }
  })
})

describe('min and max', () => {
  it.each([
    ['min', min, -1],
    ['max', max, 1],
  ] as const)('%s(a, b) is IEEE 754-2019: NaN wins, -0 is below +0', (_, op, direction) => {
    for (const a of interesting) {
      for (const b of interesting) {
        const [x, y] = [toNumber(a), toNumber(b)]
        const larger = x === y ? (a < b ? a : b) : x > y ? a : b
        const smaller = x === y ? (a < b ? b : a) : x > y ? b : a
        const expected =
          Number.isNaN(x + y) && (x !== -y || Number.isNaN(x)) ? 0x7fc0 : direction > 0 ? larger : smaller
        expect([a, b, op(a, b)]).toEqual([a, b, expected])
      }
    }
  })
})

describe('fma', () => {
  const key = new Columns('formats/binary_bfloat16_fma')

  it('fma(a, b, c) equals the 4,096 results in clear', () => {
    const [a, b, c, result] = [key.u16('a'), key.u16('b'), key.u16('c'), key.u16('result')]
    expect(Array.from(result, (_, i) => fma(a[i]!, b[i]!, c[i]!))).toEqual(Array.from(result))
  })

  it(`fma(a, b, c) equals ${rows} row hashes; float32 multiply-add then rounding misses 1.2 % of the triples`, () => {
    const next = xorshift32(1)
    const value = new Float32Array(1)
    const bits = new Uint32Array(value.buffer)
    const hashes = new Uint32Array(rows)
    let wrong = 0
    for (let row = 0; row < rows; row++) {
      let hash = 0x811c9dc5
      for (let i = 0; i < 65536; i++) {
        const [w1, w2] = [next(), next()]
        const [a, b] = [w1 >>> 16, w1 & 0xffff]
        let c = w2 >>> 16
        const product = toNumber(a) * toNumber(b)
        if (w2 & 1) {
          value[0] = product
          const upper = Number.isNaN(product) ? 0x7fc0 : bits[0]! >>> 16
          c = ((upper ^ 0x8000) + ((w2 >>> 1) & 7) - 4) & 0xffff
        }
        const result = fma(a, b, c)
        wrong += fromNumber(Math.fround(Math.fround(product) + toNumber(c))) === result ? 0 : 1
        hash = Math.imul(hash ^ result, 0x01000193)
      }
      hashes[row] = hash >>> 0
    }
    expect(Array.from(hashes)).toEqual(Array.from(key.u32('row_hash').subarray(0, rows)))
    expect(wrong / rows / 65536).toBeCloseTo(0.012, 3)
  })

  it('fma(a, b, c) takes a product on a tie to the side of c, however small c is', () => {
    // 1.0078125 * 1.5 = 1.51171875 lies half-way between the codes 3fc1 and 3fc2.
    const [a, b] = [0x3f81, 0x3fc0]
    expect([fma(a, b, 0x0000), fma(a, b, 0x0001), fma(a, b, 0x8001)]).toEqual([0x3fc2, 0x3fc2, 0x3fc1])
    const minus = b | 0x8000
    expect([fma(a, minus, 0x0000), fma(a, minus, 0x8001), fma(a, minus, 0x0001)]).toEqual([
      0xbfc2, 0xbfc2, 0xbfc1,
    ])
  })
  it('fma(a, b, c) takes c on a tie of the subnormals to the side of a product below float64 of it', () => {
    // (2^-133)^2 = 2^-266 cannot be seen beside 2^127; 1 + 2^-8 does not exist, 256 + 1 is a tie of the sum.
    expect([fma(0x0001, 0x0001, 0x7f00), fma(0x0001, 0x8001, 0x7f00)]).toEqual([0x7f00, 0x7f00])
    expect([fma(0x3f80, 0x4380, 0x3f80), fma(0x3f80, 0x4381, 0x3f80)]).toEqual([0x4380, 0x4382])
    // 2^-134, a tie with zero, alone and beside the smallest code.
    expect([fma(0x3f00, 0x0001, 0x0000), fma(0x3f00, 0x0001, 0x0001), fma(0x3f00, 0x8001, 0x0001)]).toEqual([
      0, 2, 0,
    ])
  })
})

describe('NaN and signed zeros', () => {
  it('every invalid operation and NaN operand gives 0x7FC0', () => {
    const [nan, inf, zero] = [0xffff, 0x7f80, 0x0000]
    const results = [add(nan, 1), sub(inf, inf), mul(zero, inf), div(zero, zero), div(inf, inf), min(1, nan)]
    results.push(
      max(nan, 1),
      add(inf, 0xff80),
      fma(zero, inf, 1),
      fma(inf, 0x3f80, 0xff80),
      fma(1, 1, 0x7f81),
    )
    expect(results).toEqual(results.map(() => 0x7fc0))
  })
  it('exact zero sums are +0 unless both operands are -0', () => {
    expect([add(0x3f80, 0xbf80), add(0x8000, 0x8000), sub(0x8000, 0), fma(0x8000, 0x3f80, 0x8000)]).toEqual([
      0, 0x8000, 0x8000, 0x8000,
    ])
    expect(fma(0x3f80, 0x3f80, 0xbf80)).toBe(0)
  })
})

describe('fromNumber, toNumber, round', () => {
  it('fromNumber(1 + 2^-8 + 2^-40) is 0x3F81, which a cast through float32 misses', () => {
    const x = 1 + 2 ** -8 + 2 ** -40
    expect([fromNumber(x), fromNumber(Math.fround(x)), fromNumber(x, { rounding: 'down' })]).toEqual([
      0x3f81, 0x3f80, 0x3f80,
    ])
    expect(fromNumber(Number.NaN)).toBe(0x7fc0)
    expect([fromNumber(1e39), fromNumber(1e39, { saturate: true })]).toEqual([0x7f80, 0x7f7f])
  })
  it('fromNumber(toNumber(code)) is code for all 65,536 codes, NaN canonical', () => {
    for (let code = 0; code < 65536; code++) {
      const value = toNumber(code)
      const expected = Number.isNaN(value) ? 0x7fc0 : code
      if (fromNumber(value) !== expected || !Object.is(round(value), value)) {
        expect([code, fromNumber(value), round(value)]).toEqual([code, expected, value])
      }
    }
  })
  it('toNumber(70000) names the code', () => {
    expect(() => toNumber(70000)).toThrow(new RangeError('decode: code outside 0..65535 of bfloat16 [70000]'))
  })
  it(`round(x) equals the reference for random float64 bit patterns (seed ${seed})`, () => {
    const next = xorshift32(seed)
    const words = new Uint32Array(2)
    const value = new Float64Array(words.buffer)
    for (let i = 0; i < 200_000; i++) {
      words[0] = i % 3 === 0 ? 0 : next()
      words[1] = i % 2 === 0 ? next() : (next() & 0x801fffff) | ((880 + (next() % 260)) << 20)
      const x = value[0]!
      const code = encode(x, 'bfloat16')
      if (!Object.is(round(x), decode(code, 'bfloat16')) || fromNumber(x) !== code) {
        expect([x, round(x), fromNumber(x)]).toEqual([x, decode(code, 'bfloat16'), code])
      }
    }
  })
})
