import { readFileSync } from 'node:fs'
import { type AttentionSizes, blockMap, causalMask, kernelCost } from 'tpu-toolkit/kernels'
import { describe, expect, it } from 'vitest'

const { cases } = JSON.parse(
  readFileSync(new URL('../golden/kernels/costs.json', import.meta.url), 'utf8'),
) as {
  cases: readonly { op: string; case: string; args: AttentionSizes; forward: object; trainFlops: number }[]
}

describe("kernelCost('attention', ...)", () => {
  const own = cases.filter(({ op }) => op === 'attention').map((one) => [one.case, one] as const)
  it.each(own)('kernelCost(attention, %s) is the key', (_, { args, forward, trainFlops }) => {
    expect(kernelCost('attention', args)).toEqual({ ...forward, trainFlops })
  })

  it('kernelCost takes the blocks that a block map computes', () => {
    const sizes = { tq: 1024, tk: 1024 }
    const { partial, full } = blockMap(causalMask(), sizes)
    const cost = kernelCost('attention', { ...sizes, heads: 16, d: 128, blocks: partial + full })
    expect(cost.flops).toBe(4831838208)
  })
})
