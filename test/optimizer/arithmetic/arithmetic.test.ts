import * as optimizers from 'tpu-toolkit/optimizer'
import {
  addDecayedWeights,
  applyUpdates,
  clipByGlobalNorm,
  globalNorm,
  incrementalUpdate,
  scale,
  stateToTree,
} from 'tpu-toolkit/optimizer'
import { seeded } from 'tpu-toolkit/random'
import { add, type FloatDType, fromBits, mul, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { leavesOf, type Tree } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { bitsOf } from '../../support/optimizerKeys.js'
import { made, makerNames } from '../../support/optimizerMakers.js'
import { seed } from '../../support/seed.js'

const random = seeded(`arithmetic ${seed}`)
const n = 20_000

/** Any bits: subnormals, infinities and NaNs of all payloads among them. */
function draw(dtype: FloatDType): Tensor {
  const bits = dtype === 'float32' ? 32 : dtype.startsWith('float8') ? 8 : 16
  const codes = Array.from({ length: n }, () => Math.floor(random() * 2 ** bits))
  return fromBits(codes, { dtype })
}

const dtypes = ['float32', 'bfloat16', 'float16', 'float8_e4m3fn', 'float8_e5m2'] as const

describe.each(dtypes)(`transforms are the operations of tensor on any bits, %s (seed ${seed})`, (dtype) => {
  const [a, b] = [draw(dtype), draw(dtype)]
  const only = (tree: Tree): Tensor => leavesOf(tree)[0]!

  it('applyUpdates is add', () => {
    expect(bitsOf(applyUpdates(a, b))).toEqual(bitsOf(add(a, b)))
  })

  it('scale is mul by a weak number', () => {
    for (const s of [0.1, -3, 1e-30, 1e30, 0, -0]) {
      expect(bitsOf(scale(s).update(a, {})[0])).toEqual(bitsOf(mul(a, s)))
    }
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
  const params: Tree = {
    empty: tensor([]),
    none: tensor([], { shape: [2, 0] }),
    one: tensor([2]),
    scalar: tensor(3),
  }
  const shapesOf = (tree: Tree) => leavesOf(tree).map((leaf) => leaf.shape)

  it.each(makerNames)('%s keeps every shape, in both arithmetics', (name) => {
    for (const arithmetic of ['ieee', 'xla-cpu'] as const) {
      const optimizer = made(name, { arithmetic })
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

describe("adam, float16, arithmetic 'xla-cpu'", () => {
  const half = (text: string): Tensor =>
    fromBits(
      text.split(' ').map((code) => Number.parseInt(code, 16)),
      { dtype: 'float16' },
    )

  // optax 0.2.8 on jax 0.10.2 (CPU, x86-64), op by op; one -Inf, as eps 1e-8 is 0 in float16.
  it('multiplies by reciprocals rounded to float16: every bit of optax after three steps', () => {
    const optimizer = optimizers.adam({ learningRate: 0.01, arithmetic: 'xla-cpu' })
    let params: Tensor[] = [half('3e3f bd62 bc92 b601 b93d 398d b514 3ef6 3e15 3a29 b62d 38f0')]
    let state = optimizer.init(params)
    for (const grads of [
      [half('403a c0b4 b1a4 3dd5 37bc baa3 187a 3ae9 3cd5 bb32 3a15 340a')],
      [half('39ab bfab 3ad0 375a ba45 39e0 be82 bcd1 bdc2 bc72 3b08 bd56')],
      [half('3c40 3a79 b6d0 bd50 ae76 b178 3c3c b6d9 b413 3981 b82f b294')],
    ]) {
      const [updates, next] = optimizer.update(grads, state, params)
      params = applyUpdates(params, updates, { arithmetic: 'xla-cpu' })
      state = next
    }
    const end = half('3e23 bd48 bc8f b650 b945 39a4 fc00 3ef1 3e0e 3a5a b691 38f3')
    expect(bitsOf(leavesOf(params)[0]!)).toEqual(bitsOf(end))
  })
})
