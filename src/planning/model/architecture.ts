/** What a parameter is for, which decides whether it is multiplied, split and counted as active. */
export type Role =
  | 'input-embedding'
  | 'position-embedding'
  | 'output'
  | 'matrix'
  | 'expert'
  | 'norm'
  | 'bias'
  | 'convolution'
  | 'scan'

/** One kind of parameter of a model. */
export interface ParameterTensor {
  /** `layer.attention.q`. */
  readonly name: string
  readonly role: Role
  /** What each dimension is, in the letters of the configuration. */
  readonly axes: readonly string[]
  readonly shape: readonly number[]
  /** How many of it the model has: one for each layer, or 1. */
  readonly copies: number
  /** Elements of all copies. */
  readonly elements: number
  /** Where it is a matrix: how many inputs each token brings, and how many outputs it takes away. */
  readonly inputs: number
  readonly outputs: number
}

/** Heads of an attention layer. */
export interface AttentionShape {
  readonly N: number
  readonly K: number
  /** Width of a head: of queries and keys, and of values where `V` is absent. */
  readonly H: number
  /** Width of a head of the values, where it differs. */
  readonly V?: number
  /** Keys that a token attends to, itself among them; absent where there is no window. */
  readonly window?: number
  /** Elements that a token leaves in the cache where they are neither 2 K H: the latent, or keys that are values too. */
  readonly cached?: number
  /** Width of the latents that queries, keys and values are read from, which are kept for the backward pass. */
  readonly latent?: number
}

/** The MLP of a layer; with experts, of each of them. */
export interface MlpShape {
  readonly F: number
  readonly gated: boolean
  readonly experts: number
  readonly active: number
  /** Width of what every token goes through beside its experts: all shared experts together. */
  readonly shared?: number
}

/** Layers that are alike. */
export interface LayerGroup {
  /** What tells them from the others: '', 'local', 'global', 'dense', 'experts' or two of these. */
  readonly name: string
  readonly copies: number
  readonly attention: AttentionShape | undefined
  readonly mlp: MlpShape | undefined
}

/** A model's layers, completed: what its configuration says and leaves to defaults. */
export interface Architecture {
  readonly family: string
  /** Width of the residual stream. */
  readonly D: number
  readonly L: number
  /** 0 where there is no vocabulary. */
  readonly V: number
  /** Of the local layers, where layers differ. */
  readonly attention: AttentionShape | undefined
  /** Of the layers with experts, where layers differ. */
  readonly mlp: MlpShape | undefined
  /** Layers that are alike, with what they have: their copies add up to L. */
  readonly groups: readonly LayerGroup[]
  readonly scan:
    | {
        readonly I: number
        readonly H: number
        readonly G: number
        readonly S: number
        readonly W: number
      }
    | undefined
  readonly norms: number
  readonly tensors: readonly ParameterTensor[]
}

/** A parameter; `inputs` and `outputs` of a matrix are the products of its first and of its other dimensions. */
export function parameter(
  name: string,
  role: Role,
  dimensions: Readonly<Record<string, number>>,
  copies: number,
  inputDimensions: number = 1,
): ParameterTensor {
  const axes = Object.keys(dimensions)
  const shape = Object.values(dimensions)
  const product = (sizes: readonly number[]): number => sizes.reduce((n, size) => n * size, 1)
  const isMatrix = role === 'matrix' || role === 'expert' || role === 'output'
  // Experts stand in front of what one of them multiplies.
  const own = role === 'expert' ? shape.slice(1) : shape
  return Object.freeze({
    ...{ name, role, axes, shape, copies, elements: product(shape) * copies },
    inputs: isMatrix ? product(own.slice(0, inputDimensions)) : 0,
    outputs: isMatrix ? product(own.slice(inputDimensions)) : 0,
  })
}
