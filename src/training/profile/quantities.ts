import { readable } from '../../base/text/index.js'

/** A time of so many microseconds: 3.2 µs, 14 ms, 2 s. */
export function time(microseconds: number): string {
  if (microseconds < 1000) return `${readable(microseconds)} µs`
  if (microseconds < 1e6) return `${readable(microseconds / 1000)} ms`
  return `${readable(microseconds / 1e6)} s`
}

/** Bytes, in powers of 1024. */
export function bytesShown(bytes: number): string {
  if (bytes < 1024) return `${readable(bytes)} B`
  if (bytes < 1024 ** 2) return `${readable(bytes / 1024)} KiB`
  if (bytes < 1024 ** 3) return `${readable(bytes / 1024 ** 2)} MiB`
  return `${readable(bytes / 1024 ** 3)} GiB`
}

/** A rate, of so many in a microsecond: 1.2 GFLOP/s. */
export function perSecond(inMicrosecond: number, unit: string): string {
  if (inMicrosecond >= 1e6) return `${readable(inMicrosecond / 1e6)} T${unit}/s`
  if (inMicrosecond >= 1000) return `${readable(inMicrosecond / 1000)} G${unit}/s`
  return `${readable(inMicrosecond)} M${unit}/s`
}

/** A share in hundredths: 12 %, 0.3 %, and what is next to nothing < 0.1 %. */
export function share(part: number): string {
  if (!Number.isFinite(part)) return '–'
  if (part > 0 && part < 0.001) return '< 0.1 %'
  return `${part >= 0.1 ? Math.round(part * 100) : readable(part * 100, 2)} %`
}

/** A count as a person reads it: 34,048, 10.4 M, 1.2 G. */
export function countShown(count: number): string {
  if (count < 1e6) return readable(Math.round(count))
  if (count < 1e9) return `${readable(count / 1e6)} M`
  return count < 1e12 ? `${readable(count / 1e9)} G` : `${readable(count / 1e12)} T`
}
