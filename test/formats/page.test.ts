import { formatNames } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { formatsPage } from '../../scripts/formatsPage.js'
import { readText } from '../support/project.js'

const page = readText('docs/formats.md')

describe('docs/formats.md', () => {
  it('is what npm run doors writes: facts, codes of special values, overflow in every mode', () =>
    expect(page).toBe(formatsPage(page)))

  it('has a line of facts and one of special values for every format', () => {
    for (const heading of ['The named formats', 'What special values become']) {
      const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
      const names = [...section.matchAll(/^\| (\w+_?\w*) \|/gm)].map(([, name]) => name)
      expect(names.slice(1)).toEqual([...formatNames])
    }
  })

  it('loses a line that is wrong, and gets the one that is missing', () => {
    const [line = ''] = /^\| float16 .*\n/m.exec(page) ?? []
    expect(formatsPage(page.replace(line, '| float15 | |\n'))).toBe(page)
    expect(() => formatsPage('# The formats')).toThrow('no table under the heading [The named formats]')
  })
})
