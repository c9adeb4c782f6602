import fc from 'fast-check'
import { parse } from 'tpu-toolkit/stablehlo'
import { describe, expect, it } from 'vitest'
import { isLong } from '../support/long.js'
import { seed } from '../support/seed.js'
import { names, textOf } from './texts.js'

const texts = names
  .flatMap((name) => [textOf(name), textOf(name, 'generic')])
  .filter(({ length }) => length < 20_000)

/** What is put into a text: every bracket and sigil, words that begin something, numbers that are too long. */
const pieces = [
  ...'()[]{}<>"%#!@^:,=-x\\\n',
  'loc(',
  'dense<',
  'tensor<',
  '%0',
  '#loc',
  '->',
  '//',
  '{-#',
  '#-}',
  '0x',
  '99999999999999999999',
  '1.0e999',
  'complex<',
  'array<i64: ',
  '__proto__',
  '\u00e9',
]

interface Change {
  readonly kind: number
  readonly at: number
  readonly from: number
  readonly length: number
  readonly piece: string
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.nat(4),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  from: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 60 }),
  piece: fc.constantFrom(...pieces),
})

function changed(text: string, { kind, at, from, length, piece }: Change): string {
  const place = Math.floor(at * text.length)
  const other = Math.floor(from * text.length)
  const before = text.slice(0, place)
  const after = text.slice(place)
  if (kind === 0) return before
  if (kind === 1) return before + text.slice(place + length)
  if (kind === 2) return before + piece + after
  if (kind === 3) return before + piece + text.slice(place + piece.length)
  return before + text.slice(other, other + length) + after
}

describe(`parse of damaged texts (seed ${seed})`, () => {
  it('reads them, or names the place of an error', () => {
    let read = 0
    const numRuns = isLong ? 100_000 : 2_000
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        (text, changes) => {
          const damaged = changes.reduce(changed, text)
          try {
            parse(damaged)
            read++
          } catch (error) {
            expect(error).toBeInstanceOf(SyntaxError)
            expect((error as SyntaxError).message).toMatch(/^parse: [^\n]+ \[\d+:\d+\]\n[^\n]*\n *\^$/)
          }
        },
      ),
      { seed, numRuns },
    )
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(numRuns / 2)
  }, 300_000)
})
