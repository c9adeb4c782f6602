import { grad } from 'tpu-toolkit/autodiff'
import { blockMap, causalMask, flashAttention, kernelCost } from 'tpu-toolkit/kernels'
import { bottlenecks, type ProfiledOperation, profile } from 'tpu-toolkit/profile'
import { key, normal } from 'tpu-toolkit/random'
import { sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const [heads, t, d] = [2, 64, 8]
const [q, k, v] = [1, 2, 3].map((seed) =>
  tensor(normal(key(seed), heads * t * d), { shape: [heads, t, d], dtype: 'bfloat16' }),
) as [Tensor<'bfloat16'>, Tensor<'bfloat16'>, Tensor<'bfloat16'>]
const blocks = { blockQ: 16, blockK: 16 }
const measured = (f: () => unknown): ProfiledOperation[] =>
  profile(f, { runs: 1, lines: false }).operations.filter(({ name }) => /ttention/.test(name))
const flopsOf = (operations: readonly ProfiledOperation[]): number =>
  operations.reduce((total, { flops }) => total + flops, 0)

describe('profile of flashAttention', () => {
  it('counts the FLOPs of kernelCost, forward and backward', () => {
    const cost = kernelCost('attention', { heads, tq: t, tk: t, d })
    expect(flopsOf(measured(() => flashAttention(q, k, v, blocks)))).toBe(cost.flops)
    const training = measured(() =>
      grad((x: Tensor<'bfloat16'>) => sum(flashAttention(x, k, v, blocks).out))(q),
    )
    expect(flopsOf(training)).toBe(cost.trainFlops)
  })

  it('leaves out the blocks that a mask skips, and takes those at the edge for as large as they are', () => {
    const mask = causalMask()
    const { partial, full } = blockMap(mask, { tq: t, tk: t, ...blocks })
    const cost = kernelCost('attention', { heads, tq: t, tk: t, d, ...blocks, blocks: partial + full })
    expect(flopsOf(measured(() => flashAttention(q, k, v, { ...blocks, mask })))).toBe(cost.flops)
    const uneven = { blockQ: 24, blockK: 40 }
    const whole = kernelCost('attention', { heads, tq: t, tk: t, d })
    expect(flopsOf(measured(() => flashAttention(q, k, v, uneven)))).toBe(whole.flops)
  })

  it('is products of the size of a block, for the roofline of a chip', () => {
    const run = profile(() => flashAttention(q, k, v, blocks), { runs: 1, lines: false })
    const [operation] = run.operations.filter(({ name }) => name === 'flashAttention')
    expect(operation!.product).toEqual({ m: 16, k: d, n: 16, count: 2 * heads * 16 })
    const row = bottlenecks(run, 'v5e').rows.find(({ name }) => name === 'flashAttention')!
    expect(row.microseconds).toBeGreaterThan(0)
  })
})
