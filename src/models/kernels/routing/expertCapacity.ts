import {
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  type OptionTable,
} from '../../../base/options/index.js'

/** What the places of an expert follow from. */
export interface CapacityOptions {
  readonly tokens: number
  readonly experts: number
  /** Choices of a token. Default 1. */
  readonly k?: number
  /** How many times the places of an even load. Default 1. */
  readonly factor?: number
  /** 'switch': ceil(tokens k factor / experts); 'maxtext': whole(max(ceil(tokens k / experts) factor, factor)). Default 'switch'. */
  readonly formula?: 'switch' | 'maxtext'
}

const names: OptionTable<CapacityOptions> = {
  ...{ tokens: 'required', experts: 'required' },
  ...{ k: 'optional', factor: 'optional', formula: 'optional' },
}

/**
 * How many choices an expert has places for.
 *
 * Rounding  in float64, from left to right: 1600 x 1.1 / 32 is 55.00000000000001, so 56 places.
 * Source    GShard, arXiv 2006.16668; Switch Transformers, arXiv 2101.03961; AI-Hypercomputer/maxtext
 *
 * @example expertCapacity({ tokens: 64, experts: 8, k: 2, factor: 1.25 }) // 20
 * @example expertCapacity({ tokens: 1600, experts: 32, factor: 1.1 }) // 56
 */
export function expertCapacity(options: CapacityOptions): number {
  checkOptions('expertCapacity', options, names)
  const { tokens, experts, k = 1, factor = 1, formula = 'switch' } = options
  checkInteger('expertCapacity', 'tokens', tokens, 1)
  checkInteger('expertCapacity', 'experts', experts, 1)
  checkInteger('expertCapacity', 'k', k, 1, experts)
  checkNumber('expertCapacity', 'factor', factor)
  if (!(factor > 0)) throw new RangeError(`expertCapacity: factor is not above 0 [${factor}]`)
  checkName('expertCapacity', 'formula', formula, ['switch', 'maxtext'])
  const places =
    formula === 'switch'
      ? Math.ceil((tokens * k * factor) / experts)
      : Math.trunc(Math.max(Math.ceil((tokens * k) / experts) * factor, factor))
  return Math.max(places, 1)
}
