import type { DType, Shape } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import type { CheckpointFacts } from './keep.js'

/** One file of tensors, by which it is recognised. */
export interface FileDigest {
  readonly bytes: number
  readonly sha256: string
}

/** A tensor of a checkpoint: its rows, along its first axis, are stored in the hosts' files in the order of the hosts. */
export interface StoredTensor {
  readonly dtype: DType
  /** The shape of the whole. */
  readonly shape: Shape
  /** How many rows each host's file has; a tensor of no axes is one row. */
  readonly rows: readonly number[]
  /** Whether each host had only its own rows of it. */
  readonly sharded: boolean
}

/** The outline of a tree: 0 where a tensor is. */
export type Outline = Tree<0>

/** All that checkpoint.json says. */
export interface CheckpointRecord extends CheckpointFacts {
  /** Plain data. */
  readonly state: unknown
  /** What each host had for itself, plain data. */
  readonly hostStates: readonly unknown[]
  readonly outline: Outline
  readonly tensors: ReadonlyMap<string, StoredTensor>
  /** The files, by host. */
  readonly files: readonly FileDigest[]
}
