import fc from 'fast-check'
import { key } from 'tpu-toolkit/random'
import {
  cast,
  matmul,
  reshape,
  slice,
  square,
  stack,
  sub,
  sum,
  type Tensor,
  take,
  tensor,
  transpose,
  zeros,
} from 'tpu-toolkit/tensor'
import {
  type DistanceOptions,
  optimizedRotation,
  packCodes,
  productQuantizer,
  residualQuantizer,
  trainProductQuantizer,
  trainResidualQuantizer,
  unpackCodes,
} from 'tpu-toolkit/vq'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { float64Of, relativeGap, VqKeys } from '../support/vqKeys.js'

const pq = new VqKeys('pq')
interface PqCase {
  readonly name: string
  readonly m: number
  readonly bits: number
  readonly bytesPerVector: number
  readonly mse: string
}

describe.each(pq.cases<PqCase>())('productQuantizer, the keys of $name', (one) => {
  const { name, m, bits, bytesPerVector, mse } = one
  const x = pq.floats(`${name}_x`)
  const quantizer = productQuantizer(pq.floats(`${name}_codebooks`))
  const codes = tensor(pq.whole(`${name}_codes`), { shape: [x.shape[0]!, m], dtype: 'int32' })

  it('has the codes and the bytes, both ways', () => {
    expect(quantizer.encode(x).data).toEqual(codes.data)
    expect([quantizer.bits, quantizer.bytesPerVector]).toEqual([bits, bytesPerVector])
    const packed = quantizer.pack(codes)
    expect(Array.from(packed)).toEqual(pq.whole(`${name}_packed`))
    expect(quantizer.unpack(packed).data).toEqual(codes.data)
  })

  it('has the distances from tables within 1e-12, and the error', () => {
    const found = quantizer.distances(slice(x, [[0, 3]]), codes)
    expect(relativeGap(found, pq.floats(`${name}_adc`))).toBeLessThanOrEqual(1e-12)
    const error = sub(cast(x, 'float64'), cast(quantizer.decode(codes), 'float64'))
    const right = float64Of(mse)
    expect(Math.abs(sum(square(error)).item() / x.size - right) / right).toBeLessThanOrEqual(1e-12)
  })
})

describe('trainProductQuantizer, the key', () => {
  const { m, subDim, bits, iterations, mse, mseAfterOneOpqStep } = pq.facts['train'] as Record<
    string,
    number
  > & { m: number; subDim: number; bits: number; iterations: number; mse: number; mseAfterOneOpqStep: number }
  const x = pq.floats('train_x')
  const rows = take(x, pq.whole('train_rows'), { axis: 0 })
  const init = stack(Array.from({ length: m }, (_, i) => slice(rows, [null, [i * subDim, (i + 1) * subDim]])))
  const near = (a: Tensor, name: string) => expect(relativeGap(a, pq.floats(name))).toBeLessThanOrEqual(1e-9)

  it('has the codebooks and codes, and after one rotation those again', () => {
    const plain = trainProductQuantizer(x, { m, bits, iterations, init })
    near(plain.quantizer.codebooks, 'train_codebooks')
    expect(Array.from(plain.codes.data)).toEqual(pq.whole('train_codes'))
    expect(plain.errors[0]).toBeCloseTo(mse, 12)
    const turned = trainProductQuantizer(x, { m, bits, iterations, init, rotations: 1 })
    near(turned.quantizer.rotation!, 'opq_rotation')
    near(turned.quantizer.codebooks, 'opq_codebooks')
    expect(Array.from(turned.codes.data)).toEqual(pq.whole('opq_codes'))
    expect(turned.errors[1]).toBeCloseTo(mseAfterOneOpqStep, 12)
    // What it decodes is turned back: as near to x as x R is to the codes.
    expect(turned.quantizer.encode(x).data).toEqual(turned.codes.data)
    const error = sub(cast(x, 'float64'), turned.quantizer.decode(turned.codes))
    expect(sum(square(error)).item() / x.size).toBeCloseTo(mseAfterOneOpqStep, 12)
  })

  it('optimizedRotation is orthogonal, for any vectors', () => {
    const r = optimizedRotation(x, cast(pq.floats('train_x'), 'bfloat16'))
    const identity = matmul(r, transpose(r)).toNumbers()
    const off = identity.map((value, i) => Math.abs(value - (i % 7 === 0 ? 1 : 0)))
    expect(Math.max(...off)).toBeLessThan(1e-13)
  })

  it.each([
    [
      'parts that do not divide',
      () => trainProductQuantizer(x, { m: 4, bits, key: key(0) }),
      'vectors of 6 numbers are not cut in 4 parts [6 / 4]',
    ],
    [
      'more codes than rows',
      () => trainProductQuantizer(x, { m, bits: 9, key: key(0) }),
      'more codes than rows [512 of 240]',
    ],
    [
      'an init of another shape',
      () => trainProductQuantizer(x, { m, bits, init: zeros([1, 2, 3]) }),
      'init is not [3, 16, 2] [1, 2, 3]',
    ],
    [
      'nothing to begin with',
      () => trainProductQuantizer(x, { m, bits }),
      'neither init nor a key to draw the first codes by [no codes to begin with]',
    ],
  ])('refuses %s', (_, call, message) => {
    expect(call).toThrow(`trainProductQuantizer: ${message}`)
  })
})

