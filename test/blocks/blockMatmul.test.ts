import { type BlockTensor, blockMatmul, dequantize, quantize, unpack } from 'tpu-toolkit/blocks'
import {
  type BlockElement,
  blockElements,
  blockValues,
  decode,
  encodeArray,
  quantizeBlocks,
} from 'tpu-toolkit/formats'
import { seeded } from 'tpu-toolkit/random'
import { tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { WorstRatios } from '../support/expectBounded.js'
import { seed } from '../support/seed.js'

/** The float32 nearest to n * 2^exponent, ties to even: from integers only. */
function toFloat32(n: bigint, exponent: number): number {
  if (n === 0n) return 0
  const size = n < 0n ? -n : n
  const length = size.toString(2).length
  // The place of the last bit kept: of 24, or of a subnormal.
  const place = Math.max(exponent + length - 24, -149)
  const cut = place - exponent
  let kept = cut <= 0 ? size << BigInt(-cut) : size >> BigInt(cut)
  if (cut > 0) {
    const rest = size - (kept << BigInt(cut))
    const half = 1n << BigInt(cut - 1)
    if (rest > half || (rest === half && kept % 2n === 1n)) kept++
  }
  const value = Math.fround(Number(kept) * 2 ** place)
  return n < 0n ? -value : value
}

const integer = (value: number, exponent: number): bigint => BigInt(value * 2 ** -exponent)

/** One element of the product as the docstring has it, in integers. */
function byIntegers(a: BlockTensor, b: BlockTensor, i: number, j: number): number {
  const k = a.shape[1]!
  const blocks = k / a.blockSize
  const value = (x: BlockTensor, at: number): bigint =>
    integer(x.element === 'int8' ? ((x.codes[at]! << 24) >> 24) / 64 : decode(x.codes[at]!, x.element), -20)
  const scale = (x: BlockTensor, at: number): number =>
    decode(x.scales[at]!, x.scheme === 'mx' ? 'float8_e8m0fnu' : 'float8_e4m3fn')
  let sum = 0
  for (let block = 0; block < blocks; block++) {
    let dot = 0n
    for (let p = block * a.blockSize; p < (block + 1) * a.blockSize; p++) {
      dot += value(a, i * k + p) * value(b, j * k + p)
    }
    const product =
      integer(scale(a, i * blocks + block), -127 - 9) * integer(scale(b, j * blocks + block), -127 - 9)
    // Both sides are float32, so that float64 holds their sum within one rounding of it.
    sum = Math.fround(sum + toFloat32(dot * product, -40 - 2 * 136))
  }
  return Math.fround(sum * Math.fround(a.tensorScale * b.tensorScale))
}

const random = seeded(`blockMatmul ${seed}`)
const whole = (below: number): number => Math.floor(below * random())
const drawn = (length: number, spread: number): Float32Array =>
  Float32Array.from({ length }, () => (random() - 0.5) * 2 ** whole(spread))

/** Any finite codes, and scales within 2^20 of 1: sums that cancel and products of every size. */
function drawnBlocks(element: BlockElement, rows: number, k: number, axis: 0 | 1): BlockTensor {
  const finite = Array.from(
    blockValues(quantizeBlocks(new Float32Array(32), { element })).elements.keys(),
  ).filter((code) => element === 'int8' || Number.isFinite(decode(code, element)))
  const codes = Uint8Array.from({ length: rows * k }, () => finite[whole(finite.length)]!)
  const scales = Uint8Array.from({ length: (rows * k) / 32 }, () => 107 + whole(41))
  const shape = axis === 1 ? [rows, k] : [k, rows]
  return { scheme: 'mx', element, blockSize: 32, tensorScale: 1, scales, codes, shape, axis, packed: false }
}

function expectByIntegers(a: BlockTensor, b: BlockTensor): void {
  const product = blockMatmul(a, b)
  const n = b.shape[1]!
  expect(product.shape).toEqual([a.shape[0], n])
  for (const [at, value] of product.data.entries()) {
    expect(value).toBe(byIntegers(a, b, Math.floor(at / n), at % n))
  }
}

describe(`blockMatmul(a, b) (seed ${seed})`, () => {
  const pairs = blockElements.flatMap((left) => blockElements.map((right) => [left, right] as const))

  it.each(pairs)('%s x %s: is what the docstring says, in integers', (left, right) => {
    for (let i = 0; i < 4; i++) {
      expectByIntegers(drawnBlocks(left, 4, 96, 1), drawnBlocks(right, 5, 96, 0))
      const a = quantize(tensor(drawn(3 * 64, 24), { shape: [3, 64] }), { element: left })
      expectByIntegers(
        a,
        quantize(tensor(drawn(64 * 2, 24), { shape: [64, 2] }), { element: right, axis: 0 }),
      )
    }
  })

  it('float8_e5m2: a block sum that float64 cannot hold is rounded once', () => {
    // 2^24 + 1 is halfway between two float32; 2^-32 more, which float64 has no place for, decides.
    const part = (values: readonly number[], axis: 0 | 1): BlockTensor => {
      const x = tensor(Float32Array.from([...values, ...new Array(32 - values.length).fill(0)]), {
        shape: axis === 1 ? [1, 32] : [32, 1],
      })
      const blocks = quantize(x, { element: 'float8_e5m2', axis })
      return {
        ...blocks,
        codes: encodeArray(Float32Array.from(x.data), 'float8_e5m2') as Uint8Array,
        scales: Uint8Array.of(127),
      }
    }
    const b = part([2 ** 12, 1, 2 ** -16], 0)
    const at = (last: number): number => blockMatmul(part([2 ** 12, 1, last], 1), b).item()
    expect(at(0)).toBe(2 ** 24)
    expect(at(2 ** -16)).toBe(2 ** 24 + 2)
    expect(at(-(2 ** -16))).toBe(2 ** 24)
    const odd = (last: number): number =>
      blockMatmul(part([2 ** 12, 2, 1, last], 1), part([2 ** 12, 1, 1, 2 ** -16], 0)).item()
    expect(odd(0)).toBe(2 ** 24 + 4)
    expect(odd(-(2 ** -16))).toBe(2 ** 24 + 2)
  })

  it('float8_e5m2: infinite element codes are infinities, and their differences NaN', () => {
    const ones = quantize(tensor(new Float32Array(32).fill(1), { shape: [32, 1] }), {
      element: 'float8_e5m2',
      axis: 0,
    })
    const row = quantize(tensor(new Float32Array(32).fill(1), { shape: [1, 32] }), { element: 'float8_e5m2' })
    const withCodes = (...codes: number[]): number =>
      blockMatmul({ ...row, codes: Uint8Array.from(row.codes, (code, i) => codes[i] ?? code) }, ones).item()
    expect([withCodes(0x7c), withCodes(0xfc), withCodes(0x7c, 0xfc), withCodes(0x7e)]).toEqual([
      Infinity,
      -Infinity,
      Number.NaN,
      Number.NaN,
    ])
  })

  it('nvfp4: is what the docstring says, with tensor scales and without', () => {
    const options = { element: 'float4_e2m1fn', scheme: 'nvfp4' } as const
    for (const tensorScale of [1, 0.3, 'amax'] as const) {
      const a = quantize(tensor(drawn(3 * 48, 8), { shape: [3, 48] }), { ...options, tensorScale })
      const b = quantize(tensor(drawn(48 * 2, 8), { shape: [48, 2] }), {
        ...options,
        tensorScale,
        axis: 0,
        packed: true,
      })
      expectByIntegers(a, unpack(b))
      expect(blockMatmul(a, b)).toEqual(blockMatmul(a, unpack(b)))
    }
  })

  it('stays inside its documented bound of the exact product of the dequantised matrices', () => {
    const ratios = new WorstRatios()
    const kinds = [
      { element: 'float8_e4m3fn', blockSize: 4 },
      { element: 'float4_e2m1fn', blockSize: 2 },
      { element: 'int8', blockSize: 2 },
      { element: 'float4_e2m1fn', scheme: 'nvfp4', tensorScale: 'amax' },
    ] as const
    for (const options of kinds) {
      const name = 'scheme' in options ? 'nvfp4' : options.element
      for (let trial = 0; trial < 40; trial++) {
        const k = 64
        const a = quantize(tensor(drawn(4 * k, 24), { shape: [4, k] }), options)
        const b = quantize(tensor(drawn(4 * k, 24), { shape: [k, 4] }), { ...options, axis: 0 })
        const [x, y] = [dequantize(a, 'float64').data, dequantize(b, 'float64').data]
        const product = blockMatmul(a, b).data
        for (let at = 0; at < 16; at++) {
          let [exact, size] = [0, 0]
          for (let p = 0; p < k; p++) {
            const term = x[(at >> 2) * k + p]! * y[p * 4 + (at & 3)]!
            exact += term
            size += Math.abs(term)
          }
          const c = (k / a.blockSize + (name === 'nvfp4' ? 4 : 0)) * 2 ** -24
          // The reference sums in float64: k roundings of 2^-53.
          const bound = (c / (1 - c) + k * 2 ** -52) * size
          ratios.expectBounded(name, Math.abs(product[at]! - exact), bound, () => `${trial} ${at}`)
        }
      }
    }
    for (const ratio of Object.values(ratios.report())) expect(ratio).toBeGreaterThan(0.05)
  })

  const e4m3 = { element: 'float8_e4m3fn', blockSize: 2 } as const
  const left = (values: readonly number[][]): BlockTensor => quantize(tensor(values), e4m3)
  const right = (values: readonly number[][]): BlockTensor => quantize(tensor(values), { ...e4m3, axis: 0 })

  it('rounds the float32 sum once to the dtype asked for', () => {
    const product = blockMatmul(left([[256, 1]]), right([[1], [1]]), 'bfloat16')
    expect([product.dtype, product.item()]).toEqual(['bfloat16', 256])
    expect(blockMatmul(left([[256, 1]]), right([[1], [1]])).item()).toBe(257)
  })

  it('k = 0 gives +0, a NaN block its row or column, and past float32 comes Inf', () => {
    const none = quantize(tensor(new Float32Array(0), { shape: [2, 0] }), e4m3)
    expect(
      blockMatmul(none, quantize(tensor(new Float32Array(0), { shape: [0, 1] }), { ...e4m3, axis: 0 })).data,
    ).toEqual(new Float32Array(2))
    const nan = blockMatmul(
      left([
        [1, NaN],
        [1, 2],
      ]),
      right([
        [1, 1],
        [1, 1],
      ]),
    )
    expect(nan.toNested()).toEqual([
      [Number.NaN, Number.NaN],
      [3, 3],
    ])
    expect(nan.toBits()[0]).toBe(0x7fc00000)
    const huge = [[2 ** 100, 0, -(2 ** 100), 0]]
    expect(blockMatmul(left(huge), right([[2 ** 100], [0], [0], [0]])).item()).toBe(Infinity)
    expect(blockMatmul(left(huge), right([[2 ** 100], [0], [2 ** 100], [0]])).item()).toBeNaN()
  })

  it('refuses other shapes, axes and kinds', () => {
    const [a, b] = [left([[1, 2]]), right([[1], [2]])]
    expect(() => blockMatmul(a, right([[1], [2], [3], [4]]))).toThrow(
      new RangeError('blockMatmul: inner dimensions differ [1, 2] x [4, 1]'),
    )
    expect(() =>
      blockMatmul(
        a,
        left([
          [1, 2],
          [3, 4],
        ]),
      ),
    ).toThrow(new RangeError('blockMatmul: blocks do not lie along the inner dimension [axes 1 and 1]'))
    expect(() => blockMatmul(quantize(tensor([1, 2]), e4m3), b)).toThrow(
      new RangeError('blockMatmul: needs two matrices [2] x [2, 1]'),
    )
    expect(() => blockMatmul(quantize(tensor([[1, 2]]), { ...e4m3, blockSize: 1 }), b)).toThrow(
      new RangeError('blockMatmul: blocks of two kinds [mx of 1 and mx of 2]'),
    )
  })
})
