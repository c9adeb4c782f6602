import { checkArray, checkRecord, checkText } from '../base/options/index.js'
import type { Column, Row } from './column.js'
import type { PlotPoint, PlotSeries } from './plot.js'

/**
 * Plots side by side where there is room, as HTML for a notebook cell.
 *
 * @example sideBySide(['<svg></svg>', '<svg></svg>']) // '<div style="display: flex; flex-wrap: wrap; gap: 8px"><svg></svg><svg></svg></div>'
 */
export function sideBySide(plots: readonly string[]): string {
  checkArray('sideBySide', 'plots', plots)
  return `<div style="display: flex; flex-wrap: wrap; gap: 8px">${plots.join('')}</div>`
}

/**
 * A dashed grey line as a series of a plot: a bound, a level, what would be right.
 *
 * @example dashedLine('right', { x: 0, y: 0 }, { x: 9, y: 9 }).points.length // 2
 */
export function dashedLine(name: string, from: PlotPoint, to: PlotPoint): PlotSeries {
  checkText('dashedLine', 'name', name)
  checkPoint('from', from)
  checkPoint('to', to)
  return { name, points: [from, to], dashed: true, color: 'grey' }
}

/**
 * A column for each field of the first row, in its order.
 *
 * @example columnsOf([{ step: 1, loss: 2 }]) // [{ key: 'step' }, { key: 'loss' }]
 */
export function columnsOf(rows: readonly Row[]): Column[] {
  checkArray('columnsOf', 'rows', rows)
  return Object.keys(rows[0] ?? {}).map((key) => ({ key }))
}

function checkPoint(what: string, point: unknown): void {
  checkRecord('dashedLine', what, point, ['x', 'y'])
}
