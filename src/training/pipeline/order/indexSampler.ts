import { checkOptions, type OptionTable } from '../../../base/options/index.js'
import { foldIn, type Key, key } from '../../../tensors/random/index.js'
import { type IndexPermutation, indexPermutation } from './indexPermutation.js'

/** In which order records are visited, and how often. */
export interface SamplerOptions {
  /** A new random order in every epoch. Default false: the order of the source. */
  readonly shuffle?: boolean
  /** Needed to shuffle: a seed or a key. Every host must have the same. */
  readonly seed?: number | Key
  /** How often every record is visited; Infinity is allowed. Default 1. */
  readonly epochs?: number
}

export const samplerNames: OptionTable<SamplerOptions> = {
  shuffle: 'optional',
  seed: 'optional',
  epochs: 'optional',
}

/** An endless or ended list of record indices, computed place by place: its only state is the place, one integer. */
export interface IndexSampler {
  /** Records in an epoch. */
  readonly records: number
  /** Places in all epochs: records times epochs. */
  readonly length: number
  /** The record at a place: epoch e has the places from e records on. */
  at(position: number): number
  /** The epoch of a place. */
  epochOf(position: number): number
}

/**
 * The order in which `records` records are visited. Each epoch is a permutation of all of them; the same seed gives the
 * same order on every machine, whatever the number of hosts and workers.
 *
 * @example const sampler = indexSampler(4, { shuffle: true, seed: 1, epochs: 2 })
 * [0, 1, 2, 3, 4, 5, 6, 7].map((place) => sampler.at(place)) // [3, 2, 1, 0, 1, 0, 2, 3]
 * indexSampler(4, { shuffle: true }) // throws indexSampler: shuffle needs a seed [undefined]
 */
export function indexSampler(records: number, options: SamplerOptions = {}): IndexSampler {
  const op = 'indexSampler'
  checkOptions(op, options, samplerNames)
  const { shuffle = false, seed, epochs = 1 } = options
  if (!(Number.isSafeInteger(records) && records >= 0)) {
    throw new RangeError(`${op}: records is not an integer from 0 on [${String(records)}]`)
  }
  if (!((Number.isSafeInteger(epochs) && epochs >= 0) || epochs === Number.POSITIVE_INFINITY)) {
    throw new RangeError(`${op}: epochs is not an integer from 0 on [${String(epochs)}]`)
  }
  if (shuffle && seed === undefined) throw new RangeError(`${op}: shuffle needs a seed [undefined]`)
  const length = records === 0 ? 0 : records * epochs
  if (length !== Number.POSITIVE_INFINITY && !Number.isSafeInteger(length)) {
    throw new RangeError(`${op}: more places than integers are exact [${records} x ${epochs}]`)
  }
  const root = seed === undefined ? undefined : keyOf(seed)

  // The last epoch that was asked for: a cache, not state.
  let epochNow = -1
  let order: IndexPermutation | undefined
  const epochOf = (position: number): number => {
    if (!(Number.isSafeInteger(position) && position >= 0 && position < length)) {
      throw new RangeError(`at: not a place of the ${length} [${String(position)}]`)
    }
    return Math.floor(position / records)
  }
  return {
    records,
    length,
    epochOf,
    at: (position) => {
      const epoch = epochOf(position)
      const place = position - epoch * records
      if (!shuffle || !root) return place
      if (epoch !== epochNow || !order) {
        order = indexPermutation(records, foldIn64(root, epoch))
        epochNow = epoch
      }
      return order.at(place)
    },
  }
}

/** A seed as a key; a key as itself. */
export function keyOf(seed: number | Key): Key {
  return typeof seed === 'number' ? key(seed) : seed
}

/** `foldIn` of an integer up to 2^53. */
export function foldIn64(key: Key, data: number): Key {
  return foldIn(foldIn(key, Math.floor(data / 2 ** 32)), data % 2 ** 32)
}
