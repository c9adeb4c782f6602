import { checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import { bitsOf, type StoredDType } from '../hardware/index.js'
import type { Architecture } from './architecture.js'
import { checkedArchitecture } from './architectureOf.js'
import type { ModelConfig } from './config.js'
import { checkRemat, type Remat } from './remat.js'
import { checkSizes } from './sizes.js'

/** One array that a layer keeps for the backward pass, by its width per token. */
export interface SavedArray {
  readonly name: string
  readonly width: number
  /** Whether tensor parallelism splits it: heads and the inside of an MLP, not the residual stream. */
  readonly split: boolean
}

/** The batch, and what of it is kept for the backward pass. */
export interface ActivationOptions {
  readonly batch: number
  readonly sequence?: number
  /** Default 'block'. */
  readonly remat?: Remat
  /** Default bfloat16. */
  readonly dtype?: StoredDType
  /** Whether attention's scores stay on the chip, default true; else N T^2 of them are kept with 'everything'. */
  readonly flash?: boolean
}

const names: OptionTable<ActivationOptions> = {
  ...{ batch: 'required', sequence: 'optional', remat: 'optional', dtype: 'optional', flash: 'optional' },
}

/** What the layers keep. */
export interface Activations {
  readonly arrays: readonly SavedArray[]
  readonly bytesPerTokenPerLayer: number
  /** Attention scores, where they are kept. */
  readonly scoreBytes: number
  readonly bytes: number
}

/**
 * Bytes of activations that a training step keeps in its layers.
 * 'block': each layer's input, 2 D bytes a token in bfloat16. 'dots': the results of the products with weights, for a gated
 * decoder 2 (N H + 2 K H + D + 2 F + D). 'everything': all that the backward pass of each operation reads.
 *
 * Shape     none. Dtype of the arrays by option. Rounding none.
 * Throws    RangeError for an invalid model, size or policy.
 * Source    the scaling book, part 4 (its "about 20 arrays of D" is a count of the last kind; its "7 big matmuls" the second).
 *
 * @example activationBytes({ family: 'decoder', D: 8192, F: 28672, L: 64, N: 64, K: 8, V: 32000 }, { batch: 1000, sequence: 4000 }).bytes // 4194304000000
 */
export function activationBytes(config: ModelConfig, options: ActivationOptions): Activations {
  const model = checkedArchitecture('activationBytes', config)
  checkOptions('activationBytes', options, names)
  const { batch, sequence = 1, remat = 'block', dtype = 'bfloat16', flash = true } = options
  checkSizes('activationBytes', { batch, sequence })
  checkRemat('activationBytes', remat)
  const arrays = savedArrays(model, remat)
  const size = bitsOf(dtype) / 8
  const perToken = arrays.reduce((sum, { width }) => sum + width, 0) * size
  const heads = model.attention?.N ?? 0
  const scoreBytes = remat === 'everything' && !flash ? 2 * heads * sequence ** 2 * batch * model.L * size : 0
  // The MLP's widths differ, so its arrays are those of all layers.
  const layers = model.family === 'mlp' ? 1 : model.L
  const bytes = batch * sequence * layers * perToken + scoreBytes
  return { arrays, bytesPerTokenPerLayer: perToken, scoreBytes, bytes }
}

/** The arrays that one layer keeps. */
export function savedArrays(model: Architecture, remat: Remat): readonly SavedArray[] {
  const { D, attention, mlp, scan } = model
  const array = (name: string, width: number, split: boolean = false): SavedArray => ({ name, width, split })
  if (model.family === 'mlp') {
    return model.tensors
      .filter(({ inputs }) => inputs > 0)
      .map(({ name, inputs }) => array(`${name} input`, inputs, false))
  }
  const input = [array('input', D)]
  if (remat === 'block') return input
  const every = remat === 'everything'
  const kept: SavedArray[] = every ? [...input, array('normed', D)] : []
  if (attention) {
    const { N, K, H } = attention
    kept.push(array('q', N * H, true), array('k', K * H, true), array('v', K * H, true))
    if (every) kept.push(array('attention', N * H, true))
    kept.push(array('o', D))
  }
  if (mlp) {
    const F = mlp.F * Math.max(1, mlp.active)
    if (every) kept.push(array('normed before the MLP', D))
    if (mlp.gated) kept.push(array('gate', F, true))
    kept.push(array('up', F, true))
    if (every) kept.push(array('activated', F, true))
    if (every && mlp.gated) kept.push(array('gated', F, true))
    kept.push(array('down', D))
  }
  if (scan) {
    const { I, H, G, S } = scan
    const fused = model.family === 'mamba2' ? 2 * I + 2 * G * S + H : 2 * I
    kept.push(array('in', fused, true))
    if (every) {
      kept.push(array('convolved', I + 2 * G * S, true), array('scanned', I, true), array('gated', I, true))
    }
    kept.push(array('out', D))
  }
  return kept
}

/** The letters of the formula. */
export interface MegatronOptions {
  /** Sequence length, micro-batch, hidden width, heads, tensor-parallel ways: the paper's letters. */
  readonly s: number
  readonly b: number
  readonly h: number
  readonly a: number
  readonly t?: number
  readonly recompute?: 'none' | 'selective' | 'full'
  readonly sequenceParallel?: boolean
}

const megatronNames: OptionTable<MegatronOptions> = {
  ...{ s: 'required', b: 'required', h: 'required', a: 'required', t: 'optional' },
  ...{ recompute: 'optional', sequenceParallel: 'optional' },
}

/**
 * Bytes of activations per layer by the formulas of Megatron, for a plain MLP of 4 h in 16 bits with dropout.
 *
 * Shape     none. Dtype 16 bits, masks 8. Rounding none.
 * Source    Korthikanti et al., arXiv:2205.05198, table 2.
 *
 * @example megatronActivationBytes({ s: 2048, b: 1, h: 1024, a: 16 }) // 406847488
 * @example megatronActivationBytes({ s: 2048, b: 1, h: 1024, a: 16, recompute: 'full' }) // 4194304
 */
export function megatronActivationBytes(options: MegatronOptions): number {
  checkOptions('megatronActivationBytes', options, megatronNames)
  const { s, b, h, a, t = 1, recompute = 'none', sequenceParallel = false } = options
  checkSizes('megatronActivationBytes', { s, b, h, a, t })
  checkName('megatronActivationBytes', 'recompute', recompute, ['none', 'selective', 'full'])
  const sbh = s * b * h
  if (recompute === 'full') return 2 * sbh
  const scores = recompute === 'selective' ? 0 : (5 * a * s) / h
  return sequenceParallel ? (sbh / t) * (34 + scores) : sbh * (10 + 24 / t + scores / t)
}
