import fc from 'fast-check'
import { adam } from 'tpu-toolkit/optimizer'
import { key, normal } from 'tpu-toolkit/random'
import { inSlices, safeBatchSize, towers } from 'tpu-toolkit/rl'
import { mul, tensor } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'

const network = towers({ inputs: 4, actions: 2, hidden: [16] })

describe('safeBatchSize', () => {
  it('parameters, gradients and moments as counted are what is allocated', () => {
    const params = network.init(key(0))
    const size = (of: unknown): number =>
      leavesOf(of as typeof params).reduce((sum, leaf) => sum + leaf.data.byteLength, 0)
    const [{ mu, nu }] = adam({ learningRate: 1 }).init(params)
    const parameters = size(params) / 4
    const { bytes } = safeBatchSize({ memory: 1e6, parameters, observation: 16, savedPerRow: 100 })
    // The gradient has the parameters' bytes.
    expect(bytes.parameters).toBe(2 * size(params) + size(mu) + size(nu))
    const observations = tensor(new Float32Array(4 * 2048), { shape: [2048, 4] })
    expect(observations.data.byteLength).toBe(2048 * 16)
  })

  it('is the largest multiple that fits, whatever the numbers', () => {
    const count = fc.integer({ min: 1, max: 1000 })
    fc.assert(
      fc.property(
        count,
        count,
        count,
        count,
        count,
        (parameters, observation, savedPerRow, micro, devices) => {
          const microBatch = 1 + (micro % 16)
          const options = {
            memory: 1e8,
            parameters,
            observation,
            savedPerRow,
            microBatch,
            devices,
            savedRows: 256,
          }
          const { batchSize, perDevice, bytes } = safeBatchSize(options)
          const more =
            bytes.parameters +
            (perDevice + microBatch) * observation +
            Math.min(256, perDevice + microBatch) * savedPerRow
          expect(batchSize).toBe(perDevice * devices)
          expect(batchSize % (devices * microBatch)).toBe(0)
          expect(bytes.total).toBeLessThanOrEqual(bytes.limit)
          expect(more).toBeGreaterThan(bytes.limit)
        },
      ),
    )
  })

  it('35 GB are 35e9 bytes, over 8 devices 4.375e9 each', () => {
    const shared = { parameters: 4600, observation: 4800, savedPerRow: 276_480, microBatch: 256 }
    expect(safeBatchSize({ ...shared, memory: 35e9 / 8, devices: 8 }).batchSize).toBe(8 * 13_824)
  })

  it('refuses what is no batch', () => {
    const options = { memory: 1e4, parameters: 100, observation: 100, savedPerRow: 1000, microBatch: 16 }
    expect(() => safeBatchSize(options)).toThrow('not even one micro-batch fits, 19200 bytes of 9000 [16]')
    expect(() => safeBatchSize({ ...options, memory: Number.NaN })).toThrow('memory is not a finite number')
    expect(() => safeBatchSize({ ...options, memoryy: 1 } as never)).toThrow('did you mean memory')
  })
})

describe('inSlices', () => {
  const params = network.init(key(0))
  const rows = tensor(normal(key(1), 4 * 100), { shape: [100, 4] })
  const logits = (x: typeof rows) => network.apply(params, x).logits

  it.each([1, 8, 33, 100, 1000])('%i rows at a time give the bits of the whole', (size) => {
    const f = (x: Parameters<Parameters<typeof inSlices>[0]>[0]) => logits(x as typeof rows)
    expect(inSlices(f, rows, { rows: size }).toBits()).toEqual(logits(rows).toBits())
  })

  it('refuses no rows, and functions that give others', () => {
    expect(() => inSlices((x) => x, tensor([]), { rows: 2 })).toThrow('x has no rows [0]')
    expect(() => inSlices(() => tensor([1]), tensor([1, 2]), { rows: 2 })).toThrow('[1 for 2]')
    expect(() => inSlices((x) => mul(x, 1), tensor([1]), { rows: 0 })).toThrow('rows is not a whole number')
  })
})
