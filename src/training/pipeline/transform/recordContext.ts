import type { Key } from '../../../tensors/random/index.js'
import { foldIn64 } from '../order/indexSampler.js'

/** Where a record stands, for transforms that draw random numbers or name records. */
export interface RecordContext {
  /** The place in the order of all epochs, which no other visit of a record shares. */
  readonly position: number
  /** The record's index in its source. */
  readonly index: number
  readonly epoch: number
  /** A key for this visit alone: the same on any number of hosts and workers. */
  readonly key: Key
}

/** Where a record stands, as it crosses to a worker. */
export interface RecordPlace {
  /** Its number among all that this host reads. */
  readonly order: number
  readonly position: number
  readonly index: number
  readonly epoch: number
}

/** A context; its key is made when it is asked for. */
export class PlaceContext implements RecordContext {
  readonly position: number
  readonly index: number
  readonly epoch: number
  readonly #root: Key

  constructor(root: Key, { position, index, epoch }: RecordPlace) {
    this.position = position
    this.index = index
    this.epoch = epoch
    this.#root = root
  }

  get key(): Key {
    return foldIn64(this.#root, this.position)
  }
}
