import { createHash } from 'node:crypto'

/**
 * The id of a trial's job, a UUID that follows from the sweep and the key: a trial put into the queue twice is there once.
 *
 * @example jobId('lr', '[["lr",0.1]]') === jobId('lr', '[["lr",0.1]]') // true
 */
export function jobId(sweep: string, key: string): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([sweep, key]))
    .digest('hex')
  // Version 8 of RFC 9562: the bits are the maker's own.
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The channel on which a sweep hears of its jobs. */
export function resultsChannel(sweep: string): string {
  return `tpu_toolkit_${createHash('sha256').update(sweep).digest('hex').slice(0, 24)}`
}

/** The channel on which workers hear that there are jobs. */
export const jobsChannel = 'tpu_toolkit_jobs'
