import { grad } from 'tpu-toolkit/autodiff'
import { cast, fromBits, sum, type Tensor, tensor, zeros } from 'tpu-toolkit/tensor'
import { fsq, lfq } from 'tpu-toolkit/vq'
import { describe, expect, it } from 'vitest'
import { relativeGap, VqKeys } from '../support/vqKeys.js'

const keys = new VqKeys('fsq')
interface FsqCase {
  readonly name: string
  readonly levels: readonly number[]
  readonly size: number
  readonly bits: number
  readonly bf16IndexDistinct: number
  readonly bf16IndexBeyond: number
}

describe.each(keys.cases<FsqCase>())('fsq, the keys of $name', ({ name, levels, size, bits, ...counted }) => {
  const z = keys.floats(`${name}_z`)

  it.each(['tanh', 'symmetric'] as const)('has the digits, codes and values, bounded by %s', (bound) => {
    const quantizer = fsq(levels, { bound })
    const prefix = bound === 'tanh' ? name : `${name}_sym`
    const { digits, codes, quantized } = quantizer.encode(cast(z, 'float64'))
    expect(Array.from(digits.data)).toEqual(keys.whole(`${prefix}_digits`))
    expect(Array.from(codes.data)).toEqual(keys.whole(`${prefix}_index`))
    expect(relativeGap(quantized, keys.floats(`${prefix}_value`))).toBeLessThanOrEqual(2 ** -52)
    expect(relativeGap(quantizer.decode(codes), keys.floats(`${prefix}_value`))).toBeLessThanOrEqual(2 ** -52)
    expect(quantizer.index(quantizer.decode(codes)).toNumbers()).toEqual(Float64Array.from(codes.data))
    // The codes of float32 numbers are computed in float64 too.
    expect(quantizer.encode(z).codes.data).toEqual(codes.data)
  })

  it('has as many codes, and in bfloat16 the colliding indices of the key', () => {
    const quantizer = fsq(levels)
    expect([quantizer.size, quantizer.bits]).toEqual([size, bits])
    const all = tensor(
      Int32Array.from({ length: size }, (_, i) => i),
      { dtype: 'int32' },
    )
    const values = quantizer.decode(all)
    expect(quantizer.index(values).toNumbers()).toEqual(Float64Array.from(all.data))
    const found = Array.from(quantizer.index(values, { dtype: 'bfloat16' }).toNumbers())
    expect(found).toEqual(keys.whole(`${name}_bf16_index`))
    expect(new Set(found).size).toBe(counted.bf16IndexDistinct)
    expect(found.filter((index) => index >= size).length).toBe(counted.bf16IndexBeyond)
  })
})

describe.each([6, 10])('lfq(%i), the keys', (dim) => {
  const z = keys.floats(`lfq${dim}_z`)
  const facts = keys.facts[`lfq${dim}`] as Record<string, number>

  it('has the codes, and the entropies within 1e-12', () => {
    const quantizer = lfq(dim)
    const { codes, quantized } = quantizer.encode(z)
    expect(Array.from(codes.data)).toEqual(keys.whole(`lfq${dim}_index`))
    expect(quantizer.decode(codes).data).toEqual(quantized.data)
    for (const [b, suffix] of [
      [100, ''],
      [1, 'At1'],
    ] as const) {
      const { sample, codebook, loss } = quantizer.entropies(z, { inverseTemperature: b })
      expect(Math.abs(sample.item() - facts[`sampleEntropy${suffix}`]!)).toBeLessThanOrEqual(1e-12)
      expect(Math.abs(codebook.item() - facts[`codebookEntropy${suffix}`]!)).toBeLessThanOrEqual(1e-12)
      expect(loss.item()).toBe(sample.item() - codebook.item())
    }
  })
})

describe('fsq', () => {
  it('has the gradient of what is not rounded', () => {
    const quantizer = fsq([5, 4])
    const z = tensor(
      [
        [0.3, -0.2],
        [1, 2],
      ],
      { dtype: 'float64' },
    )
    const g = grad((x: Tensor<'float64'>) => sum(quantizer.encode(x).quantized))(z).toNumbers()
    const slope = (x: number, level: number): number => {
      const half = ((level - 1) * 1.001) / 2
      const shift = level % 2 === 0 ? Math.atanh(0.5 / half) : 0
      return ((1 - Math.tanh(x + shift) ** 2) * half) / Math.floor(level / 2)
    }
    const right = [slope(0.3, 5), slope(-0.2, 4), slope(1, 5), slope(2, 4)]
    expect(relativeGap(g, right)).toBeLessThanOrEqual(1e-14)
  })

  it('takes any leading axes', () => {
    const { codes, digits } = fsq([3, 3]).encode(zeros([2, 5, 2]))
    expect([codes.shape, digits.shape]).toEqual([
      [2, 5],
      [2, 5, 2],
    ])
  })

  it.each([
    ['no levels', () => fsq([]), 'there are no levels [an empty array]'],
    ['one level', () => fsq([1]), 'a level is not a whole number, 2 or more [1]'],
    ['too many codes', () => fsq(Array(16).fill(4)), 'more than 2^31 codes [4 x 4'],
    ['other vectors', () => fsq([3, 3]).encode(zeros([1, 3])), 'vectors of 2 numbers for 2 levels [3]'],
    [
      'a code there is not',
      () => fsq([3]).decode(tensor([3], { dtype: 'int32' })),
      'a code outside a codebook of 3 [3]',
    ],
    ['NaN', () => fsq([3]).encode(tensor([[Number.NaN]])), 'row 0 of z has a NaN [NaN]'],
  ])('refuses %s', (_, call, message) => {
    expect(call).toThrow(`fsq: ${message}`)
  })
})

describe('lfq', () => {
  it('counts 0 and -0 as negative, and has signs of the dtype it is given', () => {
    const { codes, quantized } = lfq(2).encode(
      fromBits([0x8000, 0x3f80], { shape: [1, 2], dtype: 'bfloat16' }),
    )
    expect(codes.toNested()).toEqual([1])
    expect(quantized.toBits()).toEqual(Uint16Array.of(0xbf80, 0x3f80))
  })

  it('lets the gradient of signs pass', () => {
    const z = tensor([[0.5, -2]])
    expect(grad((x: Tensor<'float32'>) => sum(lfq(2).encode(x).quantized))(z).toNested()).toEqual([[1, 1]])
  })

  it.each([
    ['other vectors', () => lfq(3).encode(zeros([1, 2])), 'lfq: vectors of 3 numbers are coded [2]'],
    ['too long codes', () => lfq(31), 'lfq: dim is not a whole number from 1 to 30 [31]'],
    ['NaN', () => lfq(1).encode(tensor([[0], [Number.NaN]])), 'lfq: row 1 of z has a NaN [NaN]'],
    ['no vectors', () => lfq(3).entropies(zeros([0, 3])), 'lfq.entropies: there are no vectors [0]'],
  ])('refuses %s', (_, call, message) => {
    expect(call).toThrow(message)
  })
})
