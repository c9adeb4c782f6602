import fc from 'fast-check'
import { chip, slice } from 'tpu-toolkit/hardware'
import { cacheBytes, modelNamed, parameterCount, parameterUse } from 'tpu-toolkit/model'
import {
  publishedServing,
  type ServingPlanOptions,
  servingPlan,
  servingShares,
  speculativeTokens,
} from 'tpu-toolkit/roofline'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const qwen = modelNamed('qwen3-32b')
const options = { slice: 'v6e-4', batch: 64, input: 1024, output: 1024 } as const

describe('publishedServing', () => {
  it('each has its source, and the bound lies above it', () => {
    expect(publishedServing.length).toBeGreaterThan(20)
    for (const { run, bound, atPeak, share } of servingShares()) {
      const said = `${run.model} ${run.slice} ${run.server} ${run.batch} x ${run.input}`
      expect(run.source.length, said).toBeGreaterThan(20)
      expect(bound, said).toBeGreaterThan(run.tokensPerSecond)
      expect(bound, said).toBeGreaterThanOrEqual(atPeak)
      expect(share, said).toBeCloseTo(run.tokensPerSecond / atPeak, 12)
      expect(slice(run.slice).chip.name, said).toBe(run.chip)
    }
  })

  it('a step of decoding is no longer than the published time between tokens', () => {
    const timed = publishedServing.filter(({ secondsPerToken }) => secondsPerToken !== undefined)
    expect(timed.length).toBeGreaterThan(15)
    for (const {
      config,
      slice: name,
      batch,
      input,
      output,
      dtype,
      cacheDtype,
      secondsPerToken = 0,
    } of timed) {
      const { decode } = servingPlan(config, { slice: name, batch, input, output, dtype, cacheDtype })
      expect(decode.secondsPerToken).toBeLessThan(secondsPerToken)
    }
  })

  it('requests of SGLang-JAX take as long as its tokens between them say', () => {
    // A check of the table against itself: requests at once over the time of a request, prefill aside.
    for (const { model, batch, tokensPerSecond, secondsPerToken = 0 } of publishedServing) {
      if (secondsPerToken > 0) expect(tokensPerSecond, model).toBeLessThan((1.02 * batch) / secondsPerToken)
    }
  })

  it('the range of the runs of other models contains 18 of 21 on v6e and 2 of 6 on tpu7x, as docs/planning.md says', () => {
    const shares = servingShares()
    const contained = (name: string): number =>
      shares.filter(({ run, share }) => {
        const others = shares
          .filter((other) => other.run.chip === name && other.run.model !== run.model)
          .map((other) => other.share)
        return run.chip === name && share >= Math.min(...others) && share <= Math.max(...others)
      }).length
    expect([contained('v6e'), contained('tpu7x')]).toEqual([18, 2])
  })

  // The model cards: 8.2 billion parameters, 32.8, 30.5 with 3.3 active, 480 with 35 active.
  it.each([
    ['qwen3-8b', 8.2, 8.2],
    ['qwen3-32b', 32.8, 32.8],
    ['qwen3-30b-a3b', 30.5, 3.3],
    ['qwen3-coder-480b-a35b', 480, 35],
  ])('%s has as many parameters as its card says', (name, total, active) => {
    const config = modelNamed(name)
    expect(parameterCount(config) / 1e9 / total).toBeCloseTo(1, 2)
    expect(Math.abs(parameterUse(config).active / 1e9 / active - 1)).toBeLessThan(0.02)
  })
})

