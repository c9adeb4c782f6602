import fc from 'fast-check'
import { checkGrads, grad } from 'tpu-toolkit/autodiff'
import { unaryNames } from 'tpu-toolkit/functions'
import { layerNorm, logAddExp, logSoftmax, logsumexp, rmsNorm, softmax, variance } from 'tpu-toolkit/numerics'
import * as t from 'tpu-toolkit/tensor'
import { type Order, type Shape, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { rules } from '../../src/tensors/autodiff/rules/rules.js'
import { everyOperation } from '../support/everyOperation.js'
import { seed } from '../support/seed.js'

type F = (...xs: Tensor[]) => Tensor

const sizeOf = (shape: Shape): number => shape.reduce((n, length) => n * length, 1)

/** Shapes of up to three axes, some of them of length 1. */
const shapes = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 })

/** Multiples of 1/64 that lie apart, so that no step of a difference crosses a kink or changes a winner. */
function values(shape: Shape, [low, high]: readonly [number, number]): fc.Arbitrary<Tensor> {
  const n = sizeOf(shape)
  const grid = (high - low) / 64
  return fc
    .shuffledSubarray(
      Array.from({ length: 64 }, (_, i) => low + (i + 0.5) * grid),
      { minLength: n, maxLength: n },
    )
    .map((numbers) => tensor(numbers, { shape, dtype: 'float64' }))
}

/** A scalar of any tensor: its elements under unlike weights. */
const weighed = (x: Tensor): Tensor => {
  const weights = Float64Array.from({ length: x.size }, (_, i) => Math.cos(1 + i))
  return t.sum(t.mul(x, tensor(weights, { shape: x.shape, dtype: 'float64' })))
}

/** The default step is 2^-17; the difference is off by h^2 / 6 third derivatives, here at most a few hundred. */
const tolerance = 1e-7
const settings = { seed, numRuns: 25 }

function agrees(f: F, ...inputs: Tensor[]): void {
  checkGrads((...xs: Tensor[]) => weighed(f(...xs)), inputs, { tolerance })
}

/** A shape with some axes made 1 and some leading ones left off. */
const narrower = (shape: Shape): fc.Arbitrary<number[]> =>
  fc
    .record({
      lead: fc.integer({ min: 0, max: shape.length }),
      ones: fc.array(fc.boolean(), { minLength: shape.length, maxLength: shape.length }),
    })
    .map(({ lead, ones }) => shape.map((length, i) => (ones[i] ? 1 : length)).slice(lead))

const steps = new Set(['sign', 'floor', 'ceil', 'rint', 'trunc'])
const domains: Readonly<Record<string, readonly [number, number]>> = {
  ...{ log: [0.2, 3], log2: [0.2, 3], log10: [0.2, 3], log1p: [-0.5, 2], sqrt: [0.2, 3], rsqrt: [0.3, 3] },
  ...{ cbrt: [0.2, 2], reciprocal: [0.4, 2], tan: [-1, 1], asin: [-0.8, 0.8], acos: [-0.8, 0.8] },
  ...{ acosh: [1.3, 3], atanh: [-0.8, 0.8], lgamma: [0.4, 4] },
}

