import fc from 'fast-check'
import { chip, slice } from 'tpu-toolkit/hardware'
import { estimateMemory, findOptimalBatchSize, parameterCount } from 'tpu-toolkit/model'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const llama8b = { family: 'decoder', D: 4096, F: 14336, L: 32, N: 32, K: 8, V: 128256 } as const
const llama70b = { family: 'decoder', D: 8192, F: 28672, L: 80, N: 64, K: 8, V: 128256 } as const
const dense = { family: 'mlp', widths: [1024, 1024], bias: false } as const
const one = { slice: 'v5e-1', batch: 1, sequence: 1 } as const

describe('estimateMemory(config)', () => {
  it('bfloat16 with float32 moments is 10 bytes a parameter beside gradients, float32 everything 16', () => {
    const P = parameterCount(dense)
    const { weights, moments, gradients } = estimateMemory(dense, one).perDevice
    expect([weights, moments, gradients].map((bytes) => bytes / P)).toEqual([2, 8, 2])
    const wide = estimateMemory(dense, { ...one, paramsDtype: 'float32' }).perDevice
    expect((wide.weights + wide.moments + wide.gradients) / P).toBe(16)
    const mastered = estimateMemory(dense, { ...one, masterDtype: 'float32' }).perDevice
    expect(mastered.master / P).toBe(4)
  })

  it('148.2M parameters have 1.19 GB of Adam`s moments in float32, and gradients besides', () => {
    const { moments, gradients } = estimateMemory(
      { family: 'mlp', widths: [148_200, 1000], bias: false },
      { ...one, paramsDtype: 'float32' },
    ).perDevice
    expect(moments).toBe(1_185_600_000)
    expect(gradients).toBe(592_800_000)
  })

  it.each([
    [125e6, 0.25],
    [2.7e9, 5.4],
  ])('bfloat16 weights of %d parameters are %d GB', (parameters, gigabytes) => {
    const config = { family: 'mlp', widths: [parameters / 1000, 1000], bias: false } as const
    expect(estimateMemory(config, { ...one, slice: 'v5p-8', batch: 4 }).perDevice.weights * 4).toBe(
      gigabytes * 1e9,
    )
  })

  it('fsdp divides weights, gradients and moments, and the batch', () => {
    const on = (name: string) => estimateMemory(llama8b, { slice: name, batch: 256, sequence: 8192 })
    const [small, large] = [on('v6e-64'), on('v6e-256')]
    expect(small.split).toEqual({ data: 1, fsdp: 64, tensor: 1, expert: 1 })
    const ratio = small.perDevice.weights / large.perDevice.weights
    // Norms and biases are whole on every device, so a little less than 4.
    expect(ratio).toBeGreaterThan(3.9)
    expect(ratio).toBeLessThanOrEqual(4)
    expect(small.tokensPerDevice).toBe(4 * large.tokensPerDevice)
  })

  it('data copies the model', () => {
    const split = (data: number, fsdp: number) =>
      estimateMemory(llama8b, { slice: 'v6e-16', batch: 16, sequence: 128, split: { data, fsdp } }).perDevice
    expect(split(2, 8)).toEqual({ ...split(1, 8 * 2), ...pick(split(2, 8)) })
    expect(split(2, 8).weights).toBeGreaterThan(1.9 * split(1, 16).weights)
  })

  it('tensor ways divide heads and the inside of MLPs, not the residual stream', () => {
    const at = (tensor: number) =>
      estimateMemory(llama8b, {
        slice: 'v6e-8',
        batch: 8,
        sequence: 1024,
        remat: 'dots',
        split: { tensor, fsdp: 8 / tensor },
      })
    const perToken = (tensor: number) =>
      at(tensor).perDevice.activations / at(tensor).tokensPerDevice / 32 / 2
    expect(perToken(1)).toBe(4096 + 2048 + 4096 + 2 * 14336 + 4096)
    expect(perToken(2)).toBe((4096 + 2048) / 2 + 4096 + 14336 + 4096)
  })

  it('tpu7x has two devices a chip, each with 94.74 GiB', () => {
    const { devices, usableBytesPerDevice } = estimateMemory(llama8b, {
      slice: 'tpu7x-8',
      batch: 8,
      sequence: 128,
    })
    expect([devices, usableBytesPerDevice]).toEqual([8, Math.floor(94.74 * 2 ** 30)])
  })

  it('serving has a cache and no gradients; tensor ways go as far as they divide the heads', () => {
    const { perDevice, split, fits } = estimateMemory(llama70b, {
      ...{ slice: 'v5e-16', mode: 'serve', batch: 8, sequence: 2048, paramsDtype: 'int8' },
    })
    expect(split).toEqual({ data: 1, fsdp: 1, tensor: 16, expert: 1 })
    expect([perDevice.gradients, perDevice.moments, perDevice.activations]).toEqual([0, 0, 0])
    // 8 key heads on 16 ways: each way holds an eighth.
    expect(perDevice.cache).toBe((2 * 80 * 8 * 128 * 2 * 2048 * 8) / 8)
    expect(fits).toBe(true)
  })

  it.each([
    [
      { slice: 'v5e-8', batch: 12, sequence: 1 },
      'estimateMemory: 8 devices share the batch and do not divide it, nearest 16 [12]',
    ],
    [
      { slice: 'v5e-8', batch: 8, sequence: 1, split: { fsdp: 3 } },
      'estimateMemory: the split multiplies to 3 devices and v5e-8 has 8, nearest fsdp 8 [1 x 3 x 1 x 1]',
    ],
    [
      { slice: 'v5e-8', batch: 8, sequence: 1, split: { tensor: 3 } },
      'estimateMemory: the split multiplies to 3 devices and v5e-8 has 8, nearest fsdp 8 alone [1 x 1 x 3 x 1]',
    ],
    [
      { slice: 'v5e-64', batch: 64, sequence: 1, split: { tensor: 64 } },
      'estimateMemory: tensor ways do not divide the heads, nearest 32 [64 of 32]',
    ],
    [
      { slice: 'v5e-8', batch: 8, sequence: 1, split: { expert: 8 } },
      'estimateMemory: expert ways do not divide the experts, nearest 1 [8 of 0]',
    ],
    [
      { slice: 'v5e-8', batch: 8, sequence: 1, split: { tensr: 8 } },
      'estimateMemory: unknown option, did you mean tensor [tensr]',
    ],
    [
      { slice: 'v5e-9', batch: 8, sequence: 1 },
      'slice: v5e has no slice of 9 chips, nearest v5e-8 (2x4), v5e-16 (4x4) [v5e-9]',
    ],
    [
      { slice: 'v5e-8', batch: 8, sequence: 1, mode: 'training' },
      'estimateMemory: unknown mode, did you mean train [training]',
    ],
    [{ slice: 'v5e-8', batch: 8 }, 'estimateMemory: option sequence is missing [slice, batch]'],
  ])('%j is refused: %s', (options, message) => {
    expect(() => estimateMemory(llama8b, options as never)).toThrow(new RangeError(message))
  })
})

