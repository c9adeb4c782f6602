import { checkNumber, checkOptions, checkRecord, type OptionTable } from '../../base/options/index.js'
import { bitsOf, type StoredDType } from '../hardware/index.js'
import type { Architecture, AttentionShape, MlpShape, ParameterTensor } from './architecture.js'
import { checkedArchitecture } from './architectureOf.js'
import type { ModelConfig } from './config.js'
import { type AttentionCount, checkAttention } from './remat.js'
import { checkSizes } from './sizes.js'

/** FLOPs (a multiply and an add are two) and bytes that pass between HBM and the chip. */
export interface Cost {
  readonly flops: number
  readonly bytes: number
}

/** One operation of a model, as often as `copies` says. */
export interface Operation {
  readonly name: string
  /** Matrix products with weights, attention, a scan, or elementwise work, which moves bytes and counts no FLOPs. */
  readonly kind: 'matmul' | 'attention' | 'scan' | 'elementwise'
  /** Layers that have it. */
  readonly copies: number
  /** Of one copy. The backward pass of a product is two products. */
  readonly forward: Cost
  readonly backward: Cost
  /** A product's [m, k] x [k, n], done `count` times in a copy. */
  readonly matmul?: { readonly m: number; readonly k: number; readonly n: number; readonly count: number }
}

/** The tokens that go through a model, and the dtypes of what they meet. */
export interface OperationsOptions {
  /** Sequences. */
  readonly batch: number
  /** Tokens of each that go through the model: T, or 1 when decoding. Default 1. */
  readonly sequence?: number
  /** Tokens that each attends to; default the sequence itself. More when decoding: the cache. */
  readonly context?: number
  /** Of activations, default bfloat16. */
  readonly dtype?: StoredDType
  /** Default as the activations. */
  readonly weightsDtype?: StoredDType
  /** Of keys and values, default as the activations. */
  readonly cacheDtype?: StoredDType
  /** Default 'causal'. */
  readonly attention?: AttentionCount
  /** Whether scores stay on the chip, default true. */
  readonly flash?: boolean
}

const operationsNames: OptionTable<OperationsOptions> = {
  ...{ batch: 'required', sequence: 'optional', context: 'optional', dtype: 'optional' },
  ...{ weightsDtype: 'optional', cacheDtype: 'optional', attention: 'optional', flash: 'optional' },
}

/** Positions of a chunk in Mamba-2's scan: the public code's default. */
const chunk = 256

/**
 * Every operation of a model over a batch (`drift.operations` are those of the drift bench): FLOPs and HBM bytes, forward and backward. Products read both operands and write
 * the result; elementwise work is fused to one read and one write. Output projection and loss stand last.
 *
 * Shape     none. Dtype of the byte counts by option. Rounding none.
 * Throws    RangeError for an invalid model or size.
 * Source    the scaling book, part 4; the scan: chunks of 256 as in state-spaces/mamba.
 *
 * @example operations({ family: 'mlp', widths: [4, 3], bias: false }, { batch: 2 })[0].forward // { flops: 48, bytes: 52 }
 */
export function operations(config: ModelConfig, options: OperationsOptions): readonly Operation[] {
  const model = checkedArchitecture('operations', config)
  checkOptions('operations', options, operationsNames)
  const { batch, sequence = 1, context = sequence } = options
  checkSizes('operations', { batch, sequence, context })
  checkAttention('operations', options.attention ?? 'causal')
  return operationsOf(model, options)
}

/** `operations` of what is checked already. */
export function operationsOf(model: Architecture, options: OperationsOptions): readonly Operation[] {
  const { batch, sequence = 1, dtype = 'bfloat16', weightsDtype = dtype } = options
  const tokens = batch * sequence
  const [own, weights] = [bitsOf(dtype) / 8, bitsOf(weightsDtype) / 8]
  const products = model.tensors
    .filter(({ inputs }) => inputs > 0)
    .map((tensor) => product(tensor, tokens, own, weights, model))
  const head = products.filter(({ name }) => name === 'output')
  const tied = model.V > 0 && head.length === 0
  const output = { name: 'output', role: 'output', copies: 1, inputs: model.D, outputs: model.V } as const
  return [
    ...products.filter(({ name }) => name !== 'output'),
    ...attentionOf(model, options),
    ...scanOf(model, tokens, own, sequence),
    ...elementwiseOf(model, tokens, own),
    ...(tied ? [product(output, tokens, own, weights, model)] : head),
  ]
}

type Multiplied = Pick<ParameterTensor, 'name' | 'role' | 'copies' | 'inputs' | 'outputs'>

function product(
  { name, role, copies, inputs: k, outputs: n }: Multiplied,
  tokens: number,
  own: number,
  weights: number,
  { mlp }: Architecture,
): Operation {
  const count = role === 'expert' && mlp ? mlp.experts : 1
  const m = role === 'expert' && mlp ? (tokens * mlp.active) / mlp.experts : tokens
  const flops = 2 * m * k * n * count
  const bytes = count * (m * (k + n) * own + k * n * weights)
  return {
    ...{ name, kind: 'matmul', copies, matmul: { m, k, n, count } },
    forward: { flops, bytes },
    // dx = dy w^T and dw = x^T dy: each reads two of the three arrays and writes the third.
    backward: { flops: 2 * flops, bytes: 2 * bytes },
  }
}

