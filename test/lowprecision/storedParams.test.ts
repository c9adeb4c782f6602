import fc from 'fast-check'
import { decodeSafetensors, encodeSafetensors, treeFromJson, treeToJson } from 'tpu-toolkit/files'
import { formatNames, round } from 'tpu-toolkit/formats'
import {
  dynamicLossScale,
  type Stepper,
  type StoredParamsOptions,
  stalledUpdates,
  storedParams,
} from 'tpu-toolkit/lowprecision'
import {
  adamw,
  applyGradients,
  type GradientTransformation,
  multiSteps,
  type Point,
  sgd,
  stateFromTree,
  stateToTree,
} from 'tpu-toolkit/optimizer'
import { key } from 'tpu-toolkit/random'
import { cast, type FloatDType, tensor, zeros } from 'tpu-toolkit/tensor'
import { leavesOf, type Tree } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const modes: readonly StoredParamsOptions[] = [
  { mode: 'nearest' },
  { mode: 'master' },
  { mode: 'kahan' },
  { mode: 'stochastic', random: key(82) },
]
const down = sgd({ learningRate: 1 })

/** Steps with one gradient over and over. */
function repeated(optimizer: Stepper<never> | Stepper, gradient: Tree, start: Tree, steps: number): Point {
  let point: Point = (optimizer as Stepper).init(start)
  for (let i = 0; i < steps; i++) point = (optimizer as Stepper).step(gradient, point)
  return point
}
const values = (tree: Tree): number[] => leavesOf(tree).flatMap((leaf) => [...leaf.toNumbers()])
const bits = (tree: Tree): number[] => leavesOf(tree).flatMap((leaf) => [...(leaf.toBits() as Uint32Array)])

describe('storedParams, updates under half an ulp', () => {
  // Half an ulp of 1 in bfloat16 is 2^-8 above and 2^-9 below it.
  const small = [tensor([-(2 ** -10)])]
  const one = [tensor([1])]

  it('nearest stands still, and stalledUpdates counts it', () => {
    expect(values(repeated(storedParams(down, { mode: 'nearest' }), small, one, 100).params)).toEqual([1])
    expect(stalledUpdates([tensor([1], { dtype: 'bfloat16' })], [tensor([2 ** -10])])).toEqual({
      updates: 1,
      stalled: 1,
      share: 1,
    })
  })
  it('master and kahan arrive where the sum is', () => {
    for (const mode of ['master', 'kahan'] as const) {
      const { params } = repeated(storedParams(down, { mode }), small, one, 128)
      expect(values(params), mode).toEqual([1 + 128 * 2 ** -10])
    }
  })
  it('stochastic arrives there on average: 4,000 parameters, within 6 standard deviations', () => {
    const n = 4000
    const many = (x: number) => [tensor(new Float32Array(n).fill(x))]
    const { params } = repeated(
      storedParams(down, { mode: 'stochastic', random: key(1) }),
      many(-(2 ** -10)),
      many(1),
      128,
    )
    const mean = values(params).reduce((a, b) => a + b, 0) / n
    // A step goes up by an ulp of 2^-7 with probability 1/8: variance 2^-14 (1/8) (7/8).
    const deviation = Math.sqrt((128 * 2 ** -14 * (1 / 8) * (7 / 8)) / n)
    expect(Math.abs(mean - 1.125)).toBeLessThan(6 * deviation)
  })
  it('kahan keeps what float32 would: 1000 steps of 2^-14 from 1', () => {
    const { params, state } = repeated(
      storedParams(down, { mode: 'kahan' }),
      [tensor([-(2 ** -14)])],
      one,
      1000,
    )
    const { compensation } = state as { compensation: Tree }
    expect(values(params)[0]! + values(compensation)[0]!).toBe(1 + 1000 * 2 ** -14)
  })
})

