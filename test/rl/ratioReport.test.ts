import { readFileSync } from 'node:fs'
import { type FormatName, nextDown, nextUp, round, ulp } from 'tpu-toolkit/formats'
import { ratioLevels, ratioReport } from 'tpu-toolkit/rl'
import { exp, fromBits, log, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'

interface Neighbour {
  readonly format: FormatName
  readonly p: number
  readonly logProb: number
  readonly ulp: number
  readonly ratioUp: number
  readonly ratioDown: number
}

const facts = JSON.parse(readFileSync(new URL('../golden/rl/ratio.json', import.meta.url), 'utf8')) as {
  neighbours: readonly Neighbour[]
  levels: Readonly<Record<'bfloat16' | 'float16', { ratioIsOneUpTo: number; ratioIsOneDownTo: number }>>
}
const keys = new Columns('rl/ratios')

describe('ratios of narrow formats', () => {
  it.each(facts.neighbours)(
    '$format, p = $p: the log-probability, its ulp, and the ratio one code on',
    (at) => {
      const { format, p, logProb } = at
      expect(round(Math.log(p), format)).toBe(logProb)
      expect(ulp(logProb, format)).toBe(at.ulp)
      const one = (x: number): Tensor => tensor([x], { dtype: format })
      expect(ratioReport(one(nextUp(logProb, format)), one(logProb)).greatest).toBe(at.ratioUp)
      expect(ratioReport(one(nextDown(logProb, format)), one(logProb)).greatest).toBe(at.ratioDown)
    },
  )

  it.each(['bfloat16', 'float16'] as const)(
    'ratioLevels(%s) counts the ratios between the bounds of the clip',
    (format) => {
      const { ratioIsOneUpTo, ratioIsOneDownTo, ...counts } = ratioLevels(format)
      const expected = facts.levels[format]
      expect(expected).toMatchObject(counts)
      // The key has the last of a grid of 2^-26 that still gives 1.
      expect(Math.abs(ratioIsOneUpTo - expected.ratioIsOneUpTo)).toBeLessThanOrEqual(2 ** -26)
      expect(Math.abs(ratioIsOneDownTo - expected.ratioIsOneDownTo)).toBeLessThanOrEqual(2 ** -26)
    },
  )

  it('the exponential of every bfloat16 difference in [-1/4, 1/4] is that of the key', () => {
    const differences = fromBits(keys.u16('differences'), { shape: [32002], dtype: 'bfloat16' })
    expect(exp(differences).toBits()).toEqual(keys.u16('ratios'))
  })

  it('ratioReport counts what is 1, beyond the clip, and distinct', () => {
    const p = tensor([0.5, 0.5, 0.25, 0.125])
    const q = tensor([0.5, 0.25, 0.5, 0.125])
    expect(ratioReport(log(p), log(q))).toMatchObject({
      count: 4,
      exactlyOne: 0.5,
      beyondClip: 0.5,
      distinct: 3,
    })
  })
})
