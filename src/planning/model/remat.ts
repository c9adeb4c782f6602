import { checkInteger, checkName, checkOptions, type OptionTable, shown } from '../../base/options/index.js'

/** A policy by the names of what it keeps: MaxText's `remat_policy: custom`. */
export interface NamedRemat {
  /**
   * What each layer keeps on the device beside its input: q, k, v, attention, o, gate, up, down, latent, in, out; or MaxText's
   * names (query_proj, key_proj, value_proj, qkv_proj, context, out_proj, mlpwi_0, mlpwi_1, mlpwi, mlpwo).
   */
  readonly save?: readonly string[]
  /** What it keeps in the memory of the host, the same names, and input (decoder_layer_input). */
  readonly offload?: readonly string[]
  /** Layers that are computed again together, of which only the first one's input is kept; default 1. */
  readonly every?: number
}

/**
 * What of a layer is kept for the backward pass: 'everything'; 'dots', the results of products, as jax's dots_saveable;
 * 'dots_with_no_batch_dims', of products with weights that no expert owns, as jax's dots_with_no_batch_dims_saveable;
 * 'block', only the layer's input, as nothing_saveable (MaxText's 'full'), so that the forward pass is computed again; or the
 * names of what is kept.
 */
export type Remat = 'everything' | 'dots' | 'dots_with_no_batch_dims' | 'block' | NamedRemat

const policies = ['everything', 'dots', 'dots_with_no_batch_dims', 'block'] as const

const namedOptions: OptionTable<NamedRemat> = { save: 'optional', offload: 'optional', every: 'optional' }

/** MaxText's names of what is kept. */
const maxTextNames: Readonly<Record<string, readonly string[]>> = {
  ...{ decoder_layer_input: ['input'], query_proj: ['q'], key_proj: ['k'], value_proj: ['v'] },
  ...{ qkv_proj: ['q', 'k', 'v'], context: ['attention'], out_proj: ['o'], mlpwi_0: ['gate'] },
  ...{ mlpwi_1: ['up'], mlpwi: ['gate', 'up'], mlpwo: ['down'] },
}

const ownNames = ['input', 'q', 'k', 'v', 'attention', 'o', 'gate', 'up', 'down', 'latent', 'in', 'out']

/** The names of every array that a policy may keep: ours, and MaxText's. */
export const savedNames: readonly string[] = [...ownNames, ...Object.keys(maxTextNames)]

export function checkRemat(op: string, remat: unknown): void {
  if (typeof remat !== 'object' || remat === null) {
    checkName(op, 'remat', remat, policies)
    return
  }
  checkOptions(op, remat, namedOptions)
  const { save, offload, every } = remat as NamedRemat
  for (const names of [save, offload]) {
    if (names === undefined) continue
    if (!Array.isArray(names)) {
      throw new TypeError(`${op}: the names of what is kept are no list [${shown(names)}]`)
    }
    for (const name of names) checkName(op, 'saved array', name, savedNames)
  }
  if (every !== undefined) checkInteger(op, 'every', every, 1)
}

/** A policy as what it keeps. */
export interface Kept {
  /** Everything that the backward pass reads. */
  readonly all: boolean
  readonly saved: ReadonlySet<string>
  readonly offloaded: ReadonlySet<string>
  readonly every: number
  /** Whether products of experts are computed again although others are kept. */
  readonly expertsAgain: boolean
  /** Whether attention's scores count as a product that is kept, where they are in memory at all. */
  readonly scores: boolean
}

const products = ['q', 'k', 'v', 'o', 'gate', 'up', 'down', 'latent', 'in', 'out']

const plainNames = (names: readonly string[] = []): string[] =>
  names.flatMap((name) => (Object.hasOwn(maxTextNames, name) ? (maxTextNames[name] ?? []) : [name]))

/** What a policy keeps. */
export function keptBy(remat: Remat): Kept {
  const none = { all: false, offloaded: new Set<string>(), every: 1, expertsAgain: false, scores: false }
  if (remat === 'everything') return { ...none, all: true, saved: new Set(ownNames), scores: true }
  if (remat === 'dots') return { ...none, saved: new Set(products), scores: true }
  if (remat === 'dots_with_no_batch_dims') return { ...none, saved: new Set(products), expertsAgain: true }
  if (remat === 'block') return { ...none, saved: new Set() }
  const offloaded = new Set(plainNames(remat.offload))
  const saved = new Set(plainNames(remat.save).filter((name) => !offloaded.has(name)))
  return { ...none, saved, offloaded, every: remat.every ?? 1 }
}

/** A policy to read. */
export function rematText(remat: Remat): string {
  checkRemat('rematText', remat)
  if (typeof remat === 'string') return `'${remat}'`
  const { save = [], offload = [], every = 1 } = remat
  const parts = [
    ...(every > 1 ? [`every ${every} layers`] : []),
    ...(save.length > 0 ? [`${save.join(', ')} kept`] : []),
    ...(offload.length > 0 ? [`${offload.join(', ')} on the host`] : []),
  ]
  return parts.length === 0 ? "'block'" : parts.join('; ')
}

/** How pairs of positions are counted: each with each, or half of them, as a causal kernel that skips blocks computes. */
export type AttentionCount = 'full' | 'causal'

export function checkAttention(op: string, attention: unknown): void {
  checkName(op, 'attention', attention, ['full', 'causal'])
}
