import {
  andMask,
  attention,
  causalMask,
  type FlashOptions,
  flashAttention,
  fullMask,
  type Mask,
  windowMask,
} from 'tpu-toolkit/kernels'
import { cast, type FloatDType, fromBits, type Tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'

const keys = new Columns('kernels/attention')
const names = new Set(keys.facts.columns.map(({ name }) => name))

interface Case {
  readonly case: string
  readonly heads: number
  readonly kvHeads: number
  readonly tq: number
  readonly tk: number
  readonly d: number
  readonly scale: number
  readonly cap?: number
  readonly blockQ: number
  readonly blockK: number
  readonly mask: {
    readonly causal?: boolean
    readonly offset?: number
    readonly window?: readonly [number | null, number | null]
    readonly segments?: boolean
  }
}
const cases = keys.facts['cases'] as readonly Case[]

function maskOf({ causal, window, offset = 0 }: Case['mask']): Mask {
  const parts = [
    ...(causal ? [causalMask({ offset })] : []),
    ...(window ? [windowMask({ left: window[0], right: window[1], offset })] : []),
  ]
  return parts.length === 0 ? fullMask() : andMask(...parts)
}

/** What each family of columns is called with. */
const forms: Readonly<Record<string, FlashOptions>> = {
  flash2: {},
  flash2_probs32: { probsDtype: 'float32' },
  flash2_ties: { ties: true },
  flash2_probs32_ties: { ties: 7, probsDtype: 'float32' },
  flash2_base2: { exponent: '2' },
  flash2_base2_unfused: { exponent: '2-unfused' },
  splash: { form: 'splash' },
  pallas: { form: 'pallas' },
  bfloat16: { form: 'bfloat16' },
  bfloat16_sums: { form: 'bfloat16', accumulate: 'bfloat16' },
  bfloat16_ties: { form: 'bfloat16', ties: true },
  float32: {},
}

const hex = (bits: Iterable<number>): string => Array.from(bits, (x) => x.toString(16)).join(' ')

describe.each(cases.map((one) => [one.case, one] as const))('flashAttention, %s', (name, one) => {
  const { heads, kvHeads, tq, tk, d, scale, cap, blockQ, blockK, mask } = one
  const operand = (which: string, count: number, t: number): Tensor<'bfloat16'> =>
    fromBits(keys.u16(`${name}_${which}`), { shape: [count, t, d], dtype: 'bfloat16' }) as Tensor<'bfloat16'>
  const [q, k, v] = [operand('q', heads, tq), operand('k', kvHeads, tk), operand('v', kvHeads, tk)]
  const shared: FlashOptions = {
    ...{ scale, blockQ, blockK, mask: maskOf(mask) },
    ...(cap === undefined ? {} : { softCap: cap }),
    ...(mask.segments
      ? { segments: { q: keys.u32(`${name}_segments_q`), kv: keys.u32(`${name}_segments_kv`) } }
      : {}),
  }
  const present = Object.entries(forms).filter(([form]) => names.has(`${name}_${form}`))

  it.each(present)('flashAttention has the bits of %s', (form, options) => {
    const column = `${name}_${form}`
    if (form === 'float32') {
      const wide = flashAttention(cast(q, 'float32'), cast(k, 'float32'), cast(v, 'float32'), {
        ...shared,
        ...options,
      })
      expect(hex(wide.out.toBits() as Uint32Array)).toBe(hex(keys.u32(column)))
      return
    }
    const result = flashAttention(q, k, v, { ...shared, ...options })
    expect(hex(result.out.toBits() as Uint16Array)).toBe(hex(keys.u16(column)))
    const others = { _out32: result.out32, _lse: result.logsumexp, _max: result.max, _sum: result.sum }
    for (const [suffix, x] of Object.entries(others)) {
      if (names.has(column + suffix)) {
        expect(hex(x.toBits() as Uint32Array), suffix).toBe(hex(keys.u32(column + suffix)))
      }
    }
  })

  const { blockQ: _, blockK: __, ...whole } = shared
  const rows = [
    ['softmax16', 'bfloat16'],
    ['softmax32', 'float32'],
  ] as const
  it.each(rows.filter(([form]) => names.has(`${name}_${form}`)))(
    'attention has the bits of %s',
    (form, internal: FloatDType) => {
      expect(hex(attention(q, k, v, { ...whole, internal }).out.toBits() as Uint16Array)).toBe(
        hex(keys.u16(`${name}_${form}`)),
      )
    },
  )

  const exact = names.has(`${name}_exact_f32`) ? [name] : []
  it.each(exact)('attention in float64, rounded to float32, is exact in %s', () => {
    const wide = [q, k, v].map((x) => cast(x, 'float64')) as [
      Tensor<'float64'>,
      Tensor<'float64'>,
      Tensor<'float64'>,
    ]
    const { out, logsumexp } = attention(...wide, whole)
    expect(hex(cast(out, 'float32').toBits() as Uint32Array)).toBe(hex(keys.u32(`${name}_exact_f32`)))
    expect(hex(cast(logsumexp, 'float32').toBits() as Uint32Array)).toBe(
      hex(keys.u32(`${name}_exact_lse_f32`)),
    )
  })
})

it('every column of results is compared with', () => {
  const compared = new Set(
    cases.flatMap(({ case: name }) =>
      [...Object.keys(forms), 'softmax16', 'softmax32', 'exact'].flatMap((form) =>
        ['', '_out32', '_lse', '_max', '_sum', '_f32', '_lse_f32'].map(
          (suffix) => `${name}_${form}${suffix}`,
        ),
      ),
    ),
  )
  const operands = /_(q|k|v|segments_q|segments_kv)$/
  expect([...names].filter((name) => !operands.test(name) && !compared.has(name))).toEqual([])
})