function attentionOf({ groups }: Architecture, options: OperationsOptions): Operation[] {
  const heads = new Map<AttentionShape, number>()
  for (const { attention, copies } of groups) {
    if (attention) heads.set(attention, (heads.get(attention) ?? 0) + copies)
  }
  const several = heads.size > 1
  return [...heads].map(([shape, copies]) => {
    const kind = shape.window === undefined ? 'global' : 'local'
    return attentionOperation(`layer.attention${several ? `.${kind}` : ''}`, shape, copies, options)
  })
}

/**
 * Pairs of positions of one sequence: the last T of S ask. 'causal' counts what a query may attend to, in a window at most W
 * keys; 'full' counts each with each, in a window as many after a query as before it.
 */
export function attentionPairs(
  shape: Pick<AttentionShape, 'window'>,
  attention: AttentionCount,
  T: number,
  S: number = T,
): number {
  checkRecord('attentionPairs', 'shape', shape)
  checkAttention('attentionPairs', attention)
  checkNumber('attentionPairs', 'T', T, 0)
  checkNumber('attentionPairs', 'S', S, 0)
  const { window = Number.POSITIVE_INFINITY } = shape
  if (attention === 'full' || T === 1) return T * Math.min(S, T === 1 ? window : 2 * window)
  // Those before the last T are attended to by all, of their own square half is.
  if (window >= S) return T * (S - T) + T ** 2 / 2
  // The first queries have fewer than W keys before them, where the sequence begins among them.
  const begin = Math.max(0, Math.min(T, window - (S - T)))
  return T * window - begin ** 2 / 2
}

function attentionOperation(
  name: string,
  shape: AttentionShape,
  copies: number,
  options: OperationsOptions,
): Operation {
  const { batch, sequence: T = 1, context: S = T, dtype = 'bfloat16' } = options
  const { cacheDtype = dtype, attention = 'causal', flash = true } = options
  const { N, K, H, V = H, window = S, cached } = shape
  const [own, cache] = [bitsOf(dtype) / 8, bitsOf(cacheDtype) / 8]
  const flops = 2 * batch * attentionPairs(shape, attention, T, S) * N * (H + V)
  const queries = (batch * T * N * (H + V) * own) / 2
  const seen = Math.min(S, T - 1 + window)
  // Decoding reads the latent as it is; where many tokens ask, keys and values are made of it.
  const width = cached !== undefined && T === 1 ? cached : K * (H + V)
  const keys = batch * seen * width * cache
  // Scores are written, read by the softmax, written and read again.
  const scores = flash ? 0 : 4 * batch * N * T * S * own
  return {
    ...{ name, kind: 'attention', copies },
    forward: { flops, bytes: 2 * queries + keys + scores },
    // q, k, v, o and do are read, dq, dk and dv written.
    backward: { flops: 2 * flops, bytes: 4 * queries + 2 * keys + 2 * scores },
  }
}

function scanOf(
  { scan, L, family }: Architecture,
  tokens: number,
  own: number,
  sequence: number,
): Operation[] {
  if (!scan) return []
  const { I, G, S, W } = scan
  const convolved = family === 'mamba2' ? I + 2 * G * S : I
  const steps = family === 'mamba2' && sequence > 1 ? Math.min(chunk, sequence) : 0
  // Within a chunk C B^T and its product with x; between chunks the states written and read.
  const scanned = tokens * (2 * steps * G * S + 2 * steps * I + 4 * S * I)
  const flops = { conv: 2 * tokens * convolved * W, scan: scanned }
  const bytes = { conv: 2 * tokens * convolved * own, scan: tokens * (2 * I + 2 * G * S) * own }
  return (['conv', 'scan'] as const).map((name) => ({
    ...{ name: `layer.${name}`, kind: 'scan', copies: L },
    forward: { flops: flops[name], bytes: bytes[name] },
    backward: { flops: 2 * flops[name], bytes: 2 * bytes[name] },
  }))
}

function elementwiseOf(model: Architecture, tokens: number, own: number): Operation[] {
  const { norms, groups, scan, D, L } = model
  const rows: [string, number, number][] = [['layer.norms', norms * 2 * D, L]]
  const kinds = new Map<MlpShape, number>()
  for (const { mlp, copies } of groups) if (mlp) kinds.set(mlp, (kinds.get(mlp) ?? 0) + copies)
  for (const [{ F, gated, active, experts, shared = 0 }, copies] of kinds) {
    const name = kinds.size > 1 && experts === 0 ? 'layer.dense.activation' : 'layer.mlp.activation'
    rows.push([name, (gated ? 3 : 2) * (F * Math.max(1, active) + shared), copies])
  }
  if (scan) rows.push(['layer.gate', 3 * scan.I, L])
  return rows
    .filter(([, width]) => width > 0)
    .map(([name, width, copies]) => ({
      ...{ name, kind: 'elementwise', copies },
      forward: { flops: 0, bytes: tokens * width * own },
      backward: { flops: 0, bytes: 2 * tokens * width * own },
    }))
}
