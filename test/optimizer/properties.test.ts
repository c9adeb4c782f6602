import {
  type Arithmetic,
  adafactor,
  adam,
  adamw,
  adaptiveGradClip,
  addDecayedWeights,
  applyGradients,
  applyUpdates,
  chain,
  clip,
  clipByGlobalNorm,
  ema,
  type GradientTransformation,
  globalNorm,
  injectHyperparams,
  lookahead,
  masked,
  multiSteps,
  multiTransform,
  type State,
  scale,
  scaleByAdam,
  scaleBySchedule,
  sgd,
  trace,
  zeroNans,
} from 'tpu-toolkit/optimizer'
import { seeded } from 'tpu-toolkit/random'
import { fromBits, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { leavesOf, mapTree, type Tree } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { bitsOf } from '../support/optimizerKeys.js'
import { seed } from '../support/seed.js'

const random = seeded(`optimizer properties ${seed}`)
const below = (n: number): number => Math.floor(random() * n)
const updatesOf = (transform: GradientTransformation, grads: Tree, params?: Tree): Tree =>
  transform.update(grads, transform.init(params ?? grads), params)[0]
const elements = (tree: Tree): number[] => leavesOf(tree).flatMap((leaf) => [...leaf.toNumbers()])

/** Leaves of up to 40 elements whose magnitudes span what `exponents` says. */
function draw(low: number, high: number): Tree {
  const leaf = (n: number): Tensor =>
    tensor(Float64Array.from({ length: n }, () => (random() * 2 - 1) * 2 ** (low + below(high - low + 1))))
  return { a: leaf(1 + below(40)), b: [leaf(1 + below(5)), leaf(1)] }
}

describe(`clipByGlobalNorm (seed ${seed})`, () => {
  const norm = (tree: Tree): number => Math.sqrt(elements(tree).reduce((s, x) => s + x * x, 0))

  it("'ieee' never exceeds maxNorm by more than n 2^-23, whatever the magnitudes", () => {
    let worst = 0
    for (let trial = 0; trial < 2000; trial++) {
      const center = below(240) - 115
      const grads = draw(Math.max(-126, center - 12), Math.min(127, center + 12))
      const limit = 2 ** (below(40) - 20)
      const clipped = updatesOf(clipByGlobalNorm(limit), grads)
      const excess = norm(clipped) / limit - 1
      expect(excess).toBeLessThanOrEqual(elements(grads).length * 2 ** -23)
      worst = Math.max(worst, excess)
    }
    // The docstring promises 2^-23 for any n.
    expect(worst).toBeGreaterThan(0)
    expect(worst).toBeLessThanOrEqual(2 ** -23)
  })

  it("'xla-cpu' zeroes the step where squares overflow, as optax; 'ieee' clips it", () => {
    const grads = [tensor([3e20, 4e20])]
    expect(elements(updatesOf(clipByGlobalNorm(1, { arithmetic: 'xla-cpu' }), grads))).toEqual([0, 0])
    expect(elements(updatesOf(clipByGlobalNorm(1), grads))).toEqual([Math.fround(0.6), Math.fround(0.8)])
  })

  it("'xla-cpu' rescales where the norm is maxNorm, which changes bits", () => {
    const grads = [tensor(Float64Array.from({ length: 30 }, (_, i) => 3 * Math.sin(i + 1)))]
    const limit = globalNorm(grads, { arithmetic: 'xla-cpu' }).item()
    const inverse = Math.fround(1 / limit)
    const rescaled = elements(grads).map((x) => Math.fround(Math.fround(x * inverse) * limit))
    expect(rescaled).not.toEqual(elements(grads))
    expect(elements(updatesOf(clipByGlobalNorm(limit, { arithmetic: 'xla-cpu' }), grads))).toEqual(rescaled)
  })

  it('float64 leaves are scaled before they are squared', () => {
    const grads = [tensor([3e200, 4e200], { dtype: 'float64' })]
    expect(norm(updatesOf(clipByGlobalNorm(1), grads))).toBeCloseTo(1, 15)
    // A scaled square, a sum and a root: each within 2^-53.
    expect(Math.abs(globalNorm(grads).item() / 5e200 - 1)).toBeLessThanOrEqual(2 ** -51)
  })

  it("keeps zeros at maxNorm 0, alone and in the fused step; 'xla-cpu' makes them 0 / 0", () => {
    const grads = [tensor([0, -0])]
    expect(elements(updatesOf(clipByGlobalNorm(0), grads))).toEqual([0, -0])
    expect(elements(updatesOf(clipByGlobalNorm(0, { arithmetic: 'xla-cpu' }), grads))).toEqual([NaN, NaN])
    const optimizer = chain(clipByGlobalNorm(0), adam({ learningRate: 1 }))
    const point = { params: [tensor([1, 2])], state: optimizer.init(grads) }
    expect(elements(applyGradients(optimizer, grads, point).params)).toEqual([1, 2])
  })

  it('returns the very tree where the norm is below maxNorm', () => {
    const grads = draw(-3, 0)
    expect(updatesOf(clipByGlobalNorm(1e9), grads)).toBe(grads)
  })
})

describe(`what one bad element does to the parameters (seed ${seed})`, () => {
  const paramsAfter = (order: 'clip first' | 'zero first', bad: number, arithmetic: Arithmetic) => {
    const params = draw(0, 2)
    const sizes = leavesOf(params).map((leaf) => leaf.size)
    const grads = mapTree(
      (leaf) => tensor(Float64Array.from({ length: leaf.size }, () => random() + 0.5)),
      params,
    )
    const leaf = below(3)
    const index = below(sizes[leaf]!)
    leavesOf(grads)[leaf]!.data[index] = bad
    const links = [clipByGlobalNorm(1, { arithmetic }), zeroNans()]
    if (order === 'zero first') links.reverse()
    const transform = chain(...links, sgd({ learningRate: 0.5, arithmetic }))
    const next = applyUpdates(params, updatesOf(transform, grads, params), { arithmetic })
    const at = sizes.slice(0, leaf).reduce((s, n) => s + n, 0) + index
    return { old: elements(params), now: elements(next), at }
  }

  for (const arithmetic of ['ieee', 'xla-cpu'] as const) {
    it(`clip > zeroNans leaves every parameter where it was, on NaN and on Inf, ${arithmetic}`, () => {
      for (let trial = 0; trial < 100; trial++) {
        for (const bad of [Number.NaN, Infinity, -Infinity]) {
          const { old, now } = paramsAfter('clip first', bad, arithmetic)
          expect(now).toEqual(old)
        }
      }
    })

    it(`zeroNans > clip moves all but the NaN's; an Inf makes its own NaN and stops the others, ${arithmetic}`, () => {
      for (let trial = 0; trial < 100; trial++) {
        const nan = paramsAfter('zero first', Number.NaN, arithmetic)
        expect(nan.now.map((x, i) => x === nan.old[i])).toEqual(nan.now.map((_, i) => i === nan.at))
        const inf = paramsAfter('zero first', Infinity, arithmetic)
        expect(inf.now).toEqual(inf.old.map((x, i) => (i === inf.at ? Number.NaN : x)))
      }
    })
  }

  it('zeroNans leaves no NaN and keeps infinities', () => {
    for (const dtype of ['float32', 'bfloat16', 'float64'] as const) {
      const grads = [tensor([Number.NaN, 1, Infinity, -Infinity, Number.NaN], { dtype })]
      expect(elements(updatesOf(zeroNans(), grads))).toEqual([0, 1, Infinity, -Infinity, 0])
    }
  })
})

describe(`chain and multiSteps (seed ${seed})`, () => {
  it('chain is associative: nested or flat, the same bits', () => {
    const make = () => [clip(0.5), scaleByAdam(), trace(0.9), addDecayedWeights(0.1), scale(-0.01)] as const
    const [a, b, c, d, e] = make()
    const shapes: GradientTransformation<readonly State[]>[] = [
      chain(a, b, c, d, e),
      chain(chain(a, b), chain(c, chain(d, e))),
      chain(a, chain(b, c, d), e),
    ]
    const start: Tensor[] = [tensor([1, -2, 3]), tensor([[0.5], [4]])]
    const ends = shapes.map((transform) => {
      let params: Tensor[] = start
      let state = transform.init(params)
      for (let step = 0; step < 10; step++) {
        const grads = mapTree(
          (x) =>
            tensor(
              x.toNumbers().map((y) => Math.sin(step + y)),
              { shape: x.shape },
            ),
          start,
        )
        const [updates, next] = transform.update(grads, state, params)
        params = applyUpdates(params, updates)
        state = next
      }
      return bitsOf(params)
    })
    expect(ends[1]).toEqual(ends[0])
    expect(ends[2]).toEqual(ends[0])
  })

  it('multiSteps(k) hands on the mean of a k times larger batch within (k + 4) 2^-24 max |g|', () => {
    let worst = 0
    for (let trial = 0; trial < 300; trial++) {
      const k = 1 + below(30)
      const batch = Array.from({ length: k }, () => Float32Array.from({ length: 8 }, () => random() * 2 - 1))
      const transform = multiSteps(scale(1), k)
      let state = transform.init([tensor(batch[0]!)])
      let last: Tree = []
      for (const grads of batch) [last, state] = transform.update([tensor(grads)], state)
      elements(last).forEach((mean, i) => {
        const exact = batch.reduce((s, grads) => s + grads[i]!, 0) / k
        const largest = Math.max(...batch.map((grads) => Math.abs(grads[i]!)))
        const ratio = Math.abs(mean - exact) / ((k + 4) * 2 ** -24 * largest)
        expect(ratio).toBeLessThanOrEqual(1)
        worst = Math.max(worst, ratio)
      })
    }
    expect(worst).toBeGreaterThan(0.05)
  })
})

describe("the powers of 'xla-cpu'", () => {
  // glibc 2.36's powf(b, n), each 1 ulp from the nearest value, at the first n where 1 - b^n shows it.
  it.each([
    [0.9999, 508, 0x3f73513d],
    [0.999, 2958, 0x3d545e69],
    [0.996, 112, 0x3f23699f],
  ])('are those of glibc: %s to the power %s', (b, n, bits) => {
    const power = fromBits([bits], { dtype: 'float32' }).item()
    const out = (arithmetic: Arithmetic): number => {
      const state = { count: n - 1, ema: [tensor([1])] }
      return elements(ema(b, { arithmetic }).update([tensor([0])], state)[0])[0]!
    }
    expect(out('xla-cpu')).toBe(Math.fround(Math.fround(b) / Math.fround(1 - power)))
    expect(out('ieee')).not.toBe(out('xla-cpu'))
  })
})

describe('other transforms', () => {
  it('adaptiveGradClip holds each column to its share of the parameters', () => {
    const params = [
      tensor([
        [3, 0],
        [4, 0],
      ]),
    ]
    const grads = [
      tensor([
        [30, 3],
        [40, 4],
      ]),
    ]
    const [clipped] = leavesOf(updatesOf(adaptiveGradClip(0.1, { eps: 1 }), grads, params))
    const [a, b, c, d] = clipped!.toNumbers() as unknown as number[]
    expect(Math.hypot(a!, c!)).toBeCloseTo(0.5, 6)
    expect(Math.hypot(b!, d!)).toBeCloseTo(0.1, 6)
  })

  it('lookahead moves the slow parameters every syncPeriod steps, and both meet there', () => {
    const transform = lookahead(scale(-1), { syncPeriod: 2, slowStepSize: 0.5 })
    let params = { fast: [tensor(8)], slow: [tensor(8)] }
    let state = transform.init(params)
    const seen: number[][] = []
    for (let step = 0; step < 2; step++) {
      const [updates, next] = transform.update([tensor(1)], state, params)
      params = applyUpdates(params, updates)
      state = next
      seen.push(elements(params))
    }
    // { fast, slow }: 7 and 8, then fast would be 6: both go half-way, to 7.
    expect(seen).toEqual([
      [7, 8],
      [7, 7],
    ])
  })

  it('a masked leaf passes unchanged and has no state', () => {
    const params: Tree = { b: tensor([1]), w: tensor([1]) }
    const transform = masked(trace(0.5), { b: false, w: true })
    expect(transform.init(params).inner).toEqual({ trace: { b: {}, w: expect.anything() } })
    expect(elements(transform.update(params, transform.init(params))[0])).toEqual([1, 1])
  })
})

describe('bad input', () => {
  const w = (values: number[]): Tree => ({ layers: [{ kernel: tensor(values) }] })
  const pair: GradientTransformation[] = [scale(1), scale(1)]

  it.each([
    [
      'addDecayedWeights: update needs the parameters, its third argument [undefined]',
      () => {
        const optimizer = adamw({ learningRate: 1 })
        optimizer.update(w([1]), optimizer.init(w([1])))
      },
    ],
    [
      'scaleByAdam: trees differ at layers.0.bias',
      () => {
        const transform = scaleByAdam()
        transform.update({ layers: [{ bias: tensor([1]) }] }, transform.init(w([1])))
      },
    ],
    [
      'scaleByAdam: shapes differ at layers.0.kernel [2 and 1]',
      () => {
        const transform = scaleByAdam()
        transform.update(w([1, 2]), transform.init(w([1])))
      },
    ],
    ['applyUpdates: shapes differ at layers.0.kernel [1 and 2]', () => applyUpdates(w([1]), w([1, 2]))],
    ['scaleByAdam: b1 is not a number from 0 to 1 [NaN]', () => scaleByAdam({ b1: Number.NaN })],
    ['scaleByAdam: b2 is not a number from 0 to 1 [1.5]', () => scaleByAdam({ b2: 1.5 })],
    ['scaleByLearningRate: learningRate is not a number [NaN]', () => adamw({ learningRate: Number.NaN })],
    ['scale: stepSize is not a number [NaN]', () => scale(Number.NaN)],
    [
      'scaleByLearningRate: learningRate is not a number [NaN]',
      () => injectHyperparams(adamw)({ learningRate: Number.NaN }),
    ],
    [
      'scaleByAdam: b1 is not a number from 0 to 1 [2]',
      () => injectHyperparams(adamw)({ learningRate: () => 1, b1: 2 }),
    ],
    ['scaleByFactoredRms: stepOffset is not a number [NaN]', () => adafactor({ decayOffset: Number.NaN })],
    [
      'clipByGlobalNorm: maxNorm is not a number from 0 [undefined]',
      () => clipByGlobalNorm(undefined as unknown as number),
    ],
    [
      'chain: the state is not one of 2 transforms [1]',
      () => {
        const optimizer: GradientTransformation<readonly State[]> = chain(scaleByAdam(), scale(-1))
        const [adam] = optimizer.init(w([1]))
        applyGradients(optimizer, w([1]), { params: w([1]), state: [adam!] })
      },
    ],
    [
      'addDecayedWeights: weightDecay is not a number [NaN]',
      () => adamw({ learningRate: 1, weightDecay: Number.NaN }),
    ],
    [
      'scaleBySchedule: the schedule at step 3 is not a number [NaN]',
      () => scaleBySchedule(() => Number.NaN).update(w([1]), { count: 3 }),
    ],
    ['clipByGlobalNorm: maxNorm is not a number from 0 [-1]', () => clipByGlobalNorm(-1)],
    [
      'masked: the mask does not fit the tree at layers.0 [bias]',
      () => masked(scale(1), { layers: [{ bias: true }] }).init(w([1])),
    ],
    [
      'multiTransform: no transform for a label [frozen]',
      () => multiTransform({ all: scale(1) }, 'frozen').init(w([1])),
    ],
    ['chain: the state is not one of 2 transforms [1]', () => chain(...pair).update(w([1]), [{}])],
    [
      'optimizer: unknown arithmetic, there are ieee, xla-cpu [gpu]',
      () => scale(1, { arithmetic: 'gpu' as Arithmetic }),
    ],
    [
      'lookahead: parameters are not { fast, slow } [layers]',
      () => lookahead(scale(1), { syncPeriod: 1, slowStepSize: 1 }).init(w([1])),
    ],
  ] as const)('%s', (message, call) => {
    expect(call).toThrow(message)
  })

  it('integers are to be cast', () => {
    const grads = [tensor([1], { dtype: 'int32' })]
    expect(() => scale(1).update(grads, {})).toThrow(TypeError)
    expect(() => scale(1).update(grads, {})).toThrow('needs a floating-point dtype at 0, cast first [int32]')
  })
})

it('injectHyperparams takes a tree without leaves', () => {
  const optimizer = injectHyperparams(adamw)({ learningRate: 0.5 })
  const [updates, { count }] = optimizer.update({}, optimizer.init({}), {})
  expect([updates, count]).toEqual([{}, 1])
})
