import {
  add,
  cast,
  type FloatDType,
  mul,
  square,
  sum,
  type Tensor,
  tensor,
  transpose,
  zeros,
} from 'tpu-toolkit'
import { fisherDiag, grad, hessianDiag, hvp, jvp, scaleGradient, vmap } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import * as losses from 'tpu-toolkit/losses'
import * as numerics from 'tpu-toolkit/numerics'
import * as o from 'tpu-toolkit/optimizer'
import { oneHot } from 'tpu-toolkit/tensor'
import { leavesOf, type Tree } from 'tpu-toolkit/tree'
import { describe, expect, test } from 'vitest'
import { optimizerKey } from '../support/optimizerKeys.js'

type Answers = Readonly<Record<string, readonly (readonly number[])[]>>
const { results } = optimizerKey<{ readonly results: Readonly<Record<string, Answers>> }>('root')

/** The formula of scripts/golden/optax_root.py: element i is ((7 i + 13 seed) mod 31 - 15) / 8. */
function draw(seed: number, shape: readonly number[], dtype: FloatDType): Tensor {
  const size = shape.reduce((n, length) => n * length, 1)
  const values = Array.from({ length: size }, (_, i) => (((7 * i + 13 * seed) % 31) - 15) / 8)
  return tensor(values, { shape, dtype })
}

/** The parameters after eight steps. */
function trajectory(optimizer: o.GradientTransformation, dtype: FloatDType): Tree {
  let params: Tree = { a: draw(1, [3, 4], dtype), b: draw(2, [5], dtype) }
  let state = optimizer.init(params)
  for (let step = 0; step < 8; step++) {
    const grads = { a: draw(3 + step, [3, 4], dtype), b: draw(30 + step, [5], dtype) }
    const [updates, next]: readonly [Tree, typeof state] = optimizer.update(grads, state, params)
    params = o.applyUpdates(params, updates)
    state = next
  }
  return params
}

const cubes = (w: Tensor, x: Tensor): Tensor => sum(mul(mul(square(w), w), x))

