import { umup } from 'tpu-toolkit/optimizer'
import { ones, type Tensor, zeros } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const params = {
  embedding: { table: zeros([10, 16]) },
  blocks: [{ up: zeros([16, 64]), gain: zeros([16]) }],
  head: zeros([16, 10]),
}
const options = { embedding: ['embedding'], readout: ['head'], residual: ['blocks'], depth: 4 } as const

describe('umup', () => {
  // Table 2 of arXiv 2407.17465: rates under Adam of input, hidden and output weights, times 1 / sqrt(depth) on residual branches.
  it('has the rates of the paper', () => {
    const { rateOf } = umup(options)
    expect(rateOf('embedding.table', [10, 16])).toBe(1 / 4)
    expect(rateOf('blocks.0.up', [16, 64])).toBe(1 / 4 / 2)
    expect(rateOf('blocks.0.gain', [16])).toBe(1 / 2)
    expect(rateOf('head', [16, 10])).toBe(1)
    expect(rateOf('conv', [3, 12, 5])).toBe(1 / 6)
    expect(umup({ layout: 'out-in' }).rateOf('w', [64, 16])).toBe(1 / 4)
  })

  // The bias correction of b2 0.999 in float32 has an error of 2^-24 / 0.001.
  it('adam moves each parameter by its rate in the first step', () => {
    const rule = umup(options).adam({ learningRate: 1, eps: 0 })
    const grads = {
      embedding: { table: ones([10, 16]) },
      blocks: [{ up: ones([16, 64]), gain: ones([16]) }],
      head: ones([16, 10]),
    }
    const [moved] = rule.update(grads, rule.init(params), params) as unknown as [typeof params]
    const first = (x: Tensor): number => -x.toNumbers()[0]!
    expect(first(moved.embedding.table)).toBeCloseTo(1 / 4, 4)
    expect(first(moved.blocks[0]!.up)).toBeCloseTo(1 / 8, 4)
    expect(first(moved.blocks[0]!.gain)).toBeCloseTo(1 / 2, 4)
    expect(first(moved.head)).toBeCloseTo(1, 4)
  })

  it('adamw decays by the rate alone', () => {
    const rule = umup(options).adamw({ learningRate: 0.5, weightDecay: 0.1, eps: 1 })
    const at = { ...params, blocks: [{ up: ones([16, 64]), gain: zeros([16]) }] }
    const [moved] = rule.update(params, rule.init(at), at) as unknown as [typeof params]
    expect(moved.blocks[0]!.up.toNumbers()[0]).toBeCloseTo(-0.05, 7)
  })

  it.each([
    [() => umup({ depth: 0 }), /^umup: depth/],
    [() => umup({ readout: 'head' as never }), /^umup: readout/],
    [() => umup({ layout: 'in' as never }), /^umup: unknown layout/],
    [() => umup({ base: {} } as never), /^umup: unknown option/],
  ])('refuses %s', (call, message) => {
    expect(call).toThrow(message)
  })
})
