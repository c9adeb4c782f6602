import { parseHTML } from 'linkedom'
import { rangePlot } from 'tpu-toolkit/report'
import { describe, expect, it } from 'vitest'

const bars = [-2, -1, 0, 1].map((x) => ({ x, y: 10 + x }))
const ranges = [
  { name: 'wide & fine', from: -40, solidFrom: -3, to: 40 },
  { name: 'narrow', from: -1, solidFrom: -1, to: 2 },
  { name: 'outside', from: 10, solidFrom: 12, to: 20 },
]
const options = {
  title: 'values "and" ranges',
  x: { label: 'log2', domain: [-5, 5] as const },
  y: { label: 'percent' },
}
const svg = rangePlot(bars, ranges, options)

interface Box {
  getAttribute(name: string): string
}
function boxes(text: string, paint: string): { left: number; wide: number; tall: number }[] {
  const { document } = parseHTML(`<!doctype html><body>${text}</body>`)
  const found = [...document.querySelectorAll('rect')] as unknown as Box[]
  return found
    .filter((box) => box.getAttribute('fill').includes(paint))
    .map((box) => {
      const [left, wide, tall] = ['x', 'width', 'height'].map((name) => Number(box.getAttribute(name)))
      return { left: left!, wide: wide!, tall: tall! }
    })
}

describe('rangePlot', () => {
  it('rangePlot has room for the longest name', () => {
    const long = [{ name: 'float8_e4m3b11fnuz, stochastically', from: -1, solidFrom: -1, to: 2 }]
    const place = (text: string) => Number(/<text x="([\d.]+)" y="[\d.]+" text-anchor="end"/.exec(text)![1])
    expect(place(rangePlot(bars, ranges.slice(1), options))).toBe(126)
    expect(place(rangePlot(bars, long, options))).toBeGreaterThan(7 * long[0]!.name.length)
  })
  it('rangePlot gives the same bytes for the same input', () =>
    expect(rangePlot(bars, ranges, options)).toBe(svg))
  it('rangePlot draws a bar for each value, as high as it is and one wide', () => {
    const drawn = boxes(svg, '--series-blue')
    expect(drawn).toHaveLength(4)
    for (const [i, { tall, wide }] of drawn.entries()) {
      expect(tall / drawn[3]!.tall).toBeCloseTo(bars[i]!.y / 11, 2)
      expect(wide).toBeCloseTo(drawn[0]!.wide, 1)
    }
    expect(drawn[1]!.left - drawn[0]!.left).toBeCloseTo(drawn[0]!.wide, 1)
  })
  it('rangePlot draws ranges on the scale of the bars, cut off at the ends of the axis', () => {
    const drawn = boxes(svg, '--series-orange')
    const [bar] = boxes(svg, '--series-blue')
    // Faint and full part of the first, the second without a faint part, the third not at all.
    expect(drawn.map(({ wide }) => Math.round(wide / bar!.wide))).toEqual([2, 8, 3])
  })
  it('rangePlot names the ranges, escaped, and carries its title for screen readers', () => {
    expect(svg).toContain('wide &amp; fine')
    expect(svg).toContain('aria-label="values &quot;and&quot; ranges"')
    expect(svg.replaceAll('http://www.w3.org/', '')).not.toMatch(/<script|href|https?:/)
  })
  it('rangePlot of nothing is a plot without NaN in its geometry', () =>
    expect(rangePlot([], [], options)).not.toContain('NaN'))
})
