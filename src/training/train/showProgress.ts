import { checkRecord } from '../../base/options/index.js'
import { readable } from '../../base/text/index.js'
import type { Callback } from './callback.js'
import { progressBar } from './progressBar.js'

/** Where a bar is drawn: a stream such as `process.stderr`. */
export interface Screen {
  /** Takes what is drawn. */
  write(text: string): unknown
}

/** How many seconds lie between two drawings. */
const between = 0.1

/**
 * A callback that draws a bar on a screen with the loss, steps per second and the time that is left; none where `screen` is not
 * given and standard error is no terminal.
 */
export function showProgress(screen?: Screen): Callback {
  if (screen !== undefined) checkRecord('showProgress', 'screen', screen, ['write'])
  const target = screen ?? (process.stderr.isTTY ? process.stderr : undefined)
  if (!target) return {}
  const bar = progressBar(target)
  let begin = { made: 0, at: 0 }
  let drawn = 0
  return {
    onBegin: (made) => {
      begin = { made, at: performance.now() }
    },
    onStep: ({ step, steps, metrics }) => {
      const now = performance.now()
      if (step < steps && now - drawn < 1000 * between) return
      drawn = now
      const rate = (1000 * (step - begin.made)) / Math.max(1, now - begin.at)
      const left = secondsText((steps - step) / rate)
      bar.show(
        step,
        steps,
        `${readable(step)} steps, loss ${readable(metrics['loss'])}, ${readable(rate)}/s, ${left} left`,
      )
    },
    onEnd: () => bar.stop(),
  }
}

/**
 * Seconds as a person waits for them.
 *
 * @example [5.2, 125, 7260, 200000].map(secondsText) // ['5 s', '2 min 5 s', '2 h 1 min', '2 d 7 h']
 */
export function secondsText(seconds: number): string {
  const whole = Math.round(seconds)
  if (!Number.isFinite(whole)) return '-'
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
    ['s', 1],
  ] as const
  const first = units.findIndex(([, size]) => whole >= size)
  if (first < 0) return '0 s'
  const parts = units.slice(first, first + 2).map(([unit, size], i) => {
    const count = Math.floor((i === 0 ? whole : whole % units[first]![1]) / size)
    return count > 0 ? `${count} ${unit}` : ''
  })
  return parts.filter((part) => part !== '').join(' ')
}
