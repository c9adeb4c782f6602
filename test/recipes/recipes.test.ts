import { stopGradient } from 'tpu-toolkit/autodiff'
import { key, normal } from 'tpu-toolkit/random'
import {
  recipe,
  recipeNames,
  recipeParams,
  recipeRow,
  recipeSizes,
  resultsOf,
  runRecipe,
  runRecipeArm,
} from 'tpu-toolkit/recipes'
import { add, cast, matmul, mul, sub, sum, type Tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { float32Product } from '../../src/experiments/recipes/decoder/product.js'
import { curveOf } from '../../src/experiments/recipes/record/outcome.js'
import {
  characters,
  heldOutCrop,
  trainingCrop,
  vocabulary,
} from '../../src/experiments/recipes/text/characters.js'
import { attentionLost, productsLost } from '../../src/experiments/recipes/train/bitsLost.js'
import { isLong } from '../support/long.js'

const tiny = { width: 32, layers: 1, steps: 2, seeds: 1 }

describe('recipes', () => {
  it.each(recipeNames)('%s names arms that its claims speak of, once each, with sources', (name) => {
    const { arms, claims, sources, name: own } = recipe(name)
    expect(own).toBe(name)
    const names = arms.map((arm) => arm.name)
    expect(new Set(names).size).toBe(names.length)
    expect(sources.length).toBeGreaterThan(0)
    for (const { url } of sources) expect(url).toMatch(/^https:\/\//)
    expect(claims.length).toBeGreaterThan(0)
    for (const claim of claims) {
      const spoken = claim.says === 'below' ? [claim.better, claim.worse] : [claim.arm, claim.of]
      for (const arm of spoken) expect(names).toContain(arm)
    }
  })

  // Every arm in a long run; else one of each kind: a quantised product, stored weights, parts that change on the way, a policy.
  const short = ['deepseek-fp8', 'bf16-states', 'qat-mxfp4', 'rl-mismatch']
  const runs = recipeNames.flatMap((name) => {
    const { arms } = recipe(name)
    const asked = isLong ? arms : short.includes(name) ? [arms[2]!] : []
    return asked.map((arm) => [name, arm.name] as const)
  })
  it.each(runs)('%s trains its arm %s', (name, arm) => {
    const run = runRecipeArm(name, { arm, seed: 0, sizes: tiny })
    expect(run.nonFiniteStep).toBe(null)
    expect(run.curve.length).toBe(2)
    if (name === 'rl-mismatch') expect(run.loss).toBeLessThanOrEqual(1)
    // An untrained decoder is near log(128) = 4.85, plus what its random logits add.
    else expect(run.loss).toBeLessThan(5.8)
    // Gradients of E4M3 without a scale underflow: of some products nearly everything is lost.
    const most = arm === 'cast, E4M3 gradients' ? 1 : 0.7
    for (const { error } of run.bits) expect(error).toBeLessThan(most)
  })

  it('gives the same bits for the same seed, and others for another', () => {
    const run = (seed: number) => runRecipeArm('rl-mismatch', { arm: 'bfloat16', seed, sizes: tiny })
    expect(run(1)).toEqual(run(1))
    expect(run(1).curve).not.toEqual(run(2).curve)
  })

  it('has sizes of its own, replaced one by one', () => {
    expect(recipeSizes('nvfp4')).toEqual(recipe('nvfp4').sizes)
    expect(recipeSizes('nvfp4', { quick: true, width: 96 })).toEqual({ ...recipe('nvfp4').quick, width: 96 })
  })

  it.each([
    [() => recipeSizes('nvfp4', { width: 40 }), 'recipe: width is no multiple of 32 [40]'],
    [() => recipeSizes('nvfp4', { steps: 0 }), 'recipe: steps is not a whole number'],
    [() => recipeSizes('nvfp4', { step: 1 } as never), /^recipeSizes: unknown option.* \[step\]$/],
    [() => recipe('nvfp5' as never), 'recipe: unknown name'],
    [() => runRecipe('nvfp4', { progress: 1 } as never), 'runRecipe: progress is not a function'],
    [() => runRecipeArm('nvfp4', { arm: 'none', seed: 0, sizes: tiny }), 'recipe: unknown arm'],
    [() => recipeParams({ recipe: 'none' }), 'recipe: no such recipe'],
    [() => recipeParams({ recipe: 'nvfp4', lr: 1 }), /^recipeSizes: unknown option.* \[lr\]$/],
  ])('refuses %s', (call, message) => {
    expect(call).toThrow(message)
  })

  it('is an experiment of a sweep', () => {
    const params = recipeParams({
      recipe: 'rl-mismatch',
      arm: 'float32',
      ...{ width: 32, layers: 1, steps: 1 },
    })
    expect(params).toEqual({ recipe: 'rl-mismatch', arm: 'float32', seed: 0, width: 32, layers: 1, steps: 1 })
    expect(recipeRow(params).arm).toBe('float32')
  })

  it('puts runs together by arm, seed by seed, in whatever order they came', () => {
    const found = recipe('bf16-states')
    const names = found.arms.map(({ name }) => name)
    const runs = [1, 0].flatMap((seed) =>
      names.map((arm, i) => ({
        ...{ arm, seed, loss: i + seed, curve: [i, null], nonFiniteStep: null },
        bits: [{ layer: 'l', kind: 'wgrad' as const, error: seed }],
      })),
    )
    const { arms, runs: sorted } = resultsOf(found, { ...tiny, seeds: 2 }, runs)
    expect(sorted.slice(0, 2).map(({ arm, seed }) => [arm, seed])).toEqual([
      [names[0], 0],
      [names[0], 1],
    ])
    expect(arms[2]).toMatchObject({ loss: 2.5, difference: 2, differenceError: 0, losses: [2, 3], broken: 0 })
    expect(arms[2]!.spread).toBeCloseTo(Math.SQRT1_2, 15)
    expect(arms[2]!.curve).toEqual([2])
    expect(arms[2]!.bits).toEqual([{ layer: 'l', kind: 'wgrad', error: 0.5 }])
  })
})

describe('what is measured of a model', () => {
  const x = normal(key(0), [8, 4])
  const w = normal(key(1), [4, 3])
  const words = { data: 0 } as never
  const errors = (product: typeof float32Product) =>
    productsLost(
      product,
      (params: { w: Tensor }, through) => {
        const y = through(x, params.w, { layer: 'one', index: 0, words })
        return sum(mul(y, normal(key(2), [8, 3])))
      },
      { w },
    )

  it('is nothing but float32 for a product in float32, and each kind of its own', () => {
    const found = errors(float32Product)
    expect(found.map(({ layer, kind }) => [layer, kind])).toEqual([
      ['one', 'forward'],
      ['one', 'dgrad'],
      ['one', 'wgrad'],
    ])
    // Sums of 8 products at most: 8 half ulps of float32 relative to the norm.
    for (const { error } of found) expect(error).toBeLessThan(8 * 2 ** -24)
  })

  it('finds the rounding of the weights where only those are rounded', () => {
    const [forward, dgrad, wgrad] = errors((a, b) =>
      matmul(a, add(b, stopGradient(sub(cast(cast(b, 'bfloat16'), 'float32'), b)))),
    )
    // The unit roundoff of bfloat16 is 2^-8; a random rounding has about half of it.
    for (const one of [forward!, dgrad!]) {
      expect(one.error).toBeGreaterThan(2 ** -11)
      expect(one.error).toBeLessThan(2 ** -8)
    }
    expect(wgrad!.error).toBeLessThan(8 * 2 ** -24)
  })

  it('compares attention with float64', () => {
    const q = normal(key(4), [1, 1, 4, 16])
    const twice = attentionLost(
      (a) => cast(cast(a, 'bfloat16'), 'float32'),
      (params: { q: Tensor }, through) => through(params.q, params.q, params.q),
      { q },
    )
    expect(twice.map(({ layer, kind }) => [layer, kind])).toEqual([['block 1, attention', 'forward']])
    expect(twice[0]!.error).toBeGreaterThan(0.01)
  })
})

describe('the text', () => {
  it('is ASCII, and training never sees its last tenth', () => {
    const text = characters()
    expect(text.length).toBe(84613)
    expect(text.every((code) => code < vocabulary)).toBe(true)
    const { tokens, next } = trainingCrop(0, 3, { batch: 2, length: 5 })
    expect(tokens.shape).toEqual([2, 5])
    expect(Array.from(next.data).slice(0, 4)).toEqual(Array.from(tokens.data).slice(1, 5))
    const held = heldOutCrop({ batch: 3, length: 5 })
    const last = Array.from(text.subarray(text.length - 6))
    expect([...Array.from(held.tokens.data).slice(10), held.next.data[14]]).toEqual(last)
  })
})

describe('curveOf', () => {
  it('has one mean for each of 40 parts, and every value of a shorter run', () => {
    expect(curveOf([3, 1, 2])).toEqual([3, 1, 2])
    const long = curveOf(Array.from({ length: 100 }, (_, i) => i))
    expect(long.length).toBe(40)
    // Steps 0 and 1; steps 97, 98 and 99.
    expect([long[0], long[39]]).toEqual([0.5, 98])
  })
})
