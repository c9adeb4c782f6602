import { dotPlot } from 'tpu-toolkit/report'
import { describe, expect, it } from 'vitest'

const options = { title: 'Ways', x: { label: 'SQNR, dB' }, series: ['all', 'worst'] }

describe('dotPlot', () => {
  it('has the name of every row and a dot for every finite value, with its value to point at', () => {
    const rows = [
      { name: 'mxfp4 <even>', values: [19, 12.5] },
      { name: 'float8', values: [Number.NaN, Number.POSITIVE_INFINITY] },
    ]
    const svg = dotPlot(rows, options)
    expect(svg).toContain('>mxfp4 &lt;even&gt;</text>')
    expect(svg).toContain('>float8</text>')
    // Two more are those of the legend.
    expect(svg.match(/<circle/g)).toHaveLength(4)
    expect(svg).toContain('<title>mxfp4 &lt;even&gt;, worst: 12.5</title>')
    expect(svg).not.toMatch(/NaN|undefined/)
  })
  it('draws greater values farther to the right, on an axis from zero', () => {
    const one = { ...options, series: ['all'] }
    const places = [
      ...dotPlot(
        [
          { name: 'a', values: [5] },
          { name: 'b', values: [20] },
        ],
        one,
      ).matchAll(/<circle cx="([\d.]+)"/g),
    ]
    const [a, b] = places.map(([, x]) => Number(x))
    expect(a!).toBeLessThan(b!)
    expect(dotPlot([], one)).not.toMatch(/NaN|undefined/)
  })
  it('refuses rows that are none', () =>
    expect(() => dotPlot([{ name: 3 } as never], options)).toThrow(/^dotPlot: /))
})
