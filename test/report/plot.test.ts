import { parseHTML } from 'linkedom'
import { linePlot, type PlotOptions, type PlotSeries, scatterPlot } from 'tpu-toolkit/report'
import { describe, expect, it } from 'vitest'

const lengths = Array.from({ length: 13 }, (_, i) => 16 * 2 ** i)
const series: readonly PlotSeries[] = [
  { name: 'naive', color: 'red', points: lengths.map((x) => ({ x, y: x * 1e-3 })) },
  { name: 'stable', color: 'blue', points: lengths.map((x, i) => ({ x, y: i < 3 ? 0 : 1e-3 })) },
  { name: 'bound & more', color: 'red', dashed: true, points: lengths.map((x) => ({ x, y: x ** 2 * 1e-3 })) },
]
const options: PlotOptions = {
  title: 'error "by" length',
  x: { label: 'length', scale: 'log2' },
  y: { label: 'max abs', scale: 'log10' },
}

interface Marked {
  textContent: string
  getAttribute(name: string): string | null
  querySelectorAll(selector: string): Marked[]
}
function parse(svg: string): Marked {
  return parseHTML(`<!doctype html><body>${svg}</body>`).document.querySelector('svg') as unknown as Marked
}
const count = (svg: string, selector: string): number => [...parse(svg).querySelectorAll(selector)].length
const paths = (svg: string, dash: boolean): number =>
  count(
    svg,
    `g[aria-label="line"]${dash ? '[stroke-dasharray="5 3"]' : ':not([stroke-dasharray="5 3"])'} path`,
  )

