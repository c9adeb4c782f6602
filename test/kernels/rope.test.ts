import fc from 'fast-check'
import { grad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import {
  applyRope,
  type RopeFrequencies,
  type RopeScaling,
  ropeCache,
  ropeFrequencies,
} from 'tpu-toolkit/kernels'
import { fromBits, matmul, sum, type Tensor, tensor, transpose } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { seed } from '../support/seed.js'

interface Case {
  readonly case: string
  readonly d: number
  readonly base: number
  readonly scaling: RopeScaling | null
  readonly attentionFactor: number
}

const key = new Columns('kernels/rope')
const cases = key.facts['cases'] as readonly Case[]
const positions = Array.from(key.u32('positions'))
const frequenciesOf = ({ d: dim, base, scaling }: Case): RopeFrequencies<'float32'> =>
  ropeFrequencies({ dim, base, scaling: scaling ?? { kind: 'none' } })
const bits = (x: Tensor): ArrayLike<unknown> => x.toBits()

describe.each(cases)('rope, $case, against an emulation in NumPy', (one) => {
  const { case: name, d: dim, base, attentionFactor } = one
  const frequencies = frequenciesOf(one)
  it('ropeFrequencies and ropeCache have its bits', () => {
    expect(bits(frequencies.values)).toEqual(key.u32(`${name}_freq`))
    expect(frequencies.attentionFactor).toBeCloseTo(attentionFactor, 15)
    const cache = ropeCache(frequencies, positions)
    expect(bits(cache.cos)).toEqual(key.u32(`${name}_cos`))
    expect(bits(cache.sin)).toEqual(key.u32(`${name}_sin`))
  })

  it("ropeFrequencies in float64 are within an engine's pow of it", () => {
    const { values } = ropeFrequencies({
      dim,
      base,
      scaling: one.scaling ?? { kind: 'none' },
      dtype: 'float64',
    })
    const wanted = new Float64Array(key.u64(`${name}_freq_f64`).slice().buffer)
    for (const [i, w] of wanted.entries()) {
      // A power, a logarithm and four operations: 16 ulps is what the key allows.
      expect(Math.abs(values.data[i]! - w)).toBeLessThanOrEqual(16 * 2 ** -52 * w)
    }
  })
})

describe.each(cases.filter(({ scaling }) => scaling === null))('applyRope, $case', (one) => {
  const { case: name, d: dim, base } = one
  const x = fromBits(key.u16(`${name}_x`), { shape: [2, positions.length, dim], dtype: 'bfloat16' })
  const frequencies = frequenciesOf(one)
  const table16 = ropeCache(frequencies, positions, { dtype: 'bfloat16' })

  it('ropeFrequencies as a chain of float32 steps has its bits', () => {
    expect(bits(ropeFrequencies({ dim, base, computed: 'chain' }).values)).toEqual(
      key.u32(`${name}_freq_chain`),
    )
  })

  it('ropeCache in bfloat16, of bfloat16 frequencies, of bfloat16 angles has its bits', () => {
    const freq16 = ropeFrequencies({ dim, base, dtype: 'bfloat16' })
    const tables = {
      table: table16,
      freq16: ropeCache(freq16, positions, { dtype: 'bfloat16' }),
      all16: ropeCache(frequencies, positions, { angles: 'bfloat16' }),
    }
    for (const [form, { cos, sin }] of Object.entries(tables)) {
      expect(bits(cos)).toEqual(key.u16(`${name}_${form}_cos`))
      expect(bits(sin)).toEqual(key.u16(`${name}_${form}_sin`))
    }
  })

  it.each(['half', 'interleaved'] as const)('applyRope, %s, has its bits in every rounding', (layout) => {
    const table = ropeCache(frequencies, positions)
    const forms = {
      fused: applyRope(x, table, { layout }),
      table16: applyRope(x, table16, { layout, internal: 'float32' }),
      op: applyRope(x, table16, { layout }),
    }
    for (const [form, turned] of Object.entries(forms)) {
      expect(bits(turned)).toEqual(key.u16(`${name}_${layout}_${form}`))
    }
  })
})

describe(`applyRope, properties (seed ${seed})`, () => {
  const dim = 8
  const wide = ropeFrequencies({ dim, dtype: 'float64' })
  const vector = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: dim, maxLength: dim })
  const layout = fc.constantFrom('half' as const, 'interleaved' as const)
  const position = fc.integer({ min: 0, max: 100_000 })
  const row = (values: number[]): Tensor<'float64'> => tensor(values, { shape: [1, dim], dtype: 'float64' })
  const at = (values: number[], p: number, how: 'half' | 'interleaved'): Tensor<'float64'> =>
    applyRope(row(values), ropeCache(wide, [p]), { layout: how })
  const dot = (a: Tensor<'float64'>, b: Tensor<'float64'>): number => matmul(a, transpose(b)).item()

  it('applyRope keeps norms, and its products depend on the distance alone', () => {
    fc.assert(
      fc.property(vector, vector, position, position, fc.nat(1000), layout, (q, k, p, r, shift, how) => {
        const [n, m] = [dot(row(q), row(q)), dot(row(k), row(k))]
        expect(Math.abs(dot(at(q, p, how), at(q, p, how)) - n)).toBeLessThanOrEqual(2 ** -46 * n)
        const near = dot(at(q, p, how), at(k, r, how))
        const far = dot(at(q, p + shift, how), at(k, r + shift, how))
        // Angles up to 101,000 are off by half an ulp, 2^-37, and by that of their product, as much again.
        expect(Math.abs(near - far)).toBeLessThanOrEqual(2 ** -34 * Math.sqrt(n * m) + 2 ** -40)
      }),
      { seed, numRuns: 100 },
    )
  })

  it('applyRope with frequencies in bfloat16 still depends on the distance alone, with angles in bfloat16 it does not', () => {
    const ones = row(Array.from({ length: dim }, () => 1))
    const product = (shift: number, angles: 'float32' | 'bfloat16'): number => {
      const cache = ropeCache(ropeFrequencies({ dim, dtype: 'bfloat16' }), [shift, shift + 100], { angles })
      const pair = applyRope(
        tensor(new Float64Array(2 * dim).fill(1), { shape: [2, dim], dtype: 'float64' }),
        cache,
        {
          internal: 'float64',
        },
      )
      return matmul(pair, transpose(pair)).data[1]!
    }
    const norm = dot(ones, ones)
    expect(Math.abs(product(0, 'float32') - product(1000, 'float32'))).toBeLessThan(1e-3 * norm)
    expect(Math.abs(product(0, 'bfloat16') - product(1000, 'bfloat16'))).toBeGreaterThan(0.1 * norm)
  })

  it('the gradient of applyRope is the turn back', () => {
    const cache = ropeCache(ropeFrequencies({ dim: 4 }), [3, 5])
    const x = tensor([
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ])
    for (const layout of ['half', 'interleaved'] as const) {
      const weights = tensor(
        Array.from({ length: 8 }, (_, i) => i + 1),
        { shape: [2, 4] },
      )
      const f = (v: typeof x): Tensor => {
        const turned = applyRope(v, cache, { layout })
        return sum(matmul(turned, transpose(weights)), { axis: [0, 1] })
      }
      const g = grad(f)(x)
      const all = tensor([
        [6, 8, 10, 12],
        [6, 8, 10, 12],
      ])
      const opposite = tensor(
        cache.sin.data.map((angle) => -angle),
        { shape: [2, 2] },
      )
      const back = applyRope(all, { cos: cache.cos, sin: opposite }, { layout })
      for (let i = 0; i < g.size; i++) expect(g.data[i]).toBeCloseTo(back.data[i]!, 4)
    }
  })

  it('applyRope compiles to the same bits', () => {
    const cache = ropeCache(ropeFrequencies({ dim: 4 }), [3, 5])
    const f = (v: Tensor<'bfloat16'>): Tensor => applyRope(v, cache, { layout: 'interleaved' })
    const x = tensor([1, 2, 3, 4, 5, 6, 7, 8], { shape: [2, 4], dtype: 'bfloat16' })
    expect(compile(f)(x).toBits()).toEqual(f(x).toBits())
  })
})

