import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { foldIn, key, normal } from 'tpu-toolkit/random'
import { automatonAgent } from 'tpu-toolkit/rl'
import { add, slice, square, sum, tensor } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'

const sizes = { window: 12, features: 5, actions: 3, channels: 4, hidden: 6, steps: 3 }
const observed = (n: number) => tensor(normal(key(1), n * 60), { shape: [n, 12, 5] })

describe('automatonAgent', () => {
  it.each(['float32', 'bfloat16'] as const)('in %s every row is judged by itself, bit for bit', (compute) => {
    const agent = automatonAgent({ ...sizes, compute })
    const params = agent.init(key(0))
    const all = agent.apply(params, observed(4))
    const one = agent.apply(params, slice(observed(4), [[2, 3]]))
    expect(all.logits.shape).toEqual([4, 3])
    expect(one.logits.toBits()).toEqual(slice(all.logits, [[2, 3]]).toBits())
    expect(one.values.toBits()).toEqual(slice(all.values, [[2, 3]]).toBits())
  })

  it('every parameter has a gradient once the automaton does something', () => {
    const agent = automatonAgent(sizes)
    const fresh = agent.init(key(0))
    const params = {
      ...fresh,
      nca: { ...fresh.nca, w2: tensor(normal(foldIn(key(2), 0), 24), { shape: [6, 4] }) },
    }
    const [, grads] = valueAndGrad((p: typeof params) => {
      const { logits, values } = agent.apply(p, observed(4))
      return add(sum(square(logits)), sum(square(values)))
    })(params)
    for (const leaf of leavesOf(grads)) expect(leaf.toNumbers().some((x) => x !== 0)).toBe(true)
  })

  it('refuses sizes that are none', () => {
    expect(() => automatonAgent({ ...sizes, window: 0 })).toThrow(
      'window is not a whole number, 1 or more [0]',
    )
    expect(() => automatonAgent({ ...sizes, compute: 'bf16' as never })).toThrow(TypeError)
  })
})