describe('linePlot', () => {
  it('linePlot is a file that a browser shows by itself', () =>
    expect(linePlot(series, options)).toMatch(/^<svg[^>]* xmlns="http:\/\/www\.w3\.org\/2000\/svg"/))
  it('linePlot gives the same bytes for the same input', () =>
    expect(linePlot(series, options)).toBe(linePlot(series, options)))
  it('linePlot draws one line per series, bounds dashed', () => {
    expect(paths(linePlot(series, options), false)).toBe(2)
    expect(paths(linePlot(series, options), true)).toBe(1)
  })
  it('linePlot puts a ring at the foot for each zero on a logarithmic axis', () =>
    expect(count(linePlot(series, options), 'g[aria-label="dot"][fill="none"] circle')).toBe(3))
  it('linePlot puts a cross at the top for what is not finite', () => {
    const broken = [
      { name: 'a', points: [1, Number.NaN, Number.POSITIVE_INFINITY, 4].map((y, x) => ({ x: x + 1, y })) },
    ]
    expect(count(linePlot(broken, options), 'g[aria-label="dot"] path')).toBe(2)
  })
  it.each([
    ['0.2', [0, 1], 52],
    ['32,768', [1, 4e4], 52],
    ['-1.23458e5', [-123457.5, -123456.5], 80],
  ])('linePlot has room for ticks such as %s at the left axis', (text, ys, room) => {
    // In DejaVu Sans, the widest of the usual fonts, at 12 px: 7.64 a digit or letter, 3.9 a comma, 4.4 a minus.
    const wide = [...text].reduce((sum, letter) => sum + (/[,.-]/.test(letter) ? 4.4 : 7.64), 0)
    const svg = linePlot([{ name: 'a', points: ys.map((y, x) => ({ x, y })) }], {
      ...{ title: 't', x: { label: 'x' }, y: { label: 'y' } },
    })
    const left = Number(/translate\(([\d.]+),[\d.]+\)" y="0.32em">/.exec(svg)![1])
    expect(left).toBe(room)
    expect(left - 9).toBeGreaterThan(wide)
  })
  it('scatterPlot moves the label of a point that would lie on another, and leaves one that is free', () => {
    const points = [
      { x: 1, y: 1, label: 'first of two' },
      { x: 1.1, y: 1.01, label: 'second of two' },
      { x: 1, y: 9, label: 'alone' },
      { x: 9, y: 5 },
    ]
    const axes = { title: 't', x: { label: 'x' }, y: { label: 'y' } }
    const offsetOf = (svg: string, label: string): number => {
      const before = svg.slice(0, svg.indexOf(`>${label}<`))
      return Number([...before.matchAll(/<g transform="translate\(-?\d+,(-?\d+)\)"/g)].at(-1)?.[1])
    }
    const svg = scatterPlot([{ name: 'a', points }], axes)
    expect(['first of two', 'second of two', 'alone'].map((label) => offsetOf(svg, label))).toEqual([
      -6, -20, -6,
    ])
    const apart = scatterPlot([{ name: 'a', points: points.filter((_, i) => i !== 0) }], axes)
    expect(offsetOf(apart, 'second of two')).toBe(-6)
  })
  it('linePlot breaks a label of the left axis that is wider than the plot', () => {
    const label =
      'the largest relative error of the sum over all steps of a run of the experiment in bfloat16'
    const wide = linePlot(series, { ...options, y: { label } })
    const lines = [...wide.matchAll(/<tspan[^>]*>([^<]*)<\/tspan>/g)].map(([, line]) => line)
    expect(lines.join(' ')).toBe(label)
    expect(lines).toHaveLength(2)
    const height = (svg: string) => Number(parse(svg).getAttribute('height'))
    expect(height(wide) - height(linePlot(series, { ...options, y: { label: 'short' } }))).toBe(12)
  })
  const names = (svg: string, where: string) =>
    [...parse(svg).querySelectorAll(`${where} text`)].map((t) => t.textContent)
  it('linePlot names few lines at their ends, from the top down, none on another', () => {
    const svg = linePlot(series, options)
    expect(names(svg, '.ends').sort()).toEqual(['bound & more', 'naive', 'stable'])
    expect(names(svg, '.legend')).toEqual([])
    const at = [...parse(svg).querySelectorAll('.ends text')].map((t) => Number(t.getAttribute('y')))
    for (const [i, y] of at.entries()) if (i > 0) expect(y - at[i - 1]!).toBeGreaterThanOrEqual(14)
  })
  it('linePlot names more than six lines in a legend', () => {
    const many = Array.from({ length: 7 }, (_, i) => ({ ...series[0]!, name: `line ${i}` }))
    expect(names(linePlot(many, options), '.legend')).toEqual(many.map(({ name }) => name))
  })
  it('linePlot escapes names', () => expect(linePlot(series, options)).toContain('bound &amp; more'))
  it('linePlot ticks powers of two with their full numbers', () => {
    const text = parse(linePlot(series, options)).textContent
    expect(text).toContain('65,536')
    expect(text).toContain('100,000')
  })
  it('linePlot ticks powers of ten beyond a thousandth as powers', () => {
    const tiny = [{ name: 'a', points: [1e-9, 1e-2].map((y, x) => ({ x: x + 1, y })) }]
    expect(parse(linePlot(tiny, options)).textContent).toContain('10⁻⁹')
  })
  it('linePlot names a line that ends before the others where it ends', () => {
    const svg = linePlot(
      [
        { name: 'broken', points: [0, 1, 2].map((x) => ({ x, y: x })) },
        { name: 'whole', points: [0, 4, 8].map((x) => ({ x, y: x })) },
      ],
      { title: 't', x: { label: 'x' }, y: { label: 'y' } },
    )
    const at = [...parse(svg).querySelectorAll('.ends text')].map((t) => Number(t.getAttribute('x')))
    // A quarter of the way between the axis, 52 pixels from the left, and the other name.
    expect(at[0]! - 8 - 52).toBeCloseTo((at[1]! - 8 - 52) / 4, 0)
  })

  it('linePlot ticks the ends of a range that holds no power of ten inside', () => {
    const points = [2e-4, 1e-3].map((x) => ({ x, y: 1 }))
    const svg = linePlot([{ name: 'a', points }], { ...options, x: { label: 'lr', scale: 'log10' } })
    const texts = [...parse(svg).querySelectorAll('text')].map(({ textContent }) => textContent)
    expect(texts).toEqual(expect.arrayContaining(['2·10⁻⁴', '5·10⁻⁴']))
  })
  it('linePlot draws markers with their labels', () => {
    const svg = linePlot(series, { ...options, markers: [{ x: 256, label: 'stalls at 256' }] })
    expect(svg).toContain('stalls at 256')
    expect(count(svg, 'g[aria-label="rule"] line')).toBe(
      count(linePlot(series, options), 'g[aria-label="rule"] line') + 1,
    )
  })
  it('linePlot carries its title for screen readers and no script, link or network address', () => {
    const svg = linePlot(series, options)
    expect(parse(svg).getAttribute('aria-label')).toBe('error "by" length')
    expect(svg.replaceAll('http://www.w3.org/', '')).not.toMatch(/<script|href|https?:/)
  })
  it.each([
    ['no series', []],
    ['no points', [{ name: 'a', points: [] }]],
    ['only zeros', [{ name: 'a', points: [{ x: 16, y: 0 }] }]],
    ['one point', [{ name: 'a', points: [{ x: 16, y: 1 }] }]],
    ['only NaN', [{ name: 'a', points: [{ x: 16, y: Number.NaN }] }]],
  ])('linePlot of %s is a plot without NaN in its geometry', (_, empty: readonly PlotSeries[]) =>
    expect(linePlot(empty, options)).not.toContain('NaN'),
  )
})

describe('scatterPlot', () => {
  it('scatterPlot draws every point, and lines for the diagonal and for dashed series only', () => {
    const svg = scatterPlot(series, { ...options, diagonal: true })
    expect(count(svg, 'g[aria-label="dot"]:not([fill="none"]) circle')).toBe(13 + 10)
    expect(count(svg, 'g[aria-label="line"] path')).toBe(2)
  })
  it('scatterPlot writes labels beside their points, and tells titles on hover', () => {
    const points = [
      { x: 16, y: 1, label: 'first', title: 'first <told>' },
      { x: 64, y: 2, label: 'last' },
      { x: 64, y: 0, label: 'not shown' },
    ]
    const svg = scatterPlot([{ name: 'a', points }], options)
    const anchor = (text: string) =>
      new RegExp(`text-anchor="(\\w+)"[^>]*>(?:(?!</g>).)*>${text}</text>`).exec(svg)?.[1] ?? 'middle'
    expect([anchor('first'), anchor('last')]).toEqual(['start', 'end'])
    expect(svg).not.toContain('not shown')
    expect(parse(svg).querySelectorAll('circle title')[0]?.textContent).toBe('first <told>')
  })
})