describe('storedParams, what it is made of', () => {
  const params = { b: tensor([0.5, -0.25]), w: tensor([[1, 2, 3]]) }
  const grads = { b: tensor([0.1, -0.2]), w: tensor([[1, 0.01, -3]]) }
  const adam = adamw({ learningRate: 0.01 })

  it('nearest with the optimizer in its own dtype is applyGradients on such parameters', () => {
    const low = (tree: typeof params) => ({ b: cast(tree.b, 'bfloat16'), w: cast(tree.w, 'bfloat16') })
    let plain: Point = { params: low(params), state: adam.init(low(params)) }
    for (let i = 0; i < 20; i++) plain = applyGradients(adam as GradientTransformation, low(grads), plain)
    const stepped = repeated(
      storedParams(adam, { mode: 'nearest', optimizerDtype: 'bfloat16' }),
      grads,
      params,
      20,
    )
    expect(bits(stepped.params)).toEqual(bits(plain.params))
  })
  it('master is applyGradients on the float32 copy, cast after every step', () => {
    let plain: Point = { params, state: adam.init(params) }
    for (let i = 0; i < 20; i++) plain = applyGradients(adam as GradientTransformation, grads, plain)
    const { params: stored, state } = repeated(storedParams(adam, { mode: 'master' }), grads, params, 20)
    expect(bits((state as { master: Tree }).master)).toEqual(bits(plain.params))
    expect(values(stored)).toEqual(values(plain.params).map((x) => round(x, 'bfloat16')))
  })
  it('master starts from the parameters as they were given', () => {
    const { params: stored, state } = storedParams(down, { mode: 'master' }).init([tensor([1 / 3])])
    expect(values((state as { master: Tree }).master)).toEqual([Math.fround(1 / 3)])
    expect(values(stored)).toEqual([round(1 / 3, 'bfloat16')])
  })

  it.each(modes)('$mode: a point saved as safetensors or JSON goes on to the same bits', (options) => {
    const optimizer = dynamicLossScale(storedParams(adam, options)) as Stepper
    const half = repeated(optimizer, grads, params, 5)
    const like = optimizer.init(params).state
    const whole = { params: half.params, state: stateToTree(half.state) }
    const end = (saved: Tree) => {
      const { params: stored, state } = saved as typeof whole
      let point: Point = { params: stored, state: stateFromTree(state, like) }
      for (let i = 0; i < 5; i++) point = optimizer.step(grads, point)
      return [bits(point.params), bits(stateToTree(point.state))]
    }
    const on = end(whole)
    expect(end(decodeSafetensors(encodeSafetensors(whole)).tree())).toEqual(on)
    expect(end(treeFromJson(JSON.parse(JSON.stringify(treeToJson(whole)))))).toEqual(on)
  })

  it.each(modes)('$mode: the point it is given stays as it was', (options) => {
    const optimizer = storedParams(adam, options) as Stepper
    const point = optimizer.init(params)
    const before = JSON.stringify([bits(point.params), point.state])
    optimizer.step(grads, point)
    expect(JSON.stringify([bits(point.params), point.state])).toBe(before)
  })

  it('stochastic draws by key, step and leaf, so that steps can be made again', () => {
    const optimizer = storedParams(down, { mode: 'stochastic', random: key(5) }) as Stepper
    const start = optimizer.init([tensor(new Float32Array(64).fill(1)), tensor(new Float32Array(64).fill(1))])
    const by = [tensor(new Float32Array(64).fill(-0.003)), tensor(new Float32Array(64).fill(-0.003))]
    const first = optimizer.step(by, start)
    const [a, b] = leavesOf(first.params).map((leaf) => bits(leaf).join())
    expect(bits(optimizer.step(by, start).params)).toEqual(bits(first.params))
    expect(a).not.toBe(b)
    const second = optimizer.step(by, { params: start.params, state: first.state })
    expect(bits(leavesOf(second.params)[0]!).join()).not.toBe(a)
  })
  it('stochastic asks for the words of step t and leaf i, n at a time', () => {
    const asked: number[][] = []
    const random = (...at: [number, number, number]) => {
      asked.push(at)
      return new Uint32Array(at[2])
    }
    repeated(storedParams(down, { mode: 'stochastic', random }), grads, params, 2)
    expect(asked).toEqual([
      [1, 0, 2],
      [1, 1, 3],
      [2, 0, 2],
      [2, 1, 3],
    ])
  })
})

const signed = formatNames.filter((name) => name !== 'float8_e8m0fnu')

