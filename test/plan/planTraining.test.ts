import { estimateMemory, findOptimalBatchSize } from 'tpu-toolkit/model'
import { meshAxes, planTraining } from 'tpu-toolkit/plan'
import { trainingStep } from 'tpu-toolkit/roofline'
import { describe, expect, it } from 'vitest'

const llama = { family: 'decoder', D: 4096, F: 14336, L: 32, N: 32, K: 8, V: 128256 } as const

describe('planTraining', () => {
  it('without a batch takes the largest that fits, of which one more row of devices does not', () => {
    const options = { slice: 'v6e-64', sequence: 4096, split: { tensor: 4 } } as const
    const plan = planTraining(llama, options)
    expect(plan.largestBatch).toBe(plan.batch)
    expect(plan.batch).toBe(findOptimalBatchSize(llama, { ...options, paramsDtype: 'float32' }).batch)
    expect(plan.memory.fits).toBe(true)
    const more = planTraining(llama, { ...options, batch: plan.batch + 16 })
    expect([more.memory.fits, more.largestBatch]).toEqual([false, null])
    expect(plan.tokensPerChip).toBe((plan.batch * 4096) / 64)
  })

  it('has the memory and the step of the same split and the same recomputation', () => {
    const options = { slice: 'v5p-128', sequence: 2048, batch: 256, split: { tensor: 2 } } as const
    const { memory, step, assumptions } = planTraining(llama, options)
    expect(memory).toEqual(estimateMemory(llama, { ...options, paramsDtype: 'float32', remat: 'block' }))
    expect(step).toEqual(trainingStep(llama, { ...options, split: memory.split, remat: 'block' }))
    const both = [...memory.assumptions, ...step.assumptions]
    const line =
      "remat 'block', of memory and time alike, with float32 weights and bfloat16 compute, MaxText's defaults"
    expect(assumptions).toEqual([line, ...both])
    const none = planTraining(llama, { ...options, remat: 'everything' })
    expect(none.memory).toEqual(
      estimateMemory(llama, { ...options, paramsDtype: 'float32', remat: 'everything' }),
    )
    // A forward pass again: four products for three.
    expect(step.seconds.compute / none.step.seconds.compute).toBeCloseTo(4 / 3, 1)
  })

  it('splits every parameter over the ways of the split, and says why where a dimension does not divide', () => {
    const { sharding } = planTraining(llama, {
      ...{ slice: 'v5p-128', sequence: 2048, batch: 256, split: { data: 2, tensor: 4 } },
    })
    if (typeof sharding === 'string') throw new Error(sharding)
    expect(sharding.mesh.axisNames).toEqual(['data', 'fsdp', 'tensor'])
    expect(sharding.mesh.shape).toEqual([2, 8, 4])
    const odd = planTraining(
      { family: 'decoder', D: 1024, F: 4094, L: 2, N: 8, V: 32000 },
      { slice: 'v5e-4', sequence: 128, batch: 8, split: { tensor: 4 } },
    )
    expect(odd.sharding).toMatch(/4094/)
  })

  it('names what is wrong with its options', () => {
    // @ts-expect-error: the sequence is missing
    expect(() => planTraining(llama, { slice: 'v5e-8' })).toThrow('planTraining: option sequence is missing')
    expect(() => planTraining(llama, { slice: 'v5e-8', sequence: 8, batch: 0 })).toThrow('[0]')
  })
})

describe('meshAxes', () => {
  it('has the ways of more than one device, in the order of the mesh, and fsdp where there is none', () => {
    expect(Object.entries(meshAxes({ tensor: 4, expert: 2, fsdp: 1, data: 3 }))).toEqual([
      ['data', 3],
      ['expert', 2],
      ['tensor', 4],
    ])
    expect(meshAxes({})).toEqual({ fsdp: 1 })
    expect(() => meshAxes({ fsdp: 1.5 })).toThrow('meshAxes: fsdp is not a whole number, 1 or more [1.5]')
  })
})
