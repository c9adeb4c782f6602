import { add, cast, mul, reshape, slice, sub, type Tensor, tensor } from 'tpu-toolkit'
import { shadow, tune } from 'tpu-toolkit/precision'
import { key, normal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'

const draws = (n: number): Tensor => reshape(cast(tensor(normal(key(3), n)), 'bfloat16'), [n, 1])

/** A running mean of n numbers, step by step. */
function ema(x: Tensor): Tensor {
  let s = slice(x, [0])
  for (let t = 1; t < x.shape[0]!; t++) s = add(mul(s, 0.99), mul(slice(x, [t]), 0.01))
  return s
}

describe('shadow, a loop', () => {
  const run = shadow(ema, draws(1500))
  const lines = String(run).split('\n')

  it('fits a screen, and blames lines of the source with their share of the error', () => {
    expect(lines.length).toBeLessThanOrEqual(40)
    const groups = run.groups()
    expect(groups.length).toBe(5)
    expect(groups.map(({ steps }) => steps.length)).toEqual([1499, 1499, 1499, 1499, 1499])
    expect(groups.reduce((total, { share }) => total + share!, 0)).toBeCloseTo(1, 9)
    expect(groups[0]!.gain).toBeGreaterThan(1)
    expect(lines.join('\n')).toMatch(/ \d+ % +\d+\.\d\d {2}\w+.* at groups\.test\.ts:\d+:\d+, 1499 times/)
  })

  it('says in one sentence how good the result is', () => {
    expect(lines.filter((line) => line.startsWith('verdict: '))).toEqual([
      expect.stringMatching(
        /^verdict: the result keeps \d\.\d of 8 bits in its worst element; \d+ % of the error is /,
      ),
    ])
    expect(String(shadow((x) => sub(x, x), draws(2)))).toContain('verdict: exact')
    expect(String(shadow((x) => mul(x, x), draws(9)))).toContain('verdict: as good as rounding allows')
  })

  it('tune goes by source lines where there are too many operations', () => {
    const tuning = tune(ema, draws(500), { target: { meanBits: 1 } })
    expect(tuning.met).toBe(true)
    expect(tuning.policy.groupBy).toBe('site')
    expect(tuning.tried.length).toBeLessThan(40)
  })
})
