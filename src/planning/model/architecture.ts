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
  readonly H: number
}

/** A model's layers, completed: what its configuration says and leaves to defaults. */
export interface Architecture {
  readonly family: string
  /** Width of the residual stream. */
  readonly D: number
  readonly L: number
  /** 0 where there is no vocabulary. */
  readonly V: number
  readonly attention: AttentionShape | undefined
  readonly mlp:
    | {
        readonly F: number
        readonly gated: boolean
        readonly experts: number
        readonly active: number
      }
    | undefined
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
