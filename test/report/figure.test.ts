import { lineFigure, linePlot, type PlotSeries, scatterFigure, scatterPlot } from 'tpu-toolkit/report'
import { describe, expect, it } from 'vitest'

const series: PlotSeries[] = [{ name: 'a', points: [{ x: 1, y: 2 }] }]
const options = { title: 't', x: { label: 'x' }, y: { label: 'y' } }

describe('lineFigure, scatterFigure', () => {
  it('lineFigure draws the plot in its size and 380 wide, with the caption', () =>
    expect(lineFigure(series, { ...options, caption: 'c', width: 760, height: 340, wide: true })).toEqual({
      svg: linePlot(series, { ...options, width: 760, height: 340 }),
      narrow: linePlot(series, { ...options, width: 380, height: 300 }),
      caption: 'c',
      wide: true,
    }))
  it('scatterFigure draws points, 460 x 300 where no size is given', () =>
    expect(scatterFigure(series, { ...options, caption: 'c' })).toEqual({
      svg: scatterPlot(series, { ...options, width: 460, height: 300 }),
      narrow: scatterPlot(series, { ...options, width: 380, height: 300 }),
      caption: 'c',
    }))
  it('lineFigure names an option that is missing or unknown', () => {
    expect(() => lineFigure(series, options as never)).toThrow('lineFigure')
    expect(() => scatterFigure(series, { ...options, caption: 'c', captoin: '' } as never)).toThrow('caption')
  })
})
