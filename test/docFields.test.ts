import { describe, expect, it } from 'vitest'
// @ts-expect-error: a plugin of typedoc, plain JavaScript.
import { partsWithLists, withLists } from '../scripts/docFields.mjs'

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
