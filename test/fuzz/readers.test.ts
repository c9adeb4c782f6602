import { readFileSync, rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { attack, input } from '../../scripts/fuzz/attack.js'
import { quickFolder, readers } from '../../scripts/fuzz/readers.js'
import { cpuSeconds } from '../support/cpuSeconds.js'
import { seed } from '../support/seed.js'

const folder = quickFolder()
afterAll(() => rmSync(folder, { recursive: true }))
const all = await readers(folder)

/** Damaged files that were once read wrongly, or ended in an error of the engine. */
const corpus: readonly { reader: string; note: string; becomes: string; base64: string }[] = JSON.parse(
  readFileSync(new URL('./corpus.json', import.meta.url), 'utf8'),
)

describe(`readers of damaged files (seed ${seed}; npm run test:fuzz reads more)`, () => {
  it.each(all.map(({ name }) => name))('%s: the files that are damaged here are sound', async (name) => {
    const reader = all.find((candidate) => candidate.name === name)!
    for (const bytes of reader.seeds) expect(await attack(reader, bytes)).toMatchObject({ kind: 'read' })
  })

  it.each(all.map(({ name }) => name))(
    '%s: 60 damaged files are read, or refused by name, soon',
    async (name) => {
      const reader = all.find((candidate) => candidate.name === name)!
      for (let i = 0; i < 60; i++) {
        const began = process.cpuUsage()
        const outcome = await attack(reader, input(reader, seed, i))
        expect(outcome.kind === 'crashed' ? `input ${i}: ${outcome.message}` : '').toBe('')
        expect(cpuSeconds(began)).toBeLessThan(5)
      }
    },
  )

  it.each(corpus)('$reader: $note is $becomes', async ({ reader: name, becomes, base64 }) => {
    const reader = all.find((candidate) => candidate.name === name)!
    expect((await attack(reader, new Uint8Array(Buffer.from(base64, 'base64')))).kind).toBe(becomes)
  })
})