const rvq = new VqKeys('rvq')
const ways: Readonly<Record<string, DistanceOptions>> = {
  f64: {},
  f32: { dtype: 'float32' },
  'direct-bf16': { dtype: 'bfloat16' },
  'expanded-bf16-f32': { form: 'expanded', dtype: 'bfloat16', accumulate: 'float32' },
  'expanded-bf16': { form: 'expanded', dtype: 'bfloat16' },
}

describe.each(Object.keys(ways))('residualQuantizer, the key %s', (name) => {
  it('has the codes, every residual and the sum, bit for bit', () => {
    const quantizer = residualQuantizer(rvq.floats('codebooks'), ways[name])
    const { codes, residuals, sum: total } = quantizer.encode(rvq.floats('x'))
    expect(Array.from(codes.data)).toEqual(rvq.whole(`${name}_codes`))
    expect(residuals.toBits()).toEqual(rvq.bits(`${name}_residuals`))
    expect(total.toBits()).toEqual(rvq.bits(`${name}_sum`))
    expect(quantizer.decode(codes).toBits()).toEqual(total.toBits())
    expect(quantizer.unpack(quantizer.pack(codes)).data).toEqual(codes.data)
  })
})

describe(`packCodes (seed ${seed})`, () => {
  it('comes back through unpackCodes, for any number of bits and any groups', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 31 }).chain((bits) =>
          fc.record({
            bits: fc.constant(bits),
            group: fc.integer({ min: 1, max: 9 }),
            codes: fc.array(fc.integer({ min: 0, max: 2 ** bits - 1 }), { maxLength: 90 }),
          }),
        ),
        ({ bits, group, codes }) => {
          const whole = codes.slice(0, codes.length - (codes.length % group))
          for (const by of [undefined, group]) {
            expect(Array.from(unpackCodes(packCodes(whole, bits, by), bits, whole.length, by))).toEqual(whole)
          }
        },
      ),
      { seed, numRuns: 200 },
    )
  })

  it('has 8 and 16 bits as bytes and as little-endian words', () => {
    expect(packCodes([1, 255], 8)).toEqual(Uint8Array.of(1, 255))
    expect(packCodes([0x1234, 0xfffe], 16)).toEqual(Uint8Array.of(0x34, 0x12, 0xfe, 0xff))
  })
})

describe('trainResidualQuantizer', () => {
  it('has less error with every stage', () => {
    const x = reshape(
      tensor(
        Float64Array.from({ length: 240 }, (_, i) => Math.sin(i * i)),
        { dtype: 'float64' },
      ),
      [120, 2],
    )
    const { residuals } = trainResidualQuantizer(x, { stages: 3, k: 8, key: key(1) }).encode(x)
    const errors = sum(square(residuals), { axis: [1, 2] }).toNumbers()
    expect(errors[0]).toBeGreaterThan(2 * errors[1]!)
    expect(errors[1]).toBeGreaterThan(2 * errors[2]!)
  })
})

describe('quantizers', () => {
  const quantizer = productQuantizer(zeros([2, 4, 3]))
  const codes = (list: number[][]): Tensor<'int32'> => tensor(list, { dtype: 'int32' })
  it.each([
    [
      'codebooks of no parts',
      () => productQuantizer(zeros([0, 4, 3])),
      'productQuantizer: codebooks are no parts of codes of numbers [0, 4, 3]',
    ],
    [
      'a table',
      () => residualQuantizer(zeros([4, 3])),
      'residualQuantizer: codebooks are no parts of codes of numbers [4, 3]',
    ],
    [
      'other vectors',
      () => quantizer.encode(zeros([1, 5])),
      'productQuantizer: vectors of 6 numbers are coded [5]',
    ],
    [
      'a code there is not',
      () => quantizer.decode(codes([[0, 4]])),
      'productQuantizer: a code outside a codebook of 4 [4]',
    ],
    [
      'too many codes',
      () => quantizer.decode(codes([[0, 1, 2]])),
      'productQuantizer: codes are not 2 for each vector [1, 3]',
    ],
    [
      'a rotation of others',
      () => productQuantizer(zeros([2, 4, 3]), { rotation: zeros([2, 2]) }),
      'productQuantizer: rotation is not [6, 6] [2, 2]',
    ],
  ])('refuse %s', (_, call, message) => {
    expect(call).toThrow(message)
  })
})
