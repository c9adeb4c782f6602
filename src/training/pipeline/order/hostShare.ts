import { evenShare, type Host } from './shard.js'

/** How a stream is divided among hosts: in blocks, each host the same number of records of every step. */
export interface Deal {
  readonly hosts: number
  /** Records of one host in one step: its share of a global batch, or 1. */
  readonly block: number
  /** What becomes of the last records that fill no step: divided as evenly as possible, or left out. */
  readonly remainder: 'keep' | 'drop'
}

/** The part of a stream that one host sees, numbered from 0. */
export interface HostShare {
  readonly length: number
  /** Records in whole steps; behind them comes the share of the remainder. */
  readonly whole: number
  /** The number in the stream of a number in the share. */
  numberAt(i: number): number
}

/**
 * The share of a host in a stream of `length` places. Step s of the stream is the block of host 0, then that of host 1 ...:
 * together the hosts' batches are the global batch that one host alone would have.
 */
export function shareOf(length: number, deal: Deal, host: number): HostShare {
  const { hosts, block, remainder } = deal
  const step = hosts * block
  const steps = Math.floor(length / step)
  const left = length === Number.POSITIVE_INFINITY ? 0 : length - steps * step
  const [start, end] = evenShare(left, { host, hosts } satisfies Host)
  const whole = steps * block
  return {
    whole,
    length: whole + (remainder === 'keep' ? end - start : 0),
    numberAt: (i) =>
      i < whole
        ? Math.floor(i / block) * step + host * block + (i % block)
        : steps * step + start + (i - whole),
  }
}
