import * as optimizer from 'tpu-toolkit/optimizer'
import { type FloatDType, tensor } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import {
  bitsOf,
  dtypeOf,
  type LeafBits,
  optimizerKey,
  tensorBits,
  ulpsFrom,
} from '../../support/optimizerKeys.js'

interface MoreKey {
  readonly runs: readonly {
    readonly name: string
    readonly optimizer: string
    readonly dtype: string
    readonly records: Readonly<Record<string, LeafBits>>
  }[]
  readonly oneElement: readonly {
    readonly optimizer: string
    readonly dtype: string
    readonly rows: readonly { readonly p: number; readonly g: number; readonly u: string }[]
  }[]
}

const key = optimizerKey<MoreKey>('more')
const arithmetic = 'xla-cpu'
const shapes = { b: [3], one: [1], w: [5, 4] }

/** The formula of scripts/golden/optimizer_more.py: five significant bits, exact in both dtypes. */
function leaf(shape: readonly number[], step: number, dtype: FloatDType) {
  const n = shape.reduce((a, b) => a * b)
  const values = Array.from(
    { length: n },
    (_, i) => (((7 * i + 13 * step + 5 * n) % 31) - 15) / 2 ** (step % 9),
  )
  return tensor(values, { shape, dtype })
}
const treeAt = (step: number, dtype: FloatDType) => ({
  b: leaf(shapes.b, step, dtype),
  one: leaf(shapes.one, step, dtype),
  w: leaf(shapes.w, step, dtype),
})

const halving = (step: number): number => Math.fround(Math.fround(0.55) / Math.fround(1 + step))
const slower = (step: number): number =>
  Math.fround(1 - Math.fround(Math.fround(0.1) / Math.fround(1 + step)))
const rate = optimizer.scale(-0.013, { arithmetic })
const scaleByAdam = optimizer.scaleByAdam({ arithmetic })
const adam = optimizer.adam({ learningRate: 0.013, arithmetic })
const frozen = { b: true, one: false, w: false }
const everyThird = (step: number): boolean => step % 3 === 0
const made: Readonly<Record<string, optimizer.GradientTransformation>> = {
  identity: optimizer.identity(),
  setToZero: optimizer.setToZero(),
  signSgd: optimizer.signSgd({ learningRate: 0.013, arithmetic }),
  optimisticGradientDescent: optimizer.optimisticGradientDescent({
    learningRate: 0.013,
    alpha: 1.1,
    beta: 0.7,
    arithmetic,
  }),
  ademamix: optimizer.ademamix({ learningRate: 0.013, b3: 0.99, weightDecay: 0.1, arithmetic }),
  ademamixScheduled: optimizer.ademamix({ learningRate: 0.013, b3: slower, alpha: halving, arithmetic }),
  adan: optimizer.adan({ learningRate: 0.013, weightDecay: 0.1, arithmetic }),
  adopt: optimizer.adopt({ learningRate: 0.013, b2: 0.99, arithmetic }),
  adoptNesterov: optimizer.adopt({ learningRate: 0.013, nesterov: true, useClipping: false, arithmetic }),
  rprop: optimizer.rprop({ learningRate: 0.013, arithmetic }),
  novograd: optimizer.novograd({ learningRate: 0.013, weightDecay: 0.1, arithmetic }),
  sm3: optimizer.sm3({ learningRate: 0.013, arithmetic }),
  fromage: optimizer.fromage({ learningRate: 0.013, arithmetic }),
  noisySgd: optimizer.noisySgd({ learningRate: 0.013, key: 3, arithmetic }),
  applyEvery: optimizer.chain(optimizer.applyEvery(3, { arithmetic }), rate),
  centralize: optimizer.chain(optimizer.centralize({ arithmetic }), rate),
  normalizeByUpdateNorm: optimizer.chain(
    optimizer.normalizeByUpdateNorm({ scaleFactor: 1.5, arithmetic }),
    rate,
  ),
  namedChain: optimizer.namedChain({ adam: scaleByAdam, rate }),
  partition: optimizer.partition(
    { fast: optimizer.sgd({ learningRate: 0.1, arithmetic }), slow: adam },
    { b: 'fast', one: 'slow', w: 'fast' },
  ),
  freeze: optimizer.chain(optimizer.sgd({ learningRate: 0.013, arithmetic }), optimizer.freeze(frozen)),
  selectiveTransform: optimizer.selectiveTransform(adam, frozen),
  conditionallyTransform: optimizer.chain(optimizer.conditionallyTransform(scaleByAdam, everyThird), rate),
  conditionallyMask: optimizer.chain(optimizer.conditionallyMask(scaleByAdam, everyThird), rate),
  scheduledDecay: optimizer.chain(
    optimizer.addDecayedWeights(halving, { arithmetic }),
    optimizer.scale(-0.01, { arithmetic }),
  ),
  injectedSchedule: optimizer.injectHyperparams(optimizer.sgd)({ learningRate: halving, arithmetic }),
}

/**
 * Largest distances from optax in ulps of the dtype, 0 where there is none: XLA's 1 / sqrt begins with the processor's
 * estimate (sm3), its norm of a matrix is summed in another order for some shapes (fromage), and a draw of the normal
 * distribution, once in some thousands, is an ulp off (noisySgd).
 */
const ulps: Readonly<Record<string, number>> = { 'sm3-f32': 8, 'fromage-f32': 2, 'noisySgd-f32': 16 }

