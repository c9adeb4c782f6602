import { checkName } from '../../base/options/index.js'

/**
 * What of a layer is kept for the backward pass: 'everything'; 'dots', the results of products with weights, as jax's
 * dots_saveable; 'block', only the layer's input, as nothing_saveable, so that the forward pass is computed again.
 */
export type Remat = 'everything' | 'dots' | 'block'

export function checkRemat(op: string, remat: unknown): void {
  checkName(op, 'remat', remat, ['everything', 'dots', 'block'])
}

/** How pairs of positions are counted: each with each, or half of them, as a causal kernel that skips blocks computes. */
export type AttentionCount = 'full' | 'causal'

export function checkAttention(op: string, attention: unknown): void {
  checkName(op, 'attention', attention, ['full', 'causal'])
}
