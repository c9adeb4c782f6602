import type { OptionTable } from '../../base/options/index.js'

/**
 * A LLaMA-like decoder: norms without bias, RoPE, gated MLP; grouped queries, sliding windows, latent attention, experts, tied
 * embeddings and the like by option. The letters are those of the scaling book.
 */
export interface DecoderConfig {
  readonly family: 'decoder'
  /** Width of the residual stream. */
  readonly D: number
  /** Width inside the MLP, of each expert where there are experts. */
  readonly F: number
  readonly L: number
  /** Query heads. */
  readonly N: number
  /** Key and value heads: N (the default) is multi-head, 1 multi-query, anything between grouped. */
  readonly K?: number
  /** Width of a head, default D / N. */
  readonly H?: number
  readonly V: number
  /** Whether the output projection is the embedding, default false. */
  readonly tie?: boolean
  /** Three matrices (the default) or two in the MLP. */
  readonly gated?: boolean
  /** Experts per layer; the router has one column for each. */
  readonly experts?: number
  /** Experts that a token goes through, default 2 as in Mixtral. */
  readonly active?: number
  /** Biases on q, k and v, as Qwen 2 has; also written `qkv_bias`. */
  readonly qkvBias?: boolean
  readonly qkv_bias?: boolean
  /** Norm scales of one head's width on q and k, as Qwen 3 has; also written `qk_norm`. */
  readonly qkNorm?: boolean
  readonly qk_norm?: boolean
  /** Norm scales per layer, default 2; Gemma 2 has 4. */
  readonly norms?: number
  /** Keys that a token of a local layer attends to, itself among them; without `globalEvery` every layer is local (Mistral 7B). */
  readonly window?: number
  /** Every n-th layer attends to all positions: 2 in Gemma 2 and gpt-oss, 6 in Gemma 3. Needs `window`. */
  readonly globalEvery?: number
  /** Width of a head of the global layers, where it differs (Gemma 4). */
  readonly globalH?: number
  /** Key and value heads of the global layers, where they differ (Gemma 4). */
  readonly globalK?: number
  /** Whether the global layers use their keys as values, without a projection for values (Gemma 4). */
  readonly keysAreValues?: boolean
  /** Rank of the latent that keys and values are read from: multi-head latent attention (DeepSeek V2 and V3). H is then the width without positions. */
  readonly kvRank?: number
  /** Rank of the latent of the queries; without it they are projected at once. Needs `kvRank`. */
  readonly qRank?: number
  /** Width of the part of a head that carries positions, one key of it for all heads. Needs `kvRank`. */
  readonly ropeH?: number
  /** Width of a head of the values, default H. Needs `kvRank`. */
  readonly vH?: number
  /** Width inside an expert where layers without experts have another one, F; default F. */
  readonly expertF?: number
  /** Experts that every token goes through beside the routed ones, default 0. */
  readonly sharedExperts?: number
  /** Layers at the start that have a dense MLP of F, default 0 (3 in DeepSeek V3). */
  readonly denseLayers?: number
  /** Every n-th layer has experts, the others a dense MLP of F; default 1 (2 in Llama 4 Maverick). */
  readonly expertEvery?: number
  /** A learned logit for each head that takes part in the softmax, as gpt-oss has. */
  readonly sinks?: boolean
  /** A bias behind attention's output projection. */
  readonly oBias?: boolean
  /** Biases on the products of the MLP or of each expert. */
  readonly mlpBias?: boolean
  /** A bias for each expert in the router. */
  readonly routerBias?: boolean
  /** Whether embeddings are scaled by sqrt(D), as Gemma's: fused into the lookup, it changes no count. */
  readonly embeddingScale?: boolean
}

/** GPT-2: biases everywhere, learned positions, plain MLP, output tied. */
export interface Gpt2Config {
  readonly family: 'gpt2'
  readonly D: number
  readonly L: number
  /** Default 50257. */
  readonly V?: number
  /** Positions, default 1024. */
  readonly T?: number
  /** Default 4 D. */
  readonly F?: number
  /** Heads, which change no count; default heads of 64. */
  readonly N?: number
}