describe("200 steps of optax, arithmetic 'xla-cpu'", () => {
  it.each(key.runs)('$name agrees in every bit, or within the ulps stated', (run) => {
    const dtype = dtypeOf(run.dtype)
    const transform = made[run.optimizer]!
    let point = { params: treeAt(0, dtype), state: transform.init(treeAt(0, dtype)) }
    let looked = 0
    for (let step = 1; step <= 200; step++) {
      point = optimizer.applyGradients(transform, treeAt(step, dtype), point, { arithmetic })
      const expected = run.records[step]
      if (!expected) continue
      expect(ulpsFrom(point.params, expected), `step ${step}`).toBeLessThanOrEqual(ulps[run.name] ?? 0)
      looked++
    }
    expect(looked).toBe(7)
  })
})

describe('a leaf of one element whose square leaves the range', () => {
  it.each(key.oneElement)('$optimizer, $dtype: every bit of optax', (run) => {
    const dtype = dtypeOf(run.dtype)
    const transform =
      run.optimizer === 'lars'
        ? optimizer.lars({ learningRate: 1, arithmetic })
        : optimizer.lamb({ learningRate: 1, eps: 0, arithmetic })
    for (const { p, g, u } of run.rows) {
      const [params, grads] = [p, g].map((x) => [tensor([x], { dtype })])
      const [updates] = transform.update(grads!, transform.init(params!), params)
      const nan = run.dtype === 'f32' ? /^[7f]fc00000$/ : /^[7f]fc0$/
      const got = tensorBits(leavesOf(updates)[0]!)
      if (nan.test(u)) expect(got.trim(), `p ${p}, g ${g}`).toBe('nan')
      else expect(got, `p ${p}, g ${g}`).toBe(u)
    }
  })
})

describe('transforms that choose', () => {
  const params = { a: tensor([1, 2]), b: tensor([3]) }
  it('namedChain has the states by name, and chain its updates', () => {
    const parts = { clip: optimizer.clip(1), adam: optimizer.scaleByAdam() }
    const named = optimizer.namedChain(parts)
    const state = named.init(params)
    expect(Object.keys(state)).toEqual(['clip', 'adam'])
    const chained = optimizer.chain(parts.clip, parts.adam)
    expect(bitsOf(named.update(params, state)[0])).toEqual(
      bitsOf(chained.update(params, chained.init(params))[0]),
    )
    expect(() => optimizer.namedChain({ 1: optimizer.clip(1) })).toThrow('namedChain: a name is a number [1]')
    expect(() => named.update(params, { clip: {} } as unknown as typeof state)).toThrow(
      'namedChain: the state has no part of that name [adam]',
    )
  })
  it('the condition sees the steps done and what update was told', () => {
    const seen: unknown[] = []
    const inner = optimizer.conditionallyTransform(optimizer.scale(2), (step, extra) => {
      seen.push([step, extra.value])
      return extra.value === 7
    })
    const chained = optimizer.chain(optimizer.masked(inner, () => ({ a: true, b: false })))
    const state = chained.init(params)
    const [once, next] = chained.update(params, state, params, { value: 7 })
    expect(once.a.toNested()).toEqual([2, 4])
    expect(chained.update(params, next, params)[0].a.toNested()).toEqual([1, 2])
    expect(seen).toEqual([
      [0, 7],
      [1, undefined],
    ])
  })
  it('makeTrainStep tells the optimizer the loss and its gradient', () => {
    const told: optimizer.ExtraArgs[] = []
    const inner = optimizer.conditionallyMask(optimizer.scale(-1), (_, extra) => told.push(extra) > 0)
    const step = optimizer.makeTrainStep((p: typeof params) => [tensor(5), p] as const, inner)
    step({ params, state: inner.init(params) })
    expect((told[0]!.value as ReturnType<typeof tensor>).item()).toBe(5)
    expect(told[0]!.grad).toBe(params)
  })
  it('multiSteps ignores gradients that skipLargeUpdates finds too large, and those with a NaN', () => {
    const steps = optimizer.multiSteps(optimizer.scale(1), 2, { shouldSkip: optimizer.skipLargeUpdates(15) })
    let state = steps.init(params)
    for (const g of [
      params,
      { a: tensor([4, 0]), b: tensor([0]) },
      { a: tensor([NaN, 0]), b: tensor([0]) },
    ]) {
      state = steps.update(g, state)[1]
      expect([state.miniStep, state.skipped]).toEqual(g === params ? [1, false] : [1, true])
    }
  })
  it('freeze leaves nothing of a NaN, and a frozen leaf has no state', () => {
    const bad = { a: tensor([NaN, 1]), b: tensor([2]) }
    const [updates] = optimizer.freeze({ a: true, b: false }).update(bad, { inner: {} })
    expect([updates.a.toNested(), updates.b.toNested()]).toEqual([[0, 0], [2]])
    const selective = optimizer.selectiveTransform(optimizer.trace(0.9), { a: true, b: false })
    expect(leavesOf(optimizer.stateToTree(selective.init(params))).map((x) => x.shape)).toEqual([[1]])
  })
})

describe('createPythonOptimizer', () => {
  it("is createOptimizer with the Python toolkit's defaults, any of which may be replaced", () => {
    const params = [tensor([1, -2])]
    const options = { totalSteps: 40, warmupSteps: 2, nRestarts: 2 }
    const [python, same] = [
      optimizer.createPythonOptimizer(options),
      optimizer.createOptimizer({ ...options, lr: 1e-4, weightDecay: 0.01, b2: 0.95 }),
    ]
    const run = (of: typeof python) => {
      let point = { params, state: of.init(params) }
      for (let i = 0; i < 5; i++) point = optimizer.applyGradients(of, params, point)
      return bitsOf(point.params)
    }
    expect(run(python)).toEqual(run(same))
    expect(run(python)).not.toEqual(bitsOf(params))
  })
})
