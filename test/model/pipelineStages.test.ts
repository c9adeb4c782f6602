import {
  activationBytes,
  estimateMemory,
  findOptimalBatchSize,
  modelNamed,
  parameterCount,
  parameterTensors,
  pipelineSchedule,
  pipelineStages,
} from 'tpu-toolkit/model'
import { describe, expect, it } from 'vitest'

const llama = modelNamed('llama3-70b')
const names = ['llama3-70b', 'gpt2', 'gemma3-12b', 'mixtral-8x7b', 'mamba2-1.3b', 'gpt-oss-120b'] as const

describe('pipelineStages', () => {
  it.each(names)('%s: the parameters of all stages are the model, a tied embedding twice', (name) => {
    const config = modelNamed(name)
    const all = pipelineStages(config, { stages: 4, microbatches: 8 })
    const embedding = parameterTensors(config).find(({ role }) => role === 'input-embedding')?.elements ?? 0
    const tied = parameterTensors(config).every(({ role }) => role !== 'output')
    expect(all.reduce((sum, { parameters }) => sum + parameters, 0)).toBe(
      parameterCount(config) + (tied ? embedding : 0),
    )
    expect(all.reduce((sum, { flopsShare }) => sum + flopsShare, 0)).toBeCloseTo(1, 12)
    // The output projection is a product, the embedding none.
    expect(all[3]?.flopsShare).toBeGreaterThan(all[0]?.flopsShare ?? 1)
    expect(all[1]?.flopsShare).toBe(all[0]?.flopsShare)
  })

  it('one stage is the whole model', () => {
    const [one] = pipelineStages(llama, { stages: 1, microbatches: 1 })
    expect(one).toEqual({ stage: 0, layers: 80, flopsShare: 1, parameters: parameterCount(llama) })
  })

  it('layers that do not divide are named', () => {
    expect(() => pipelineStages(llama, { stages: 7, microbatches: 7 })).toThrow(
      '7 stages of 1 group do not divide the layers, nearest 8 in all [80 layers]',
    )
    expect(() => pipelineStages({ family: 'mlp', widths: [4, 3] }, { stages: 2, microbatches: 2 })).toThrow(
      RangeError,
    )
    expect(() => pipelineStages(llama, { stages: 2, microbatches: 2, sequence: 0 })).toThrow(RangeError)
  })
})

describe('estimateMemory with a pipeline', () => {
  const options = { slice: 'v5p-64', batch: 64, sequence: 4096 } as const
  const pipeline = { stages: 8, microbatches: 16 } as const

  // Korthikanti et al. (arXiv:2205.05198), section 4.2: with 1F1B the first stage holds the activations of all L layers for one
  // microbatch; interleaved 1 + (p - 1) / (p v) times as many; GPipe those of m / p times L.
  it.each([
    [{ ...pipeline }, 1],
    [{ ...pipeline, virtual: 2 }, 1 + 7 / 16],
    [{ ...pipeline, schedule: 'gpipe' }, 16 / 8],
  ] as const)('%o: the first stage holds so many times the activations of a microbatch', (given, times) => {
    const { stages = [], tokensPerDevice } = estimateMemory(llama, { ...options, pipeline: given })
    const { bytes } = activationBytes(llama, { batch: 1, sequence: tokensPerDevice })
    expect(stages[0]?.perDevice.activations).toBe(times * bytes)
    expect(tokensPerDevice).toBe((64 * 4096) / 16 / 4)
  })

  it('each stage has the weights of its own layers, and the fullest is the answer', () => {
    const split = { tensor: 4 } as const
    const made = estimateMemory(llama, { ...options, split, pipeline: { stages: 8, microbatches: 64 } })
    const { stages = [] } = made
    const shares = pipelineStages(llama, { stages: 8, microbatches: 64 })
    stages.forEach(({ perDevice, layers }, i) => {
      expect(layers).toBe(10)
      // bfloat16; norms are whole on every device.
      expect(perDevice.weights / ((2 * (shares[i]?.parameters ?? 0)) / 4)).toBeCloseTo(1, 3)
    })
    expect(made.bytesPerDevice).toBe(Math.max(...stages.map(({ bytesPerDevice }) => bytesPerDevice)))
    expect(stages.map(({ inFlight }) => inFlight)).toEqual(pipelineSchedule(pipeline).inFlight)
  })

  it('one stage and one microbatch are the memory without a pipeline', () => {
    const { stages, assumptions, ...one } = estimateMemory(llama, {
      ...{ ...options, pipeline: { stages: 1, microbatches: 1 } },
    })
    const { assumptions: _, ...none } = estimateMemory(llama, options)
    expect(one).toEqual(none)
    expect(stages?.[0]?.perDevice).toEqual(none.perDevice)
    expect(assumptions.length).toBeGreaterThan(0)
  })

  it('the largest batch is a whole number of microbatches, and one more of each does not fit', () => {
    const asked = { slice: 'v6e-64', sequence: 4096, pipeline } as const
    const { batch } = findOptimalBatchSize(llama, asked)
    expect(batch % (16 * 8)).toBe(0)
    expect(estimateMemory(llama, { ...asked, batch }).fits).toBe(true)
    expect(estimateMemory(llama, { ...asked, batch: batch + 16 * 8 }).fits).toBe(false)
  })

  it('what does not divide is named', () => {
    expect(() => estimateMemory(llama, { ...options, batch: 40, pipeline })).toThrow(
      '16 microbatches, each on 4 devices, share the batch and do not divide it, nearest 64 [40]',
    )
    expect(() => estimateMemory(llama, { ...options, slice: 'v5p-24', pipeline })).toThrow(/nearest|slice/)
    expect(() => estimateMemory(llama, { ...options, split: { fsdp: 3 }, pipeline })).toThrow(
      'v5p-64 has 4 in each of 8 stages',
    )
    expect(() => estimateMemory(llama, { ...options, mode: 'serve', pipeline })).toThrow('training alone')
  })
})
