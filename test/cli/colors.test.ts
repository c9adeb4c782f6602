import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { emphasized } from '../../src/cli/io/emphasized.js'
import { printWrapped } from '../../src/cli/io/printWrapped.js'
import { runTpuToolkit } from '../../src/cli/program.js'
import { runCli } from '../support/runCli.js'

const [red, bold, green] = [
  (t: string) => `\u001b[31m${t}\u001b[39m`,
  (t: string) => `\u001b[1m${t}\u001b[22m`,
  (t: string) => `\u001b[32m${t}\u001b[39m`,
]

describe('emphasized', () => {
  it('styles whole words, the longest of those that begin alike', () => {
    const emphasis = { red: ['does not fit'], green: ['fit', 'fits'] }
    expect(emphasized('it does not fit; fits, misfits, fits-all', emphasis)).toBe(
      `it ${red('does not fit')}; ${green('fits')}, misfits, fits-all`,
    )
  })
  it('finds a sentence that was wrapped, and takes signs of patterns as they are', () =>
    expect(emphasized('a (b\n  c).', { bold: ['a (b c).'] })).toBe(bold('a (b\n  c).')))
  it('leaves a text without words as it is', () => expect(emphasized('a', { bold: [''] })).toBe('a'))
})

describe('colours', () => {
  const printed = (colors?: boolean): string => {
    let text = ''
    printWrapped({ out: (t) => (text += t), width: 12, colors }, 'loss NaN, critical', { red: ['critical'] })
    return text
  }
  it('are printed where the terminal shows them, around the same text', () => {
    expect(printed(true)).toBe(`loss ${red('NaN')},\n${red('critical')}`)
    expect(printed()).toBe('loss NaN,\ncritical')
    expect(stripVTControlCharacters(printed(true))).toBe(printed(false))
  })
  it('a mistake is wrapped at the width of the screen that it goes to, with the name in red', async () => {
    let error = ''
    const terminal = { out: () => {}, error: (t: string) => (error += t) }
    const status = await runTpuToolkit(['drift', '--only', 'sums'], {
      ...terminal,
      errors: { width: 40, colors: true },
    })
    expect(status).toBe(2)
    expect(error.startsWith(red('drift:'))).toBe(true)
    const lines = stripVTControlCharacters(error).trimEnd().split('\n')
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(40)
    expect(lines.join(' ')).toBe((await runCli('drift', '--only', 'sums')).error.trimEnd())
  })
})

describe('--help', async () => {
  const { out } = await runCli('--help')
  it('lists every command in a group with one line each, and the five to begin with', () => {
    const headings = [...out.matchAll(/^(\w+):$/gm)].map(([, heading]) => heading)
    expect(headings).toEqual(['Options', 'Look', 'Measure', 'Train', 'Plan', 'Program', 'Serve'])
    expect(out.match(/^ {2}tpu-toolkit /gm)).toHaveLength(5)
  })
})
