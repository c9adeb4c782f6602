import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
// @ts-expect-error: a plugin of typedoc, plain JavaScript.
import { groupOf, partsWith, withLists } from '../scripts/docFields.mjs'
// @ts-expect-error: a plugin of typedoc, plain JavaScript.
import { withFormulas } from '../scripts/docFormulas.mjs'
import { filesUnder, readText } from './support/project.js'

describe('withLists', () => {
  it('withLists(text) makes items of the lines that begin with a field, and of several in a line', () =>
    expect(
      withLists(
        'A sum.\n\nShape     that of x. Dtype a float.\nError     at most u,\n          in bits.\n\nThe rest.',
      ),
    ).toBe(
      'A sum.\n\n- **Shape** that of x.\n- **Dtype** a float.\n- **Error** at most u,\n  in bits.\n\nThe rest.',
    ))
  it('withLists(text) leaves a sentence that begins like a field as it is', () =>
    expect(withLists('Errors are rare.\nSourced elsewhere.')).toBe('Errors are rare.\nSourced elsewhere.'))
})

describe('partsWith', () => {
  it('partsWith(withLists, parts) keeps the space before code, and the fields after it in the same list', () =>
    expect(
      partsWith(withLists, [
        { kind: 'text', text: 'A sum.\n\nShape     with ' },
        { kind: 'code', text: '`keepDims`' },
        { kind: 'text', text: ' they stay,\n          all.\nDtype     that of x.' },
      ]),
    ).toEqual([
      { kind: 'text', text: 'A sum.\n\n- **Shape** with ' },
      { kind: 'code', text: '`keepDims`' },
      { kind: 'text', text: ' they stay,\n  all.\n- **Dtype** that of x.' },
    ]))
  it('partsWith(withFormulas, parts) finds a formula whose braces are parts of their own', () => {
    const parts = ['of $2^', '{-8}', '$ and '].map((text) => ({ kind: 'text', text }))
    const [text, code] = partsWith(withFormulas, [...parts, { kind: 'code', text: '`$x$`' }])
    expect(text.text).toContain('<msup>')
    expect(code.text).toBe('`$x$`')
  })
})

describe('groupOf', () => {
  it('groupOf(page) has a place in the side bar for every page', () =>
    expect(
      readdirSync('docs').filter((file) => file.endsWith('.md') && groupOf(file.slice(0, -3)) === 'More'),
    ).toEqual([]))
})

describe('withFormulas', () => {
  it('withFormulas(text) makes MathML of what stands between dollars, and leaves prices and code names alone', () => {
    const text = withFormulas('An ulp is $2^{e-7}$ here, 5$ and $OUT stay.\n\n$$a_{ij} * b$$\n')
    expect(text).toContain('<math><msup><mn>2</mn>')
    expect(text).toContain('5$ and $OUT stay.')
    expect(text).toContain('<div class="formula"><math')
    expect(text).not.toMatch(/[*_]/)
  })
  it('withFormulas(text) throws for a formula that cannot be read', () =>
    expect(() => withFormulas('$\\nosuch{1}$')).toThrow('nosuch'))
})

/** The fields of a docstring by name, each with its text. */
function fieldsOf(docstring: string): (readonly [name: string, text: string])[] {
  const fields: [string, string][] = []
  for (const line of docstring.split('\n').map((whole) => whole.replace(/^\s*\*\s?/, ''))) {
    const [, name, text] = /^(Shape|Dtype|Rounding|Special|Error|Throws|Cost|Source)\s+(.*)/.exec(line) ?? []
    if (name !== undefined) fields.push([name, text!])
    else if (/^\s/.test(line)) fields.at(-1)?.splice(1, 1, `${fields.at(-1)![1]} ${line.trim()}`)
    else if (line.startsWith('@')) break
  }
  return fields
}

describe('docstrings', () => {
  it('what throws stands under Throws, and in no other field', () => {
    const misplaced = filesUnder('src', '.ts').flatMap((path) =>
      (readText(path).match(/\/\*\*[\s\S]*?\*\//g) ?? [])
        .flatMap(fieldsOf)
        .filter(([name, text]) => name !== 'Throws' && /\b(Type|Range)Errors?\b/.test(text))
        .map(([name, text]) => `${path}: ${name} ${text}`),
    )
    expect(misplaced).toEqual([])
  })
})
