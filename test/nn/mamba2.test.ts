import { checkGrads } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { parameterTensors } from 'tpu-toolkit/model'
import * as nn from 'tpu-toolkit/nn'
import { key as keyOf, normal } from 'tpu-toolkit/random'
import { sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'

const sizes = { features: 6, inner: 12, heads: 4, groups: 2, states: 3, taps: 3 }
const policy = { params: 'float64' } as const

/** The block written out in float64: one batch row, position after position; its norm, by default, as state-spaces/mamba has it. */
function plain(
  params: nn.Mamba2Parameters,
  x: Tensor,
  { eps = 1e-5, groups: parts = sizes.groups, beforeGate = false }: nn.GatedNormOptions = {},
): number[][] {
  const { features, inner, heads, groups, states, taps } = sizes
  const numbers = (values: Tensor): Float64Array => values.toNumbers()
  const silu = (v: number): number => v / (1 + Math.exp(-v))
  const [into, out] = [numbers(params.in.weight), numbers(params.out.weight)]
  const [kernel, shift] = [numbers(params.conv.weight), numbers(params.conv.bias!)]
  const [logA, D, bias] = [numbers(params.A_log), numbers(params.D), numbers(params.dt_bias)]
  const scale = numbers(params.norm.scale)
  const mixed = inner + 2 * groups * states
  const width = inner + mixed + heads
  const rows = x.toNested() as number[][]
  const projected = rows.map((row) =>
    Array.from({ length: width }, (_, o) => row.reduce((total, v, i) => total + v * into[i * width + o]!, 0)),
  )
  const P = inner / heads
  const h = Array.from({ length: heads }, () => new Float64Array(states * P))
  return projected.map((row, t) => {
    const c = Array.from({ length: mixed }, (_, channel) => {
      let total = shift[channel]!
      for (let tap = 0; tap < taps; tap++) {
        const from = t - (taps - 1) + tap
        if (from >= 0) total += kernel[tap * mixed + channel]! * projected[from]![inner + channel]!
      }
      return silu(total)
    })
    const y = Array.from({ length: inner }, () => 0)
    for (let head = 0; head < heads; head++) {
      const group = Math.floor(head / (heads / groups))
      const dt = Math.log1p(Math.exp(row[inner + mixed + head]! + bias[head]!))
      const decay = Math.exp(-Math.exp(logA[head]!) * dt)
      for (let p = 0; p < P; p++) {
        const v = c[head * P + p]!
        let total = D[head]! * v
        for (let n = 0; n < states; n++) {
          const place = n * P + p
          h[head]![place] = decay * h[head]![place]! + dt * c[inner + group * states + n]! * v
          total += c[inner + groups * states + group * states + n]! * h[head]![place]!
        }
        y[head * P + p] = total
      }
    }
    const gated = y.map((v, i) => (beforeGate ? v : v * silu(row[i]!)))
    const width = inner / parts
    const normed = gated.map((v, i) => {
      const part = gated.slice(Math.floor(i / width) * width).slice(0, width)
      const r = 1 / Math.sqrt(part.reduce((total, w) => total + w * w, 0) / width + eps)
      return v * r * scale[i]! * (beforeGate ? silu(row[i]!) : 1)
    })
    return Array.from({ length: features }, (_, o) =>
      normed.reduce((total, v, i) => total + v * out[i * features + o]!, 0),
    )
  })
}

const x = tensor(normal(keyOf(2), 7 * 6), { shape: [7, 6], dtype: 'float64' })

describe('mamba2', () => {
  it.each(['chunked', 'recurrence', 'segsum'] as const)(
    'as %s is the block written out in float64',
    (form) => {
      const layer = nn.mamba2({ ...sizes, policy, scan: { form, chunk: 3 } })
      const params = layer.init(keyOf(1))
      const expected = plain(params, x).flat()
      layer
        .apply(params, x)
        .toNumbers()
        .forEach((value, i) => {
          expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-13)
        })
    },
  )

  it.each([{}, { eps: 1e-2 }, { groups: 1 }, { groups: 4, beforeGate: true }])(
    'with the norm %j is the block written out in float64',
    (norm) => {
      const layer = nn.mamba2({ ...sizes, policy, norm })
      const params = layer.init(keyOf(4))
      const expected = plain(params, x, norm).flat()
      layer
        .apply(params, x)
        .toNumbers()
        .forEach((value, i) => {
          expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-13)
        })
    },
  )

  it('treats leading axes as a batch, compiles to the same bits, and has gradients', () => {
    const layer = nn.mamba2({ ...sizes, policy: { params: 'float32', compute: 'bfloat16' } })
    const params = layer.init(keyOf(1))
    const two = tensor(normal(keyOf(2), 2 * 7 * 6), { shape: [2, 7, 6] })
    const first = tensor(two.toNumbers().slice(0, 42), { shape: [7, 6] })
    const both = layer.apply(params, two)
    expect(both.dtype).toBe('bfloat16')
    expect(both.toBits().slice(0, 42)).toEqual(layer.apply(params, first).toBits())
    expect(compile((p: typeof params) => layer.apply(p, two))(params).toBits()).toEqual(both.toBits())
    const wide = nn.mamba2({ ...sizes, policy })
    const short = tensor(normal(keyOf(3), 18), { shape: [3, 6], dtype: 'float64' })
    expect(() =>
      checkGrads((p: typeof params) => sum(wide.apply(p, short)), [wide.init(keyOf(1))]),
    ).not.toThrow()
  })

  it('has the parameters that the planner counts, and fresh steps from .001 to .1', () => {
    const config = { family: 'mamba2', D: 128, L: 1, S: 16 } as const
    const params = nn.mamba2({ features: 128, states: 16 }).init(keyOf(0))
    const counted = parameterTensors(config).filter(
      ({ name }) => name.startsWith('layer.') && name !== 'layer.norm',
    )
    expect(leavesOf(params).reduce((total, { size }) => total + size, 0)).toBe(
      counted.reduce((total, { shape }) => total + Object.values(shape).reduce((a, b) => a * b, 1), 0),
    )
    for (const bias of params.dt_bias.toNumbers()) {
      const dt = Math.log1p(Math.exp(bias))
      expect(dt).toBeGreaterThan(0.00099)
      expect(dt).toBeLessThan(0.101)
    }
  })

  it('says what is wrong', () => {
    expect(() => nn.mamba2({ features: 12, heads: 5 })).toThrow(
      new RangeError('mamba2: heads do not divide inner [inner 24, heads 5]'),
    )
    expect(() => nn.mamba2({ features: 12 })).toThrow(
      new RangeError('mamba2: heads is not a whole number, 1 or more [0.375]'),
    )
    expect(() => nn.mamba2({ features: 64, groups: 3 })).toThrow(
      new RangeError('mamba2: groups do not divide the heads [heads 2, groups 3]'),
    )
    expect(() => nn.mamba2({ features: 64, norm: { groups: 3 } })).toThrow(
      new RangeError('mamba2: groups of the norm do not divide inner [inner 128, groups 3]'),
    )
    expect(() => nn.mamba2({ features: 64, norm: { group: 1 } as object })).toThrow(
      'mamba2: norm: unknown option, did you mean groups [group]',
    )
    expect(() => nn.mamba2({ features: 64, scan: { form: 'fast' as 'chunked' } })).toThrow(RangeError)
  })
})
