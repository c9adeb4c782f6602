import { checkArray, checkName, checkOptions } from '../options/index.js'

const bars = '▁▂▃▄▅▆▇█'

/**
 * A row of block characters, one per value, from the smallest to the largest.
 * `scale: 'log'` spaces them by their logarithm, over a factor of ten at least, so that small changes look small. Zero is a dot, what is not finite a cross; with `log`, negative values
 * are dots too.
 *
 * @example sparkline([1, 2, 3, 4]) // '▁▃▆█'
 * @example sparkline([0, 1, 10, 100], { scale: 'log' }) // '·▁▅█'
 */
export function sparkline(values: readonly number[], options: { scale?: 'linear' | 'log' } = {}): string {
  checkArray('sparkline', 'values', values)
  checkOptions('sparkline', options, { scale: 'optional' })
  const { scale = 'linear' } = options
  checkName('sparkline', 'scale', scale, ['linear', 'log'])
  const log = scale === 'log'
  const shown = (v: number): boolean => Number.isFinite(v) && (log ? v > 0 : v !== 0)
  const height = (v: number): number => (log ? Math.log(v) : v)
  const heights = values.filter(shown).map(height)
  const low = heights.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const high = heights.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  const span = log ? Math.max(high - low, Math.LN10) : high - low
  const step = span > 0 ? (bars.length - 1) / span : 0
  return values
    .map((v) => (shown(v) ? bars[Math.round((height(v) - low) * step)]! : Number.isFinite(v) ? '·' : '×'))
    .join('')
}
