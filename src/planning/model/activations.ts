import { checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import { bitsOf, type StoredDType } from '../hardware/index.js'
import type { Architecture } from './architecture.js'
import { checkedArchitecture } from './architectureOf.js'
import type { ModelConfig } from './config.js'
import { checkRemat, keptBy, type Remat } from './remat.js'
import { checkSizes } from './sizes.js'

/** One array that a layer keeps for the backward pass, by its width per token. */
export interface SavedArray {
  readonly name: string
  readonly width: number
  /** Whether tensor parallelism splits it: heads and the inside of an MLP, not the residual stream. */
  readonly split: boolean
  /** Layers that keep it, where not all do. */
  readonly copies?: number
  /** Whether it is kept in the memory of the host. */
  readonly offloaded?: boolean
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
  /** What the layers keep in the memory of the host. */
  readonly hostBytes: number
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
  const heads = model.attention?.N ?? 0
  const scoreBytes = keptBy(remat).scores && !flash ? 2 * heads * sequence ** 2 * batch * model.L * size : 0
  // The MLP's widths differ, so its arrays are those of all layers.
  const layers = model.family === 'mlp' ? 1 : model.L
  const perLayers = keptWidth(arrays, layers, ({ offloaded }) => offloaded !== true) * size
  const hostBytes = batch * sequence * keptWidth(arrays, layers, ({ offloaded }) => offloaded === true) * size
  const bytes = batch * sequence * perLayers + scoreBytes
  return { arrays, bytesPerTokenPerLayer: perLayers / layers, scoreBytes, bytes, hostBytes }
}

/** Widths of what all layers keep, of the arrays asked for. */
export function keptWidth(
  arrays: readonly SavedArray[],
  layers: number,
  asked: (array: SavedArray) => boolean,
  tensor: number = 1,
): number {
  return arrays.reduce((sum, array) => {
    if (!asked(array)) return sum
    return sum + ((array.copies ?? layers) * array.width) / (array.split ? tensor : 1)
  }, 0)
}

/** The arrays that the layers keep, each with the number of layers that do. */
export function savedArrays(model: Architecture, remat: Remat): readonly SavedArray[] {
  if (model.family === 'mlp') {
    return model.tensors
      .filter(({ inputs }) => inputs > 0)
      .map(({ name, inputs }) => ({ name: `${name} input`, width: inputs, split: false }))
  }
  const kept = keptBy(remat)
  const inputs = Math.ceil(model.L / kept.every)
  const several = model.groups.length > 1
  return model.groups.flatMap(({ copies }, i) =>
    layerArrays(model, i)
      .filter(({ name, routed }) => {
        // The policies of products keep what products make; jax keeps the input too where no product made it.
        if (name === 'input') return typeof remat !== 'string' || !remat.startsWith('dots')
        return (
          kept.all || ((kept.saved.has(name) || kept.offloaded.has(name)) && !(routed && kept.expertsAgain))
        )
      })
      .map(({ name, width, split }) => ({
        ...{ name, width, split },
        ...(several || (name === 'input' && kept.every > 1)
          ? { copies: name === 'input' ? (copies * inputs) / model.L : copies }
          : {}),
        ...(kept.offloaded.has(name) ? { offloaded: true } : {}),
      })),
  )
}

interface LayerArray extends SavedArray {
  /** Whether it belongs to experts. */
  readonly routed: boolean
}

/** Everything that the backward pass of a layer of a group reads, its input first. */
export function layerArrays(model: Architecture, group: number): readonly LayerArray[] {
  const { D, scan } = model
  const { attention, mlp } = model.groups[group] ?? { attention: undefined, mlp: undefined }
  const array = (
    name: string,
    width: number,
    split: boolean = false,
    routed: boolean = false,
  ): LayerArray => ({
    ...{ name, width, split, routed },
  })
  const kept = [array('input', D), array('normed', D)]
  if (attention) {
    const { N, K, H, V = H, latent } = attention
    if (latent !== undefined) kept.push(array('latent', latent))
    kept.push(array('q', N * H, true), array('k', K * H, true), array('v', K * V, true))
    kept.push(array('attention', N * V, true), array('o', D))
  }
  if (mlp) {
    const routed = mlp.experts > 0
    const F = mlp.F * Math.max(1, mlp.active) + (mlp.shared ?? 0)
    kept.push(array('normed before the MLP', D))
    if (mlp.gated) kept.push(array('gate', F, true, routed))
    kept.push(array('up', F, true, routed), array('activated', F, true, routed))
    if (mlp.gated) kept.push(array('gated', F, true, routed))
    kept.push(array('down', D, false, routed))
  }
  if (scan) {
    const { I, H, G, S } = scan
    const fused = model.family === 'mamba2' ? 2 * I + 2 * G * S + H : 2 * I
    kept.push(array('in', fused, true), array('convolved', I + 2 * G * S, true))
    kept.push(array('scanned', I, true), array('gated', I, true), array('out', D))
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
