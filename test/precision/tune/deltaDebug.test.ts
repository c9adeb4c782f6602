import fc from 'fast-check'
import { deltaDebug } from 'tpu-toolkit/precision'
import { describe, expect, it } from 'vitest'
import { seed } from '../../support/seed.js'

describe(`deltaDebug (seed ${seed})`, () => {
  it('finds the elements that are needed, in their order, whatever their place', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(fc.nat(39), { maxLength: 6 }), (n, drawn) => {
        const items = Array.from({ length: n }, (_, i) => i)
        const needed = new Set(drawn.filter((i) => i < n))
        const found = deltaDebug(items, (set) => [...needed].every((i) => set.includes(i)))
        expect(found).toEqual([...needed].sort((a, b) => a - b))
      }),
      { seed },
    )
  })

  it('gives a set that passes and from which no single element can go, where passing sets are not nested', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 24 }), fc.integer(), (n, salt) => {
        const items = Array.from({ length: n }, (_, i) => i)
        // Passes or not by a hash of the set: no structure at all.
        const passes = (set: readonly number[]): boolean => {
          if (set.length === n) return true
          const hash = set.reduce((h, i) => Math.imul(h ^ (i + 1), 0x9e3779b1) >>> 0, salt >>> 0)
          return hash % 3 === 0
        }
        const found = deltaDebug(items, passes)
        expect(passes(found)).toBe(true)
        for (const item of found) {
          if (found.length > 1 || !passes([])) {
            expect(passes(found.filter((other) => other !== item))).toBe(false)
          }
        }
      }),
      { seed },
    )
  })

  it('with one needed of 1,024 asks 2 log2(n) + 1 times at most', () => {
    const items = Array.from({ length: 1024 }, (_, i) => i)
    for (const needle of [0, 1, 511, 512, 700, 1023]) {
      let asked = 0
      const found = deltaDebug(items, (set) => {
        asked++
        return set.includes(needle)
      })
      expect(found).toEqual([needle])
      expect(asked).toBeLessThanOrEqual(21)
    }
  })

  it('gives the empty set where nothing is needed, or nothing is there', () => {
    expect(deltaDebug([1, 2, 3], () => true)).toEqual([])
    expect(deltaDebug([], () => true)).toEqual([])
  })
})
