import { add, cumsum, exp, mul, sqrt, sub, tensor } from 'tpu-toolkit'
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
    // A server that gives it to a browser takes a line away.
    expect(faults[0]!.site).toMatch(/^faults\.test\.ts:[67]:\d+$/)
  })

  it('goes on element by element, and tells a second fault of its own', () => {
    const f = shadow((x) => sub(add(mul(sub(add(x, 1), 1), 0.7), 1), 1), tensor([1e-5, 0.5]))
    expect(f.faults().map(({ op, count, element }) => [op, count, element])).toEqual([
      ['sub', 1, 0],
      ['sub', 1, 0],
    ])
    expect(f.faults({ threshold: 20 })).toEqual([])
  })

  it('is part of the report where an output is wrong, and of its plain data', () => {
    const run = shadow((x) => exp(mul(sub(sqrt(add(x, 1)), sqrt(x)), 1e4)), tensor(8224416))
    expect(String(run)).toMatch(
      /where the run goes wrong, going on from what was computed: bits off\n +22\.19 {2}3 sub float32 \[\] at faults\.test\.ts:\d+:\d+, 0\.000244140625 for 0\.00017/,
    )
    expect(run.toJSON().faults).toEqual(run.faults())
    expect(run.report({ ignore: ['faults.test.ts'] })).not.toContain('where the run goes wrong')
    // A correction of a compensated sum is all error, and the sum is right.
    const kahan = shadow((x) => cumsum(x, { order: 'kahan' }), tensor([1, 1e-8, 1e-8, 1e-8]))
    expect(String(kahan)).not.toContain('where the run goes wrong')
  })

  it('leaves lines alone, and refuses options that are none', () => {
    const run = shadow((x) => sub(add(x, 1), 1), tensor(1e-5))
    expect(run.faults().length).toBe(1)
    expect(run.faults({ ignore: ['faults.test.ts'] })).toEqual([])
    expect(() => run.faults({ treshold: 3 } as object)).toThrow('did you mean threshold')
  })
})
