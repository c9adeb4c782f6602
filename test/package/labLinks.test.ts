import { describe, expect, it } from 'vitest'
import { unpackProgram } from '../../lab/parts/packProgram.js'
import { withLabLinks } from '../../scripts/labLinks.js'

const code = `import { tensor } from 'tpu-toolkit'\n\nif (1 < 2 && "a") console.log(tensor([1]))\n`
const shown = (text: string): string =>
  `<p>before</p><pre><code class="ts"><span class="hl-0">${text
    .trim()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll("'", '&#39;')
    .replaceAll('"', '&quot;')
    .replaceAll(
      '\n',
      '</span><br/><span class="hl-1">',
    )}</span>\n</code><button type="button">Copy</button></pre><p>after</p>`

describe('withLabLinks(html, lab, examples)', () => {
  it('has below a program of the examples a link that the editor reads it from, and nothing else changed', async () => {
    const example = { name: 'guide: first', code }
    const before = shown(code)
    const { html, linked } = withLabLinks(before, '../index.html', [example])
    expect(linked).toEqual([example])
    const [, packed = ''] = /href="\.\.\/index\.html#editor&program=([\w-]+)"/.exec(html) ?? []
    expect(await unpackProgram(packed)).toBe(code)
    expect(html.replace(/<p class="open-in-lab">.*?<\/p>/, '')).toBe(before)
  })

  it('leaves alone what the lab does not run', () => {
    const before = shown("import { readFileSync } from 'node:fs'")
    expect(withLabLinks(before, '../index.html', [{ name: 'guide', code }])).toEqual({
      html: before,
      linked: [],
    })
  })
})
