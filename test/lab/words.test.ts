import { readFileSync } from 'node:fs'
import { decode, format } from 'tpu-toolkit/formats'
import { tune } from 'tpu-toolkit/precision'
import { key, normal } from 'tpu-toolkit/random'
import { div, exp, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { fixed } from '../../lab/parts/fixed.js'
import { driftOf } from '../../lab/sections/drift/driftOf.js'
import { codeLabel } from '../../lab/sections/number/codeLabel.js'
import { tunedText } from '../../lab/sections/program/tunedText.js'
import { root } from '../support/project.js'

describe('what the lab writes', () => {
  it('a number that rounds to 0 has no sign', () => {
    expect([fixed(-0.01, 1), fixed(-0.06, 1), fixed(12.345, 2)]).toEqual(['0.0', '-0.1', '12.35'])
  })

  it.each(['float8_e4m3fn', 'float8_e5m2', 'float8_e3m4'] as const)('labels of %s codes differ', (name) => {
    const record = format(name)
    const values = Array.from({ length: 128 }, (_, code) => decode(code, record)).filter(Number.isFinite)
    const labels = values.map((value) => codeLabel(value, String(value)))
    expect(new Set(labels).size).toBe(values.length)
    expect(Math.max(...labels.map((label) => label.length))).toBeLessThanOrEqual(7)
  })

  it('the answer of tune is text', () => {
    const f = (x: Tensor<'bfloat16'>): Tensor => {
      const weights = exp(x)
      return div(weights, sum(weights, { accumulate: x.dtype }))
    }
    const x = tensor(normal(key(1), 512), { dtype: 'bfloat16' })
    const text = tunedText(tune(f as (x: Tensor) => Tensor, x as Tensor, { target: { meanBits: 1 } }))
    expect(text).toMatch(/^Keep wide: .*sum#0/)
    expect(text).not.toMatch(/object|undefined|NaN/)
  })

  it('the exact sum of infinite numbers is infinite', () => {
    const asked = {
      id: 1,
      values: Float64Array.of(1e300, 1e300),
      dtype: 'float32',
      order: 'sequential',
    } as const
    const { exact, sums } = driftOf({ ...asked, accumulate: 'float32' })
    expect([exact.at(-1), sums.at(-1)]).toEqual([Infinity, Infinity])
  })
})

describe('the picture of README', () => {
  it.each(['light', 'dark'])('%s: no text leaves it, at .58 em a letter', (scheme) => {
    const svg = readFileSync(`${root}docs/pictures/run-to-nan-${scheme}.svg`, 'utf8')
    const texts = [...svg.matchAll(/<text x="([\d.]+)"([^>]*)>(.*?)<\/text>/g)]
    expect(texts.length).toBeGreaterThan(10)
    for (const [, x, attributes = '', inside = ''] of texts) {
      const size = Number(/font-size="(\d+)"/.exec(attributes)?.[1] ?? 15)
      const width = 0.58 * size * inside.replace(/<[^>]*>/g, '').length
      if (!attributes.includes('text-anchor')) expect(Number(x) + width, inside).toBeLessThan(720)
      if (attributes.includes('end')) expect(Number(x) - width, inside).toBeGreaterThan(-2)
    }
  })
})
