import { add, cast, div, exp, log, mul, sub, type Tensor, tensor } from 'tpu-toolkit'
import { errorOver } from 'tpu-toolkit/precision'
import { type Key, key, normal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'

const difference = (x: Tensor): Tensor => sub(add(x, 1), 1)

describe('errorOver', () => {
  it('finds the worst input of an interval and the share of inputs past a target', () => {
    const found = errorOver(
      difference,
      { low: 0, high: 1 },
      { target: { maxRelative: 2 ** -20 }, key: key(1), samples: 400 },
    )
    expect(found.samples).toBe(400)
    expect(found.values.length).toBe(400)
    // (x + 1) - 1 is off by 2^-24 at most, evenly: by more than 2^-20 x where x is below a share of 2^-4.
    const past = found.values.filter((value) => value > 2 ** -20).length / 400
    expect(found.past).toBe(past)
    expect(found.past).toBeGreaterThan(0.005)
    expect(found.past).toBeLessThan(0.15)
    expect(found.worst.value).toBeGreaterThanOrEqual(Math.max(...found.values))
    const x = found.worst.inputs.item()
    expect(Math.abs(difference(found.worst.inputs).item() / x - 1)).toBeCloseTo(found.worst.value, 12)
    expect(found.text).toBe('400 inputs of [0, 1], and 200 near the worst')
  })

  it('draws by exponent what a range through many of them needs', () => {
    const options = { target: { maxRelative: 0.5 }, key: key(2), samples: 200 } as const
    const flat = errorOver(difference, { low: 1e-30, high: 1 }, options)
    const scaled = errorOver(difference, { low: 1e-30, high: 1, by: 'exponent' }, options)
    expect(flat.past).toBe(0)
    // All below 2^-25 of 30 decades is lost.
    expect(Math.abs(scaled.past - (30 - 7.5) / 30)).toBeLessThan(0.12)
    for (const inputs of [flat.worst.inputs, scaled.worst.inputs]) {
      expect(inputs.item()).toBeGreaterThanOrEqual(Math.fround(1e-30))
      expect(inputs.item()).toBeLessThanOrEqual(1)
    }
    const both = errorOver((v) => mul(v, 3), { low: -4, high: 2, by: 'exponent', shape: [64] }, options)
    const drawn = [...both.worst.inputs.toNumbers()]
    expect(drawn.some((v) => v < 0) && drawn.some((v) => v > 0)).toBe(true)
    expect(drawn.every((v) => v >= -4 && v <= 2)).toBe(true)
  })

  it('takes trees of intervals, and finds a worse input near the worst one', () => {
    const f = ({ a, b }: { a: Tensor; b: Tensor }): Tensor => sub(a, mul(b, 0.3))
    const found = errorOver<{ a: Tensor; b: Tensor }>(
      f,
      {
        a: { low: 0, high: 1, shape: [16], dtype: 'bfloat16' },
        b: { low: 0, high: 1, shape: [16], dtype: 'bfloat16' },
      },
      { target: { maxRelative: 0.1 }, key: key(4), samples: 30, refine: 120 },
    )
    expect(found.worst.inputs.a.shape).toEqual([16])
    expect(found.worst.inputs.b.dtype).toBe('bfloat16')
    expect(found.worst.refined).toBe(true)
    expect(found.worst.value).toBeGreaterThan(Math.max(...found.values))
  })

  it('takes a sampler of keys, and real numbers where float64 loses the result', () => {
    const found = errorOver(
      (x) => log(div(add(1, x), sub(1, x))),
      (k: Key) => mul(tensor(normal(k, 4)), 1e-20),
      { target: { maxBits: 1 }, key: key(5), samples: 20 },
    )
    expect(found.past).toBe(1)
    expect(found.worst.refined).toBe(false)
    expect(found.text).toBe('20 inputs of a sampler')
    const fine = errorOver(
      (x: Tensor) => cast(exp(x), 'bfloat16'),
      (k: Key) => tensor(normal(k, 4)),
      {
        target: { maxBits: 1 },
        key: key(5),
        samples: 20,
      },
    )
    expect(fine.past).toBe(0)
  })

  it('says what it cannot take', () => {
    const options = { target: { maxBits: 1 }, key: key(1) }
    expect(() => errorOver(difference, { low: 1, high: 0 }, options)).toThrow('the lower one first [1, 0]')
    expect(() => errorOver(difference, { low: 0, high: 1, dtype: 'int32' as 'float32' }, options)).toThrow(
      'floating-point dtype',
    )
    expect(() => errorOver(difference, { low: 0, high: 1 }, { ...options, samples: 0 })).toThrow('samples')
    expect(() => errorOver(difference, () => tensor(1), { ...options, refine: 3 })).toThrow(
      'cannot be refined',
    )
    expect(() => errorOver(difference, { low: 0, high: 1 }, { target: { maxBits: 1 } } as never)).toThrow(
      'key',
    )
  })
})
