import fc from 'fast-check'
import {
  activationBytes,
  cacheBytes,
  megatronActivationBytes,
  operations,
  parameterUse,
  sixND,
  trainingFlops,
} from 'tpu-toolkit/model'
import { describe, expect, it } from 'vitest'
import { readText } from '../support/project.js'
import { seed } from '../support/seed.js'

interface Problem {
  readonly id: string
  readonly exact: readonly number[] & number
  readonly tolerance: number
}
const { problems }: { readonly problems: readonly Problem[] } = JSON.parse(
  readText('test/golden/planning/roofline.json'),
)
const problem = (id: string): Problem => problems.find((one) => one.id === id)!

const llama70b = { family: 'decoder', D: 8192, F: 28672, L: 80, N: 64, K: 8, V: 128256 } as const
const llama13b = { family: 'decoder', D: 5120, F: 13824, L: 40, N: 40, V: 32000 } as const
const small = { family: 'decoder', D: 64, F: 96, L: 3, N: 4, K: 2, V: 100 } as const

describe('trainingFlops(config)', () => {
  it('is 6 N D with what multiplies a token, and 12 B T^2 N H L of attention, half of it causal', () => {
    const [B, T] = [4, 128]
    const { matmul, attention } = trainingFlops(small, { batch: B, sequence: T, attention: 'full' })
    expect(matmul).toBe(6 * parameterUse(small).matmul * B * T)
    expect(attention).toBe(12 * B * T ** 2 * 4 * 16 * 3)
    expect(trainingFlops(small, { batch: B, sequence: T }).attention).toBe(attention / 2)
  })

  it('parameters: all counts the embedding too', () => {
    const all = trainingFlops(small, { batch: 1, parameters: 'all' }).matmul
    expect(all).toBe(6 * parameterUse(small).total)
  })

  it('block rematerialisation is 8 N D: a third more, not a fifth', () => {
    const { model, hardware, recomputed } = trainingFlops(small, { batch: 1, sequence: 64, remat: 'block' })
    expect(hardware / model).toBe(4 / 3)
    expect(recomputed).toBe(hardware - model)
    expect(sixND(7e9, 2e6, 'block') / sixND(7e9, 2e6)).toBe(4 / 3)
  })

  it('experts count as often as a token goes through them', () => {
    const dense = trainingFlops({ ...small, F: 192 }, { batch: 8 }).matmul
    const routed = trainingFlops({ ...small, experts: 8, active: 2 }, { batch: 8 }).matmul
    expect(routed - dense).toBe(6 * 8 * 3 * 64 * 8) // the router
  })

  it(`the operations of a step add up to it, forward a third (seed ${seed})`, () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('full', 'causal'),
        (batch, half, attention) => {
          const options = { batch, sequence: 2 * half, attention } as const
          for (const config of [
            small,
            { family: 'gpt2', D: 128, L: 2 },
            { family: 'mamba2', D: 64, L: 2 },
          ] as const) {
            const listed = operations(config, options)
            const total = (pass: 'forward' | 'backward') =>
              listed.reduce((sum, one) => sum + one.copies * one[pass].flops, 0)
            const { model } = trainingFlops(config, options)
            expect(total('forward') + total('backward')).toBeCloseTo(model, 0)
            expect(total('backward')).toBeCloseTo(2 * total('forward'), 0)
          }
        },
      ),
      { seed, numRuns: 50 },
    )
  })

  it('70B on one token are 420 GFLOPs', () => {
    const { exact } = problem('applied-training-flops')
    expect([sixND(70e9, 1), sixND(70e9, 1) / 459e12, sixND(70e9, 15e12)]).toEqual(exact.slice(0, 3))
  })

  it.each([
    [{ batch: 0 }, 'trainingFlops: batch is not a whole number, 1 or more [0]'],
    [{ batch: 1, attention: 'half' }, 'trainingFlops: unknown attention, there are full, causal [half]'],
    [{ batch: 1, remat: 'blok' }, 'trainingFlops: unknown remat, did you mean block [blok]'],
    [{ batch: 1, parameters: 'some' }, 'trainingFlops: unknown parameters, there are matmul, all [some]'],
    [{}, 'trainingFlops: option batch is missing [no options]'],
  ])('options %j are refused: %s', (options, message) => {
    expect(() => trainingFlops(small, options as never)).toThrow(new RangeError(message))
  })
})