describe('servingPlan', () => {
  it('a step reads the weights and the caches, at the rates of the chip', () => {
    const { decode } = servingPlan(qwen, options)
    const rate = 4 * chip('v6e').hbmBytesPerSecond
    expect(decode.weights).toBeCloseTo((2 * parameterUse(qwen).matmul) / rate, 12)
    // 2 K H L values a token, of 64 requests half through their answers.
    expect(decode.cache).toBeCloseTo((64 * 2 * 2 * 8 * 128 * 64 * (1024 + 1025 / 2)) / rate, 12)
    expect(decode.seconds).toBeCloseTo(decode.weights + decode.cache + decode.ici, 12)
    expect(decode.boundBy).toBe('hbm')
  })

  it('a prompt is 2 P T and its attention, but for the logits of all but its last token', () => {
    const { prefill } = servingPlan(qwen, { ...options, input: 4096 })
    const { matmul } = parameterUse(qwen)
    const head = 5120 * 151936
    const flops = 2 * (matmul - head) * 4096 + 2 * head + (2 * 2 * 4096 ** 2 * 64 * 128 * 64) / 2
    expect(prefill.compute).toBeCloseTo(flops / (4 * 918e12), 9)
    expect(prefill.seconds).toBe(Math.max(prefill.compute, prefill.weights))
  })

  it('chunks compute as much as the whole, and read the weights as often as there are chunks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 200, max: 3000 }), (input, chunk) => {
        const whole = servingPlan(qwen, { ...options, input }).prefill
        const parts = servingPlan(qwen, { ...options, input, chunk }).prefill
        expect(parts.chunks).toBe(Math.ceil(input / chunk))
        expect(parts.weights / whole.weights).toBeCloseTo(parts.chunks, 9)
        // The logits of each chunk's last token more.
        const more = (2 * 5120 * 151936 * (parts.chunks - 1)) / (4 * 918e12)
        expect(parts.compute).toBeCloseTo(whole.compute + more, 9)
        expect(parts.cache > 0).toBe(parts.chunks > 1)
      }),
      { seed, numRuns: 20 },
    )
  })

  it('nothing that is asked for exceeds the bound', () => {
    const asked = fc.record({
      batch: fc.integer({ min: 1, max: 300 }),
      input: fc.integer({ min: 1, max: 9000 }),
      output: fc.integer({ min: 1, max: 9000 }),
      chunk: fc.option(fc.integer({ min: 64, max: 4096 }), { nil: undefined }),
      slice: fc.constantFrom('v6e-4', 'v6e-8', 'tpu7x-8', 'v5p-16'),
      model: fc.constantFrom('qwen3-32b', 'qwen3-8b', 'gemma2-27b', 'qwen3-30b-a3b'),
    })
    fc.assert(
      fc.property(asked, ({ model, chunk, ...rest }) => {
        const given: ServingPlanOptions = { ...rest, ...(chunk === undefined ? {} : { chunk }) }
        const plan = servingPlan(modelNamed(model), given)
        expect(plan.tokensPerSecondAtPeak).toBeLessThanOrEqual(plan.tokensPerSecondBound)
        expect(plan.atOnce).toBeLessThanOrEqual(rest.batch)
      }),
      { seed, numRuns: 30 },
    )
  })

  it('caches in 8 bits are half, and more requests fit', () => {
    const many = { ...options, batch: 512 }
    const [wide, narrow] = [servingPlan(qwen, many), servingPlan(qwen, { ...many, cacheDtype: 'int8' })]
    expect(wide.atOnce).toBeLessThan(512)
    expect(narrow.atOnce).toBeGreaterThan(1.9 * wide.atOnce)
    expect(narrow.memory.perDevice.cache).toBe(wide.memory.perDevice.cache / 2)
    const held = wide.atOnce * cacheBytes(qwen, { sequence: 1536 })
    expect(held / 4 + wide.memory.perDevice.weights).toBeLessThan(wide.memory.usableBytesPerDevice)
  })

  it('experts: a step reads those that its tokens are routed to', () => {
    const experts = modelNamed('qwen3-30b-a3b')
    const at = (batch: number): number => servingPlan(experts, { ...options, batch }).decode.weights
    const { matmul, activeMatmul } = parameterUse(experts)
    expect(at(1) / at(2000)).toBeCloseTo(activeMatmul / matmul, 9)
    expect(at(16)).toBeGreaterThan(4 * at(1))
  })

  it('is an estimate where servers were measured, and a bound where none was', () => {
    const measured = servingPlan(qwen, options)
    expect(measured.kind).toBe('estimate')
    const [least = 0, most = 0] = measured.tokensPerSecondEstimate ?? []
    // The published runs of this model, chip and batch.
    for (const published of [1391.29, 1977.45]) {
      expect(least).toBeLessThanOrEqual(published)
      expect(most).toBeGreaterThanOrEqual(published)
    }
    for (const changed of [{ dtype: 'int8' }, { slice: 'v5p-16' }] as const) {
      const { kind, tokensPerSecondEstimate, assumptions } = servingPlan(qwen, { ...options, ...changed })
      expect([kind, tokensPerSecondEstimate]).toEqual(['bound', null])
      expect(assumptions[0]).toContain('a bound, no estimate')
    }
  })

  it('names what does not fit and what is no option', () => {
    expect(() => servingPlan(modelNamed('llama3-70b'), { ...options, slice: 'v6e-1' })).toThrow(
      'servingPlan: weights and the cache of one request do not fit',
    )
    expect(() => servingPlan(qwen, { ...options, chunk: 0 })).toThrow(RangeError)
    // @ts-expect-error: the prompt is missing
    expect(() => servingPlan(qwen, { slice: 'v6e-4', batch: 1, output: 1 })).toThrow(
      'option input is missing',
    )
  })
})

