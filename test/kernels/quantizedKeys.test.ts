import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { vjp } from 'tpu-toolkit/autodiff'
import { quantize } from 'tpu-toolkit/blocks'
import { quantizeBlocks } from 'tpu-toolkit/formats'
import { fakeQuantize, type IntegerScheme, scaleTiles } from 'tpu-toolkit/kernels'
import { bits, key } from 'tpu-toolkit/random'
import { cast, hadamard, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { casesOfThisRun } from '../support/long.js'

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../golden/kernels/${name}.json`, import.meta.url), 'utf8'))
const keys = read('quantized')
const torch = read('fake_quantize')
const count = 2 ** 20

const sha = (data: ArrayBufferView): string =>
  createHash('sha256')
    .update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    .digest('hex')

/** Element i: an int16 of the upper half of a word times a power of two of its last four bits. */
const operand = (seed: number): Float32Array =>
  Float32Array.from(bits(key(seed), count), (word) => ((word | 0) >> 16) * 2 ** ((word & 15) - 20))

describe('keys of scripts/golden/quantized.py, 2^20 elements each', () => {
  it.each(casesOfThisRun(Object.keys(keys.hadamard), (name) => /\b(2|16|128)$/.test(name)))(
    'hadamard of %s has the bits of scipy.linalg.hadamard in extended precision',
    (name) => {
      const [dtype, size] = name.split(' ') as ['float32' | 'bfloat16', string]
      const y = hadamard(cast(tensor(operand(1)), dtype), { size: Number(size), signs: key(7) })
      // -0 as +0: adding +0 changes nothing else.
      const data = y.data.map((code) => (dtype === 'bfloat16' && code === 0x8000 ? 0 : code + 0))
      expect(sha(data)).toBe(keys.hadamard[name])
    },
  )

  it('hadamard is exact where numbers of a block are further apart than float64 holds', () => {
    const words = bits(key(3), 512).map((word) =>
      (word & 0x7f800000) === 0x7f800000 ? word & 0xbfffffff : word,
    )
    const y = hadamard(tensor(new Float32Array(words.buffer)), { size: 16 })
    expect(sha((y.data as Float32Array).map((value) => value + 0))).toBe(keys.farApart.sha256)
  })

  it('NVFP4 in 16 x 16 blocks', () => {
    const x = tensor(operand(4), { shape: [1024, 1024] })
    const how = { element: 'float4_e2m1fn', scheme: 'nvfp4', tensorScale: 'amax', blockRows: 16 } as const
    const { codes, scales, tensorScale } = quantize(x, how)
    expect({ codes: sha(codes), scales: sha(scales), tensorScale }).toEqual(keys.nvfp4)
  })

  it.each(casesOfThisRun(Object.keys(keys.stochastic), (name) => /e4m3|e2m1/.test(name)))(
    '%s rounded at random by the words of a key',
    (element) => {
      const how = { element, rounding: 'stochastic', key: key(6) } as never
      const { codes } = quantize(tensor(operand(5)), how)
      expect(sha(codes)).toBe(keys.stochastic[element])
    },
  )

  it('fp8 with a scale a row, and one for the tensor', () => {
    const x = tensor(operand(8), { shape: [1024, 1024] })
    for (const [name, tile] of [
      ['row', [1, 'all']],
      ['tensor', ['all', 'all']],
    ] as const) {
      const { codes, scales } = scaleTiles(x, { tile })
      expect({ codes: sha(codes.data), scales: sha(scales.data) }).toEqual(keys.fp8[name])
    }
  })

  it('draws as encode does, of int8 too', () => {
    const values = operand(9).subarray(0, 4096)
    const words = bits(key(2), 4096)
    let next = 0
    const how = { element: 'int8', rounding: 'stochastic', random: () => words[next++]! } as const
    const { codes, scales } = quantizeBlocks(values, how)
    const expected = Array.from(values, (value, i) => {
      const steps = Math.abs(value / 2 ** (scales[i >> 5]! - 127)) * 64
      const lower = Math.floor(steps)
      const size = Math.min(127, lower + (words[i]! < Math.floor((steps - lower) * 2 ** 32) ? 1 : 0))
      return (value < 0 ? -size : size) & 255
    })
    expect(Array.from(codes)).toEqual(expected)
  })
})

const hashed = (seed: number, length = count): Float32Array => {
  const values = new Float32Array(length)
  for (let i = 0; i < length; i++) {
    let h = (i + seed * count) | 0
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
    values[i] = ((h ^ (h >>> 16)) >> 16) * 2 ** -14
  }
  return values
}

const schemes: Readonly<Record<string, IntegerScheme>> = {
  int8: { bits: 8 },
  'int8 narrow': { bits: 8, narrow: true },
  uint8: { bits: 8, symmetric: false },
  int4: { bits: 4 },
  uint4: { bits: 4, symmetric: false },
}
const ofThisRun = casesOfThisRun(Object.entries(schemes), ([name]) => ['int8 narrow', 'uint4'].includes(name))
const positive = (x: Tensor): string => sha((x.data as Float32Array).map((value) => value + 0))

describe('keys of torch, 2^20 elements each', () => {
  const x = tensor(hashed(1))
  const g = tensor(hashed(2))

  it.each(ofThisRun)('%s with a step of the tensor, given and learned', (name, scheme) => {
    for (const expected of [torch.perTensor[name], torch.learned[name]]) {
      const f = (y: Tensor, step: Tensor, zeroPoint: Tensor): Tensor =>
        fakeQuantize(y as Tensor<'float32'>, { ...scheme, step, zeroPoint, gradientScale: 1 })
      const [y, pull] = vjp(f, x, tensor(expected.step), tensor(expected.zeroPoint))
      const [dx, ofStep, ofZero] = pull(g) as unknown as Tensor[]
      expect([positive(y), positive(dx!)]).toEqual([expected.result, expected.gradient])
      if (expected.ofStep === undefined) continue
      // Float32 sums of 2^20 terms of either sign in two orders; torch has no claim of its own.
      expect(Math.abs(ofStep!.item() / expected.ofStep - 1)).toBeLessThan(1e-3)
      expect(Math.abs(ofZero!.item() - expected.ofZero)).toBeLessThan(
        1e-3 * Math.max(1, Math.abs(expected.ofZero)),
      )
    }
  })

  it.each(ofThisRun)('%s with a step of each channel', (name, scheme) => {
    const [least, most] =
      scheme.symmetric === false
        ? [0, 2 ** scheme.bits - 1]
        : [scheme.narrow ? -127 : -(2 ** (scheme.bits - 1)), 2 ** (scheme.bits - 1) - 1]
    const shift = least < 0 ? 0 : (most + 1) / 2 - 2
    const zeroPoint = tensor(Float32Array.from({ length: 64 }, (_, i) => (i % 5) + shift))
    const step = tensor(Float32Array.from({ length: 64 }, (_, i) => (i + 20) / (8 * (most - least))))
    const rows = tensor(x.data, { shape: [64, count / 64] })
    const f = (y: Tensor): Tensor =>
      fakeQuantize(y as Tensor<'float32'>, { ...scheme, step, zeroPoint }, { per: 'channel' })
    const [y, pull] = vjp(f, rows)
    const [dx] = pull(tensor(g.data, { shape: [64, count / 64] })) as unknown as Tensor[]
    expect([positive(y), positive(dx!)]).toEqual([
      torch.perChannel[name].result,
      torch.perChannel[name].gradient,
    ])
  })

  it.each(Object.entries(schemes))('%s with the step that an observer finds', (name, scheme) => {
    const part = Float32Array.from(x.data.subarray(0, 4096), (v) =>
      Math.fround(Math.fround(v * Math.fround(0.37)) + Math.fround(0.11)),
    )
    expect(positive(fakeQuantize(tensor(part), scheme))).toBe(torch.observed[name].result)
  })
})
