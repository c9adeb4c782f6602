import * as optimizer from 'tpu-toolkit/optimizer'
import { tensor } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { bitsOf } from '../../support/optimizerKeys.js'

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
    expect(told[0]!.grad).toEqual(params)
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
