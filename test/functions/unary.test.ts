import { decodeTable } from 'tpu-toolkit/formats'
import { type UnaryName, unary, unaryNames } from 'tpu-toolkit/functions'
import { describe, expect, it } from 'vitest'

const [inf, nan] = [Infinity, Number.NaN]

describe('special values', () => {
  // At +0, -0, +Infinity, -Infinity.
  const rows: Partial<Record<UnaryName, readonly [number, number, number, number]>> = {
    exp: [1, 1, inf, 0],
    exp2: [1, 1, inf, 0],
    expm1: [0, -0, inf, -1],
    log: [-inf, -inf, inf, nan],
    log2: [-inf, -inf, inf, nan],
    log10: [-inf, -inf, inf, nan],
    log1p: [0, -0, inf, nan],
    sqrt: [0, -0, inf, nan],
    rsqrt: [inf, -inf, 0, nan],
    cbrt: [0, -0, inf, -inf],
    reciprocal: [inf, -inf, 0, -0],
    sin: [0, -0, nan, nan],
    cos: [1, 1, nan, nan],
    tan: [0, -0, nan, nan],
    asin: [0, -0, nan, nan],
    atan: [0, -0, Math.PI / 2, -Math.PI / 2],
    sinh: [0, -0, inf, -inf],
    cosh: [1, 1, inf, inf],
    tanh: [0, -0, 1, -1],
    asinh: [0, -0, inf, -inf],
    acosh: [nan, nan, inf, nan],
    atanh: [0, -0, nan, nan],
    sigmoid: [0.5, 0.5, 1, 0],
    softplus: [Math.LN2, Math.LN2, inf, 0],
    silu: [0, -0, inf, -0],
    gelu: [0, -0, inf, -0],
    geluTanh: [0, -0, inf, -0],
    erf: [0, -0, 1, -1],
    erfc: [1, 1, 0, 2],
    lgamma: [inf, inf, inf, inf],
    square: [0, 0, inf, inf],
    abs: [0, 0, inf, inf],
    neg: [-0, 0, -inf, inf],
    sign: [0, -0, 1, -1],
    floor: [0, -0, inf, -inf],
    ceil: [0, -0, inf, -inf],
    rint: [0, -0, inf, -inf],
    trunc: [0, -0, inf, -inf],
    relu: [0, 0, inf, 0],
  }
  it.each(Object.keys(rows) as UnaryName[])(
    'unary.%s at zeros, infinities and NaN follows C99 Annex F',
    (name) => {
      const results = [0, -0, inf, -inf, nan].map((x) => unary[name](x))
      expect(results).toEqual([...rows[name]!, nan])
    },
  )
})

describe('unary', () => {
  it('rint(x) takes ties to even and keeps -0, to the end of the halves', () => {
    const inputs = [
      0.5,
      1.5,
      2.5,
      -0.5,
      -1.5,
      0.3,
      -0.3,
      2 ** 51 + 0.5,
      2 ** 51 + 1.5,
      -(2 ** 52) + 0.5,
      2 ** 53,
    ]
    expect(inputs.map(unary.rint)).toEqual([
      0,
      2,
      2,
      -0,
      -2,
      0,
      -0,
      2 ** 51,
      2 ** 51 + 2,
      -(2 ** 52),
      2 ** 53,
    ])
    expect([unary.ceil(-0.5), unary.trunc(-0.5)]).toEqual([-0, -0])
  })
  it('lgamma(x) is +Infinity at its poles and 0 at 1 and 2', () => {
    expect([-1, -2, -1000, -(2 ** 60)].map(unary.lgamma)).toEqual([inf, inf, inf, inf])
    expect([1, 2].map(unary.lgamma)).toEqual([0, 0])
  })
  it('lgamma(x) is finite up to 2.5599e305 and +Infinity from there to the largest number', () => {
    // mpmath 1.3; at most 1.3 ulp past 2^60.
    expect(Math.abs(unary.lgamma(2 ** 1014) / 1.2321417556622133e308 - 1)).toBeLessThan(2 ** -51)
    expect(Math.abs(unary.lgamma(2.5599e305) / 1.79763453634738e308 - 1)).toBeLessThan(2 ** -51)
    expect([2.56e305, 2 ** 1015, 2 ** 1023, Number.MAX_VALUE].map(unary.lgamma)).toEqual([inf, inf, inf, inf])
  })
  it.each(unaryNames)('%s gives a number or NaN at every size, of either sign', (name) => {
    const types = new Set<string>()
    for (let exponent = -1074; exponent <= 1023; exponent++) {
      for (const factor of [1, -1, 1.6, -1.6]) types.add(typeof unary[name](factor * 2 ** exponent))
    }
    expect([...types]).toEqual(['number'])
  })
  it('erf is odd, sigmoid(x) + sigmoid(-x) is 1, erf + erfc is 1 within 2^-51', () => {
    const values = decodeTable('float16')
    for (let code = 0; code < 0x7c00; code += 13) {
      const x = values[code]!
      const sums = [unary.sigmoid(x) + unary.sigmoid(-x), unary.erf(x) + unary.erfc(x)]
      if (unary.erf(-x) !== -unary.erf(x) || sums.some((sum) => Math.abs(sum - 1) > 2 ** -51)) {
        expect([x, unary.erf(-x), ...sums]).toEqual([x, -unary.erf(x), 1, 1])
      }
    }
  })
  it('unaryNames has the forty functions, and the record is frozen', () => {
    expect(unaryNames.length).toBe(40)
    expect(Object.isFrozen(unary)).toBe(true)
  })
})
