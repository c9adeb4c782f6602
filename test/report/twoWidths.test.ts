import { htmlPage, linePlot, type PlotSize, twoWidths } from 'tpu-toolkit/report'
import { describe, expect, it } from 'vitest'

const written = ({ width, height }: PlotSize): string => `${width} x ${height}`

describe('twoWidths', () => {
  it('twoWidths draws as wide as plots are, and 380 wide for a narrow screen', () =>
    expect(twoWidths(written)).toEqual({ svg: '460 x 300', narrow: '380 x 300' }))
  it('twoWidths keeps a plot that is low as low as it is', () =>
    expect(twoWidths(written, { height: 150 })).toEqual({ svg: '460 x 150', narrow: '380 x 150' }))
  it('twoWidths names what is wrong', () => {
    expect(() => twoWidths(written, { width: 0 })).toThrow(
      'twoWidths: width is not a whole number, 1 or more [0]',
    )
    expect(() => twoWidths('svg' as never)).toThrow(TypeError)
  })
  it('htmlPage shows the narrow plot of a figure on small screens alone, with all its letters', () => {
    const axes = { title: 't', x: { label: 'x' }, y: { label: 'y' } }
    const drawn = twoWidths((size) =>
      linePlot([{ name: 'a', points: [{ x: 1, y: 1 }] }], { ...axes, ...size }),
    )
    const section = { id: 'a', title: 'A', figures: [{ ...drawn, caption: '' }] }
    const page = htmlPage({ title: 't', lead: '', sections: [section] })
    expect(page).toMatch(/<div class="plot narrow"><svg [^>]*min-width:323px;max-width:570px;/)
    expect(page).toContain('.plot.narrow { display: none; }')
  })
})