describe('ropeFrequencies, yarn', () => {
  const yarn = { kind: 'yarn', factor: 40, original: 4096 } as const
  const factorOf = (more: object): number =>
    ropeFrequencies({ dim: 64, scaling: { ...yarn, ...more } }).attentionFactor

  it('has the attention factor of the paper, of DeepSeek-V3, and the one given', () => {
    // m(x) = .1 x ln 40 + 1, https://huggingface.co/deepseek-ai/DeepSeek-V3/blob/main/config.json
    expect(factorOf({})).toBeCloseTo(1.3688879454113936, 15)
    expect(factorOf({ mscale: 1, mscaleAllDim: 1 })).toBe(1)
    expect(factorOf({ mscale: 0.75, mscaleAllDim: 0.75 })).toBe(1)
    expect(factorOf({ mscale: 0.75 })).toBeCloseTo(0.075 * Math.log(40) + 1, 15)
    expect(factorOf({ mscale: 1, mscaleAllDim: 0.5 })).toBeCloseTo(
      1.3688879454113936 / 1.1844439727056968,
      15,
    )
    expect(factorOf({ attentionFactor: 0.9, mscale: 2 })).toBe(0.9)
  })

  it('with truncate false ramps between fractions of a pair, as gpt-oss', () => {
    const gptOss = { dim: 64, base: 150000, dtype: 'float64' } as const
    const scaling = { kind: 'yarn', factor: 32, original: 4096, truncate: false } as const
    const { values } = ropeFrequencies({ ...gptOss, scaling })
    const pair = (turns: number): number =>
      (64 * Math.log(4096 / (2 * Math.PI * turns))) / (2 * Math.log(150000))
    const [low, high] = [pair(32), pair(1)]
    for (const [i, w] of values.toNumbers().entries()) {
      const ramp = Math.min(Math.max((i - low) / (high - low), 0), 1)
      const own = 150000 ** ((-2 * i) / 64)
      expect(Math.abs(w / (own * (1 - ramp) + (own / 32) * ramp) - 1)).toBeLessThan(2 ** -48)
    }
    expect(
      ropeFrequencies({ ...gptOss, scaling: { ...scaling, truncate: true } }).values.toNumbers(),
    ).not.toEqual(values.toNumbers())
  })

  // Between two pairs the frequencies go from w to w / factor; the pairs are cut to 0 .. dim - 1, as `find_correction_range` of the paper's code.
  it.each([
    ['from 0', { dim: 8, base: 10_000, original: 64 }, [1, 5 / 8, 1 / 4, 1 / 4]],
    ['to dim - 1', { dim: 4, base: 10, original: 343 }, [1, 3 / 4]],
    ['within one pair', { dim: 4, base: 10, original: 6 }, [1, 1 / 4]],
  ])('%s', (_, { original, ...options }, shares) => {
    const of = (scaling: RopeScaling) =>
      ropeFrequencies({ ...options, scaling, dtype: 'float64' }).values.data
    const plain = of({ kind: 'none' })
    const scaled = of({ kind: 'yarn', factor: 4, original })
    for (const [i, share] of shares.entries()) expect(scaled[i]! / plain[i]!).toBeCloseTo(share, 14)
  })
})

