import type { ParameterTensor } from '../model/index.js'

/** What a parameter's dimensions are split over, before it is known whether they divide. */
export interface Rule {
  /** The dimension that fsdp splits; undefined for none. */
  readonly fsdp?: number
  /** The dimension that tensor parallelism splits. */
  readonly tensor?: number
  /** The dimension that expert parallelism splits. */
  readonly expert?: number
  /** Why tensor parallelism leaves a fused dimension whole. */
  readonly fused?: string
  /** What splitting asks for. */
  readonly note?: string
}

/** Dimensions inside a layer, which heads and the insides of MLPs and scans are. */
const inner: readonly string[] = ['N', 'K', 'F', 'V', 'I']

/**
 * Where a parameter is split: Megatron's rules for tensor parallelism (columns first, rows second, so that a layer is reduced
 * once), the model dimension for fsdp, the experts for expert parallelism. Norms, biases behind a sum and scalars stay whole.
 *
 * Source    Megatron-LM (arXiv:1909.08053); the scaling book, parts 3 and 5; tpu-facts, section 4
 */
export function ruleFor({ name, role, axes }: ParameterTensor): Rule {
  const model = axes.includes('D') ? { fsdp: axes.indexOf('D') } : {}
  const within = axes.findIndex((letter) => inner.includes(letter))
  const tensor = within >= 0 ? { tensor: within } : {}
  switch (role) {
    case 'input-embedding':
    case 'output':
      return { ...model, ...tensor }
    case 'position-embedding':
      return model
    case 'expert':
      return { ...model, ...tensor, expert: axes.indexOf('E') }
    case 'matrix':
      if (name.endsWith('router')) return { note: 'every device routes its own tokens' }
      if (name.startsWith('layer') && axes.includes('inputs')) return denseRule(name)
      if (axes[0] === 'R' || axes[0] === 'C') return { fsdp: 0, ...tensor }
      if (axes[1] === 'R' || axes[1] === 'C') return { ...model, note: 'a latent is whole on every device' }
      if (within < 0) return { ...model, fused: fusedText(axes[1] ?? '') }
      return axes.includes('D') ? { ...model, ...tensor } : { fsdp: within, ...tensor }
    case 'bias':
      return within >= 0 ? { ...tensor, note: 'of columns that are split' } : {}
    case 'scan':
      return { tensor: Math.max(0, axes.indexOf('H')), note: 'by heads, as the channels of the scan' }
    case 'convolution':
      return within >= 0 ? tensor : { fused: fusedText(axes[0] ?? '') }
    case 'norm':
      return within >= 0
        ? { ...tensor, note: 'its mean square is over all heads: an all-reduce, or a norm per group' }
        : {}
    default:
      return role satisfies never
  }
}

/** Dense layers alternately by columns and rows. */
function denseRule(name: string): Rule {
  const even = Number(name.replace(/\D/g, '')) % 2 === 0
  return even ? { tensor: 0, fsdp: 1, note: 'rows, then a reduction' } : { tensor: 1, fsdp: 0 }
}

/** The segments of a fused dimension, which equal parts would cut in the wrong places. */
function fusedText(letters: string): string {
  if (letters === '2I+2GS+H') {
    return 'z, x, B, C and dt lie side by side: split z, x, dt by heads, B and C by groups where they divide'
  }
  if (letters === 'I+2GS') {
    return 'x, B and C lie side by side: split x by heads, B and C by groups where they divide'
  }
  if (letters === '2I') return 'x and z lie side by side: split each by channels'
  return `${letters} is not one thing: split its parts`
}