/** What the functions of the script give here. */
function made(dtype: FloatDType): Readonly<Record<string, () => unknown>> {
  const d = (seed: number, ...shape: number[]): Tensor => draw(seed, shape, dtype)
  const pair = { a: d(4, 2, 3), b: d(5, 4) }
  const other = { a: d(7, 2, 3), b: d(8, 4) }
  const examples = { a: d(9, 4, 3), b: d(10, 4, 2, 2) }
  const table = d(11, 4, 4)
  const labels = tensor([0, 1, 0, 2, 1, 2], { dtype: 'int32' })
  const onehot = cast(
    oneHot(
      tensor(
        [
          [0, 1, 2],
          [2, 2, 1],
        ],
        { dtype: 'int32' },
      ),
      3,
    ),
    dtype,
  )
  const arithmetic = 'xla-cpu'
  const [w, x] = [d(13, 5), d(14, 5)]
  const parts = (accumulate: 'sum' | 'mean') =>
    o.microbatch((v: Tensor) => sum(v, { axis: 0 }), { argnums: 0, size: 2, accumulate })(d(15, 6, 3))
  return {
    optimisticAdamV2: () =>
      trajectory(o.optimisticAdamV2({ learningRate: 0.0625, alpha: 0.75, beta: 0.5, arithmetic }), dtype),
    keepParamsNonnegative: () =>
      trajectory(o.chain(o.sgd({ learningRate: 0.25 }), o.keepParamsNonnegative()) as never, dtype),
    scaleByParamBlockNorm: () =>
      trajectory(o.chain(o.scaleByParamBlockNorm(1e-3, { arithmetic }), o.scale(-0.0625)), dtype),
    measureWithEma: () => {
      const mean = o.measureWithEma((tree) => o.globalNorm(tree, { arithmetic }), 0.75, { arithmetic })
      let state = mean.init(pair)
      return [0, 1, 2, 3].map((step) => {
        const [value, next] = mean.update({ a: d(20 + step, 2, 3) }, state)
        state = next
        return value
      })
    },
    safeNorm: () => [
      numerics.safeNorm(d(6, 3, 4), 0.5),
      numerics.safeNorm(d(6, 3, 4), 3, { axis: 1 }),
      numerics.safeNorm(d(6, 3, 4), 0.5, { ord: 1, axis: 0, keepDims: true }),
      grad((v: Tensor) => numerics.safeNorm(v, 1))(zeros([3], { dtype })),
    ],
    safeRootMeanSquares: () => [
      numerics.safeRootMeanSquares(d(6, 3, 4), 0.5),
      numerics.safeRootMeanSquares(d(6, 3, 4), 4),
      grad((v: Tensor) => numerics.safeRootMeanSquares(v, 1))(zeros([3], { dtype })),
    ],
    scaleGradient: () => grad((v: Tensor) => sum(scaleGradient(mul(v, v), -0.375)))(d(6, 5)),
    perExampleGlobalNormClip: () => o.perExampleGlobalNormClip(examples, 3, { arithmetic }),
    perExampleLayerNormClip: () => o.perExampleLayerNormClip(examples, 3, { arithmetic }),
    perExampleLayerNormClipShares: () =>
      o.perExampleLayerNormClip(examples, 3, { arithmetic, uniform: false }),
    powerIteration: () => o.powerIteration(add(table, transpose(table)), { v0: d(12, 4), numIters: 40 }),
    microbatchSum: () => parts('sum'),
    microbatchMean: () => parts('mean'),
    hvp: () => hvp(cubes, w, x, x),
    hessianDiag: () => hessianDiag(cubes, w, x),
    fisherDiag: () => fisherDiag(cubes, w, x),
    projectionNonNegative: () => o.projectionNonNegative(pair),
    projectionBox: () => o.projectionBox(pair, -0.5, 1),
    projectionHypercube: () => o.projectionHypercube(pair, 0.75),
    projectionLinfBall: () => o.projectionLinfBall(pair, 0.75),
    projectionSimplex: () => o.projectionSimplex(pair, 2),
    projectionL1Sphere: () => o.projectionL1Sphere(pair, 2),
    projectionL1Ball: () => [2, 100].map((scale) => o.projectionL1Ball(pair, scale)),
    projectionL2Sphere: () => o.projectionL2Sphere(pair, 2),
    projectionL2Ball: () => [2, 100].map((scale) => o.projectionL2Ball(pair, scale)),
    projectionVector: () => o.projectionVector(pair, other),
    projectionHyperplane: () => o.projectionHyperplane(pair, other, 0.5),
    projectionHalfspace: () => [-9, 99].map((b) => o.projectionHalfspace(pair, other, b)),
    ntxent: () =>
      [0.5, 0.0625].map((temperature) => losses.ntxent(d(16, 6, 4), labels as never, { temperature })),
    diceLoss: () => [
      losses.diceLoss(d(17, 2, 3, 3), onehot),
      losses.diceLoss(d(17, 2, 3, 3), onehot, {
        alpha: 0.25,
        beta: 0.75,
        smooth: 0.5,
        ignoreBackground: true,
      }),
      losses.diceLoss(d(17, 2, 3, 1), firstClass(onehot)),
    ],
    tripletMarginLoss: () => [
      losses.tripletMarginLoss(d(18, 4, 3), d(19, 4, 3), d(20, 4, 3)),
      losses.tripletMarginLoss(d(18, 4, 3), d(19, 4, 3), d(20, 4, 3), {
        normDegree: 4,
        margin: 0.5,
        axis: 0,
      }),
    ],
    fenchelYoungLoss: () =>
      losses.makeFenchelYoungLoss((scores) => numerics.logsumexp(scores, { axis: -1 }))(
        d(21, 4, 3),
        tensor(
          [
            [1, 0, 0],
            [0, 1, 0],
            [0, 0, 1],
            [0, 0, 1],
          ],
          { dtype },
        ),
      ),
  }
}

const firstClass = (x: Tensor): Tensor =>
  tensor(
    x.toNumbers().filter((_, i) => i % 3 === 0),
    { shape: [2, 3, 1], dtype: x.dtype as FloatDType },
  )

/** The largest distance in ulps of the larger of 1/8 of the leaf's largest element and the element. */
function ulps(actual: readonly Tensor[], expected: readonly (readonly number[])[], bits: number): number {
  let most = actual.length === expected.length ? 0 : Number.POSITIVE_INFINITY
  for (const [i, leaf] of actual.entries()) {
    const values = expected[i] ?? []
    const floor = values.reduce((largest, v) => Math.max(largest, Math.abs(v)), 0) / 8
    for (const [k, v] of leaf.toNumbers().entries()) {
      const size = Math.max(Math.abs(values[k]!), floor, 2 ** -126)
      const away = Math.abs(v - values[k]!) / 2 ** (Math.floor(Math.log2(size)) - bits + 1)
      most = away <= most ? most : Number.isNaN(away) ? Number.POSITIVE_INFINITY : away
    }
  }
  return most
}

