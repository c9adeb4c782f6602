import { checkArray, checkRecord, shown } from '../../../base/options/index.js'
import { fingerprintOf, listFingerprint } from './fingerprint.js'

/** Records by index: what a pipeline reads. Reading may be asynchronous; one index always gives the same record. */
export interface DataSource<T> {
  /** How many records there are. */
  readonly length: number
  /** The record at an index, 0 to length - 1. */
  at(index: number): T | Promise<T>
  /** The records start to end (not included), where reading them together is cheaper. */
  range?(start: number, end: number): readonly T[] | Promise<readonly T[]>
  /**
   * Distinguishes these records from others, as far as that is possible without reading all: a state of a pipeline keeps it, so that
   * a run is not gone on with over other data. Without one the number of records stands for it.
   */
  readonly fingerprint?: string
  /** Gives back files and memory; nothing is read afterwards. */
  close?(): void | Promise<void>
}

/**
 * An array as a source.
 *
 * @example arraySource(['a', 'b']).at(1) // 'b'
 */
export function arraySource<T>(records: ArrayLike<T>): DataSource<T> {
  if (typeof records !== 'object' || typeof records?.length !== 'number') {
    throw new TypeError(`arraySource: not a list of records [${shown(records)}]`)
  }
  return {
    length: records.length,
    get fingerprint() {
      return listFingerprint(records)
    },
    at: (index) => {
      checkIndex('arraySource', index, records.length)
      return records[index]!
    },
  }
}

/**
 * Concatenates sources, such as the shards of a data set.
 *
 * @example concatSources([arraySource([1, 2]), arraySource([3])]).at(2) // 3
 */
export function concatSources<T>(sources: readonly DataSource<T>[]): DataSource<T> {
  checkArray('concatSources', 'sources', sources)
  const ends: number[] = []
  for (const { length } of sources) ends.push((ends.at(-1) ?? 0) + length)
  const length = ends.at(-1) ?? 0
  const partOf = (index: number): number => {
    let low = 0
    let high = ends.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]! <= index) low = middle + 1
      else high = middle
    }
    return low
  }
  const startOf = (part: number): number => (part === 0 ? 0 : ends[part - 1]!)
  return {
    length,
    get fingerprint() {
      return fingerprintOf(...sources.map((source) => `${source.length} ${source.fingerprint ?? ''}`))
    },
    at: (index) => {
      checkIndex('concatSources', index, length)
      const part = partOf(index)
      return sources[part]!.at(index - startOf(part))
    },
    range: async (start, end) => {
      const pieces: (readonly T[])[] = []
      for (let at = start; at < end; ) {
        checkIndex('concatSources', at, length)
        const part = partOf(at)
        const stop = Math.min(end, ends[part]!)
        pieces.push(await readRange(sources[part]!, at - startOf(part), stop - startOf(part)))
        at = stop
      }
      return pieces.flat()
    },
    close: async () => {
      for (const source of sources) await source.close?.()
    },
  }
}

/** A part of a source as a source: the records start to end (not included). It shares the source's files. */
export function sliceSource<T>(source: DataSource<T>, start: number, end: number): DataSource<T> {
  checkRecord('sliceSource', 'source', source, ['length', 'at'])
  if (
    !(
      Number.isSafeInteger(start) &&
      Number.isSafeInteger(end) &&
      0 <= start &&
      start <= end &&
      end <= source.length
    )
  ) {
    throw new RangeError(`sliceSource: not a part of ${source.length} records [${start}, ${end}]`)
  }
  const length = end - start
  return {
    length,
    get fingerprint() {
      return fingerprintOf(source.fingerprint, start, end)
    },
    at: (index) => {
      checkIndex('sliceSource', index, length)
      return source.at(start + index)
    },
    range: (first, last) => readRange(source, start + first, start + last),
    close: () => source.close?.(),
  }
}

/** Records start to end of any source. */
export async function readRange<T>(source: DataSource<T>, start: number, end: number): Promise<readonly T[]> {
  if (source.range && end - start > 1) return source.range(start, end)
  const records: T[] = []
  for (let index = start; index < end; index++) records.push(await source.at(index))
  return records
}

/** The records with these indices: neighbours are read together, and all at the same time. */
export async function readIndices<T>(source: DataSource<T>, indices: readonly number[]): Promise<T[]> {
  const found: T[] = new Array(indices.length)
  const coming: Promise<void>[] = []
  const readRun = async (from: number, count: number): Promise<void> => {
    const records = await source.range!(indices[from]!, indices[from]! + count)
    if (records.length !== count) {
      throw new RangeError(
        `range: gave ${records.length} records [${indices[from]}, ${indices[from]! + count}]`,
      )
    }
    for (let i = 0; i < count; i++) found[from + i] = records[i]!
  }
  const keep = async (i: number, record: Promise<T>): Promise<void> => {
    found[i] = await record
  }
  for (let i = 0; i < indices.length; ) {
    let run = 1
    while (source.range && i + run < indices.length && indices[i + run] === indices[i]! + run) run++
    if (run > 1) {
      coming.push(readRun(i, run))
    } else {
      try {
        const record = source.at(indices[i]!)
        // What is there at once is not waited for: that would cost a turn of the event loop a record.
        if (record instanceof Promise) coming.push(keep(i, record))
        else found[i] = record
      } catch (error) {
        coming.push(Promise.reject(error))
        break
      }
    }
    i += run
  }
  // Every read is waited for, whichever fails: nobody reads on behind the caller's back.
  const failed = (await Promise.allSettled(coming)).find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  return found
}

/** Throws unless the value is an index of the source. */
export function checkIndex(op: string, index: number, length: number): void {
  if (!(Number.isSafeInteger(index) && index >= 0 && index < length)) {
    throw new RangeError(`${op}: no such record [${String(index)} of ${length}]`)
  }
}
