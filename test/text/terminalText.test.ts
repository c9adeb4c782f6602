import { describe, expect, it } from 'vitest'
import { terminalText } from '#text'

describe('terminalText', () => {
  it.each([
    ['layers.0.kernel', 'layers.0.kernel'],
    ['', ''],
    ['\u001b[2J', '\\u{1b}[2J'],
    ['a\nb\r\t', 'a\\u{a}b\\u{d}\\u{9}'],
    ['\u202e\u200b', '\\u{202e}\\u{200b}'],
    ['\ud800', '\\u{d800}'],
    ['слой \u{1f600}', 'слой \u{1f600}'],
  ])('terminalText(%j) is %j', (text, shown) => expect(terminalText(text)).toBe(shown))

  it('terminalText cuts at 100 characters, and says so', () => {
    expect(terminalText('x'.repeat(100))).toBe('x'.repeat(100))
    expect(terminalText('x'.repeat(101))).toBe(`${'x'.repeat(97)}...`)
  })
})
