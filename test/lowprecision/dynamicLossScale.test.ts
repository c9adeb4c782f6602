import { readFileSync } from 'node:fs'
import { dynamicLossScale, type LossScaleOptions, storedParams } from 'tpu-toolkit/lowprecision'
import { sgd } from 'tpu-toolkit/optimizer'
import { cast, mul, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

interface Run {
  readonly period: number
  readonly factor: number
  readonly start: number
  readonly least: number
  readonly finite: string
  readonly scales: readonly number[]
  readonly counters: readonly number[]
}
const file = new URL('../golden/lowprecision/loss_scale.json', import.meta.url)
const runs = JSON.parse(readFileSync(file, 'utf8')) as readonly Run[]

const still = () => storedParams(sgd({ learningRate: 1 }), { mode: 'master', dtype: 'float16' })
const good = [tensor([0], { dtype: 'float16' })]

describe('dynamicLossScale, against jmp', () => {
  it.each(runs)(
    'factor $factor every $period steps from $start: scale and counter after each of 120 steps',
    (run) => {
      const { period, factor, start, least } = run
      const optimizer = dynamicLossScale(still(), {
        initScale: start,
        growthInterval: period,
        growthFactor: factor,
        backoffFactor: 1 / factor,
        minScale: least,
      })
      let point = optimizer.init([tensor([1])])
      ;[...run.finite].forEach((ok, i) => {
        point = optimizer.step(
          ok === '1' ? good : [tensor([i % 2 ? Number.NaN : -Infinity], { dtype: 'float16' })],
          point,
        )
        // Factors that are no powers of two: jmp divides where we multiply by the quotient, a float32 ulp apart a step.
        const slack = Number.isInteger(Math.log2(factor)) ? 0 : 2 ** -23 * (i + 1) * run.scales[i]!
        expect(Math.abs(point.state.scale - run.scales[i]!), `step ${i}`).toBeLessThanOrEqual(slack)
        expect(point.state.goodSteps).toBe(run.counters[i])
      })
      expect(point.state.skippedSteps).toBe([...run.finite].filter((ok) => ok === '0').length)
    },
  )
})

describe('dynamicLossScale', () => {
  it('leaves out a step with one NaN or Inf at any leaf: parameters and inner state stay', () => {
    const optimizer = dynamicLossScale(still())
    const start = optimizer.init({ a: tensor([1, 2]), b: [tensor(3)] })
    for (const bad of [Number.NaN, Infinity, -Infinity]) {
      for (const grads of [
        { a: tensor([0, bad]), b: [tensor(1)] },
        { a: tensor([1, 1]), b: [tensor(bad)] },
      ]) {
        const { params, state } = optimizer.step(grads, start)
        expect(params).toBe(start.params)
        expect(state.inner).toBe(start.state.inner)
        expect(state).toMatchObject({ scale: 2 ** 15, goodSteps: 0, skippedSteps: 1 })
      }
    }
  })

  it('brings back a gradient that float16 has not: 2^-26 at scale 2^16', () => {
    const optimizer = dynamicLossScale(still())
    const point = optimizer.init([tensor([0])])
    const gradient = tensor([2 ** -26])
    expect(cast(gradient, 'float16').item()).toBe(0)
    const scaled = cast(mul(gradient, point.state.scale), 'float16')
    const { state } = optimizer.step([scaled], point)
    expect((state.inner as unknown as { master: [{ item(): number }] }).master[0].item()).toBe(-(2 ** -26))
  })

  it('unscales float32 and float64 gradients in their own dtype', () => {
    const wide = storedParams(sgd({ learningRate: 1 }), {
      mode: 'nearest',
      dtype: 'float64',
      optimizerDtype: 'float64',
    })
    const optimizer = dynamicLossScale(wide, { initScale: 2 })
    const { params } = optimizer.step([tensor([2 / 3], { dtype: 'float64' })], optimizer.init([tensor([0])]))
    expect((params as unknown as [{ item(): number }])[0].item()).toBe(-1 / 3)
  })

  it('stops at minScale and keeps a scale whose growth would overflow float32', () => {
    const small = dynamicLossScale(still(), { initScale: 2, minScale: 1 })
    let point = small.init([tensor([1])])
    for (let i = 0; i < 3; i++) point = small.step([tensor([Number.NaN])], point)
    expect(point.state).toMatchObject({ scale: 1, skippedSteps: 3 })
    const large = dynamicLossScale(still(), { initScale: 2 ** 127, growthInterval: 1 })
    expect(large.step(good, large.init([tensor([1])])).state.scale).toBe(2 ** 127)
  })

  it.each([
    [{ initScale: 0 }, 'initScale is not a positive float32 number [0]'],
    [{ initScale: 1e-46 }, 'initScale is not a positive float32 number [1e-46]'],
    [{ minScale: 1e-46 }, 'minScale is not positive and at most initScale [1e-46]'],
    [{ initScale: Number.NaN }, 'initScale is not a positive float32 number [NaN]'],
    [{ initScale: 1e39 }, 'initScale is not a positive float32 number [1e+39]'],
    [{ minScale: 0 }, 'minScale is not positive and at most initScale [0]'],
    [{ initScale: 1, minScale: 2 }, 'minScale is not positive and at most initScale [2]'],
    [{ growthFactor: 0.5 }, 'growthFactor is not a number from 1 [0.5]'],
    [{ backoffFactor: 1 }, 'backoffFactor is not between 0 and 1 [1]'],
    [{ backoffFactor: '.5' as never }, 'backoffFactor is not between 0 and 1 [.5]'],
    [{ growthInterval: 0 }, 'growthInterval is not a whole number from 1 [0]'],
    [{ growthInterval: 1.5 }, 'growthInterval is not a whole number from 1 [1.5]'],
  ] satisfies [LossScaleOptions, string][])('%j is refused', (options, text) => {
    expect(() => dynamicLossScale(still(), options)).toThrow(new RangeError(`dynamicLossScale: ${text}`))
  })
  it('refuses integer gradients', () => {
    const optimizer = dynamicLossScale(still())
    expect(() => optimizer.step([tensor([1], { dtype: 'int32' })], optimizer.init([tensor([1])]))).toThrow(
      new TypeError('dynamicLossScale: gradients need a floating-point dtype, cast first [int32]'),
    )
  })
})
