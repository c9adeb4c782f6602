import * as optimizer from 'tpu-toolkit/optimizer'
import { describe, expect, it } from 'vitest'
import {
  bitsOf,
  camelOptions,
  dtypeOf,
  gradsAt,
  type LeafBits,
  type Leaves,
  optimizerKey,
  stored,
  treeOf,
  ulpsFrom,
} from '../../support/optimizerKeys.js'

interface OthersKey {
  readonly leaves: Leaves
  readonly grads: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  readonly runs: readonly {
    readonly name: string
    readonly optimizer: string
    readonly hyper: Readonly<Record<string, unknown>>
    readonly dtype: string
    readonly params0: LeafBits
    readonly records: readonly { readonly step: number; readonly params: LeafBits }[]
  }[]
}

const key = optimizerKey<OthersKey>('others')
const factories = optimizer as unknown as Readonly<
  Record<string, ((options: object) => optimizer.GradientTransformation) | undefined>
>
type Run = OthersKey['runs'][number]

function walk(
  run: Run,
  arithmetic: optimizer.Arithmetic,
  look: (step: number, params: ReturnType<typeof treeOf>, expected: LeafBits) => void,
): void {
  const dtype = dtypeOf(run.dtype)
  const transform = factories[run.optimizer]!({ ...camelOptions(run.hyper), arithmetic })
  let params = treeOf(key.leaves, run.params0, dtype)
  let state = transform.init(params)
  for (const record of run.records) {
    const grads = gradsAt(key.leaves, key.grads[run.dtype]!, record.step - 1, dtype)
    const [updates, next] = transform.update(grads, state, params)
    params = optimizer.applyUpdates(params, updates, { arithmetic })
    state = next
    look(record.step, params, record.params)
  }
}

const runs = key.runs.filter((run) => factories[run.optimizer] !== undefined)
/** 1 / sqrt is the processor's estimate in XLA, and the factored mean another kernel's order: not to the bit. */
const notPortable = /^(rmsprop-f32|rmsprop-momentum-centered-f32|adagrad-f32|adafactor-factored-f32)$/

describe("the trajectories of optax's other optimizers, 50 steps, arithmetic 'xla-cpu'", () => {
  it.each(runs.filter((run) => !notPortable.test(run.name)))(
    '$name agrees in every bit of every step',
    (run) => {
      const dtype = dtypeOf(run.dtype)
      let looked = 0
      walk(run, 'xla-cpu', (step, params, expected) => {
        expect(bitsOf(params), `step ${step}`).toEqual(stored(expected, key.leaves, dtype))
        looked++
      })
      expect(looked).toBe(50)
    },
  )

  it.each(runs.filter((run) => notPortable.test(run.name)))('$name stays within 4 ulp a step', (run) => {
    let most = 0
    walk(run, 'xla-cpu', (step, params, expected) => {
      const ulps = ulpsFrom(params, expected)
      // The key's own bound: the backend's rsqrt and means are off by a few ulp each, and errors add up.
      expect(ulps, `step ${step}`).toBeLessThanOrEqual(4 * step)
      most = Math.max(most, ulps)
    })
    expect(most, 'the run would belong to the exact ones').toBeGreaterThan(0)
  })

  it('every optimizer that has a key is there', () => {
    expect(runs.length).toBe(key.runs.length)
  })
})

/** Largest distance over 50 steps, in ulps of the parameter: rounding differences; where a parameter crosses 0, more. */
const measured: Readonly<Record<string, number>> = {
  'lamb-f32': 16,
  'lars-f32': 64,
  'radam-f32': 1155,
  'adafactor-f32': 126,
  'adafactor-factored-f32': 36,
  'adagrad-f32': 33,
  'rmsprop-f32': 2,
  'rmsprop-momentum-centered-f32': 4,
  'lamb-bf16': 2,
  'lars-bf16': 6,
}

describe("arithmetic 'ieee' beside optax", () => {
  it.each(runs)('$name is as far from it as measured', (run) => {
    let most = 0
    walk(run, 'ieee', (_, params, expected) => {
      most = Math.max(most, ulpsFrom(params, expected))
    })
    expect(most).toBe(measured[run.name] ?? 0)
  })
})
