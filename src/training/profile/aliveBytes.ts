import type { MeasuredRun, TimedWork } from './measureRun.js'

/**
 * Bytes of values alive while each piece of work runs: from when they are made until the last one that reads them, results until the
 * end; what the run was given counts throughout, and inside of a program what that holds.
 */
export function aliveBytes(
  work: readonly TimedWork[],
  { bytes, givenBytes, returned }: MeasuredRun,
): number[] {
  const from = new Array<number>(bytes.length).fill(0)
  const to = new Array<number>(bytes.length).fill(0)
  for (const [i, { reads, makes }] of work.entries()) {
    for (const value of makes) {
      from[value] = i
      to[value] = i
    }
    for (const value of reads) to[value] = i
  }
  for (const value of returned) if (value >= 0) to[value] = work.length - 1
  // What is alive changes at ends only.
  const change = new Array<number>(work.length + 1).fill(0)
  for (const [value, size] of bytes.entries()) {
    change[from[value]!]! += size
    change[to[value]! + 1]! -= size
  }
  let alive = givenBytes
  return work.map(({ within }, i) => {
    alive += change[i]!
    return alive + within
  })
}
