/** A storage format: blocks of so many numbers, each of so many bytes with the codes and their scales in them. */
export interface StorageType {
  readonly name: string
  /** Numbers of a block: neighbours along the last axis. */
  readonly blockSize: number
  readonly blockBytes: number
  /** Bits of a number's code alone. */
  readonly codeBits: number
  /** Where it is used. */
  readonly family: 'GGUF' | 'bitsandbytes'
  /** Writes the bytes of one block, which are zero before. */
  readonly encode: (values: Float32Array, bytes: Uint8Array) => void
  /** Writes the numbers of one block. */
  readonly decode: (bytes: Uint8Array, values: Float32Array) => void
}

/** The names of the storage formats, as ggml and bitsandbytes have them in lower case. */
export type StorageName =
  | 'q4_0'
  | 'q4_1'
  | 'q5_0'
  | 'q5_1'
  | 'q8_0'
  | 'q2_k'
  | 'q3_k'
  | 'q4_k'
  | 'q5_k'
  | 'q6_k'
  | 'iq4_nl'
  | 'iq4_xs'
  | 'mxfp4'
  | 'nf4'
  | 'fp4'
