import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Plays a count up to its end, one more at a time, from the beginning where it has ended. */
export function usePlay(step: Signal<number>, end: number) {
  const playing = useSignal(false)
  const stop = (): void => {
    playing.value = false
  }
  useEffect(() => {
    if (!playing.value) return undefined
    if (step.value >= end) {
      stop()
      return undefined
    }
    // Long sums faster, so that none takes more than half a minute.
    const timer = setTimeout(() => step.value++, Math.max(450, 900 - 14 * end))
    return () => clearTimeout(timer)
  })
  return {
    playing,
    stop,
    toggle(): void {
      if (!playing.value && step.value >= end) step.value = 0
      playing.value = !playing.value
    },
  }
}