describe('operations(config)', () => {
  it('a product reads both operands and writes the result', () => {
    const [first] = operations({ family: 'mlp', widths: [4, 3], bias: false }, { batch: 2, dtype: 'float32' })
    expect(first?.forward).toEqual({ flops: 2 * 2 * 4 * 3, bytes: 4 * (2 * 4 + 4 * 3 + 2 * 3) })
    expect(first?.backward).toEqual({ flops: 4 * 2 * 4 * 3, bytes: 8 * (2 * 4 + 4 * 3 + 2 * 3) })
  })

  it('decoding one token reads the weights once and the cache once', () => {
    const listed = operations(llama70b, { batch: 1, sequence: 1, context: 8192, weightsDtype: 'int8' })
    const read = listed
      .filter(({ kind }) => kind === 'matmul')
      .reduce((sum, { copies, matmul }) => sum + copies * matmul!.k * matmul!.n * matmul!.count, 0)
    expect(read).toBe(parameterUse(llama70b).matmul)
    const attention = listed.find(({ kind }) => kind === 'attention')!
    const queries = 2 * 2 * 64 * 128
    expect(attention.copies * (attention.forward.bytes - queries)).toBe(
      cacheBytes(llama70b, { sequence: 8192 }),
    )
  })

  it('"flash attention is O(1) memory": its traffic grows with the length, without it with the square', () => {
    const bytes = (sequence: number, flash: boolean) =>
      operations(small, { batch: 1, sequence, flash }).find(({ kind }) => kind === 'attention')!.forward.bytes
    expect(bytes(4096, true)).toBe(2 * bytes(2048, true))
    expect(bytes(4096, false) - bytes(4096, true)).toBe(4 * (bytes(2048, false) - bytes(2048, true)))
  })

  // T S G / (T G + S): per group of queries, key and value heads counted together.
  it('attention intensity of grouped queries is that of the scaling book', () => {
    const intensity = (sequence: number) => {
      const listed = operations(llama70b, { batch: 1, sequence, context: 8192, attention: 'full' })
      const { flops, bytes } = listed.find(({ kind }) => kind === 'attention')!.forward
      return flops / bytes
    }
    const { exact, tolerance } = problem('transformers-q4')
    for (const [i, T] of [8192, 1].entries()) {
      expect(Math.abs(intensity(T) / exact[i]! - 1)).toBeLessThanOrEqual(tolerance)
    }
  })
})

describe('cacheBytes(config)', () => {
  it('LLaMA 2 13B keeps 6.7 GB for 8192 tokens in bfloat16', () => {
    expect(cacheBytes(llama13b, { sequence: 8192 })).toBe(problem('inference-kv13b').exact)
  })

  it('LLaMA 3 70B keeps 163,840 bytes a token in int8', () => {
    const { exact } = problem('applied-inference-kv')
    expect([1, 32768].map((sequence) => cacheBytes(llama70b, { sequence, dtype: 'int8' }))).toEqual(
      exact.slice(0, 2),
    )
  })

  it('Mamba-2 keeps as much for a million tokens as for one', () => {
    const config = { family: 'mamba2', D: 64, L: 2 } as const
    const [I, S, W] = [128, 128, 4]
    expect(cacheBytes(config, { sequence: 1e6 })).toBe(2 * 2 * (I * S + (I + 2 * S) * (W - 1)))
    expect(cacheBytes(config)).toBe(cacheBytes(config, { sequence: 1e6 }))
  })
})

describe('activationBytes(config)', () => {
  it('block keeps 2 D bytes a token in each layer: 4.2 TB for 4 million tokens of the book`s model', () => {
    const config = { ...llama70b, L: 64 }
    const { bytes } = activationBytes(config, { batch: 1000, sequence: 4000 })
    expect(bytes).toBe(problem('transformers-remat').exact[1])
  })

  it('dots keeps q, k, v, o, gate, up, down', () => {
    const { D, F, N, K } = small
    const { bytesPerTokenPerLayer } = activationBytes(small, { batch: 1, remat: 'dots' })
    expect(bytesPerTokenPerLayer).toBe(2 * (N * 16 + 2 * K * 16 + D + 2 * F + D))
  })

  it('everything is about 20 arrays of D for the book`s shape, heads as wide as D and a plain MLP of 4 D', () => {
    const config = { family: 'decoder', D: 64, F: 256, L: 1, N: 4, V: 10, gated: false } as const
    const { bytesPerTokenPerLayer } = activationBytes(config, { batch: 1, remat: 'everything' })
    expect(Math.abs(bytesPerTokenPerLayer / 2 / 64 - 20)).toBeLessThan(4)
  })

  it('scores are kept only without flash, 2 N T^2 numbers a sequence', () => {
    const options = { batch: 2, sequence: 32, remat: 'everything' } as const
    const kept = activationBytes(small, options).bytes
    expect(activationBytes(small, { ...options, flash: false }).bytes - kept).toBe(
      2 * 4 * 32 ** 2 * 2 * 3 * 2,
    )
  })

  it('megatronActivationBytes has the three rows of the paper`s table', () => {
    const [s, b, h, a, t] = [2048, 4, 12288, 96, 8]
    const sbh = s * b * h
    const at = (rest: object) => megatronActivationBytes({ s, b, h, a, ...rest })
    expect(at({})).toBe(sbh * (34 + (5 * a * s) / h))
    expect(at({ t })).toBe(sbh * (10 + 24 / t + (5 * a * s) / (h * t)))
    expect(at({ t, sequenceParallel: true })).toBe((sbh / t) * (34 + (5 * a * s) / h))
    expect(at({ t, sequenceParallel: true, recompute: 'selective' })).toBe((34 * sbh) / t)
    expect(at({ recompute: 'full' })).toBe(2 * sbh)
  })
})
