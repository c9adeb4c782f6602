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
  it('htmlPage keeps the letters of a plot above 10 pixels: it has one style, whatever its title is', () => {
    const plot = linePlot([{ name: 'a', points: [{ x: 1, y: 1 }] }], {
      title: 'A -> 0',
      x: { label: 'x' },
      y: { label: 'y' },
    })
    const page = htmlPage({
      title: 't',
      lead: '',
      sections: [{ id: 'a', title: 'A', figures: [{ svg: plot, caption: '' }] }],
    })
    expect(page).toContain('<h3>A -> 0</h3>')
    const { document } = parseHTML(page) as unknown as {
      document: { querySelector(s: string): { getAttribute(n: string): string } }
    }
    expect(document.querySelector('svg').getAttribute('style')).toMatch(
      /^min-width:391px;max-width:690px;font-size:12px;/,
    )
    expect(page.match(/<svg(?:[^>"]|"[^"]*")*>/)![0].match(/ style="/g)).toHaveLength(1)
  })
  it('htmlPage has a plot twice where it is drawn for narrow screens too, of which a screen shows one', () => {
    const plot = (width: number): string =>
      linePlot([{ name: 'a', points: [{ x: 1, y: 1 }] }], {
        ...{ title: 'A', x: { label: 'x' }, y: { label: 'y' }, width },
      })
    const figure = { svg: plot(760), narrow: plot(380), caption: 'c' }
    const page = htmlPage({
      title: 't',
      lead: '',
      sections: [{ id: 'a', title: 'A', figures: [figure, { svg: figure.svg, caption: 'd' }] }],
    })
    expect(page.match(/<div class="plot">/g)).toHaveLength(2)
    expect(page.match(/<div class="plot narrow"><svg [^>]*style="min-width:323px;/g)).toHaveLength(1)
    // Hidden, until a screen is narrow, and then the other one is.
    expect(page).toContain('.plot.narrow { display: none; }')
    expect(page).toMatch(
      /max-width: 600px.*\.plot\.narrow \{ display: block; \} \.plot:has\(\+ \.narrow\) \{ display: none; \}/,
    )
  })
  it('htmlPage has colours for dark pages', () => expect(html).toContain('prefers-color-scheme: dark'))
})

describe('htmlPage with a long table', () => {
  const values = [3, 10, null, -2, 1e-5, 7, 7, 0, 12, 4, 5, 6]
  const rows = values.map((value, i) => ({ name: `layer ${i}`, value, rate: String((i + 1) / 1e4) }))
  const long = htmlPage({
    title: 'T',
    lead: '',
    sections: [
      { id: 's', title: 'S', html: htmlTable([{ key: 'name' }, { key: 'value' }, { key: 'rate' }], rows) },
    ],
  })
  interface Element {
    readonly textContent: string
    getAttribute(name: string): string | null
    click(): void
  }
  const { document } = parseHTML(long) as unknown as {
    document: { querySelectorAll(selector: string): Iterable<Element> }
  }
  const all = (selector: string): Element[] => [...document.querySelectorAll(selector)]
  const names = (): number[] =>
    all('tbody td:first-child').map((row) => Number(/layer (\d+)/.exec(row.textContent)![1]))
  const order = rows.map((_, i) => i)

  it('is whole without its script, and has one only where a table is long', () => {
    expect(names()).toEqual(order)
    expect(all('th button')).toEqual([])
    expect(html).not.toContain('<script')
  })
  it('sorts by the column whose heading is pressed: up, down, and as it was; what is missing stays last', () => {
    const script = /<script>([\s\S]*?)<\/script>/.exec(long)![1]!
    new Function('document', script)(document)
    const [name, value, rate] = all('th button')
    value!.click()
    expect(names()).toEqual([3, 7, 4, 0, 9, 10, 11, 5, 6, 1, 8, 2])
    expect(all('th').map((head) => head.getAttribute('aria-sort'))).toEqual([null, 'ascending', null])
    value!.click()
    expect(names()).toEqual([8, 1, 5, 6, 11, 10, 9, 0, 4, 7, 3, 2])
    value!.click()
    expect(names()).toEqual(order)
    expect(all('th').map((head) => head.getAttribute('aria-sort'))).toEqual([null, null, null])
    // Texts that are numbers are sorted as such: 0.001 behind 0.0009.
    rate!.click()
    expect(names()).toEqual(order)
    // Numbers in names count as numbers: layer 2 stands before layer 10.
    name!.click()
    expect(names()).toEqual(order)
  })
})
