import { heatMap } from 'tpu-toolkit/report'
import { describe, expect, it } from 'vitest'

const options = { title: 'a < b', x: { label: 'across' }, y: { label: 'down' } }
const cells = [
  { x: 'one', y: 'first', value: 10 },
  { x: 'two', y: 'first', value: 1000 },
  { x: 'one', y: 'second', value: null, text: 'none' },
  { x: 'two', y: 'second', value: 20, text: 'twenty' },
]
const opacities = (svg: string): number[] =>
  [...svg.matchAll(/fill-opacity="([\d.]+)"/g)].map(([, opacity]) => Number(opacity))

describe('heatMap', () => {
  it('heatMap(cells) has a cell each, with its text, and the names of columns and rows once', () => {
    const svg = heatMap(cells, options)
    expect(svg.match(/<rect/g)?.length).toBe(4)
    for (const text of ['10', '1,000', 'none', 'twenty', 'one', 'two', 'first', 'second', 'across', 'down']) {
      expect(svg.split(`>${text}<`).length).toBe(2)
    }
    expect(svg).toContain('aria-label="a &lt; b"')
    expect(heatMap(cells, options)).toBe(svg)
  })

  it('heatMap(cells) colours by rank, from the low or the high end; null is an empty frame', () => {
    expect(opacities(heatMap(cells, options))).toEqual([0.12, 0.6, 0.36])
    expect(opacities(heatMap(cells, { ...options, hot: 'low' }))).toEqual([0.6, 0.12, 0.36])
    expect(heatMap(cells, options)).toContain('fill="none" stroke="currentColor"')
    expect(opacities(heatMap([{ x: 'a', y: 'b', value: 3 }], options))).toEqual([0.6])
  })

  it('heatMap(cells) replaces a cell by a later one at its place, escapes texts, and takes no cells at all', () => {
    const twice = heatMap([...cells, { x: 'one', y: 'first', value: 10, text: '<&>' }], options)
    expect(twice.match(/<rect/g)?.length).toBe(4)
    expect(twice).toContain('>&lt;&amp;&gt;<')
    expect(heatMap([], options)).toMatch(/^<svg .*<\/svg>$/)
  })
})
