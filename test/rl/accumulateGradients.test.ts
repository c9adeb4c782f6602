import { accumulateGradients } from 'tpu-toolkit/rl'
import { cast, div, type FloatDType, fromBits, slice, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'

const keys = new Columns('rl/accumulate')
const rules = ['mean-of-means', 'weighted', 'sum'] as const
const labels = ['f64', 'f32', 'bf16-f32', 'bf16'] as const
const n = keys.facts['n'] as number
const samples = fromBits(keys.u32('f32_samples'), { shape: [n, 8], dtype: 'float32' })
const doubles = (name: string) => new Float64Array(BigUint64Array.from(keys.u64(name)).buffer)

/** Sums of rows one after the other, or their means, of each micro-batch. */
function partsOf(sizes: readonly number[], rows: Tensor, sums: boolean) {
  let from = 0
  return sizes.map((size) => {
    const total = sum(slice(rows, [[from, from + size]]), { axis: 0, order: 'sequential' })
    from += size
    return { gradients: { w: sums ? total : div(total, size) }, rows: size }
  })
}

/** What the key's rows are in float64: made of x, w and the target, exactly as written there. */
function exactSamples(): Tensor {
  const bf16 = (name: string) =>
    fromBits(keys.u16(name), { shape: [keys.u16(name).length], dtype: 'bfloat16' }).toNumbers()
  const [x, target, w] = [bf16('x'), bf16('target'), bf16('w')]
  const values = new Float64Array(n * 8)
  for (let i = 0; i < n; i++) {
    let p = 0
    for (let j = 0; j < 8; j++) p += x[8 * i + j]! * w[j]!
    for (let j = 0; j < 8; j++) values[8 * i + j] = 2 * (p - target[i]!) * x[8 * i + j]!
  }
  return tensor(values, { shape: [n, 8], dtype: 'float64' })
}

const dtypesOf: Readonly<Record<(typeof labels)[number], { dtype: FloatDType; partDtype: FloatDType }>> = {
  f64: { dtype: 'float64', partDtype: 'float64' },
  f32: { dtype: 'float32', partDtype: 'float32' },
  'bf16-f32': { dtype: 'float32', partDtype: 'bfloat16' },
  bf16: { dtype: 'bfloat16', partDtype: 'bfloat16' },
}

describe('accumulateGradients', () => {
  const all = (['equal', 'unequal'] as const).flatMap((sizes) =>
    rules.flatMap((rule) => labels.map((label) => ({ sizes, rule, label }))),
  )
  it.each(all)('$sizes parts, $rule, $label: the bits of the key', ({ sizes, rule, label }) => {
    const rows = label === 'f64' ? exactSamples() : samples
    const parts = partsOf(keys.facts[sizes] as readonly number[], rows, rule === 'sum')
    const found = accumulateGradients(parts, { rule, ...dtypesOf[label] }).w
    const column = `${sizes}_${rule}_${label}`
    if (label === 'f64') {
      const expected = doubles(column)
      expect(Math.max(...found.toNumbers().map((v, i) => Math.abs(v - expected[i]!)))).toBeLessThanOrEqual(
        1e-12,
      )
    } else {
      expect(found.toBits()).toEqual(label === 'bf16' ? keys.u16(column) : keys.u32(column))
    }
  })

  it.each(
    keys.facts['oneAndManyOf2ToMinus9'] as readonly { parts: number; bfloat16: number; float32: number }[],
  )('one and $parts parts of 2^-9: lost in bfloat16', ({ parts, bfloat16, float32 }) => {
    const all = Array.from({ length: parts }, (_, i) => ({
      gradients: tensor([i === 0 ? 1 : 2 ** -9]),
      rows: 1,
    }))
    const total = (dtype: FloatDType) => accumulateGradients(all, { rule: 'sum', dtype }).item() * parts
    expect(total('bfloat16')).toBe(bfloat16)
    expect(total('float32')).toBe(float32)
  })

  it('takes parts one by one from a generator that says how many rows there are', () => {
    let alive = 0
    function* parts() {
      for (const rows of [3, 1]) {
        alive++
        yield { gradients: cast(tensor([rows]), 'float32'), rows }
      }
    }
    expect(accumulateGradients(parts(), { rows: 4 }).item()).toBe(2.5)
    expect(alive).toBe(2)
    expect(() => accumulateGradients(parts())).toThrow('weights need the rows of all parts, say rows')
    expect(() => accumulateGradients(parts(), { rows: 5 })).toThrow(
      'the rows of the parts do not add up to the option rows [4 of 5]',
    )
  })

  it('refuses no parts, parts of no rows, unknown rules', () => {
    expect(() => accumulateGradients([])).toThrow('no parts')
    expect(() => accumulateGradients([{ gradients: tensor([1]), rows: 0 }])).toThrow(
      'rows of a part is not a whole number',
    )
    expect(() => accumulateGradients([], { rule: 'mean' as never })).toThrow('unknown rule')
  })
})
