import { fromBits, type Tensor } from 'tpu-toolkit'
import { suggestRewrites } from 'tpu-toolkit/precision'
import { describe, expect, it } from 'vitest'
import { executeText } from '../../support/executeText.js'
import { hamming } from '../../support/hamming.js'
import { readText } from '../../support/project.js'

interface Key {
  readonly name: string
  readonly inputs: readonly string[]
  readonly samples: readonly (readonly string[])[]
}

const keys: readonly Key[] = JSON.parse(readText('test/golden/precision/hamming.json')).expressions

const codesOf = (key: Key, k: number): Uint32Array =>
  Uint32Array.from(key.samples, (sample) => Number.parseInt(sample[k]!, 16))

/** Mean bits of error beside mpmath's codes, as Herbie counts them. */
function bitsOfError(result: Tensor, key: Key): number {
  const ordinal = (code: number): number => (code >= 2 ** 31 ? 2 ** 31 - code : code)
  const [got, values, truth] = [result.toBits(), result.toNumbers(), codesOf(key, key.inputs.length)]
  const bits = Array.from(truth, (code, i) =>
    Number.isNaN(values[i]) ? 32 : Math.log2(1 + Math.abs(ordinal(Number(got[i])) - ordinal(code))),
  )
  return bits.reduce((a, b) => a + b, 0) / bits.length
}

const several = ['qlog', 'sqrtexp', 'logs', 'expq3']

describe("suggestRewrites of Hamming's 28 expressions, beside mpmath", () => {
  const found = keys.map((key) => {
    const inputs = Object.fromEntries(
      key.inputs.map((name, k) => [
        name,
        fromBits(codesOf(key, k), { dtype: 'float32', shape: [key.samples.length] }),
      ]),
    )
    const f = ({ ...x }: typeof inputs): Tensor => hamming[key.name]!(x)
    return { key, inputs, f, rewriting: suggestRewrites(f, inputs) }
  })

  it.each(found)(
    'finds a form of $key.name, which runs as it is printed',
    ({ key, inputs, f, rewriting }) => {
      const { rewrites, reference } = rewriting
      expect(rewrites.length).toBeGreaterThan(0)
      expect(reference).toBe('real')
      // Where several lines are rewritten, or one inside another, the text is a part.
      if (several.includes(key.name)) return
      expect(rewrites.flatMap(({ operands }) => operands)).toEqual([])
      expect(rewrites.length).toBe(1)
      const after = bitsOfError(executeText(rewrites[0]!.to, inputs), key)
      expect(after).toBeLessThan(bitsOfError(f(inputs), key))
      if (key.name !== '2nthrt') expect(after).toBeLessThan(1.5)
    },
  )

  it('repairs 27 of them to under 1.5 bits', () => {
    const repaired = found.filter(({ rewriting: { after } }) => after.of - after.mean < 1.5)
    expect(repaired.length).toBeGreaterThanOrEqual(27)
  })
})
