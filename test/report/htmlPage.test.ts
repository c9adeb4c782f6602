import { parseHTML } from 'linkedom'
import { htmlPage, htmlTable, linePlot } from 'tpu-toolkit/report'
import { describe, expect, it } from 'vitest'

const svg = linePlot([{ name: 'a', points: [{ x: 1, y: 1 }] }], {
  title: 't',
  x: { label: 'x' },
  y: { label: 'y' },
})
const html = htmlPage({
  title: 'Drift & <more>',
  lead: 'a < b',
  facts: { dtype: 'bfloat16' },
  sections: [
    { id: 'one', title: 'One', finding: 'x > y', figures: [{ svg, caption: 'c & d' }] },
    { id: 'two', title: 'Two', details: [{ summary: 'rows', html: htmlTable([{ key: 'a' }], [{ a: 1 }]) }] },
  ],
})

describe('htmlPage', () => {
  it('htmlPage needs nothing from outside', () =>
    expect(html.replaceAll('http://www.w3.org/', '')).not.toMatch(
      /<script|<link|<img|src=|url\(|@import|https?:/,
    ))
  it('htmlPage escapes every text', () => {
    expect(html).toContain('<title>Drift &amp; &lt;more&gt;</title>')
    expect(html).toContain('<figcaption>c &amp; d</figcaption>')
    expect(html).toContain('x &gt; y')
  })
  it('htmlPage links to each of its sections', () => {
    const { document } = parseHTML(html) as unknown as {
      document: { querySelectorAll(s: string): { getAttribute(n: string): string }[] }
    }
    const links = [...document.querySelectorAll('nav a')].map((a) => a.getAttribute('href'))
    const sections = [...document.querySelectorAll('section')].map((s) => `#${s.getAttribute('id')}`)
    expect(links).toEqual(sections)
  })
  it('htmlPage closes what it opens', () => {
    const { length: opened } = html.match(/<(section|figure|div|table|details|dl|p|h2|svg|g)[\s>]/g)!
    const { length: closed } = html.match(/<\/(section|figure|div|table|details|dl|p|h2|svg|g)>/g)!
    expect(closed).toBe(opened)
  })
  it('htmlPage has colours for dark pages', () => expect(html).toContain('prefers-color-scheme: dark'))
})
