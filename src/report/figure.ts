import { checkOptions, type OptionTable } from '../base/options/index.js'
import type { Figure } from './htmlPage.js'
import { linePlot, type PlotOptions, type PlotSeries, plotNames, scatterPlot } from './plot.js'
import { twoWidths } from './twoWidths.js'

/** A plot's options with what stands around it on a page. */
export interface FigureOptions extends PlotOptions {
  /** The sentence under it. */
  readonly caption: string
  /** As wide as the page, however many figures there are. Default: only where it stands alone. */
  readonly wide?: boolean
}

const figureNames: OptionTable<FigureOptions> = { ...plotNames, caption: 'required', wide: 'optional' }

/**
 * Lines through points as a page's figure: `linePlot` drawn for a wide screen (`width` x `height`) and for a narrow one.
 *
 * @example lineFigure([], { title: 't', caption: 'c', x: { label: 'x' }, y: { label: 'y' } }).caption // 'c'
 */
export function lineFigure(series: readonly PlotSeries[], options: FigureOptions): Figure {
  checkOptions('lineFigure', options, figureNames)
  return drawn(linePlot, series, options)
}

/**
 * Points as a page's figure: `scatterPlot` drawn for a wide screen (`width` x `height`) and for a narrow one.
 *
 * @example scatterFigure([], { title: 't', caption: 'c', x: { label: 'x' }, y: { label: 'y' } }).caption // 'c'
 */
export function scatterFigure(series: readonly PlotSeries[], options: FigureOptions): Figure {
  checkOptions('scatterFigure', options, figureNames)
  return drawn(scatterPlot, series, options)
}

function drawn(
  plot: typeof linePlot,
  series: readonly PlotSeries[],
  { caption, wide, width, height, ...options }: FigureOptions,
): Figure {
  const size = { ...(width !== undefined && { width }), ...(height !== undefined && { height }) }
  const twice = twoWidths((of) => plot(series, { ...options, ...of }), size)
  return { ...twice, caption, ...(wide !== undefined && { wide }) }
}