describe(`gradients against central differences in float64 (seed ${seed})`, () => {
  it.each(unaryNames.filter((name) => !steps.has(name)))('%s', (name) => {
    const f: F = (x) => t.apply(t.ops[name]!, [x!], undefined)
    fc.assert(
      fc.property(
        shapes
          .filter((shape) => sizeOf(shape) <= 64)
          .chain((shape) => values(shape, domains[name] ?? [-2, 2])),
        (x) => agrees(f, x),
      ),
      settings,
    )
  })

  const binary: Readonly<Record<string, [F, readonly [number, number]]>> = {
    add: [t.add as F, [-2, 2]],
    sub: [t.sub as F, [-2, 2]],
    mul: [t.mul as F, [-2, 2]],
    div: [t.div as F, [0.5, 2]],
    pow: [t.pow as F, [0.5, 2]],
    atan2: [t.atan2 as F, [0.5, 2]],
    hypot: [t.hypot as F, [0.5, 2]],
    logAddExp: [logAddExp as F, [-3, 3]],
    minimum: [t.minimum as F, [-2, 2]],
    maximum: [t.maximum as F, [-2, 2]],
    where: [(a, b) => t.where(t.greater(a!, t.mul(b!, 0.999)), t.mul(a!, 3), b!), [-2, 2]],
    concat: [(a, b) => t.concat([t.reshape(a!, [a!.size]), t.reshape(b!, [b!.size])]), [-2, 2]],
    stack: [(a, b) => t.stack([t.add(a!, t.mul(b!, 0)), t.add(b!, t.mul(a!, 2))], { axis: -1 }), [-2, 2]],
  }
  it.each(Object.entries(binary))('%s, broadcast either way', (_, [f, domain]) => {
    const pairs = shapes
      .filter((shape) => sizeOf(shape) <= 32)
      .chain((shape) => fc.tuple(fc.constant(shape), narrower(shape), fc.boolean()))
      .chain(([wide, narrow, swap]) => {
        const n = sizeOf(wide)
        // One draw for both, so that no two elements are alike.
        return values([n + sizeOf(narrow)], domain).map((all) => {
          const [a, b] = t.split(all, [n]) as [Tensor, Tensor]
          const pair: [Tensor, Tensor] = [t.reshape(a, wide), t.reshape(b, narrow)]
          return swap ? ([pair[1], pair[0]] as [Tensor, Tensor]) : pair
        })
      })
    fc.assert(
      fc.property(pairs, ([a, b]) => agrees(f, a, b)),
      settings,
    )
  })

  const orders: Order[] = ['sequential', 'pairwise', 'kahan', 'neumaier', 'associative', { blocked: 2 }]
  const along: Readonly<Record<string, (x: Tensor, axis: number, order: Order) => Tensor>> = {
    sum: (x, axis, order) => t.sum(x, { axis, order }),
    'sum, keepDims': (x, axis, order) => t.sum(x, { axis, order, keepDims: true }),
    mean: (x, axis, order) => t.mean(x, { axis, order }),
    max: (x, axis) => t.max(x, { axis }),
    min: (x, axis) => t.min(x, { axis, keepDims: true }),
    cumsum: (x, axis, order) => t.cumsum(x, { axis, order }),
    cumprod: (x, axis) => t.cumprod(x, { axis }),
    flip: (x, axis) => t.flip(x, { axis }),
    softmax: (x, axis) => softmax(x, { axis }),
    logSoftmax: (x, axis) => logSoftmax(x, { axis }),
    logsumexp: (x, axis) => logsumexp(x, { axis }),
    'variance, two-pass': (x, axis) => variance(x, { axis }),
    'variance, one-pass': (x, axis) => variance(x, { axis, method: 'one-pass' }),
    'variance, welford': (x, axis) => variance(x, { axis, method: 'welford' }),
    layerNorm: (x, axis) => layerNorm(x, { axis, eps: 0.5 }),
    rmsNorm: (x, axis) => rmsNorm(x, { axis }),
    take: (x, axis) => t.take(x, [-1, 0, 0], { axis }),
    slice: (x, axis) => t.slice(x, [...new Array(axis).fill(null), [null, null, -2]]),
    split: (x, axis) => t.mul(t.split(x, [1], { axis }).at(-1)!, 2),
    transpose: (x, axis) => t.transpose(x, [axis, ...x.shape.map((_, i) => i).filter((i) => i !== axis)]),
    reshape: (x) => t.reshape(x, [-1]),
    broadcastTo: (x) => t.broadcastTo(x, [3, ...x.shape]),
  }
  it.each(Object.entries(along))('%s, along any axis', (_, f) => {
    const inputs = fc
      .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 })
      .chain((shape) =>
        fc.tuple(
          values(shape, [-2, 2]),
          fc.integer({ min: 0, max: shape.length - 1 }),
          fc.constantFrom(...orders),
        ),
      )
    fc.assert(
      fc.property(inputs, ([x, axis, order]) => agrees((v) => f(v!, axis, order), x)),
      settings,
    )
  })

  // What has a gradient and stands in no table above, as its case calls it. A cast is a step, with the slope of a line.
  const held = new Set<string>([...unaryNames, ...Object.keys(binary), ...Object.keys(along), 'cast'])
  const others = t.opNames.filter((name) => !held.has(name) && rules.get(t.ops[name]) !== 'none')
  it.each(others)('%s, of a vector', (name) => {
    const { f, domain } = everyOperation[name]
    fc.assert(
      fc.property(values([16], domain), (x) => agrees((v) => f(v!), x)),
      settings,
    )
  })

  it('sum and mean over several axes at once', () => {
    const x = tensor(
      Float64Array.from({ length: 24 }, (_, i) => Math.sin(i)),
      { shape: [2, 3, 4], dtype: 'float64' },
    )
    for (const axis of [[0, 1], [0, 2], [1, 2], [0, 1, 2], []]) {
      agrees((v) => t.sum(t.square(v!), { axis }), x)
      agrees((v) => t.mean(t.square(v!), { axis, keepDims: true }), x)
      agrees((v) => t.max(v!, { axis }), x)
    }
  })

  it('matmul, batched, broadcast and of vectors', () => {
    const inputs = fc
      .record({
        sizes: fc.tuple(...[1, 2, 3].map(() => fc.integer({ min: 1, max: 3 }))),
        batch: fc.constantFrom(
          ...([
            [[], []],
            [[2], []],
            [[], [2]],
            [[2, 1], [3]],
          ] as const),
        ),
        vector: fc.constantFrom('none', 'left', 'right'),
      })
      .chain(({ sizes: [m, k, n], batch: [left, right], vector }) => {
        const a = vector === 'left' ? [k!] : [...left, m!, k!]
        const b = vector === 'right' ? [k!] : [...right, k!, n!]
        return fc.tuple(values(a, [-2, 2]), values(b, [-2, 2]))
      })
    fc.assert(
      fc.property(inputs, ([a, b]) => agrees(t.matmul as F, a, b)),
      settings,
    )
  })

  it('tril and triu of any diagonal', () => {
    const inputs = fc.tuple(
      fc
        .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }))
        .chain((s) => values(s, [-2, 2])),
      fc.integer({ min: -4, max: 4 }),
    )
    fc.assert(
      fc.property(inputs, ([x, k]) => {
        agrees((v) => t.tril(v!, { k }), x)
        agrees((v) => t.triu(v!, { k }), x)
      }),
      settings,
    )
  })

  it('cumprod with zeros anywhere', () => {
    const element = fc.constantFrom(0, 0, 1.5, -2, 0.5)
    fc.assert(
      fc.property(fc.array(element, { minLength: 1, maxLength: 7 }), (numbers) =>
        agrees((x) => t.cumprod(x!), tensor(numbers, { dtype: 'float64' })),
      ),
      settings,
    )
  })

  it('cumprod of lanes without an element has a gradient without one', () => {
    for (const shape of [[0], [0, 3], [3, 0]]) {
      const slope = grad((x: Tensor) => t.sum(t.cumprod(x, { axis: 0 })))(t.zeros(shape))
      expect(slope.shape).toEqual(shape)
    }
  })

  const twice: Readonly<Record<string, F>> = {
    ...{
      exp: t.exp as F,
      tanh: t.tanh as F,
      sigmoid: t.sigmoid as F,
      softplus: t.softplus as F,
      sin: t.sin as F,
    },
    ...{
      gelu: t.gelu as F,
      geluTanh: t.geluTanh as F,
      silu: t.silu as F,
      erf: t.erf as F,
      square: t.square as F,
    },
    softmax: (x) => softmax(x!),
    logsumexp: (x) => t.mul(logsumexp(x!), t.sum(x!)),
    cumsum: (x) => t.square(t.cumsum(x!)),
    cumprod: (x) => t.cumprod(x!),
    matmul: (x) => t.matmul(t.reshape(x!, [2, 2]), t.exp(t.reshape(x!, [2, 2]))),
    take: (x) => t.mul(t.take(x!, [0, 0, 3]), t.take(x!, [1, 2, 3])),
    div: (x) => t.div(x!, t.add(t.square(t.flip(x!)), 1)),
    logAddExp: (x) => logAddExp(x!, t.mul(t.flip(x!), 2)),
    layerNorm: (x) => layerNorm(x!, { eps: 0.5 }),
    maximum: (x) => t.square(t.maximum(x!, t.flip(t.mul(x!, 1.5)))),
    where: (x) => t.where(t.greater(x!, 0.1), t.exp(x!), t.square(x!)),
    pow: (x) => t.pow(t.add(t.square(x!), 1), x!),
  }
  it.each(Object.entries(twice))('the gradient of the gradient, %s', (_, f) => {
    const slope = (x: Tensor): Tensor => weighed(grad((v: Tensor) => weighed(f(v)))(x))
    fc.assert(
      fc.property(values([4], [-1.9, 2]), (x) => {
        checkGrads(slope, [x], { tolerance: 1e-6 })
      }),
      { seed, numRuns: 10 },
    )
  })

  it('a function that is differentiated three times', () => {
    const f = (x: Tensor): Tensor => t.sum(t.mul(t.exp(t.mul(x, 0.5)), t.sin(x)))
    const second = (x: Tensor): Tensor => t.sum(grad((v: Tensor) => t.sum(t.square(grad(f)(v))))(x))
    expect(checkGrads(second, [tensor([0.3, -1.2], { dtype: 'float64' })])!.error).toBeLessThan(tolerance)
  })
})
