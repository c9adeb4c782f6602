import { columnsOf, dashedLine, linePlot, sideBySide, textTable } from 'tpu-toolkit/report'
import { describe, expect, it } from 'vitest'

describe('what notebooks show', () => {
  it('sideBySide(plots) has every plot, in order', () => {
    const plots = ['one', 'two'].map((title) =>
      linePlot([{ name: 'line', points: [{ x: 0, y: 1 }] }], { title, x: { label: 'x' }, y: { label: 'y' } }),
    )
    const html = sideBySide(plots)
    expect(html.indexOf(plots[0]!)).toBeGreaterThan(0)
    expect(html.indexOf(plots[1]!)).toBeGreaterThan(html.indexOf(plots[0]!))
  })

  it('dashedLine(name, from, to) is a series that linePlot draws dashed', () => {
    const plot = linePlot([dashedLine('bound', { x: 0, y: 1 }, { x: 2, y: 1 })], {
      title: 'bound',
      x: { label: 'x' },
      y: { label: 'y' },
    })
    expect(plot).toContain('stroke-dasharray')
  })

  it('columnsOf(rows) has the fields of the first row', () => {
    const rows = [
      { step: 1, loss: 0.5 },
      { step: 2, loss: 0.25 },
    ]
    expect(columnsOf(rows)).toEqual([{ key: 'step' }, { key: 'loss' }])
    expect(textTable(columnsOf(rows), rows).split('\n')[0]).toMatch(/^step +loss$/)
    expect(columnsOf([])).toEqual([])
  })

  it('dashedLine(name, from, to) says what a point lacks', () =>
    expect(() => dashedLine('bound', { x: 0 } as never, { x: 1, y: 1 })).toThrow(
      new TypeError('dashedLine: from has no y [an object]'),
    ))
})
