import { checkOptions, type OptionTable } from '../../../base/options/index.js'

/** Which of several processes this one is. */
export interface Host {
  /** This process: 0 to hosts - 1. */
  readonly host: number
  /** How many there are. */
  readonly hosts: number
}

/** A stretch of the records of one file: start to end, end not included. */
export interface FileRange {
  /** Which file of the list. */
  readonly file: number
  readonly start: number
  readonly end: number
}

const hostNames: OptionTable<Host> = { host: 'required', hosts: 'required' }

/** Throws unless the number is a process of the group. */
export function checkHost(op: string, given: Host): void {
  checkOptions(op, given, hostNames)
  const { host, hosts } = given
  if (!(Number.isSafeInteger(hosts) && hosts > 0)) {
    throw new RangeError(`${op}: hosts is not a positive integer [${String(hosts)}]`)
  }
  if (!(Number.isSafeInteger(host) && host >= 0 && host < hosts)) {
    throw new RangeError(`${op}: unknown host [${String(host)} of ${hosts}]`)
  }
}

/**
 * The stretch of `length` records that is this host's: the hosts' stretches follow each other, cover everything once and
 * differ by at most one record, the longer ones first.
 *
 * @example [0, 1, 2].map((host) => shardRange(8, { host, hosts: 3 })) // [[0, 3], [3, 6], [6, 8]]
 */
export function shardRange(length: number, host: Host): [start: number, end: number] {
  checkHost('shardRange', host)
  if (!(Number.isSafeInteger(length) && length >= 0)) {
    throw new RangeError(`shardRange: length is not an integer from 0 on [${String(length)}]`)
  }
  return evenShare(length, host)
}

/** The same without checks. */
export function evenShare(length: number, { host, hosts }: Host): [start: number, end: number] {
  const least = Math.floor(length / hosts)
  const longer = length % hosts
  const begin = (i: number): number => i * least + Math.min(i, longer)
  return [begin(host), begin(host + 1)]
}

/**
 * The files that are this host's, whole: as many as the other hosts have, or one more or less.
 *
 * @example shardFiles(['a', 'b', 'c'], { host: 0, hosts: 2 }) // ['a', 'b']
 */
export function shardFiles<T>(files: readonly T[], host: Host): T[] {
  checkHost('shardFiles', host)
  return files.slice(...evenShare(files.length, host))
}

/**
 * The records that are this host's, given how many each file has: `shardRange` over all of them in a row, as stretches of
 * files. No record is any two hosts', whatever the sizes of the files.
 *
 * @example shardRecords([5, 0, 4], { host: 1, hosts: 2 }) // [{ file: 2, start: 0, end: 4 }]
 */
export function shardRecords(counts: readonly number[], host: Host): FileRange[] {
  checkHost('shardRecords', host)
  const wrong = counts.findIndex((count) => !(Number.isSafeInteger(count) && count >= 0))
  if (wrong >= 0) {
    throw new RangeError(`shardRecords: not a count of records [file ${wrong}: ${String(counts[wrong])}]`)
  }
  const [start, end] = evenShare(
    counts.reduce((sum, count) => sum + count, 0),
    host,
  )
  let before = 0
  return counts.flatMap((count, file) => {
    const range = { file, start: Math.max(start - before, 0), end: Math.min(end - before, count) }
    before += count
    return range.start < range.end ? [range] : []
  })
}