/** GPT-NeoX and Pythia ('neox': two norms a layer) and Phi-2 ('phi': one norm, biased output): biases everywhere, RoPE, plain MLP. */
export interface ParallelConfig {
  readonly family: 'neox' | 'phi'
  readonly D: number
  readonly L: number
  readonly V: number
  /** Default 4 D. */
  readonly F?: number
  /** Heads, which change no count; default heads of 64. */
  readonly N?: number
}

/** Mamba-2: one fused input projection, a short convolution, heads of a scan, a gated norm. */
export interface Mamba2Config {
  readonly family: 'mamba2'
  readonly D: number
  readonly L: number
  /** Inner width, default 2 D. */
  readonly I?: number
  /** Heads of the scan, default I / 64. */
  readonly H?: number
  /** Groups that share B and C, default 1. */
  readonly G?: number
  /** State per channel, default 128. */
  readonly S?: number
  /** Taps of the convolution, default 4. */
  readonly W?: number
  /** Default 50288. */
  readonly V?: number
  /** Default true. */
  readonly tie?: boolean
}

/** Mamba. */
export interface Mamba1Config {
  readonly family: 'mamba1'
  readonly D: number
  readonly L: number
  /** Inner width, default 2 D. */
  readonly I?: number
  /** State per channel, default 16. */
  readonly S?: number
  /** Rank of the time steps, default D / 16 rounded up. */
  readonly R?: number
  /** Taps of the convolution, default 4. */
  readonly W?: number
  /** Default 50280. */
  readonly V?: number
  /** Default true. */
  readonly tie?: boolean
}

/** Dense layers one after the other. */
export interface MlpConfig {
  readonly family: 'mlp'
  /** From the inputs to the outputs: [784, 512, 10]. */
  readonly widths: readonly number[]
  /** Default true. */
  readonly bias?: boolean
}

/** An architecture as numbers. */
export type ModelConfig =
  | DecoderConfig
  | Gpt2Config
  | ParallelConfig
  | Mamba2Config
  | Mamba1Config
  | MlpConfig

/** The architectures that a configuration can be of. */
export type Family = ModelConfig['family']

const decoder: OptionTable<DecoderConfig> = {
  ...{ family: 'required', D: 'required', F: 'required', L: 'required', N: 'required', V: 'required' },
  ...{ K: 'optional', H: 'optional', tie: 'optional', gated: 'optional', experts: 'optional' },
  ...{ active: 'optional', qkvBias: 'optional', qkv_bias: 'optional', qkNorm: 'optional' },
  ...{ qk_norm: 'optional', norms: 'optional', window: 'optional', globalEvery: 'optional' },
  ...{ globalH: 'optional', globalK: 'optional', keysAreValues: 'optional', kvRank: 'optional' },
  ...{ qRank: 'optional', ropeH: 'optional', vH: 'optional', expertF: 'optional' },
  ...{ sharedExperts: 'optional', denseLayers: 'optional', expertEvery: 'optional', sinks: 'optional' },
  ...{ oBias: 'optional', mlpBias: 'optional', routerBias: 'optional', embeddingScale: 'optional' },
}
const gpt2: OptionTable<Gpt2Config> = {
  ...{ family: 'required', D: 'required', L: 'required' },
  ...{ V: 'optional', T: 'optional', F: 'optional', N: 'optional' },
}
const parallel: OptionTable<ParallelConfig> = {
  ...{ family: 'required', D: 'required', L: 'required', V: 'required', F: 'optional', N: 'optional' },
}
const mamba2: OptionTable<Mamba2Config> = {
  ...{ family: 'required', D: 'required', L: 'required', I: 'optional', H: 'optional', G: 'optional' },
  ...{ S: 'optional', W: 'optional', V: 'optional', tie: 'optional' },
}
const mamba1: OptionTable<Mamba1Config> = {
  ...{ family: 'required', D: 'required', L: 'required', I: 'optional', S: 'optional', R: 'optional' },
  ...{ W: 'optional', V: 'optional', tie: 'optional' },
}
const mlp: OptionTable<MlpConfig> = { family: 'required', widths: 'required', bias: 'optional' }

/** The names that each family's configuration has. */
export const configNames: Readonly<Record<Family, Readonly<Record<string, 'required' | 'optional'>>>> = {
  ...{ decoder, gpt2, neox: parallel, phi: parallel, mamba2, mamba1, mlp },
}
