import { damageCircle, drawPicture, lostUpdates, ncaRollout, seedState, trainedFlower } from 'tpu-toolkit/nca'
import { key } from 'tpu-toolkit/random'
import { type FloatDType, type Tensor, tensor, zeros } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const target = drawPicture('flower').toNumbers()

const seed = seedState({ shape: [24, 24], channels: 12 })

function run(from: Tensor, steps: number, dtype: FloatDType, stateDtype: FloatDType): Tensor {
  return ncaRollout(trainedFlower(), from, {
    steps,
    fireRate: 0.5,
    key: key(1),
    alive: {},
    dtype,
    stateDtype,
  })
}

/** The mean square of what red, green, blue and opacity are off. */
function offBy(state: Tensor): number {
  const values = state.toNumbers()
  const total = target.reduce(
    (sum, wanted, i) => sum + (values[Math.floor(i / 4) * 12 + (i % 4)]! - wanted) ** 2,
    0,
  )
  return total / target.length
}

describe('trainedFlower', () => {
  it('grows the flower from one cell: the mean square error stays under 0.005, in float32 and with a state of 8 bits', () => {
    // Of nothing at all it is 0.1.
    expect(target.reduce((sum, wanted) => sum + wanted ** 2, 0) / target.length).toBeGreaterThan(0.08)
    expect(offBy(run(seed, 48, 'float32', 'float32'))).toBeLessThan(0.005)
    expect(offBy(run(seed, 48, 'bfloat16', 'float8_e4m3fn'))).toBeLessThan(0.005)
  })

  it.each([
    { cut: 'a leaf', center: [0.35, 0.35] },
    { cut: 'a petal', center: [-0.3, 0.3] },
  ])('grows again within 64 steps what was cut out: $cut', ({ center }) => {
    const grown = run(seed, 48, 'float32', 'float32')
    const hurt = damageCircle(grown, { center, radius: 0.35 })
    expect(offBy(hurt)).toBeGreaterThan(0.01)
    expect(offBy(run(hurt, 64, 'float32', 'float32'))).toBeLessThan(0.004)
  })
})

describe('lostUpdates', () => {
  /** Adds d to one channel, whatever is there. */
  const adds = (d: number) => ({ w1: zeros([1, 1]), b1: zeros([1]), w2: zeros([1, 1]), b2: tensor([d]) })
  const rule = { dimensions: 1, kernels: ['identity'] } as const

  it('counts those at most half an ulp of what they are added to: ties go to even', () => {
    const x = tensor([[1], [1 + 2 ** -7], [0.5], [0], [4]])
    const share = (d: number) => lostUpdates(adds(d), x, { ...rule, stateDtype: 'bfloat16' })
    // 2^-8 is half an ulp of 1, which is even, and of 1 + 2^-7, which is odd and moves.
    expect(share(2 ** -8)).toEqual({ updates: 5, stalled: 2, share: 0.4 })
    expect(share(2 ** -8 + 2 ** -20)).toEqual({ updates: 5, stalled: 1, share: 0.2 })
    expect(share(0)).toEqual({ updates: 0, stalled: 0, share: 0 })
    expect(lostUpdates(adds(2 ** -9), x, rule).stalled).toBe(0)
  })

  it('counts living cells only, where others die', () => {
    const x = tensor([[0], [0], [0], [1], [1]])
    const counted = lostUpdates(adds(2 ** -9), x, { ...rule, stateDtype: 'bfloat16', alive: { channel: 0 } })
    expect(counted).toEqual({ updates: 3, stalled: 2, share: 2 / 3 })
  })
})