/** Where the bits are not optax's, in ulps of float32 and of bfloat16, with the reason. */
const away: Readonly<Record<string, readonly [float32: number, bfloat16: number]>> = {
  // XLA's exp and log.
  ntxent: [3, 0],
  diceLoss: [1, 0],
  fenchelYoungLoss: [2, 0],
  // Sums over the batch, which XLA adds by fused multiply-adds.
  perExampleGlobalNormClip: [1, 0],
  perExampleLayerNormClip: [1, 0],
  perExampleLayerNormClipShares: [1, 0],
  // Norms, inner products and factors in float64.
  powerIteration: [3, 0],
  projectionHyperplane: [1, 1],
  projectionHalfspace: [1, 0],
  projectionL2Sphere: [0, 1],
  projectionL2Ball: [0, 1],
  projectionVector: [0, 1],
  // optax gives float32 for bfloat16, not rounded.
  projectionL1Sphere: [0, 0.5],
}

describe('functions of optax 0.2.8', () => {
  for (const dtype of ['float32', 'bfloat16'] as const) {
    const functions = made(dtype)
    test.each(Object.keys(results[dtype]!))(`%s gives optax's numbers in ${dtype}`, (name) => {
      const leaves = leavesOf(functions[name]!() as Tree)
      const far = ulps(leaves, results[dtype]![name]!, dtype === 'float32' ? 24 : 8)
      const [float32, bfloat16] = away[name] ?? [0, 0]
      expect(far).toBeLessThanOrEqual(dtype === 'float32' ? float32 : bfloat16)
    })
  }

  test('every result of the script has its function', () => {
    expect(Object.keys(made('float32')).sort()).toEqual(Object.keys(results['float32']!).sort())
  })
})

