import { checkGrads } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { stalledUpdates } from 'tpu-toolkit/lowprecision'
import { fireMasks, type NcaParams, ncaParams, ncaRollout, ncaStep, seedState } from 'tpu-toolkit/nca'
import { normalWeights } from 'tpu-toolkit/nn'
import { key, uniform } from 'tpu-toolkit/random'
import {
  add,
  cast,
  isNaN,
  mean,
  mul,
  notEqual,
  square,
  sum,
  type Tensor,
  tensor,
  where,
  zeros,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const last = normalWeights({ deviation: 0.1 })
const small = ncaParams(key(1), { channels: 4, hidden: 8, last })

describe('ncaParams', () => {
  it('is an automaton that does nothing: a rollout gives the start back', () => {
    const x = tensor(uniform(key(0), 5 * 5 * 4), { shape: [5, 5, 4] })
    const rolled = ncaRollout(ncaParams(key(1), { channels: 4 }), x, { steps: 3 })
    expect(rolled.toBits()).toEqual(x.toBits())
  })

  it('has about 8,300 parameters as published', () => {
    const { w1, b1, w2, b2 } = ncaParams(key(0), { channels: 16 })
    expect(w1.size + b1.size + w2.size + b2.size).toBe(48 * 128 + 128 + 128 * 16 + 16)
  })
})

describe('ncaRollout', () => {
  it('lets news travel one cell a step and no farther', () => {
    const start = zeros([21, 4])
    const other = where(notEqual(seedState({ shape: [21], channels: 4, from: 0 }), 0), 1, start)
    const options = { dimensions: 1, steps: 5, keep: 'all' } as const
    const [a, b] = [start, other].map((x) => ncaRollout(small, x, options).toNumbers())
    for (let step = 0; step < 5; step++) {
      for (let cell = 0; cell < 21; cell++) {
        const at = (step * 21 + cell) * 4
        const differs = [0, 1, 2, 3].some((c) => a![at + c] !== b![at + c])
        if (Math.abs(cell - 10) > step + 1) expect([step, cell, differs]).toEqual([step, cell, false])
      }
    }
    expect(a![(4 * 21 + 5) * 4]).not.toBe(b![(4 * 21 + 5) * 4])
  })

  it('draws the masks from the key: the same key, the same bits', () => {
    const x = seedState({ shape: [6, 5], channels: 4 })
    const options = { steps: 6, fireRate: 0.5 } as const
    const one = ncaRollout(small, x, { ...options, key: key(1) })
    expect(ncaRollout(small, x, { ...options, key: key(1) }).toBits()).toEqual(one.toBits())
    expect(ncaRollout(small, x, { ...options, key: key(2) }).toBits()).not.toEqual(one.toBits())
    expect(ncaRollout(small, x, { steps: 6, fireRate: 0, key: key(1) }).toBits()).toEqual(x.toBits())
  })

  it('fires the share that was asked for, within six standard deviations', () => {
    const masks = fireMasks(key(3), { steps: 20, shape: [30, 30], fireRate: 0.3 })
    const n = masks.size
    const fired = sum(cast(masks, 'float32')).item() as number
    expect(Math.abs(fired - 0.3 * n)).toBeLessThan(6 * Math.sqrt(n * 0.3 * 0.7))
    const fewer = fireMasks(key(3), { steps: 2, shape: [30, 30], fireRate: 0.3 })
    expect(Array.from(fewer.data)).toEqual(Array.from(masks.data.subarray(0, 1800)))
  })

  it('keeps a dead cell at +0 and does not spread the NaN of a cell that stands still', () => {
    const x = tensor([
      [0, 0, 0, 1, Number.NaN],
      [0, 0, 0, 1, 0],
      [0, 0, 0, 0, 0],
      [-1, 1, 1, 0, 5],
    ])
    const params = ncaParams(key(0), { channels: 5, hidden: 4 })
    const mask = tensor([0, 0, 0, 0], { dtype: 'bool' })
    const next = ncaStep(params, x, { dimensions: 1, alive: {}, mask })
    expect(next.toNested()).toEqual([
      [0, 0, 0, 1, Number.NaN],
      [0, 0, 0, 1, 0],
      [0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0],
    ])
    expect(Array.from(next.toNumbers()).every((value) => !Object.is(value, -0))).toBe(true)
  })

  it('has gradients that agree with differences', () => {
    const loss = (p: NcaParams): Tensor =>
      mean(
        square(
          ncaRollout(p, tensor(uniform(key(4), 3 * 4 * 2), { shape: [3, 4, 2], dtype: 'float64' }), {
            steps: 3,
            alive: { channel: 1, threshold: -10 },
            fireRate: 0.5,
            key: key(5),
          }),
        ),
      )
    const params = ncaParams(key(6), { channels: 2, hidden: 3, last, dtype: 'float64' })
    expect(() => checkGrads(loss, [params])).not.toThrow()
  })

  it('compiled, follows its masks: other masks make no other program', () => {
    const x = seedState({ shape: [5, 5], channels: 4 })
    const run = compile((masks: Tensor) => ncaRollout(small, x, { steps: 4, masks, alive: {} }))
    const [first, second] = [1, 2].map((from) => fireMasks(key(from), { steps: 4, shape: [5, 5] }))
    for (const masks of [first!, second!]) {
      const eager = ncaRollout(small, x, { steps: 4, masks, alive: {} })
      expect(run(masks).toBits()).toEqual(eager.toBits())
    }
  })

  it('says what is wrong', () => {
    const x = zeros([3, 3, 4])
    const short = fireMasks(key(0), { steps: 2, shape: [3, 3] })
    expect(() => ncaRollout(small, x, { steps: 3, masks: short })).toThrow(
      'ncaRollout: masks are not of 3 steps [2, 3, 3]',
    )
    expect(() =>
      ncaRollout(small, x, { steps: 2, masks: fireMasks(key(0), { steps: 2, shape: [9] }) }),
    ).toThrow('ncaRollout: masks is not one for each cell [9, cells 3, 3]')
    expect(() => ncaRollout(small, x, { steps: 2, masks: zeros([2, 3, 3]) })).toThrow(TypeError)
    expect(() => ncaRollout(small, x, { steps: 2, fireRate: 0.5 })).toThrow('is drawn, give a key [0.5]')
    expect(() => ncaRollout(small, x, { steps: 2, rounding: 'stochastic' })).toThrow('is drawn, give a key')
    expect(() => ncaRollout(small, zeros([3, 3, 5]), { steps: 2 })).toThrow(
      'ncaRollout: params are not of 3 kernels and 5 channels [(12,8) (8) (8,4) (4)]',
    )
    expect(() => ncaRollout(small, x, { steps: 2, kernels: ['identity'] })).toThrow(
      'of 1 kernels and 4 channels',
    )
    expect(() => ncaRollout(small, x, { steps: -1 })).toThrow('steps is not a whole number')
    expect(() => ncaRollout(small, x, { steps: 2, alive: { channel: 4 } })).toThrow(
      'channel is not a whole number from 0 to 3 [4]',
    )
    expect(() => ncaRollout(small, x, { steps: 2, stateDtype: 'int32' as 'float32' })).toThrow(TypeError)
  })
})

describe('a state that stands still', () => {
  /** An automaton of one channel that adds d to every cell in every step. */
  const adding = (d: number, dtype: 'float32' | 'bfloat16'): NcaParams => ({
    w1: zeros([1, 1], { dtype }),
    b1: zeros([1], { dtype }),
    w2: zeros([1, 1], { dtype }),
    b2: tensor([d], { dtype }),
  })
  const rule = { dimensions: 1, kernels: ['identity'] } as const
  const run = (x0: number, d: number, steps: number, stateDtype: 'float32' | 'bfloat16'): number =>
    mean(
      ncaRollout(adding(d, 'bfloat16'), tensor([[x0]], { dtype: 'bfloat16' }), {
        ...rule,
        steps,
        stateDtype,
      }),
    ).item() as number

  it('1 + 2^-9 a thousand times is 1 in bfloat16 and 2.953125 in float32', () => {
    expect(run(1, 2 ** -9, 1000, 'bfloat16')).toBe(1)
    expect(run(1, 2 ** -9, 1000, 'float32')).toBe(2.953125)
  })

  it('0.3 + 0.001 goes too fast, then stands at 0.5', () => {
    expect([64, 1000].map((steps) => run(0.3, 0.001, steps, 'bfloat16'))).toEqual([0.42578125, 0.5])
  })

  it('rounded at random arrives where float32 does, in the mean', () => {
    const cells = 4096
    const steps = 256
    const start = tensor(new Float32Array(cells).fill(1), { shape: [cells, 1], dtype: 'bfloat16' })
    const rolled = ncaRollout(adding(2 ** -9, 'bfloat16'), start, {
      ...rule,
      steps,
      rounding: 'stochastic',
      key: key(7),
    })
    // From 1 to 1.5 a step goes 2^-7 up with probability 1/4.
    const arrived = mean(cast(rolled, 'float64')).item() as number
    const deviation = 2 ** -7 * Math.sqrt((steps * 0.25 * 0.75) / cells)
    expect(Math.abs(arrived - 1.5)).toBeLessThan(6 * deviation)
    expect(stalledUpdates([start], [mul(add(cast(start, 'float32'), 0), 2 ** -9)]).share).toBe(1)
  })

  it('keeps what is held, and NaN, under random rounding', () => {
    const held = tensor([[1], [-0.5], [Number.NaN]], { dtype: 'bfloat16' })
    const draws = tensor([[0], [0], [0]])
    const next = ncaStep(adding(0, 'bfloat16'), held, { ...rule, draws })
    expect(Array.from(next.toNumbers())).toEqual([1, -0.5, Number.NaN])
    expect(isNaN(next).toNested()).toEqual([[false], [false], [true]])
    expect(() => ncaStep(adding(0, 'bfloat16'), held, { ...rule, draws: zeros([4]) })).toThrow(
      'draws are not one for each number',
    )
  })
})
