import { checkName, checkNumber, checkOptions, type OptionTable } from '../../base/options/index.js'
import type { Architecture } from './architecture.js'
import { checkedArchitecture } from './architectureOf.js'
import type { ModelConfig } from './config.js'
import { type Operation, operationsOf } from './operations.js'
import { useOf } from './parameterCount.js'
import { type AttentionCount, checkAttention, checkRemat, keptBy, type Remat } from './remat.js'
import { checkSizes } from './sizes.js'

/** The batch of a step, and what is counted. */
export interface TrainingFlopsOptions {
  /** Sequences of a step. */
  readonly batch: number
  readonly sequence?: number
  /** 'causal' (the default) counts half of the pairs, 6 B T^2 N H L; 'full' all of them, 12 B T^2 N H L. */
  readonly attention?: AttentionCount
  /**
   * N of 6 N D. 'matmul' (the default): what multiplies a token, which leaves out the input embedding and has the output
   * projection. 'all': every parameter, of experts the active ones.
   */
  readonly parameters?: 'matmul' | 'all'
  /** What is computed again: with 'block' the forward pass, 8 N D in all; with 'dots' attention's. Default 'everything': nothing. */
  readonly remat?: Remat
}

const names: OptionTable<TrainingFlopsOptions> = {
  ...{ batch: 'required', sequence: 'optional', attention: 'optional' },
  ...{ parameters: 'optional', remat: 'optional' },
}

/** FLOPs of one training step. */
export interface TrainingFlops {
  /** 6 N D. */
  readonly matmul: number
  /** Scores and weighted values, forward and backward. */
  readonly attention: number
  /** Convolutions and scans of Mamba. */
  readonly scan: number
  /** What is computed a second time. */
  readonly recomputed: number
  /** What MFU counts: without the recomputed. */
  readonly model: number
  /** What the chips compute. */
  readonly hardware: number
}

/**
 * FLOPs of one training step: 6 N D and attention, the ways of counting named by the options.
 *
 * Shape     none. Dtype none. Rounding none: exact up to 2^53, then float64.
 * Throws    RangeError for an invalid model, size or name.
 * Source    Kaplan et al., arXiv:2001.08361, 2.1; the scaling book, part 4.
 *
 * @example trainingFlops({ family: 'gpt2', D: 768, L: 12 }, { batch: 1, sequence: 1024 }).matmul // 758980804608
 */
export function trainingFlops(config: ModelConfig, options: TrainingFlopsOptions): TrainingFlops {
  const model = checkedArchitecture('trainingFlops', config)
  checkOptions('trainingFlops', options, names)
  const { batch, sequence = 1, attention = 'causal', parameters = 'matmul', remat = 'everything' } = options
  checkSizes('trainingFlops', { batch, sequence })
  checkAttention('trainingFlops', attention)
  checkName('trainingFlops', 'parameters', parameters, ['matmul', 'all'])
  checkRemat('trainingFlops', remat)
  const { activeMatmul, active } = useOf(model)
  const matmul = 6 * (parameters === 'all' ? active : activeMatmul) * batch * sequence
  const listed = operationsOf(model, { batch, sequence, attention })
  const sum = (kind: string): number =>
    listed
      .filter((operation) => operation.kind === kind)
      .reduce((total, { copies, forward, backward }) => total + copies * (forward.flops + backward.flops), 0)
  const [attended, scan] = [sum('attention'), sum('scan')]
  const again = keptBy(remat).all ? 0 : (matmul + attended + scan) / 3 - keptFlops(model, listed, remat)
  const counted = matmul + attended + scan
  return { matmul, attention: attended, scan, recomputed: again, model: counted, hardware: counted + again }
}

/** Forward FLOPs of what a policy keeps, so that they are not computed again. */
function keptFlops(model: Architecture, listed: readonly Operation[], remat: Remat): number {
  const { saved, offloaded, expertsAgain } = keptBy(remat)
  const experts = model.tensors.flatMap(({ name, role }) => (role === 'expert' ? [name] : []))
  const keeps = (name: string): boolean => saved.has(name) || offloaded.has(name)
  // 'dots' keeps every product with weights, the output projection too.
  const everyProduct = typeof remat === 'string' && remat.startsWith('dots')
  return listed.reduce((sum, { name, kind, copies, forward }) => {
    const flops = copies * forward.flops
    if (kind === 'attention') return keeps('attention') ? sum + flops : sum
    if (kind !== 'matmul' || (expertsAgain && experts.includes(name))) return sum
    return everyProduct || keeps(keptName(name)) ? sum + flops : sum
  }, 0)
}

/** The array that a product makes: 'layer.mlp.up' makes up. */
function keptName(name: string): string {
  if (name.endsWith('.q.down') || name.endsWith('.kv.down')) return 'latent'
  if (name.endsWith('.q.up')) return 'q'
  if (name.endsWith('.kv.up')) return 'k'
  return name.slice(name.lastIndexOf('.') + 1)
}

/**
 * 6 N D, the FLOPs to train N parameters on D tokens; 8 N D where the forward pass is computed again.
 *
 * @example sixND(70e9, 1) // 420e9
 * @example sixND(70e9, 1, 'block') // 560e9
 */
export function sixND(parameters: number, tokens: number, remat: Remat = 'everything'): number {
  checkNumber('sixND', 'parameters', parameters, 0)
  checkNumber('sixND', 'tokens', tokens, 0)
  checkRemat('sixND', remat)
  return (remat === 'block' ? 8 : 6) * parameters * tokens
}
