import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
// @ts-expect-error: a plugin of typedoc, plain JavaScript.
import { groupOf, partsWithLists, withLists } from '../scripts/docFields.mjs'
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

describe('partsWithLists', () => {
  it('partsWithLists(parts) keeps the space before code, and the fields after it in the same list', () =>
    expect(
      partsWithLists([
        { kind: 'text', text: 'A sum.\n\nShape     with ' },
        { kind: 'code', text: '`keepDims`' },
        { kind: 'text', text: ' they stay,\n          all.\nDtype     that of x.' },
      ]),
    ).toEqual([
      { kind: 'text', text: 'A sum.\n\n- **Shape** with ' },
      { kind: 'code', text: '`keepDims`' },
      { kind: 'text', text: ' they stay,\n  all.\n- **Dtype** that of x.' },
    ]))
})

describe('groupOf', () => {
  it('groupOf(page) has a place in the side bar for every page', () =>
    expect(
      readdirSync('docs').filter((file) => file.endsWith('.md') && groupOf(file.slice(0, -3)) === 'More'),
    ).toEqual([]))
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
