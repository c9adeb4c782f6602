import { readFileSync } from 'node:fs'
import { type Form, forms, type SsmInputs, type SsmOptions } from 'tpu-toolkit/ssm'
import { cast, type FloatDType, fromBits, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

interface FormsCase {
  readonly L: number
  readonly P: number
  readonly N: number
  readonly Q: number
  readonly A: number
  readonly x: string
  readonly dt: string
  readonly B: string
  readonly C: string
  readonly y_f64: string
  /** max |error| / max |y| of that program; null where it had NaN or Inf. */
  readonly rel_err_vs_f64_recurrence: Record<string, Record<string, number | null>>
}

const { cases } = JSON.parse(readFileSync(new URL('../golden/ssm/forms.json', import.meta.url), 'utf8')) as {
  cases: FormsCase[]
}

const codes = (hex: string): number[] => (hex.match(/.{4}/g) ?? []).map((code) => Number.parseInt(code, 16))

function inputsOf({ L, P, N, A, x, dt, B, C }: FormsCase, dtype: FloatDType): SsmInputs {
  const read = (hex: string, shape: number[]): Tensor =>
    cast(fromBits(codes(hex), { shape, dtype: 'bfloat16' }), dtype)
  return {
    x: read(x, [L, P]),
    dt: read(dt, [L]),
    A: tensor(A, { dtype }),
    B: read(B, [L, N]),
    C: read(C, [L, N]),
  }
}

const references = cases.map(({ y_f64 }) => {
  const words = (y_f64.match(/.{16}/g) ?? []).map((bits) => BigInt(`0x${bits}`))
  return new Float64Array(BigUint64Array.from(words).buffer)
})

/** max |error| over max |y|, as the key measures it; NaN where an output is. */
function relativeError(y: Tensor, reference: Float64Array): number {
  const largest = Math.max(...reference.map(Math.abs))
  return Math.max(...y.toNumbers().map((value, i) => Math.abs(value - reference[i]!))) / largest
}

const keyed: readonly (readonly [name: string, form: Form])[] = [
  ['recurrence', 'recurrence'],
  ['factorized', 'factorized'],
  ['pairdiff', 'pairwise'],
  ['pairdiff', 'pairwise-mask-after'],
  ['segsum', 'segsum'],
  ['chunked', 'chunked'],
]

// That program keeps sums of products and states in float64; in float32 it shows, so the same is asked for there.
const float32: SsmOptions = { accumulate: 'float64', dtypes: { states: 'float64' } }

describe.each(cases.map((key, i) => ({ key, reference: references[i]!, i, L: key.L, A: key.A })))(
  'the forms of L $L, A $A (case $i) against an independent program',
  ({ key, reference }) => {
    const { f64, bf16, f32 } = key.rel_err_vs_f64_recurrence as Record<
      'f64' | 'bf16' | 'f32',
      Record<string, number | null>
    >

    it.each(Object.keys(forms) as Form[])(
      '%s is the float64 recurrence to 4 ulp of its largest output',
      (form) => {
        const y = forms[form](inputsOf(key, 'float64'), { chunk: key.Q, limit: 1e3 })
        // Its own forms are within 3e-16 of each other: an ulp or two. float64 holds every exponent here.
        expect(Math.max(...Object.values(f64).map((error) => error ?? 0))).toBeLessThan(3e-16)
        expect(relativeError(y, reference)).toBeLessThan(4 * 2 ** -52)
        expect([y.dtype, ...y.shape]).toEqual(['float64', key.L, key.P])
      },
    )

    it.each(keyed)('%s (%s) errs in bfloat16 by at most twice what it errs there', (name, form) => {
      const y = forms[form](inputsOf(key, 'bfloat16'), { chunk: key.Q })
      const error = relativeError(y, reference)
      const masked = form === 'pairwise-mask-after' && Number.isNaN(error)
      if (bf16[name] === null || masked) expect(error).toBeNaN()
      else expect(error).toBeLessThanOrEqual(2 * bf16[name]!)
      expect(y.dtype).toBe('bfloat16')
    })

    it.each(keyed)('%s (%s) errs in float32 by at most twice what the forms err there', (name, form) => {
      const error = relativeError(
        forms[form](inputsOf(key, 'float32'), { ...float32, chunk: key.Q }),
        reference,
      )
      const masked = form === 'pairwise-mask-after' && Number.isNaN(error)
      // Its chunked form keeps more in float64 than this one: the largest error of its forms is the measure here.
      const largest = Math.max(...Object.values(f32).map((value) => value ?? 0))
      if (f32[name] === null || masked) expect(error).toBeNaN()
      else expect(error).toBeLessThanOrEqual(2 * largest)
    })
  },
)
