import * as optimizers from 'tpu-toolkit/optimizer'
import {
  addDecayedWeights,
  applyUpdates,
  clipByGlobalNorm,
  type GradientTransformation,
  globalNorm,
  incrementalUpdate,
  scale,
  stateToTree,
} from 'tpu-toolkit/optimizer'
import { seeded } from 'tpu-toolkit/random'
import { add, type FloatDType, fromBits, mul, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { leavesOf, type Tree } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { families } from '../support/importTable.js'
import { bitsOf } from '../support/optimizerKeys.js'
import { seed } from '../support/seed.js'

const random = seeded(`arithmetic ${seed}`)
const n = 20_000

/** Any bits: subnormals, infinities and NaNs of all payloads among them. */
function draw(dtype: FloatDType): Tensor {
  const codes = Array.from({ length: n }, () => Math.floor(random() * 2 ** (dtype === 'float32' ? 32 : 16)))
  return fromBits(codes, { dtype })
}

const dtypes = ['float32', 'bfloat16', 'float16'] as const

describe.each(dtypes)(`transforms are the operations of tensor on any bits, %s (seed ${seed})`, (dtype) => {
  const [a, b] = [draw(dtype), draw(dtype)]
  const only = (tree: Tree): Tensor => leavesOf(tree)[0]!

  it('applyUpdates is add', () => {
    expect(bitsOf(applyUpdates(a, b))).toEqual(bitsOf(add(a, b)))
  })

  it('scale is mul by a weak number', () => {
    for (const s of [0.1, -3, 1e-30, 1e30, 0, -0])
      expect(bitsOf(scale(s).update(a, {})[0])).toEqual(bitsOf(mul(a, s)))
  })

  it('addDecayedWeights is add and mul', () => {
    const [decayed] = addDecayedWeights(0.1).update(a, {}, b)
    expect(bitsOf(decayed)).toEqual(bitsOf(add(a, mul(b, 0.1))))
  })

  it('incrementalUpdate is add of two products', () => {
    expect(bitsOf(incrementalUpdate(a, b, 0.25))).toEqual(bitsOf(add(mul(a, 0.25), mul(b, 0.75))))
  })

  it('clipByGlobalNorm multiplies with one rounding by the float64 factor', () => {
    // Finite values; the exact product rounded once is what `tensor` makes of float64 numbers.
    const finite = tensor(
      a.toNumbers().map((x) => (Math.abs(x) < 1e18 ? x : 1)),
      { dtype },
    )
    const [clipped] = clipByGlobalNorm(0.7).update(finite, {})
    let total = 0
    for (const x of finite.toNumbers()) total += x * x
    const factor = 0.7 / Math.sqrt(total)
    expect(bitsOf(clipped)).toEqual(
      bitsOf(
        tensor(
          finite.toNumbers().map((x) => x * factor),
          { dtype },
        ),
      ),
    )
    expect(only(clipped).dtype).toBe(dtype)
  })
})

describe('empty leaves, leaves of one element and scalars', () => {
  const factories = optimizers as unknown as Readonly<
    Record<string, (options: { learningRate: number }) => GradientTransformation>
  >
  const params: Tree = {
    empty: tensor([]),
    none: tensor([], { shape: [2, 0] }),
    one: tensor([2]),
    scalar: tensor(3),
  }
  const shapesOf = (tree: Tree) => leavesOf(tree).map((leaf) => leaf.shape)

  it.each(families['optimizer']!)('%s keeps every shape, in both arithmetics', (name) => {
    for (const arithmetic of ['ieee', 'xla-cpu'] as const) {
      const optimizer = factories[name]!({ learningRate: 0.1, ...{ arithmetic } })
      let state = optimizer.init(params)
      for (let step = 0; step < 3; step++) {
        const [updates, next] = optimizer.update(params, state, params)
        expect(shapesOf(updates)).toEqual(shapesOf(params))
        expect(shapesOf(stateToTree(next))).toEqual(shapesOf(stateToTree(state)))
        expect(shapesOf(applyUpdates(params, updates, { arithmetic }))).toEqual(shapesOf(params))
        state = next
      }
    }
  })

  it('globalNorm and clipByGlobalNorm take a tree without elements', () => {
    for (const arithmetic of ['ieee', 'xla-cpu'] as const) {
      const nothing: Tree = { a: tensor([]) }
      expect(globalNorm(nothing, { arithmetic }).item()).toBe(0)
      expect(globalNorm({}, { arithmetic }).item()).toBe(0)
      expect(shapesOf(clipByGlobalNorm(1, { arithmetic }).update(nothing, {})[0])).toEqual([[0]])
      expect(clipByGlobalNorm(1, { arithmetic }).update({}, {})[0]).toEqual({})
    }
  })
})
