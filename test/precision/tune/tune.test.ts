import {
  add,
  cast,
  cumsum,
  div,
  exp,
  matmul,
  mean,
  mul,
  ones,
  sub,
  sum,
  type Tensor,
  tensor,
} from 'tpu-toolkit'
import { namedPolicies, type Trial, tune, withPolicy } from 'tpu-toolkit/precision'
import { describe, expect, it } from 'vitest'

const bf16 = (values: number | number[]): Tensor<'bfloat16'> => tensor(values, { dtype: 'bfloat16' })
const decay = (dt: Tensor): Tensor => exp(mul(cumsum(dt), -0.125))
const steps = mul(ones([300], { dtype: 'bfloat16' }), 0.0625)

describe('tune', () => {
  it('finds the running sum that stalls, says what its absence costs, and what was tried', () => {
    const told: [Trial, number][] = []
    const tuning = tune(decay, steps, {
      target: { maxRelative: 0.05 },
      policies: namedPolicies,
      onTrial: (trial, count) => told.push([trial, count]),
    })
    expect(tuning).toMatchObject({ met: true, wide: ['cumsum#0'], least: true })
    expect(tuning.policy).toEqual({
      wide: ['cumsum#0'],
      dtype: 'float32',
      narrow: 'bfloat16',
      groupBy: 'operation',
    })
    // Running sum and its one reader: 300 values of 2 bytes more, written and read.
    expect(tuning.cost).toEqual({ count: 1, bytes: 1200, casts: 2 })
    expect(tuning.groups.map(({ name }) => name)).toEqual(['cumsum#0', 'mul#0', 'exp#0'])
    expect(tuning.groups[0]!.sites[0]).toMatch(/^tune[.]test[.]ts:\d+:\d+$/)
    expect(tuning.without).toEqual([{ name: 'cumsum#0', value: tuning.narrowest }])
    expect(tuning.narrowest).toBeGreaterThan(0.05)
    expect(told.map(([trial]) => trial)).toEqual(tuning.tried)
    expect(told.map(([, count]) => count)).toEqual(tuning.tried.map((_, i) => i + 1))
    expect(new Set(tuning.tried.map(({ wide }) => [...wide].sort().join())).size).toBe(tuning.tried.length)
    const met = Object.fromEntries(tuning.policies.map((policy) => [policy.name, policy.met]))
    expect(met).toEqual({
      'pytorch-autocast': true,
      tensorflow: false,
      'apex-o1': true,
      'matmul-narrow': true,
      'cumsum-wide': true,
    })
  })

  it('goes on from the trials of a search that was broken off, kept as JSON, and comes to the same', () => {
    const f = (x: Tensor): Tensor => sub(cumsum(mul(exp(x), 0.1)), cumsum(mul(x, 0.7)))
    const options = { target: { meanBits: 0.6 } } as const
    const whole = tune(f, steps, options)
    expect(whole.tried.length).toBeGreaterThan(8)
    const earlier: Trial[] = JSON.parse(JSON.stringify(whole.tried.slice(0, 6)))
    const anew: Trial[] = []
    const found = tune(f, steps, { ...options, earlier, onTrial: (trial) => anew.push(trial) })
    expect({ ...found, tried: [] }).toEqual({ ...whole, tried: [] })
    expect(found.tried).toEqual(whole.tried)
    // The ends are run again: by them a search knows its own.
    const ends = earlier.filter(({ stage }) => stage === 'ends').length
    expect(anew.length).toBe(whole.tried.length - earlier.length + ends)
    expect(() => tune(f, mul(steps, 2), { ...options, earlier })).toThrow(
      /^tune: the earlier trials are of another search, with nothing wide \[/,
    )
    expect(() => tune(f, steps, { ...options, earlier: [{ wide: [] }] as never })).toThrow(
      'tune: an earlier trial',
    )
  })

  it('measures what the function with the answer then gives', () => {
    const { policy, value, narrowest } = tune(decay, steps, { target: { maxRelative: 0.05 } })
    const exact = decay(cast(steps, 'float64')).toNumbers()
    const worst = (got: Tensor): number =>
      Math.max(...got.toNumbers().map((x, i) => Math.abs(x - exact[i]!) / exact[i]!))
    const tuned = withPolicy(decay, policy)(steps)
    expect(tuned.dtype).toBe('bfloat16')
    expect([worst(tuned), worst(decay(steps))]).toEqual([value, narrowest])
  })

  it('needs two operations where no single one helps', () => {
    // Both the square and the sum of squares overflow.
    const f = (x: Tensor): Tensor => div(sum(mul(x, x)), 1000)
    const x = tensor([300, 200], { dtype: 'float16' })
    const tuning = tune(f, x, { target: { maxRelative: 0.01 }, narrow: 'float16' })
    expect(tuning.wide).toEqual(['mul#0', 'sum#0'])
    expect(tuning).toMatchObject({ least: true, narrowest: Infinity })
    expect(tuning.without.map(({ value }) => value)).toEqual([Infinity, Infinity])
  })

  it('wants nothing wide where the narrow run will do, and says so where not even all will', () => {
    expect(tune(decay, bf16([1, 2]), { target: { maxBits: 1 } })).toMatchObject({
      met: true,
      wide: [],
      least: true,
    })
    const hopeless = tune((x: Tensor) => div(add(x, 0), 3), bf16(1), { target: { maxRelative: 1e-6 } })
    expect(hopeless).toMatchObject({ met: false, wide: ['add#0', 'div#0'], least: true, without: [] })
    expect(hopeless.value).toBeCloseTo(0.0019, 3)
  })

  it('by bytes takes more operations if they are smaller', () => {
    const difference = (x: Tensor): Tensor => sub(add(x, 1), x)
    const f = ({ a, b, large }: { a: Tensor; b: Tensor; large: Tensor }) => [a, b, large].map(difference)
    const inputs = { a: bf16(256), b: bf16(512), large: bf16(new Array(64).fill(256)) }
    const isOne = (x: Tensor): boolean => x.toNumbers().every((value) => value === 1)
    // Either both scalars come out right or the vector does.
    const target = {
      holds: (g: typeof f): boolean => {
        const [a, b, large] = g(inputs).map(isOne)
        return (a! && b!) || large!
      },
    }
    const found = tune(f, inputs, { target, exhaustive: 100 })
    expect(found).toMatchObject({ wide: ['add#2'], least: true, cost: { count: 1, bytes: 256, casts: 2 } })
    const smaller = tune(f, inputs, { target, exhaustive: 100, cost: 'bytes' })
    expect(smaller).toMatchObject({
      wide: ['add#0', 'add#1'],
      least: true,
      cost: { count: 2, bytes: 8, casts: 4 },
    })
  })

  it('makes whole groups wide, by name or as one likes', () => {
    const f = (x: Tensor): Tensor => sub(add(add(x, 0.5), 0.25), x)
    const x = bf16(256)
    expect(tune(f, x, { target: { maxBits: 0 } }).wide).toEqual(['add#0', 'add#1'])
    const byName = tune(f, x, { target: { maxBits: 0 }, groupBy: 'name' })
    expect(byName.wide).toEqual(['add'])
    expect(byName.cost.count).toBe(2)
    const one = tune(f, x, { target: { maxBits: 0 }, groupBy: () => 'all' })
    expect([one.wide, one.cost.count]).toEqual([['all'], 3])
    expect(withPolicy(f, byName.policy)(x).item()).toBe(0.75)
  })

  it('takes verdicts and metrics of a run of the function', () => {
    const f = (x: Tensor): Tensor => sub(add(x, 1), x)
    const x = bf16(256)
    const byVerdict = tune(f, x, { target: { holds: (g) => g(bf16(512)).item() === 1 } })
    const byMetric = tune(f, x, { target: { metric: (g) => Math.abs(g(bf16(512)).item() - 1), atMost: 0 } })
    for (const tuning of [byVerdict, byMetric]) expect(tuning.wide).toEqual(['add#0'])
    expect(byVerdict.value).toBe(1)
    const half = (value: number): Tensor => tensor(value, { dtype: 'float16' })
    const finite = tune((v: Tensor) => div(mul(v, v), 1000), half(300), {
      narrow: 'float16',
      target: {
        *finite(g) {
          for (const value of [100, 200, 300]) yield g(half(value))
        },
        steps: 3,
      },
    })
    expect([finite.wide, finite.narrowest]).toEqual([['mul#0'], 2])
  })

  it('measures empty results, scalars, and outputs with NaN', () => {
    const f = (x: Tensor): Tensor => mul(x, x)
    expect(tune(f, bf16([]), { target: { meanBits: 0 } })).toMatchObject({ met: true, value: 0 })
    expect(tune(f, bf16(3), { target: { meanBits: 0 } })).toMatchObject({ met: true, wide: [] })
    const invalid = (x: Tensor): Tensor => sub(mul(x, x), mul(x, x))
    const tuning = tune(invalid, bf16(3e19), { target: { maxBits: 0 }, wide: 'float64' })
    expect(tuning).toMatchObject({ met: true, wide: ['mul#0', 'mul#1'], narrowest: 16 })
  })

  it('compares means in counts that a matmul adds', () => {
    const f = (x: Tensor): Tensor => mean(matmul(x, x))
    const x = tensor(
      Array.from({ length: 64 }, (_, i) => Math.sin(i)),
      { shape: [8, 8], dtype: 'bfloat16' },
    )
    const { least, groups } = tune(f, x, { target: { maxBits: 1 } })
    expect(least).toBe(true)
    expect(groups.map(({ name }) => name).sort()).toEqual(['matmul#0', 'mean#0'])
  })

  it('says what it cannot take', () => {
    const f = (x: Tensor): Tensor => add(x, 1)
    const x = bf16(1)
    const of = (options: object, g: (x: Tensor) => Tensor = f): unknown =>
      tune(g, x, { target: { maxBits: 1 }, ...options } as never)
    const kinds = 'meanBits, maxBits, meanRelative, maxRelative, metric, holds, finite'
    const cases: [() => unknown, Error][] = [
      [() => of({ target: {} }), new RangeError(`tune: a target is one of ${kinds} []`)],
      [() => of({ target: undefined }), new RangeError('tune: option target is missing [target]')],
      [
        () => of({ target: { maxBits: 1, meanBits: 1 } }),
        new RangeError(`tune: a target is one of ${kinds} [maxBits, meanBits]`),
      ],
      [
        () => of({ target: { maxBits: Number.NaN } }),
        new RangeError("tune: the target's maxBits is not a number from 0 [NaN]"),
      ],
      [
        () => of({ target: { metric: 3, atMost: 1 } }),
        new TypeError("tune: the target's metric is a function of the tuned function [3]"),
      ],
      [
        () => of({ target: { metric: () => 'low', atMost: 1 } }),
        new TypeError('tune: the metric is not a number [low]'),
      ],
      [() => of({ target: { holds: () => 1 } }), new TypeError("tune: the target's holds is no boolean [1]")],
      [
        () => of({ target: { finite: () => [1], steps: 0.5 } }),
        new RangeError("tune: the target's steps is not a count [0.5]"),
      ],
      [
        () => of({ target: { finite: () => [1, 2], steps: 3 } }),
        new RangeError('tune: the run gave 2 finite values and ended, not 3 [2]'),
      ],
      [() => of({ narrow: 'int32' }), new TypeError('tune: needs a floating-point dtype [int32]')],
      [() => of({ wide: 'bfloat16' }), new TypeError('tune: wide is no wider than narrow [bfloat16]')],
      [
        () => of({ narrow: 'float16' }),
        new RangeError('tune: no operation runs in float16, cast the inputs [bfloat16]'),
      ],
      [() => of({ cost: 'time' }), new RangeError("tune: cost is 'count' or 'bytes' [time]")],
      [() => of({ exhaustive: -1 }), new RangeError('tune: exhaustive is not a count [-1]')],
      [
        () => of({ reference: 'float32' }),
        new RangeError('tune: unknown reference, did you mean float64 [float32]'),
      ],
      [
        () => of({ groupBy: 3 }),
        new RangeError("tune: groupBy is 'operation', 'name', 'site' or a function [3]"),
      ],
    ]
    for (const [call, error] of cases) expect(call).toThrow(error)
    let run = 0
    expect(() => of({}, (v) => add(v, run++))).toThrow('tune: the function is not deterministic')
    let metric = 0
    expect(() => of({ target: { metric: () => metric++, atMost: 0 } })).toThrow(
      'tune: the target is not deterministic, two runs of one set differ [0, then 1]',
    )
  })
})
