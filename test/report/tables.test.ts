import { type Column, csv, escapeHtml, htmlTable, sayingColumns, textTable } from 'tpu-toolkit/report'
import { describe, expect, it } from 'vitest'

const columns: readonly Column[] = [
  { key: 'op' },
  { key: 'n', header: 'length' },
  { key: 'error', header: 'max abs', digits: 2 },
  { key: 'ok', show: (value) => (value ? '+' : '') },
]
const rows = [
  { op: 'sum', n: 16, error: 0.123456, ok: true },
  { op: 'sum', n: 65_536, error: null, ok: false },
  { op: 'a<b', n: 16, error: Number.NaN, ok: true },
]

describe('textTable', () => {
  it('textTable aligns numbers right, text left, and ends no line in a blank', () =>
    expect(textTable(columns, rows).split('\n')).toEqual(
      [
        'op   length  max abs  ok',
        '────────────────────────',
        'sum      16     0.12   +',
        'sum  65,536        -',
        'a<b      16      nan   +',
      ].map((line, i) => (i === 1 ? expect.stringMatching(/^─+$/) : line)),
    ))
  it('textTable rules off groups', () => {
    const lines = textTable(columns, rows, { group: 'op' }).split('\n')
    expect(lines.map((line) => /^─+$/.test(line))).toEqual([false, true, false, false, true, false])
  })
  it('a column with `of` shows what that makes of a row, aligned and left out by it', () => {
    const computed: Column<{ readonly bytes: number }>[] = [
      { key: 'KiB', of: ({ bytes }) => bytes / 1024 },
      { key: 'size', of: ({ bytes }) => (bytes > 3000 ? 'large' : 'small') },
      { key: 'none', of: () => null },
    ]
    const files = [{ bytes: 2048 }, { bytes: 4096 }]
    expect(textTable(computed, files).split('\n').slice(2)).toEqual(['  2  small     -', '  4  large     -'])
    expect(htmlTable(computed, files)).toContain('<td class="number">2</td><td>small</td>')
    expect(sayingColumns(computed, files).map(({ key }) => key)).toEqual(['KiB', 'size'])
  })
  it('textTable of no rows is the heading', () =>
    expect(textTable([{ key: 'op' }], []).split('\n')).toHaveLength(2))
})

describe('csv', () => {
  it('csv quotes commas, quotes and line breaks, and leaves what is missing empty', () =>
    expect(
      csv(
        ['a', 'b'],
        [
          { a: 'x, y', b: null },
          { a: 'say "hi"\n', b: 0.1 },
          { a: undefined, b: true },
        ],
      ),
    ).toBe('a,b\n"x, y",\n"say ""hi""\n",0.1\n,true\n'))
  it('csv quotes a field for a quote alone', () => expect(csv(['a'], [{ a: '5"' }])).toBe('a\n"5"""\n'))
  it.each(['=1+1', '+cmd', '@SUM(A1)', '-2+3', '\tx', '=HYPERLINK("http://a")'])(
    'csv writes an apostrophe before %j, which a spreadsheet would take for a formula',
    (text) => {
      const quoted = `'${text}`.replaceAll('"', '""')
      const field = text.includes('"') ? `"${quoted}"` : quoted
      expect(csv(['a'], [{ a: text }])).toBe(`a\n${field}\n`)
      expect(csv([text], [])).toBe(`${field}\n`)
      const plain = text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text
      expect(csv(['a'], [{ a: text }], { formulas: 'keep' })).toBe(`a\n${plain}\n`)
    },
  )
  it('csv leaves numbers, also as texts, and a dash alone', () =>
    expect(csv(['a', 'b', 'c', 'd'], [{ a: -1, b: '-1.5e3', c: '-', d: '+2' }])).toBe(
      'a,b,c,d\n-1,-1.5e3,-,+2\n',
    ))
  it('csv writes numbers that read back as themselves', () => {
    const value = 1 / 3
    expect(Number(csv(['v'], [{ v: value }]).split('\n')[1])).toBe(value)
  })
})

describe('textTable, width', () => {
  const columns = [{ key: 'id' }, { key: 'story' }, { key: 'a' }, { key: 'b' }]
  const rows = [
    { id: 'first', story: 'what happened here is rather long to tell in a line', a: 1234, b: 0.5 },
    { id: 'second', story: 'short', a: 1, b: 2 },
  ]
  it.each([40, 50, 60])(
    'textTable(columns, rows, { width: %i }) has no longer line, and every word',
    (width) => {
      const text = textTable(columns, rows, { width })
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width)
      for (const word of [...rows[0]!.story.split(' '), '1,234', '0.5', 'second', 'short']) {
        expect(text).toContain(word)
      }
    },
  )
  it('textTable(columns, rows, { width }) is the plain table where that fits', () =>
    expect(textTable(columns, rows, { width: 200 })).toBe(textTable(columns, rows)))
  it('textTable of more columns than fit comes in several tables, each with the first column', () => {
    const wide = Array.from({ length: 9 }, (_, i) => ({ key: `column${i}` }))
    const row = Object.fromEntries(wide.map(({ key }, i) => [key, `${key}value${i}`]))
    const text = textTable(wide, [row], { width: 60 })
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(60)
    const parts = text.split('\n\n')
    expect(parts.length).toBeGreaterThan(1)
    for (const part of parts) expect(part).toMatch(/^column0/)
  })
})

describe('htmlTable', () => {
  it('htmlTable escapes cells and headings', () => {
    const html = htmlTable([{ key: 'op', header: 'o & p' }], rows)
    expect(html).toContain('<th scope="col">o &amp; p</th>')
    expect(html).toContain('<td>a&lt;b</td>')
  })
  it('htmlTable marks numeric columns', () =>
    expect(htmlTable(columns, rows)).toContain('<td class="number">65,536</td>'))
})

describe('escapeHtml', () => {
  it('escapeHtml leaves no markup and no quote', () =>
    expect(escapeHtml(`<a href="x">&'`)).not.toMatch(/[<>"']/))
})

describe('htmlTable, links', () => {
  const shown = (to: string): string => htmlTable([{ key: 'a', link: 'to' }], [{ a: 'x', to }])
  it.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'JavaScript:x',
    'data:text/html,x',
    'vbscript:x',
  ])('htmlTable leaves out a link to %j', (to) => expect(shown(to)).toContain('<td>x</td>'))
  it.each([
    'https://a.example/b:c',
    'http://a',
    '#part',
    'page.html',
    './a/b:c',
    '/a',
    '?q=a:b',
    'mailto:a@b',
  ])('htmlTable links to %s', (to) => expect(shown(to)).toContain(`<a href="${to}">x</a>`))
})