/** What `data` changes: how much of the parameters a device holds. */
const pick = ({ weights, gradients, moments }: { weights: number; gradients: number; moments: number }) => ({
  weights,
  gradients,
  moments,
})

describe('findOptimalBatchSize(config)', () => {
  it(`fits, and one more sequence for each way does not (seed ${seed})`, () => {
    const slices = fc.constantFrom('v5e-64', 'v5p-32', 'v6e-32', 'tpu7x-8', 'v4-64')
    const remats = fc.constantFrom('everything', 'dots', 'block')
    fc.assert(
      fc.property(slices, remats, fc.constantFrom(512, 2048, 8192), (name, remat, sequence) => {
        const options = { slice: name, sequence, remat } as const
        const { batch, memory } = findOptimalBatchSize({ family: 'gpt2', D: 1024, L: 24 }, options)
        const { fsdp } = memory.split
        expect(batch % fsdp).toBe(0)
        expect(memory.fits).toBe(true)
        const more = estimateMemory({ family: 'gpt2', D: 1024, L: 24 }, { ...options, batch: batch + fsdp })
        expect(more.fits).toBe(false)
      }),
      { seed, numRuns: 20 },
    )
  })

  it('says from how many tokens per chip products with weights are bound by compute', () => {
    const { criticalTokensPerChip, tokensPerChip, batch } = findOptimalBatchSize(llama8b, {
      slice: 'v5p-128',
      sequence: 4096,
    })
    const { bfloat16FlopsPerSecond, hbmBytesPerSecond } = chip('v5p')
    expect(criticalTokensPerChip).toBe(bfloat16FlopsPerSecond / hbmBytesPerSecond)
    expect(tokensPerChip).toBe((batch * 4096) / slice('v5p-128').chips)
  })

  it('serving takes the batch that caches leave room for', () => {
    const options = {
      slice: 'v5e-16',
      mode: 'serve',
      sequence: 8192,
      paramsDtype: 'int8',
      cacheDtype: 'int8',
    } as const
    const { batch } = findOptimalBatchSize(llama70b, options)
    expect(estimateMemory(llama70b, { ...options, batch }).fits).toBe(true)
    expect(estimateMemory(llama70b, { ...options, batch: batch + 1 }).fits).toBe(false)
  })

  it.each([
    [
      llama70b,
      { slice: 'v5e-8', sequence: 4096 },
      /takes [\d.]+ GiB of 15.75 on each device of v5e-8, nearest that fits v5e-128 \(8x16\)$/,
    ],
    [llama8b, { slice: 'v5e-16', sequence: 4096, remat: 'everything' }, /nearest that fits remat 'block'$/],
    [{ ...llama70b, L: 80_000 }, { slice: 'v5e-8', sequence: 4096 }, /and no slice fits it so$/],
  ])('what does not fit is refused with the nearest that does', (config, options, message) => {
    expect(() => findOptimalBatchSize(config, options as never)).toThrow(message)
  })

  it('the slice that it names fits', () => {
    expect(findOptimalBatchSize(llama70b, { slice: 'v5e-128', sequence: 4096 }).memory.fits).toBe(true)
    expect(() => findOptimalBatchSize(llama70b, { slice: 'v5e-64', sequence: 4096 })).toThrow(
      /nearest that fits v5e-128/,
    )
  })
})
