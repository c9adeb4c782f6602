import { add, exp, mul, sqrt, sub, tensor } from 'tpu-toolkit'
import { shadow } from 'tpu-toolkit/precision'
import { describe, expect, it } from 'vitest'

describe('shadow(...).faults', () => {
  it('tells a fault once: what reads it goes on from what was computed', () => {
    const run = shadow((x) => exp(mul(sub(sqrt(add(x, 1)), sqrt(x)), 1e4)), tensor(8224416))
    // Herbie's first example: the subtraction is where the error shows, and everything behind it is as wrong.
    expect(
      run
        .operations()
        .filter(({ total }) => total.max >= 5)
        .map(({ op }) => op),
    ).toEqual(['sub', 'mul', 'exp'])
    const faults = run.faults()
    expect(faults.map(({ op, count }) => [op, count])).toEqual([['sub', 1]])
    expect(faults[0]!.bits).toBeGreaterThan(20)
    expect(faults[0]!.site).toMatch(/^faults\.test\.ts:7:\d+$/)
  })

  it('goes on element by element, and tells a second fault of its own', () => {
    const f = shadow((x) => sub(add(mul(sub(add(x, 1), 1), 0.7), 1), 1), tensor([1e-5, 0.5]))
    expect(f.faults().map(({ op, count, element }) => [op, count, element])).toEqual([
      ['sub', 1, 0],
      ['sub', 1, 0],
    ])
    expect(f.faults({ threshold: 20 })).toEqual([])
  })

  it('leaves lines alone, and refuses options that are none', () => {
    const run = shadow((x) => sub(add(x, 1), 1), tensor(1e-5))
    expect(run.faults().length).toBe(1)
    expect(run.faults({ ignore: ['faults.test.ts'] })).toEqual([])
    expect(() => run.faults({ treshold: 3 } as object)).toThrow('did you mean threshold')
  })
})
