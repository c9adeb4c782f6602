import { describe, expect, it } from 'vitest'
import { arithmetics } from '../../lab/sections/automaton/automatonMessages.js'
import { differenceOf, shadeOf } from '../../lab/sections/automaton/difference.js'
import { growths } from '../../lab/sections/automaton/growthOf.js'
import { healedOf } from '../../lab/sections/automaton/healedOf.js'

describe('the automaton of the lab', () => {
  it('says how much of a wound is healed', () => {
    expect(healedOf(0.001, 0.011, 0.006)).toBe('50 % healed')
    expect(healedOf(0.001, 0.011, 0.0005)).toBe('100 % healed')
    expect(healedOf(0.001, 0.011, 0.02)).toBe('not healed')
    expect(healedOf(0.001, 0.011, Number.NaN)).toBe('not healed')
    expect(healedOf(0.001, 0.001, 0.001)).toBe('none')
  })

  it('shades a difference by its decade, and one that is no number fully', () => {
    expect([1e-5, 1e-4, 1e-2, 1, 10, Infinity, 0].map(shadeOf)).toEqual([0, 0, 0.5, 1, 1, 1, 0])
    const cells = (value: number) => ({ cells: new Float32Array(4 * 24 * 24).fill(value), loss: 0, lost: 0 })
    const off = cells(0.25)
    off.cells[5] = 1
    off.cells[9] = Number.NaN
    const differences = differenceOf(off, cells(0))
    expect([differences[0], differences[1], differences[2]]).toEqual([0.25, 1, Infinity])
  })

  it('heals, and stalls in fp8 where its updates are an eighth', () => {
    const grow = growths()
    const last = (asked: Parameters<typeof grow>[0]) => [...grow(asked)].at(-1)!
    const at = (name: string): number => arithmetics.findIndex((one) => one.name === name)
    const wound = { step: 40, x: 0, y: 0, radius: 0.3 }
    const { hurt, grown } = last({ seed: 1, scale: 1, to: 56, wounds: [wound] })
    for (const [i, { loss }] of grown.entries()) {
      expect(hurt!.after[i]).toBeGreaterThan(hurt!.before[i]!)
      expect(loss).toBeLessThan(hurt!.after[i]!)
    }
    // Asked for another scale it begins again.
    const small = last({ seed: 1, scale: 1 / 8, to: 96, wounds: [] })
    expect(small.hurt).toBeUndefined()
    const [wide, narrow] = [small.grown[0]!, small.grown[at('float8_e4m3fn')]!]
    // The seed alone is 0.07 off; fp8 stays there.
    expect(wide.loss).toBeLessThan(0.9 * narrow.loss)
    const moved = last({ seed: 1, scale: 1 / 8, to: 112, wounds: [] })
    expect(Math.abs(moved.grown[at('float8_e4m3fn')]!.loss - narrow.loss)).toBeLessThan(0.02 * narrow.loss)
  })
})
