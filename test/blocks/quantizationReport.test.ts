import { quantizationReport, quantize, quantizeArray } from 'tpu-toolkit/blocks'
import { decodeArray, encodeArray } from 'tpu-toolkit/formats'
import { seeded } from 'tpu-toolkit/random'
import { cast, tensor, transpose } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

describe('quantizationReport(original, quantized)', () => {
  it('counts and sums what a hand does', () => {
    const original = Float32Array.of(1, -2, 10, 0.1, 0, Infinity, Number.NaN, 4)
    const quantized = Float32Array.of(1, -2.5, 6, 0, 0, 6, 0, Infinity)
    const finite = quantizationReport(original.subarray(0, 7), quantized.subarray(0, 7), {
      max: 6,
      blockSize: 2,
    })
    const noise = 0.5 ** 2 + 4 ** 2 + Math.fround(0.1) ** 2
    expect(finite).toEqual({
      count: 5,
      rms: Math.sqrt((1 + 4 + 100 + Math.fround(0.1) ** 2) / 5),
      sqnr: 10 * Math.log10((1 + 4 + 100 + Math.fround(0.1) ** 2) / noise),
      clipped: 1 / 5,
      underflowed: 1 / 5,
      overflowed: 0,
      maxError: 4,
      meanAbsoluteError: (0.5 + 4 + Math.fround(0.1)) / 5,
      rmsError: Math.sqrt(noise / 5),
      meanError: (-0.5 - 4 - Math.fround(0.1)) / 5,
      worstBlock: {
        index: 1,
        sqnr: 10 * Math.log10((100 + Math.fround(0.1) ** 2) / (16 + Math.fround(0.1) ** 2)),
      },
    })
    const infinite = quantizationReport(original, quantized)
    expect([infinite.count, infinite.overflowed, infinite.clipped]).toEqual([6, 1 / 6, 0])
    expect([infinite.sqnr, infinite.maxError, infinite.worstBlock?.sqnr]).toEqual([
      -Infinity,
      Infinity,
      -Infinity,
    ])
  })

  it('of what did not change is Infinity dB, and of nothing has no block', () => {
    expect(quantizationReport(new Float32Array(3), new Float32Array(3)).sqnr).toBe(Infinity)
    expect(quantizationReport(new Float32Array(0), new Float32Array(0)).worstBlock).toBeNull()
  })

  it('knows the largest value of a tensor by its dtype', () => {
    const x = tensor([1, 1000, 448, -449])
    expect(quantizationReport(x, cast(x, 'float8_e4m3fn', { saturate: true })).clipped).toBe(0.5)
    expect(quantizationReport(x, cast(x, 'bfloat16')).clipped).toBe(0)
    expect(quantizationReport(x, cast(x, 'float32')).sqnr).toBe(Infinity)
    expect(quantizationReport(x, cast(x, 'float8_e4m3fn')).overflowed).toBe(0.25)
  })

  it('of blocks measures each by its own largest value, along any axis, packed or not', () => {
    const random = seeded(`quantizationReport ${seed}`)
    const values = Float32Array.from({ length: 64 * 8 }, () => (random() - 0.5) * 2 ** (20 * random()))
    values.fill(0, 64, 96)
    const x = tensor(values, { shape: [8, 64] })
    const options = { element: 'float4_e2m1fn', scale: 'floor' } as const
    const blocks = quantizeArray(values, options)
    const report = quantizationReport(values, blocks)
    const byHand = Array.from({ length: 16 }, (_, block) => {
      const part = values.subarray(32 * block, 32 * block + 32)
      const top = 6 * 2 ** (blocks.scales[block]! - 127)
      return part.filter((value) => Math.abs(value) > top).length
    })
    expect(report.clipped).toBe(byHand.reduce((sum, count) => sum + count) / 512)
    expect(report.clipped).toBeGreaterThan(0)
    expect(report.underflowed).toBeGreaterThan(0)
    const turned = { ...options, axis: 0, packed: true } as const
    expect(quantizationReport(transpose(x), quantize(transpose(x), turned))).toEqual(report)
    expect(quantizationReport(x, quantize(x, options))).toEqual(report)
    expect(quantizationReport(values, quantize(x, options))).toEqual(report)
  })

  it('orders the formats as their bits do', () => {
    const random = seeded(`orders ${seed}`)
    const values = Float32Array.from({ length: 4096 }, () => random() + random() + random() - 1.5)
    const plain = (name: 'float8_e4m3fn' | 'float8_e5m2' | 'float4_e2m1fn'): number =>
      quantizationReport(values, decodeArray(encodeArray(values, name), name)).sqnr
    const block = (element: 'int8' | 'float8_e4m3fn' | 'float6_e2m3fn' | 'float4_e2m1fn'): number =>
      quantizationReport(values, quantizeArray(values, { element, scale: 'rceil' })).sqnr
    expect(plain('float8_e4m3fn')).toBeGreaterThan(plain('float8_e5m2'))
    expect(plain('float8_e5m2')).toBeGreaterThan(plain('float4_e2m1fn'))
    expect(block('int8')).toBeGreaterThan(block('float8_e4m3fn'))
    expect(block('float4_e2m1fn')).toBeGreaterThan(plain('float4_e2m1fn'))
    const nvfp4 = quantizeArray(values, { element: 'float4_e2m1fn', scheme: 'nvfp4', tensorScale: 'amax' })
    expect(quantizationReport(values, nvfp4).sqnr).toBeGreaterThan(block('float4_e2m1fn'))
  })

  it('refuses lengths, shapes and blocks that do not fit', () => {
    const [x, y] = [tensor([[1, 2]]), tensor([[1], [2]])]
    expect(() => quantizationReport(x, y)).toThrow(
      new RangeError('quantizationReport: shapes differ [1, 2] and [2, 1]'),
    )
    expect(() => quantizationReport(Float32Array.of(1), Float32Array.of(1, 2))).toThrow(
      new RangeError('quantizationReport: lengths differ [1 and 2]'),
    )
    expect(() => quantizationReport(x, x, { blockSize: 0 })).toThrow(
      new RangeError('quantizationReport: blockSize is no whole number from 1 up [0]'),
    )
  })
})