describe('speculativeTokens', () => {
  // AI-Hypercomputer/tpu-recipes inference/trillium/vLLM/Gemma4-MTP/benchmarks_results.md at 5149a17: rates by position and the
  // acceptance length that the server prints for them.
  it.each([
    [[0.7256, 0.6606, 0.6355, 0.6195, 0.6026], 4.24, 0.6487],
    [[0.6225, 0.4999, 0.4638, 0.4376, 0.4253], 3.45, 0.4898],
  ])('%o: the published acceptance length', (acceptance, length, rate) => {
    expect(speculativeTokens({ tokens: 5, acceptance })).toBeCloseTo(length, 2)
    expect((speculativeTokens({ tokens: 5, acceptance }) - 1) / 5).toBeCloseTo(rate, 3)
  })

  it('is the geometric sum of one chance', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 16 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (tokens, a) => {
          const closed = (1 - a ** (tokens + 1)) / (1 - a)
          expect(speculativeTokens({ tokens, acceptance: a })).toBeCloseTo(closed, 9)
        },
      ),
      { seed, numRuns: 100 },
    )
    expect(speculativeTokens({ tokens: 4, acceptance: 1 })).toBe(5)
  })

  it('a draft costs its steps; the weights are read once for all that is verified', () => {
    const plain = servingPlan(qwen, { ...options, batch: 1 })
    const drafted = servingPlan(qwen, {
      ...{ ...options, batch: 1 },
      speculative: { tokens: 4, acceptance: 0.8, draft: modelNamed('qwen3-8b') },
    })
    expect(drafted.decode.weights).toBe(plain.decode.weights)
    expect(drafted.decode.compute / plain.decode.compute).toBeCloseTo(5, 9)
    const draftBytes = 2 * parameterUse(modelNamed('qwen3-8b')).matmul
    expect(drafted.decode.draft).toBeCloseTo((4 * draftBytes) / (4 * chip('v6e').hbmBytesPerSecond), 9)
    expect(drafted.kind).toBe('bound')
    expect(drafted.decode.secondsPerToken).toBeLessThan(plain.decode.secondsPerToken)
  })

  it('checks its options', () => {
    expect(() => speculativeTokens({ tokens: 2, acceptance: [0.5] })).toThrow('[1 for 2]')
    expect(() => speculativeTokens({ tokens: 0, acceptance: 0.5 })).toThrow(RangeError)
    expect(() => speculativeTokens({ tokens: 2, acceptance: 1.5 })).toThrow(RangeError)
  })
})
