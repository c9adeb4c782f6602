import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wrapped } from '#text'
import { seed } from '../support/seed.js'

describe(`wrapped (seed ${seed})`, () => {
  it('wrapped(text, width) keeps every word, and no line of several words is longer than the width', () =>
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,12}$/)),
        fc.integer({ min: 1, max: 40 }),
        (words, width) => {
          const lines = wrapped(words.join(' '), width).split('\n')
          expect(lines.flatMap((line) => line.split(' ').filter((word) => word !== ''))).toEqual(words)
          for (const line of lines) if (line.includes(' ')) expect(line.length).toBeLessThanOrEqual(width)
        },
      ),
      { seed },
    ))
  it('wrapped(text, width) keeps the indentation of a line', () =>
    expect(wrapped('  one two three', 9)).toBe('  one two\n  three'))
})
