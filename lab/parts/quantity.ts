import { readable } from 'tpu-toolkit/text'

/** Bytes as the commands say them of a chip: GiB, or MiB below one. */
export function bytesText(bytes: number): string {
  const gib = bytes / 2 ** 30
  return gib >= 1 || bytes === 0 ? `${readable(gib)} GiB` : `${readable(bytes / 2 ** 20)} MiB`
}

/** Seconds as s, ms or us. */
export function secondsText(seconds: number): string {
  if (seconds >= 1 || seconds === 0) return `${readable(seconds)} s`
  return seconds >= 1e-3 ? `${readable(seconds * 1e3)} ms` : `${readable(seconds * 1e6)} us`
}

/** A share as a percentage. */
export const percentText = (share: number): string => `${(100 * share).toFixed(1)} %`