describe('edges of the functions of optax', () => {
  test('projectionSimplex adds up to its scale, gives NaN for what is not finite, and refuses a scale of 0', () => {
    for (const dtype of ['float32', 'float64'] as const) {
      const x = draw(5, [7, 9], dtype)
      const y = o.projectionSimplex([x], 3)[0]!
      expect(y.toNumbers().reduce((a, b) => a + b, 0)).toBeCloseTo(3, 5)
      expect(Math.min(...y.toNumbers())).toBe(0)
    }
    expect(Array.from(o.projectionSimplex([tensor([1, NaN])])[0]!.toNumbers())).toEqual([NaN, NaN])
    expect(Array.from(o.projectionSimplex([tensor([1, Infinity])])[0]!.toNumbers())).toEqual([NaN, NaN])
    expect(() => o.projectionSimplex([tensor([1])], 0)).toThrow('projectionSimplex: scale')
    expect(o.projectionSimplex([])).toEqual([])
  })
  test('projectionBox takes trees as bounds, and names where they differ', () => {
    const x = { a: tensor([1, 5]) }
    expect(o.projectionBox(x, { a: tensor([2, 2]) }, 4).a.toNested()).toEqual([2, 4])
    expect(() => o.projectionBox(x, { b: tensor([1]) }, 4)).toThrow('projectionBox: trees differ at a')
  })
  test('powerIteration of a function of trees finds the eigenvalue, and says what it needs', () => {
    const scaled = ({ a, b }: { a: Tensor; b: Tensor }) => ({ a: mul(a, 3), b: mul(b, -4) })
    const v0 = { a: tensor([1, 1]), b: tensor([1]) }
    const [value, vector] = o.powerIteration(scaled, { v0 })
    expect(value.item()).toBeCloseTo(-4, 5)
    expect(Math.abs(vector.b.item())).toBeCloseTo(1, 5)
    expect(() => o.powerIteration(scaled)).toThrow('powerIteration: a function needs v0')
    expect(() => o.powerIteration(tensor([[1, 2]]))).toThrow('powerIteration: matrix is no square one')
    const drawn = o.powerIteration(
      tensor([
        [2, 0],
        [0, 1],
      ]),
      { key: 3 },
    )[0]
    expect(drawn.item()).toBeCloseTo(2, 5)
  })
  test('microbatch concatenates rows, hands on other arguments, and refuses parts that do not divide', () => {
    const f = o.microbatch((x: Tensor, factor: number) => mul(x, factor), {
      argnums: 0,
      size: 2,
      accumulate: 'concat',
    })
    expect(f(tensor([1, 2, 3, 4]), 3).toNested()).toEqual([3, 6, 9, 12])
    expect(() => f(tensor([1, 2, 3]), 3)).toThrow('no multiple of the size of its parts [3 and 2]')
    expect(() => o.microbatch(f, { argnums: 4, size: 1 })(tensor([1]), 1)).toThrow(
      'argument that is not there',
    )
  })
  test('treeMapParams changes moments and leaves counts, whatever wraps them', () => {
    const optimizer = o.createOptimizer({ lr: 0.1, totalSteps: 5 })
    const params = { w: tensor([1, 2], { dtype: 'bfloat16' }), b: [tensor([3], { dtype: 'bfloat16' })] }
    const wide = o.treeMapParams(optimizer, (leaf) => cast(leaf, 'float32'), optimizer.init(params), {
      transformNonParams: (value) => (typeof value === 'number' ? value + 7 : value),
    })
    const dtypes = leavesOf(o.stateToTree(wide)).map((leaf) => leaf.dtype)
    expect(dtypes.filter((dtype) => dtype === 'float32').length).toBeGreaterThanOrEqual(4)
    expect(JSON.stringify(wide)).toContain('"count":7')
    expect(dtypes).not.toContain('bfloat16')
  })
  test('monitor and snapshot leave updates as they are and name what was measured', () => {
    const links = o.chain(
      o.snapshot('before', (g) => o.globalNorm(g)),
      o.scale(2),
      o.monitor({ after: (g) => o.globalNorm(g) }),
    )
    const grads = [tensor([3, 4])]
    const [updates, state] = links.update(grads, links.init(grads))
    expect(updates[0]!.toNested()).toEqual([6, 8])
    expect(JSON.stringify(state.map((s) => Object.keys(s)))).toContain('measurements')
    const measured = state as unknown as { measurements: Record<string, Tensor> }[]
    expect(measured[0]!.measurements['before']!.item()).toBe(5)
    expect(measured[2]!.measurements['after']!.item()).toBe(10)
  })
  test('skipNotFinite is what the option of multiSteps does', () => {
    const sgd = o.sgd({ learningRate: 1 })
    const [one, other] = [
      o.multiSteps(sgd, 1, { shouldSkip: o.skipNotFinite }),
      o.multiSteps(sgd, 1, { skipNotFinite: true }),
    ]
    for (const g of [tensor([1, NaN]), tensor([1, 2])]) {
      const give = (m: typeof one) => Array.from(m.update([g], m.init([g]))[0][0]!.toNumbers())
      expect(give(one)).toEqual(give(other))
    }
  })
  test('ntxent without a pair is NaN, and labels that do not fit are refused', () => {
    const labels = tensor([0, 1], { dtype: 'int32' })
    expect(
      losses
        .ntxent(
          tensor([
            [1, 0],
            [0, 1],
          ]),
          labels,
        )
        .item(),
    ).toBeNaN()
    expect(() => losses.ntxent(tensor([[1, 0]]), labels)).toThrow('ntxent: labels [n] do not fit')
  })
  test('scaleGradient scales tangents, batches and compiled gradients alike, and stops at 0', () => {
    const f = (x: Tensor): Tensor => sum(scaleGradient(mul(x, x), -2))
    const x = tensor([1, 2])
    const expected = [-4, -8]
    expect(grad(f)(x).toNested()).toEqual(expected)
    expect(compile(grad(f))(x).toNested()).toEqual(expected)
    expect(jvp(f, [x], [tensor([1, 0])])[1].item()).toBe(-4)
    expect(vmap((v: Tensor) => grad(f)(v))(tensor([[1, 2]])).toNested()).toEqual([expected])
    expect(grad((v: Tensor) => sum(scaleGradient(v, 0)))(x).toNested()).toEqual([0, 0])
    expect(scaleGradient(x, 1)).toBe(x)
    expect(() => scaleGradient(x, NaN)).toThrow('scaleGradient: scale')
  })
})
