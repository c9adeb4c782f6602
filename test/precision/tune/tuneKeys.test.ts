import { fromBits, type Tensor } from 'tpu-toolkit'
import { tune } from 'tpu-toolkit/precision'
import { describe, expect, it } from 'vitest'
import { type Expression, expressions, keyRules, programOf } from '../../support/precisionKeys.js'

const kept = expressions.filter(({ bfloat16: key }) => key.keepFloat32)

/** All samples of an expression as the elements of its inputs. */
function samplesOf({ inputs, bfloat16: { samples } }: Expression): Record<string, Tensor> {
  return Object.fromEntries(
    inputs.map(({ name }, k) => {
      const codes = samples.map(({ x }) => Number.parseInt(x[k]!, 16))
      return [name, fromBits(codes, { shape: [codes.length], dtype: 'bfloat16' })]
    }),
  )
}

describe.each(kept.map((expression) => ({ name: expression.name, expression })))(
  'tune($name), the sets of the keys',
  ({ expression }) => {
    const f = programOf(expression, 'bfloat16')
    const inputs = samplesOf(expression)
    const sizes = expression.bfloat16.keepFloat32!

    it('meets the mean error of every size with the least number of operations', () => {
      for (const { meanBits } of sizes) {
        // The key has four decimals.
        const target = { meanBits: meanBits + 1e-4 }
        const least = sizes.find((other) => other.meanBits <= target.meanBits)!
        const tuning = tune(f, inputs, { target, reference: 'real', rules: keyRules })
        expect(tuning.met).toBe(true)
        expect(tuning.least).toBe(true)
        expect(tuning.cost.count).toBe(least.size)
      }
    })
  },
)

describe('tune, without trying every cheaper set', () => {
  it('reaches the least size for every target of the keys in 32 of the 33 programs, and stays 1-minimal', () => {
    const missed: string[] = []
    for (const expression of kept) {
      const f = programOf(expression, 'bfloat16')
      const inputs = samplesOf(expression)
      const sizes = expression.bfloat16.keepFloat32!
      const larger = sizes.filter(({ meanBits }) => {
        const target = { meanBits: meanBits + 1e-4 }
        const least = sizes.find((other) => other.meanBits <= target.meanBits)!
        const tuning = tune(f, inputs, { target, reference: 'real', rules: keyRules, exhaustive: 0 })
        expect(tuning.met).toBe(true)
        for (const { value } of tuning.without) expect(value).toBeGreaterThan(target.meanBits)
        return tuning.cost.count > least.size
      })
      if (larger.length > 0) missed.push(`${expression.name} ${larger.map(({ size }) => size).join(' ')}`)
    }
    expect(missed).toEqual(['n-log-n-difference 3 4'])
  })
})