describe(`storedParams (seed ${seed})`, () => {
  it.each(signed)('every mode in %s: parameters stay in the format and zero updates move none', (dtype) => {
    const element = fc.float({ noNaN: true, min: -4, max: 4 })
    const arrays = fc.array(fc.tuple(element, element), { minLength: 0, maxLength: 8 })
    fc.assert(
      fc.property(arrays, fc.integer({ min: 0, max: 2 ** 31 - 1 }), (pairs, draw) => {
        const start = [tensor(pairs.map(([p]) => p))]
        const grads = [tensor(pairs.map(([, g]) => g / 4))]
        for (const { mode } of modes) {
          const options = { mode, dtype, ...(mode === 'stochastic' ? { random: key(draw) } : {}) }
          const optimizer = storedParams(down, options) as Stepper
          const moved = optimizer.step(grads, optimizer.step(grads, optimizer.init(start)))
          expect(leavesOf(moved.params)[0]!.dtype).toBe(dtype)
          if (mode === 'kahan') continue
          const still = optimizer.step([zeros([pairs.length])], moved)
          expect(values(still.params).map((x) => x + 0)).toEqual(values(moved.params).map((x) => x + 0))
        }
      }),
      { seed, numRuns: 25 },
    )
  })

  it('kahan: parameter and compensation add up to the float64 sum, to 2^-15 of the largest that was there', () => {
    const update = fc.float({ noNaN: true, min: Math.fround(-0.01), max: Math.fround(0.01) })
    fc.assert(
      fc.property(
        fc.float({ noNaN: true, min: 1, max: 8 }),
        fc.array(update, { minLength: 1, maxLength: 60 }),
        (start, updates) => {
          const optimizer = storedParams(down, { mode: 'kahan' }) as Stepper
          let point = optimizer.init([tensor([start])])
          let exact = values(point.params)[0]!
          let most = 0
          for (const u of updates) {
            point = optimizer.step([tensor([u])], point)
            exact -= u
            most = Math.max(most, Math.abs(exact))
          }
          const found =
            values(point.params)[0]! + values((point.state as { compensation: Tree }).compensation)[0]!
          // Each step rounds c + u once: half an ulp of c, which is at most an ulp of p and an update.
          const perStep = 2 ** -9 * (2 ** -7 * most + 0.01)
          expect(Math.abs(found - exact)).toBeLessThanOrEqual(updates.length * perStep)
        },
      ),
      { seed, numRuns: 100 },
    )
  })
})

describe('storedParams, accumulated gradients', () => {
  // 64 gradients of 1 + 2^-8, which bfloat16 has not: their mean is lost if the gradients or the mean are in bfloat16.
  const micro = Array.from({ length: 64 }, (_, i) => [tensor([i % 2 === 0 ? 1 : 1 + 2 ** -7])])
  const mean = (accumulatorDtype: FloatDType): number => {
    const stepper = storedParams(multiSteps(down, 64, { accumulatorDtype }), { mode: 'master' }) as Stepper
    let point = stepper.init([tensor([0])])
    for (const gradient of micro) point = stepper.step(gradient, point)
    return -values((point.state as { master: Tree }).master)[0]!
  }
  it('a float32 accumulator has their mean, a bfloat16 one has not', () => {
    expect(Math.abs(mean('float32') - (1 + 2 ** -8))).toBeLessThanOrEqual(68 * 2 ** -24 * (1 + 2 ** -7))
    expect(Math.abs(mean('bfloat16') - (1 + 2 ** -8))).toBeGreaterThan(2 ** -10)
  })
  it('no mode moves between emissions', () => {
    for (const options of modes) {
      const stepper = storedParams(multiSteps(down, 3), options) as Stepper
      const start = stepper.init([tensor([0.7, -3, 0])])
      const two = stepper.step([tensor([1, 1, 1])], stepper.step([tensor([1, 1, 1])], start))
      expect(bits(two.params)).toEqual(bits(start.params))
      expect(bits(stepper.step([tensor([1, 1, 1])], two).params)).not.toEqual(bits(start.params))
    }
  })
})

