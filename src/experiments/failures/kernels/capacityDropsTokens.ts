import { checkInteger, checkName, checkNumber } from '../../../base/options/index.js'
import { assignExperts, expertCapacity, route } from '../../../models/kernels/index.js'
import { key, normal } from '../../../tensors/random/index.js'
import { add, arange, cast, mul } from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, overSteps, red, say } from '../record/shown.js'

/** The experts and their places; `dtype` is that of the router's logits. */
export interface CapacityDropsTokensOptions extends DTypeOption {
  /** Places as a multiple of what an even load needs. Default: 1.25. */
  readonly factor?: number
  /** How much the router prefers some experts: the distance of the first expert's mean logit from the last's. Default: 2. */
  readonly skew?: number
  /** Who queues first. Default: 'token'. */
  readonly order?: 'token' | 'choice'
  /** Tokens of a batch. Default: 512. */
  readonly tokens?: number
}

const [experts, k, parts] = [8, 2, 16]

/**
 * Experts with a capacity: tokens late in the batch lose both of their experts, and whether they do is up to the others.
 *
 * Readings  `dropped` choices; `lost`, tokens without an expert; `lostInLastHalf` those of the second half of the batch; `byPart`,
 *           lost tokens in each sixteenth. The stable twin has places for every choice.
 *
 * @example capacityDropsTokens.run().naive.lost > 0 // true
 */
export const capacityDropsTokens: Failure<CapacityDropsTokensOptions> = failure<CapacityDropsTokensOptions>({
  id: 'capacity-drops-tokens',
  title: 'Experts that are full: the end of the batch gets none',
  story:
    'Arrays of fixed shape give every expert the same number of places, some more than an even load needs. A router is not even: those who come after the last place of a popular expert are dropped, and a token that is dropped by all of its experts passes the layer unchanged. Tokens queue in order, so that it is the end of the batch that goes without, and what a token gets depends on its neighbours: the same sentence in another batch has another output. No error is raised and no number is wrong; only the counts say so.',
  source: 'https://arxiv.org/abs/2211.15841',
  reported:
    'MegaBlocks (Gale and others): with fixed capacities one has to choose between dropping tokens, which costs quality, and padding, which costs memory and time; block-sparse products over experts of any load drop none.',
  repairs: [
    { change: 'places for every choice', options: { factor: 8 } },
    { change: 'an even router', options: { skew: 0 } },
  ],
  cure: {
    none: 'no rounding makes it: the places are counted in whole numbers, and in any dtype there are too few.',
  },
  options: { dtype: 'optional', factor: 'optional', skew: 'optional', order: 'optional', tokens: 'optional' },
  run({ dtype = 'float32', factor = 1.25, skew = 2, order = 'token', tokens = 512 }) {
    checkNumber(this.id, 'factor', factor, 0.125, experts)
    checkNumber(this.id, 'skew', skew, 0, 100)
    checkName(this.id, 'order', order, ['token', 'choice'])
    checkInteger(this.id, 'tokens', tokens, parts, 4096)
    const preferred = mul(arange(0, experts, { dtype: 'float32' }), -skew / (experts - 1))
    const logits = cast(add(normal(key(23), [tokens, experts]), preferred), dtype)
    const chosen = route(logits, { k }).experts
    const readings = (of: number) => {
      const capacity = expertCapacity({ tokens, experts, k, factor: of })
      const kept = assignExperts(chosen, { experts, capacity, order }).kept.toNumbers()
      const byPart = Array.from({ length: parts }, () => 0)
      let [dropped, lost, lostInLastHalf] = [0, 0, 0]
      for (let token = 0; token < tokens; token++) {
        const places = kept[token * k]! + kept[token * k + 1]!
        dropped += k - places
        if (places > 0) continue
        lost++
        if (token >= tokens / 2) lostInLastHalf++
        byPart[Math.floor((token * parts) / tokens)]!++
      }
      return { dropped, lost, lostInLastHalf, byPart }
    }
    const [naive, stable] = [readings(factor), readings(experts)]
    const holds = naive.lost > 0
    const choices = `Of ${say(tokens * k)} choices ${say(naive.dropped)} are dropped`
    return {
      naive,
      stable,
      holds,
      text: holds
        ? `${choices}; ${say(naive.lost)} of ${say(tokens)} tokens have no expert at all, ${say(naive.lostInLastHalf)} of them in the second half of the batch.`
        : `${choices}, and every token keeps an expert.`,
      figure: {
        caption: 'Tokens without an expert, by sixteenths of the batch.',
        axes: ['sixteenth of the batch', 'tokens without an expert'],
        series: [
          blue('places for all', overSteps(stable.byPart)),
          red(`capacity factor ${factor}`, overSteps(naive.byPart)),
        ],
      },
    }
  },
})
