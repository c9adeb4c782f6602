import { readFileSync } from 'node:fs'
import { kernelCost, type MatmulCostSizes } from 'tpu-toolkit/kernels'
import { describe, expect, it } from 'vitest'

type Case = { readonly op: string; readonly args: MatmulCostSizes }
const key: { readonly cases: readonly Case[] } = JSON.parse(
  readFileSync(new URL('../golden/kernels/costs.json', import.meta.url), 'utf8'),
)

describe("kernelCost('matmul', ...)", () => {
  it.each(key.cases.filter(({ op }) => op === 'matmul'))('kernelCost(matmul, $args) is the key', (one) => {
    const { op: _, args, ...wanted } = one
    expect(kernelCost('matmul', args)).toEqual(wanted)
  })

  it('kernelCost counts every pass, and reads operands once where a tile is all', () => {
    const sizes = { m: 3, k: 5, n: 7 }
    const one = kernelCost('matmul', sizes)
    expect(kernelCost('matmul', { ...sizes, passes: 6 }).flops).toBe(6 * one.flops)
    expect(one.bytesTiled).toBe(one.bytesIdeal)
    expect(() => kernelCost('matmul', { ...sizes, blockM: 0 })).toThrow(
      'kernelCost: blockM is not a whole number, 1 or more [0]',
    )
  })
})