describe('storedParams, special values', () => {
  it.each(modes)('$mode: overflow becomes Inf and stays, with no NaN after it', (options) => {
    const { params } = repeated(
      storedParams(down, { ...options, dtype: 'float16' }),
      [tensor([-40000])],
      [tensor([40000])],
      3,
    )
    expect(values(params)).toEqual([Infinity])
  })
  it.each(modes)('$mode: a NaN gradient makes its parameter NaN and no other', (options) => {
    const { params } = repeated(storedParams(down, options), [tensor([Number.NaN, 0])], [tensor([1, 1])], 2)
    expect(values(params)).toEqual([Number.NaN, 1])
  })
  it.each(modes)('$mode: empty and 0-d leaves, and subnormals, pass', (options) => {
    const start = { e: zeros([0, 2]), s: tensor(2 ** -133), z: tensor(-0) }
    const { params } = repeated(
      storedParams(down, options),
      { e: zeros([0, 2]), s: tensor(0), z: tensor(0) },
      start,
      1,
    )
    expect(values(params)).toEqual([2 ** -133, options.mode === 'kahan' ? 0 : expect.anything()])
  })
})

describe('storedParams, mistakes', () => {
  const start = [tensor([1])]
  const stepper = (options: StoredParamsOptions) => storedParams(down, options) as Stepper
  const nearest = stepper({ mode: 'nearest' })
  it.each([
    [
      () => stepper({ mode: 'naive' as never }),
      RangeError,
      'storedParams: unknown mode, there are nearest, master, kahan, stochastic [naive]',
    ],
    [
      () => stepper({ mode: 'nearest', dtype: 'int32' as never }),
      TypeError,
      'storedParams: dtype is no floating-point dtype [int32]',
    ],
    [
      () => stepper({ mode: 'nearest', optimizerDtype: 'bool' as never }),
      TypeError,
      'storedParams: optimizerDtype is no floating-point dtype [bool]',
    ],
    [
      () => stepper({ mode: 'nearest', dtype: 'float8_e8m0fnu' }),
      TypeError,
      'storedParams: dtype has no negative numbers [float8_e8m0fnu]',
    ],
    [
      () => stepper({ mode: 'stochastic' }),
      RangeError,
      "storedParams: 'stochastic' needs random, a key or words [undefined]",
    ],
    [
      () => stepper({ mode: 'stochastic', random: {} as never }),
      TypeError,
      'foldIn: not a key, make one with key(seed) [[object Object]]',
    ],
    [
      () => stepper({ mode: 'stochastic', dtype: 'float32', random: key(1) }),
      TypeError,
      "storedParams: 'stochastic' needs a dtype of at most 16 bits [float32]",
    ],
    [
      () => stepper({ mode: 'kahan', random: key(1) }),
      RangeError,
      "storedParams: random is of mode 'stochastic' [kahan]",
    ],
    [
      () => nearest.init({ i: tensor([1], { dtype: 'int32' }) }),
      TypeError,
      'storedParams: needs a floating-point dtype at i, cast first [int32]',
    ],
    [
      () => nearest.step([tensor([1], { dtype: 'int32' })], nearest.init(start)),
      TypeError,
      'storedParams: needs a floating-point dtype at 0, cast first [int32]',
    ],
    [
      () => nearest.step([tensor([1]), tensor([1])], nearest.init(start)),
      RangeError,
      'storedParams: trees differ at 1 [nothing, leaf]',
    ],
    [
      () => nearest.step([tensor([1, 2])], nearest.init(start)),
      RangeError,
      'applyUpdates: shapes differ at 0 [1 and 2]',
    ],
    [
      () => nearest.step(start, { ...nearest.init(start), params: start }),
      TypeError,
      'storedParams: parameters are not as init gave them at 0 [float32, not bfloat16]',
    ],
    [
      () => stepper({ mode: 'master' }).step(start, nearest.init(start)),
      RangeError,
      'storedParams: the state is of another mode, it has no master [undefined]',
    ],
    [
      () => stepper({ mode: 'kahan' }).step(start, nearest.init(start)),
      RangeError,
      'storedParams: the state is of another mode, it has no compensation [undefined]',
    ],
  ])('%#: %s', (call, kind, text) => {
    expect(call).toThrow(new kind(text))
    expect(call).toThrow(kind)
  })
})