describe('rope, wrong arguments', () => {
  const cache = ropeCache(ropeFrequencies({ dim: 4 }), [0, 1])
  const wrong: readonly [() => unknown, string][] = [
    [() => ropeFrequencies({ dim: 5 }), 'ropeFrequencies: dim is odd, elements turn in pairs [5]'],
    [() => ropeFrequencies({ dim: 0 }), 'ropeFrequencies: dim is not a whole number, 2 or more [0]'],
    [
      () => ropeFrequencies({ dim: 4, scaling: { kind: 'yarm' } as unknown as RopeScaling }),
      'ropeFrequencies: unknown scaling, did you mean yarn [yarm]',
    ],
    [
      () => ropeFrequencies({ dim: 4, scaling: { kind: 'linear' } as unknown as RopeScaling }),
      'ropeFrequencies: linear has no factor [linear]',
    ],
    ...(
      [
        [
          { kind: 'yarn', factor: 4, original: 64, attention_factor: 1 },
          'yarn: unknown option, did you mean attentionFactor [attention_factor]',
        ],
        [
          { kind: 'yarn', factor: 4, original: 64, mscale_all_dim: 1 },
          'yarn: unknown option, did you mean mscaleAllDim [mscale_all_dim]',
        ],
        [
          { kind: 'llama3', factor: 8, original: 8192, low_freq_factor: 1 },
          'llama3: unknown option, did you mean lowFreqFactor [low_freq_factor]',
        ],
        [
          { kind: 'linear', factor: 4, original: 64 },
          'linear: unknown option, there are kind, factor [original]',
        ],
        [{ kind: 'none', factor: 4 }, 'none: unknown option, there are kind [factor]'],
        [
          { kind: 'yarn', factor: 4, original: 64, betaFast: 0 },
          'yarn needs betaFast > betaSlow > 0 [0 and 1]',
        ],
        [
          { kind: 'yarn', factor: 4, original: 64, attentionFactor: 0 },
          'yarn attentionFactor is not above 0 [0]',
        ],
        [
          { kind: 'llama3', factor: 8, original: 64, highFreqFactor: 1 },
          'llama3 needs highFreqFactor > lowFreqFactor [1 and 1]',
        ],
      ] as const
    ).map(([scaling, message]): [() => unknown, string] => [
      () => ropeFrequencies({ dim: 4, scaling: scaling as unknown as RopeScaling }),
      `ropeFrequencies: ${message}`,
    ]),
    [() => applyRope(tensor([[1, 2, 3]]), cache), 'applyRope: x is not [..., positions, an even d] [1, 3]'],
    [
      () => applyRope(tensor([[1, 2, 3, 4]]), cache),
      'applyRope: the table is not [positions, d / 2] of x [2, 2] and [1, 4]',
    ],
    [
      () => ropeCache(ropeFrequencies({ dim: 4 }), [0], { angles: 'float8_e4m3fn' }),
      'ropeCache: angles need a wider range than 8 bits have [float8_e4m3fn]',
    ],
  ]
  it.each(wrong)('%s says what is wrong', (call, message) => expect(call).toThrow(message))
})
