import {
  adamw,
  applyUpdates,
  chain,
  clipByGlobalNorm,
  multiSteps,
  sgd,
  zeroNans,
} from 'tpu-toolkit/optimizer'
import { tensor } from 'tpu-toolkit/tensor'
import { leavesOf, type Tree } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import {
  bitsOf,
  dtypeOf,
  gradsAt,
  type LeafBits,
  type Leaves,
  optimizerKey,
  stored,
  treeOf,
} from '../../support/optimizerKeys.js'

interface MultiStepsKey {
  readonly leaves: Leaves
  readonly grads: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  readonly runs: readonly {
    readonly name: string
    readonly every_k: number | string
    readonly use_grad_mean: boolean
    readonly skip_not_finite: boolean
    readonly accumulator: string
    readonly inner: { readonly adamw?: object; readonly sgd?: number }
    readonly grads: string
    readonly params0: LeafBits
    readonly records: readonly {
      readonly step: number
      readonly mini_step: number
      readonly gradient_step: number
      readonly skipped: boolean
      readonly acc: LeafBits
      readonly params: LeafBits
    }[]
  }[]
}

const key = optimizerKey<MultiStepsKey>('multisteps')
const xla = { arithmetic: 'xla-cpu' } as const

describe("multiSteps, 50 gradients, arithmetic 'xla-cpu'", () => {
  it.each(key.runs)('$name agrees with the composed optax in every bit of every step', (run) => {
    const dtype = dtypeOf(run.grads.split('-')[0]!)
    const accumulatorDtype = dtypeOf(run.accumulator)
    const inner = run.inner.adamw
      ? adamw({ learningRate: 0.01, weightDecay: 0.01, ...xla })
      : sgd({ learningRate: run.inner.sgd!, ...xla })
    const everyK = typeof run.every_k === 'number' ? run.every_k : (step: number) => (step < 4 ? 2 : 5)
    const transform = multiSteps(inner, everyK, {
      useGradMean: run.use_grad_mean,
      skipNotFinite: run.skip_not_finite,
      accumulatorDtype,
      ...xla,
    })
    let params = treeOf(key.leaves, run.params0, dtype)
    let state = transform.init(params)
    for (const record of run.records) {
      const grads = gradsAt(key.leaves, key.grads[run.grads]!, record.step - 1, dtype)
      const [updates, next] = transform.update(grads, state, params)
      params = applyUpdates(params, updates, xla)
      state = next
      const step = `step ${record.step}`
      expect([state.miniStep, state.gradientStep, state.skipped], step).toEqual([
        record.mini_step,
        record.gradient_step,
        record.skipped,
      ])
      expect(bitsOf(state.accGrads), `acc, ${step}`).toEqual(stored(record.acc, key.leaves, accumulatorDtype))
      expect(bitsOf(params), `params, ${step}`).toEqual(stored(record.params, key.leaves, dtype))
    }
  })

  it('refuses an everyK that is no whole number from 1', () => {
    expect(() => multiSteps(sgd({ learningRate: 1 }), 0)).toThrow(
      'multiSteps: everyK is not a whole number, 1 or more [0]',
    )
  })
})

describe.each(['ieee', 'xla-cpu'] as const)(
  "multiSteps with a gradient that is not finite, arithmetic '%s'",
  (arithmetic) => {
    const numbers = (tree: Tree): number[] => leavesOf(tree).flatMap((leaf) => [...leaf.toNumbers()])
    const grads = [
      [-1, Number.NaN, 1],
      [-1, 1, Infinity],
      [-1, 1, 1],
      [-1, 1, 1],
    ]

    it('makes its element of the accumulator NaN for good, and every update of it, as optax', () => {
      const transform = multiSteps(sgd({ learningRate: 0.125, arithmetic }), 2, { arithmetic })
      let state = transform.init([tensor([1, 2, 3])])
      const seen = grads.map((g) => {
        const [updates, next] = transform.update([tensor(g)], state)
        state = next
        return [numbers(updates), numbers(state.accGrads), state.miniStep]
      })
      // optax 0.2.8 gives these, with -0 where it multiplies a negative number by 0.
      expect(seen).toEqual([
        [[0, NaN, 0], [-1, NaN, 1], 1],
        [[0.125, NaN, -Infinity], [0, NaN, NaN], 0],
        [[0, NaN, NaN], [-1, NaN, NaN], 1],
        [[0.125, NaN, NaN], [0, NaN, NaN], 0],
      ])
    })

    it('gives updates of 0 in between where the inner transform removes what is not finite', () => {
      const inner = chain(
        clipByGlobalNorm(1, { arithmetic }),
        zeroNans(),
        sgd({ learningRate: 1, arithmetic }),
      )
      const transform = multiSteps(inner, 2, { arithmetic })
      let state = transform.init([tensor([1, 2, 3])])
      for (const g of grads) {
        const [updates, next] = transform.update([tensor(g)], state)
        state = next
        expect(numbers(updates).map(Math.abs)).toEqual([0, 0, 0])
      }
      expect(numbers(state.accGrads)).toEqual([0, NaN, NaN])
    })

    it('ignores it with skipNotFinite', () => {
      const transform = multiSteps(sgd({ learningRate: 0.125, arithmetic }), 2, {
        skipNotFinite: true,
        arithmetic,
      })
      let state = transform.init([tensor([1, 2, 3])])
      const seen = grads.map((g) => {
        const [updates, next] = transform.update([tensor(g)], state)
        state = next
        return [numbers(updates), state.skipped]
      })
      expect(seen.map(([, skipped]) => skipped)).toEqual([true, true, false, false])
      expect(seen.at(-1)![0]).toEqual([0.125, -0.125, -0.125])
    })
  },
)
