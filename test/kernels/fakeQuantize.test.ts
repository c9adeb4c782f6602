import { grad, valueAndGrad, vmap } from 'tpu-toolkit/autodiff'
import { type BlockSchemeName, blockSchemes, dequantize, quantize } from 'tpu-toolkit/blocks'
import { compile } from 'tpu-toolkit/compile'
import { type FakeScheme, fakeQuantize, scaleTiles } from 'tpu-toolkit/kernels'
import { key, keyTensor, normal } from 'tpu-toolkit/random'
import { cast, mul, sum, type Tensor, tensor, transpose } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const x = tensor(normal(key(1), 8 * 64), { shape: [8, 64] }) as Tensor<'float32'>
const g = tensor(normal(key(2), 8 * 64), { shape: [8, 64] }) as Tensor<'float32'>

/** The gradient of what is quantised, of x and of a step. */
const slope = (f: (x: Tensor<'float32'>) => Tensor): Float64Array =>
  (grad((y: Tensor<'float32'>) => sum(mul(f(y), g)))(x) as Tensor).toNumbers()

describe('fakeQuantize(x, scheme)', () => {
  it.each(Object.keys(blockSchemes) as BlockSchemeName[])(
    '%s is quantize and dequantize, along any axis',
    (name) => {
      const second = name === 'nvfp4' ? { tensorScale: 'amax' as const } : {}
      const how = { ...blockSchemes[name], ...second }
      expect(fakeQuantize(x, name)).toEqual(dequantize(quantize(x, how)))
      const turned = transpose(x)
      expect(fakeQuantize(turned, name, { axis: 0 })).toEqual(
        dequantize(quantize(turned, { ...how, axis: 0 })),
      )
    },
  )

  it('a format is what scaleTiles gives, a scale for each tensor, channel or group', () => {
    const restored = (tile: [1 | 'all', number | 'all']): Float64Array => {
      const { codes, scales } = scaleTiles(x, { tile })
      const [values, across] = [codes.toNumbers(), scales.shape[1]!]
      return values.map((value, i) => {
        const row = scales.shape[0] === 1 ? 0 : Math.floor(i / 64)
        const column = tile[1] === 'all' ? 0 : Math.floor((i % 64) / tile[1])
        return Math.fround(value * scales.data[row * across + column]!)
      })
    }
    const name = 'float8_e4m3fn'
    expect(fakeQuantize(x, name).toNumbers()).toEqual(restored(['all', 'all']))
    expect(fakeQuantize(x, name, { per: 'channel' }).toNumbers()).toEqual(restored([1, 'all']))
    expect(fakeQuantize(x, name, { per: 'group', group: 16 }).toNumbers()).toEqual(restored([1, 16]))
    expect(fakeQuantize(x, { format: name, scale: 'none' })).toEqual(cast(cast(x, name), 'float32'))
  })

  it('integers are limited to their range, a step for each channel of any axis', () => {
    const step = tensor(Float32Array.from({ length: 64 }, (_, i) => 2 ** -(i % 5)))
    const y = fakeQuantize(x, { bits: 3, step }, { per: 'channel', axis: 1 })
    const expected = x.toNumbers().map((value, i) => {
      const own = step.data[i % 64]!
      const near = Math.round(value / own)
      // Powers of two: the quotient is exact, ties do not occur among these draws.
      return Math.max(-4, Math.min(3, near)) * own
    })
    expect(y.toNumbers().map((value) => value + 0)).toEqual(expected.map((value) => value + 0))
  })

  it("gradients: 'straight-through' passes all, 'clipped' what was not clipped", () => {
    const scheme: FakeScheme = { bits: 3, step: 0.25 }
    expect(slope((y) => fakeQuantize(y, scheme, { gradient: 'straight-through' }))).toEqual(g.toNumbers())
    const clipped = slope((y) => fakeQuantize(y, scheme))
    const near = x.toNumbers().map((value) => Math.round(value * 4))
    expect(clipped).toEqual(g.toNumbers().map((value, i) => (near[i]! < -4 || near[i]! > 3 ? 0 : value)))
    const format: FakeScheme = { format: 'float4_e2m1fn', scale: 'none' }
    const tall = mul(x, 4) as Tensor<'float32'>
    const cut = (grad((y: Tensor<'float32'>) => sum(fakeQuantize(y, format)))(tall) as Tensor).toNumbers()
    expect(cut).toEqual(tall.toNumbers().map((value) => (Math.abs(value) > 6 ? 0 : 1)))
  })

  it("'stochastic' has the mean x, and another draw for each key", () => {
    const [count, mean] = [400, new Float64Array(x.size)]
    for (let i = 0; i < count; i++) {
      const y = fakeQuantize(x, { bits: 8, step: 0.5 }, { gradient: 'stochastic', key: key(i) }).toNumbers()
      for (let j = 0; j < y.length; j++) mean[j] = mean[j]! + y[j]! / count
    }
    // The standard error is at most 0.25 / sqrt(400); five of them for 512 elements.
    const most = Math.max(...mean.map((value, i) => Math.abs(value - x.data[i]!)))
    expect(most).toBeLessThan((5 * 0.25) / Math.sqrt(count))
    expect(most).toBeGreaterThan(0)
  })

  it('is the same compiled, with its gradients', () => {
    const schemes: FakeScheme[] = [{ bits: 4 }, { bits: 8, symmetric: false }, 'nvfp4', 'float8_e5m2']
    for (const scheme of schemes) {
      for (const gradient of ['clipped', 'stochastic'] as const) {
        const f = (y: Tensor<'bfloat16'>, words: Tensor<'uint32'>): Tensor =>
          sum(
            mul(
              fakeQuantize(y, scheme, { gradient, ...(gradient === 'stochastic' && { key: words }) }),
              cast(g, 'bfloat16'),
            ),
          )
        const step = valueAndGrad(f)
        const args = [cast(x, 'bfloat16'), keyTensor(key(5))] as const
        expect(compile(step)(...args)).toEqual(step(...args))
      }
    }
  })

  it('in vmap is the same one element after the other', () => {
    const f = (row: Tensor): Tensor => fakeQuantize(row as Tensor<'float32'>, { bits: 4 })
    const rows = vmap(f)(x).toNumbers()
    for (let i = 0; i < 8; i++) {
      expect(rows.slice(64 * i, 64 * i + 64)).toEqual(
        f(tensor(x.data.slice(64 * i, 64 * i + 64))).toNumbers(),
      )
    }
  })

  it('the gradient of a learned step is that of LSQ', () => {
    const step = tensor(0.25)
    const f = (s: Tensor<'float32'>): Tensor => sum(mul(fakeQuantize(x, { bits: 3, step: s }), g))
    const [most, n] = [3, x.size]
    let expected = 0
    for (let i = 0; i < n; i++) {
      const place = x.data[i]! / 0.25
      const near = Math.round(place)
      expected += g.data[i]! * (near < -4 ? -4 : near > most ? most : near - place)
    }
    expected /= Math.sqrt(n * most)
    const slopeOfStep = (grad(f)(step) as Tensor).item()
    // A float32 sum of 512 terms below 16.
    expect(Math.abs(slopeOfStep - expected)).toBeLessThan(512 * 2 ** -24 * 16)
    expect(Math.abs(expected)).toBeGreaterThan(0.05)
  })

  it('says what is wrong', () => {
    const y = tensor([1, 2, 3])
    const wrong = (scheme: unknown, options?: unknown) => () =>
      fakeQuantize(y, scheme as never, options as never)
    expect(wrong({ bits: 1 })).toThrow(
      new RangeError('fakeQuantize: bits is not a whole number from 2 to 16 [1]'),
    )
    expect(wrong({ bit: 4 })).toThrow('fakeQuantize: unknown option, did you mean bits')
    expect(wrong('int3')).toThrow('fakeQuantize: unknown scheme')
    expect(wrong('mxfp4', { per: 'channel' })).toThrow('blocks have their own groups')
    expect(wrong({ bits: 4 }, { per: 'group', group: 2 })).toThrow(
      'groups of 2 do not divide axis 0 [length 3]',
    )
    expect(wrong({ bits: 4 }, { gradient: 'stochastic' })).toThrow("'stochastic' needs a key")
    expect(wrong({ bits: 4 }, { key: key(0) })).toThrow("key and randomBits are for gradient 'stochastic'")
    expect(wrong({ bits: 4, step: tensor([1, 2]) })).toThrow('step is not [] [2]')
    expect(() => fakeQuantize(cast(y, 'float64') as never, { bits: 4 })).toThrow(TypeError)
  })
})
