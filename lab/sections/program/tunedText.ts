import type { Tuning } from 'tpu-toolkit/precision'

/** The answer of `tune` in lines: the operations to keep wide, and what the target's measure comes to. */
export function tunedText({ met, wide, narrowest, value, widest, least }: Tuning): string {
  const at = (measure: number): string => String(Number(measure.toPrecision(3)))
  if (!met) {
    return `No set meets the target: ${at(narrowest)} with nothing wide, ${at(widest)} with everything.`
  }
  if (wide.length === 0) return `Nothing has to be wide: ${at(value)} meets the target.`
  const sure = least ? 'No cheaper set does.' : 'There may be a cheaper set.'
  return `Keep wide: ${wide.join(', ')}.\n${at(narrowest)} with nothing wide, ${at(value)} with these: that meets the target. ${sure}`
}
