import type * as nn from '../../../models/nn/index.js'
import type { Key } from '../../../tensors/random/index.js'
import type { Tensor } from '../../../tensors/tensor/index.js'
import type { Attend, Product } from './product.js'

/** How large a decoder is. */
export interface DecoderSizes {
  /** Features of the residual stream, a multiple of 32. */
  readonly width: number
  readonly layers: number
}

/** What of a decoder an arm replaces. */
export interface DecoderParts {
  /** The products with weights inside the blocks. Default: bfloat16. */
  readonly product?: Product
  /** Default: bfloat16 operands, softmax in float32. */
  readonly attend?: Attend
  /** 'unit': every operation is scaled so that values and gradients begin with a standard deviation of 1. Default 'standard'. */
  readonly scaling?: 'standard' | 'unit'
}

/** The parameters of one block. */
export interface BlockParameters {
  /** Norms of a decoder in unit scale have no parameters. */
  readonly first?: nn.NormParameters
  /** Queries, keys and values side by side, [width, 3 width]. */
  readonly qkv: Tensor
  readonly out: Tensor
  readonly second?: nn.NormParameters
  /** Gate and value side by side, [width, 4 width]. */
  readonly up: Tensor
  /** [2 width, width]. */
  readonly down: Tensor
}

/** The parameters of a decoder. */
export interface DecoderParameters {
  readonly embedding: nn.EmbeddingParameters
  readonly blocks: readonly BlockParameters[]
  readonly last?: nn.NormParameters
  readonly head: Tensor
}

/** A decoder as two functions. */
export interface Decoder {
  init(key: Key): DecoderParameters
  /** Logits [batch, length, vocabulary] in float32; `words` as of `Site`. */
  apply(params: DecoderParameters, tokens: Tensor<'int32'>, words: Tensor<'uint32'>): Tensor
  /** The mean cross entropy of the characters that follow, nats. */
  loss(logits: Tensor, next: Tensor<'int32'>): Tensor
}
