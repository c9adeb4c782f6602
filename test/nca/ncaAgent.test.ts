import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { sp500 } from 'tpu-toolkit/data'
import { tradingEnv } from 'tpu-toolkit/env'
import { ncaAgent } from 'tpu-toolkit/nca'
import { key, normal } from 'tpu-toolkit/random'
import { ppo, presets } from 'tpu-toolkit/rl'
import { add, slice, square, sum, tensor, zeros } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'

const small = { inputs: 20, actions: 3, channels: 6, hidden: 8, steps: 3 } as const

describe('ncaAgent', () => {
  it('says of an observation what it says of it among others, bit for bit', () => {
    for (const dtype of ['float32', 'bfloat16'] as const) {
      const agent = ncaAgent({ ...small, dtype })
      const params = agent.init(key(1))
      const seen = tensor(normal(key(2), 5 * 60 * 20), { shape: [5, 60, 20] })
      const all = agent.apply(params, seen)
      for (let i = 0; i < 5; i++) {
        const alone = agent.apply(params, slice(seen, [[i, i + 1]]))
        expect(alone.logits.toBits()).toEqual(slice(all.logits, [[i, i + 1]]).toBits())
        expect(alone.values.toBits()).toEqual(slice(all.values, [[i, i + 1]]).toBits())
      }
    }
  })

  it('begins near no preference, and lets the last row count more than any other', () => {
    const agent = ncaAgent(small)
    const params = agent.init(key(1))
    const seen = (row: number): number => {
      const values = new Float32Array(60 * 20)
      values.fill(1, row * 20, (row + 1) * 20)
      return agent.apply(params, tensor(values, { shape: [1, 60, 20] })).values.item() as number
    }
    const { logits } = agent.apply(params, zeros([1, 60, 20]))
    expect(Math.max(...logits.toNumbers().map(Math.abs))).toBeLessThan(0.1)
    expect(Math.abs(seen(59))).toBeGreaterThan(Math.abs(seen(0)))
    expect(seen(0)).not.toBe(0)
  })

  it('every parameter has a gradient once the automaton does something', () => {
    const agent = ncaAgent(small)
    const fresh = agent.init(key(0))
    const seen = tensor(normal(key(1), 4 * 12 * 20), { shape: [4, 12, 20] })
    const params = {
      ...fresh,
      automaton: { ...fresh.automaton, w2: tensor(normal(key(2), 8 * 6), { shape: [8, 6] }) },
    }
    const [, grads] = valueAndGrad((p: typeof params) => {
      const { logits, values } = agent.apply(p, seen)
      return add(sum(square(logits)), sum(square(values)))
    })(params)
    for (const leaf of leavesOf(grads)) expect(leaf.toNumbers().some((x) => x !== 0)).toBe(true)
  })

  it('learns by ppo on prices, with parts of a batch added up, to the same bits from the same key', () => {
    const environment = tradingEnv({ series: sp500(), end: 400, maxSteps: 40 })
    const settings = {
      ...presets.cleanrl,
      environments: 2,
      rollout: 8,
      epochs: 1,
      minibatch: 16,
      microBatch: 8,
    }
    const runs = [0, 1].map(() => {
      const run = ppo({
        environment,
        network: ncaAgent({ ...small, dtype: 'bfloat16' }),
        settings,
        steps: 32,
      })
      let state = run.init(key(3))
      const before = leavesOf(state.point.params)
      for (let i = 0; i < run.updates; i++) state = run.update(state)[0]
      const after = leavesOf(state.point.params)
      expect(after.some((leaf, i) => leaf.toNumbers().join() !== before[i]!.toNumbers().join())).toBe(true)
      return after.map((leaf) => leaf.toBits())
    })
    expect(runs[1]).toEqual(runs[0])
  })

  it('says what is wrong', () => {
    const agent = ncaAgent(small)
    const params = agent.init(key(0))
    expect(() => agent.apply(params, zeros([2, 60, 19]))).toThrow(
      'ncaAgent: observations are not [n, rows, 20] [2, 60, 19]',
    )
    expect(() => agent.apply(params, zeros([60, 20]))).toThrow(RangeError)
    expect(() => ncaAgent({ ...small, channels: 0 })).toThrow('channels is not a whole number, 1 or more [0]')
    expect(() => ncaAgent({ ...small, dtype: 'int32' as 'float32' })).toThrow(TypeError)
  })
})
