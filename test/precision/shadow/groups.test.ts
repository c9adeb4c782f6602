import { abs, add, cast, mul, reshape, slice, sqrt, sub, type Tensor, tensor } from 'tpu-toolkit'
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

describe('shadow, where shares do not explain the error', () => {
  // Exactly, the difference is 0, where the derivative of abs is 0 too: to first order nothing before it matters.
  const rest = (x: Tensor): Tensor => sub(x, cast(cast(x, 'float8_e4m3fn'), 'bfloat16'))
  const kink = (x: Tensor): Tensor => sqrt(add(abs(rest(x)), 0.5))
  const x = tensor([0.6171875, 0.890625, 1.3203125], { dtype: 'bfloat16' })

  it('blames what gains most when it is not rounded, and says so', () => {
    const run = shadow(kink, x)
    const [most] = run.groups()
    expect(run.program.steps[most!.steps[0]!]!.output.dtype).toBe('float8_e4m3fn')
    expect(most!.gain).toBeGreaterThan(1)
    expect(String(run)).toMatch(
      /verdict: .*; unrounded, cast at groups\.test\.ts:\d+:\d+ would gain \d\.\d\d bits/,
    )
  })
})
