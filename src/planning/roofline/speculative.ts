import {
  checkArray,
  checkInteger,
  checkNumber,
  checkOptions,
  type OptionTable,
} from '../../base/options/index.js'
import type { StoredDType } from '../hardware/index.js'
import type { ModelConfig } from '../model/index.js'

/** Speculative decoding: tokens that a cheap model drafts, and that the model verifies together. */
export interface SpeculativeOptions {
  /** Drafted tokens of a step. */
  readonly tokens: number
  /** The chance that a drafted token is accepted where all before it are; or for each position the share of steps that accept it. */
  readonly acceptance: number | readonly number[]
  /** The model that drafts; without it drafting costs nothing (n-grams, or heads that are counted with the model). */
  readonly draft?: ModelConfig
  /** Of the weights of the draft, default as the model's. */
  readonly draftDtype?: StoredDType
}

const names: OptionTable<SpeculativeOptions> = {
  ...{ tokens: 'required', acceptance: 'required', draft: 'optional', draftDtype: 'optional' },
}

/**
 * Tokens that a step of speculative decoding generates on average: (1 - a^(k + 1)) / (1 - a) where each of k drafted tokens is
 * accepted with chance a; or 1 and the sum of the rates by position, as servers print them.
 *
 * Shape     none. Dtype none. Rounding none.
 * Throws    RangeError for a rate that is none, and for rates that are not as many as the drafted tokens.
 * Source    Leviathan et al., Fast Inference from Transformers via Speculative Decoding (arXiv:2211.17192), equation 1
 *
 * @example speculativeTokens({ tokens: 3, acceptance: 0.5 }) // 1.875
 * @example speculativeTokens({ tokens: 2, acceptance: [0.5, 0.25] }) // 1.75
 */
export function speculativeTokens(options: SpeculativeOptions): number {
  const op = 'speculativeTokens'
  checkOptions(op, options, names)
  const { tokens, acceptance } = options
  checkInteger(op, 'tokens', tokens, 1)
  if (typeof acceptance === 'number') {
    checkNumber(op, 'acceptance', acceptance, 0, 1)
    let [sum, chance] = [1, 1]
    for (let position = 0; position < tokens; position++) {
      chance *= acceptance
      sum += chance
    }
    return sum
  }
  checkArray(op, 'acceptance', acceptance)
  for (const rate of acceptance) checkNumber(op, 'acceptance', rate, 0, 1)
  if (acceptance.length !== tokens) {
    throw new RangeError(
      `${op}: the rates of acceptance are not as many as the drafted tokens [${acceptance.length} for ${tokens}]`,
    )
  }
  return acceptance.reduce((sum, rate) => sum + rate, 1)
}
