import { checkFunction, checkInteger, checkOptions, type OptionTable } from '../base/options/index.js'

/** How large a plot is drawn, in pixels. */
export interface PlotSize {
  readonly width: number
  readonly height: number
}

/** A plot drawn twice, to be spread into a figure. */
export interface DrawnTwice {
  /** For a screen with room. */
  readonly svg: string
  /** For one of at most 600 pixels. */
  readonly narrow: string
}

const sizeNames: OptionTable<Partial<PlotSize>> = { width: 'optional', height: 'optional' }

/**
 * The same plot for a wide screen and for a narrow one, 380 wide and at most 300 high: the two texts of a page's figure.
 * `size` is that of the wide one; default 460 x 300, as plots are.
 *
 * @example twoWidths(({ width, height }) => `${width} x ${height}`, { width: 760, height: 340 }) // { svg: '760 x 340', narrow: '380 x 300' }
 */
export function twoWidths(draw: (size: PlotSize) => string, size: Partial<PlotSize> = {}): DrawnTwice {
  checkFunction('twoWidths', 'draw', draw)
  checkOptions('twoWidths', size, sizeNames)
  const { width = 460, height = 300 } = size
  checkInteger('twoWidths', 'width', width, 1)
  checkInteger('twoWidths', 'height', height, 1)
  return { svg: draw({ width, height }), narrow: draw({ width: 380, height: Math.min(300, height) }) }
}
