import {
  adam,
  adamw,
  applyGradients,
  applyUpdates,
  chain,
  clipByGlobalNorm,
  type GradientTransformation,
  type Point,
  type State,
  sgd,
  zeroNans,
} from 'tpu-toolkit/optimizer'
import { seeded } from 'tpu-toolkit/random'
import { Tensor, tensor } from 'tpu-toolkit/tensor'
import { leavesOf, mapTree, type Tree } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { bitsOf, tensorBits } from '../../support/optimizerKeys.js'
import { seed } from '../../support/seed.js'

const random = seeded(`applyGradients ${seed}`)
const special = [0, -0, 1e-45, -1e-39, 3e38, -3e38, Number.NaN, Infinity, -Infinity, 1e20]

/** Values of all magnitudes, a few of them special. */
function draw(n: number, specials: number): Tensor {
  const values = Float64Array.from({ length: n }, () =>
    random() < specials
      ? special[Math.floor(random() * special.length)]!
      : (random() - 0.5) * 2 ** Math.floor(60 * random() - 40),
  )
  return tensor(values)
}

function tree(specials: number): Tree {
  return { a: [draw(700, specials), draw(1, specials)], b: { c: draw(33, specials) } }
}

const mask = { a: [true, false], b: true }
const schedule = (step: number): number => 1e-2 / (step + 1)
const chains: Readonly<Record<string, GradientTransformation<readonly State[]>>> = {
  adam: adam({ learningRate: 1e-3 }),
  adamw: adamw({ learningRate: 1e-3 }),
  'adamw, mask, schedule': adamw({ learningRate: schedule, weightDecay: 0.1, mask }),
  'adamw, weightDecay 0, epsRoot': adamw({ learningRate: 1e-3, weightDecay: 0, epsRoot: 1e-12, b2: 0.95 }),
  'clip > zeroNans > adamw': chain(clipByGlobalNorm(1), zeroNans(), adamw({ learningRate: schedule })),
  'zeroNans > clip > adamw': chain(zeroNans(), clipByGlobalNorm(1), adamw({ learningRate: 1e-3 })),
  'clip > adamw': chain(clipByGlobalNorm(0.5), adamw({ learningRate: 1e-3 })),
  'nested chains': chain(chain(clipByGlobalNorm(1), zeroNans()), chain(adam({ learningRate: 0.1 }))),
}

/** A state in text, tensors by their bits. */
function stateBits(state: State): string {
  return JSON.stringify(state, (_, value) => (value instanceof Tensor ? tensorBits(value) : value))
}

describe(`applyGradients is update and applyUpdates in every bit (seed ${seed})`, () => {
  it.each(Object.entries(chains))('%s, with and without donate and WebAssembly', (_, optimizer) => {
    const start = tree(0)
    let apart: Point<readonly State[]> = { params: start, state: optimizer.init(start) }
    let fused = apart
    const copy = mapTree((x) => tensor(x.toNumbers()), start)
    let donated: Point<readonly State[]> = { params: copy, state: optimizer.init(copy) }
    let plain = apart
    for (let step = 0; step < 12; step++) {
      const grads = tree(step % 4 === 3 ? 0.002 : 0)
      const [updates, state] = optimizer.update(grads, apart.state, apart.params)
      apart = { params: applyUpdates(apart.params, updates), state }
      fused = applyGradients(optimizer, grads, fused)
      donated = applyGradients(optimizer, grads, donated, { donate: true })
      plain = applyGradients(optimizer, grads, plain, { engine: 'plain' })
      for (const point of [fused, plain, donated]) {
        expect(bitsOf(point.params), `params, step ${step}`).toEqual(bitsOf(apart.params))
        expect(stateBits(point.state), `state, step ${step}`).toBe(stateBits(apart.state))
      }
    }
  })

  it('donate writes into the tensors it was given, and only then', () => {
    const optimizer = adamw({ learningRate: 0.5 })
    const params: Tree = { w: tensor([1, 2, 3]) }
    const point = { params, state: optimizer.init(params) }
    const grads = { w: tensor([1, 1, 1]) }
    const kept = applyGradients(optimizer, grads, point)
    expect(leavesOf(params)[0]!.toNested()).toEqual([1, 2, 3])
    const given = applyGradients(optimizer, grads, point, { donate: true })
    expect(leavesOf(given.params)[0]).toBe(leavesOf(params)[0])
    expect(bitsOf(given.params)).toEqual(bitsOf(kept.params))
  })

  it('donate refuses leaves that share an array, which one after the other would be updated twice', () => {
    const optimizer = adamw({ learningRate: 0.1 })
    const tied = tensor([1, 2])
    const params: Tree = { head: tied, embed: tied }
    const point = { params, state: optimizer.init(params) }
    const grads = { head: tensor([1, 1]), embed: tensor([1, 1]) }
    expect(() => applyGradients(optimizer, grads, point, { donate: true })).toThrow(
      new RangeError('applyGradients: leaves share an array, which cannot be donated [5 for 6]'),
    )
    expect(tied.toNested()).toEqual([1, 2])
    const [embed, head] = leavesOf(applyGradients(optimizer, grads, point).params)
    expect(bitsOf(embed!)).toEqual(bitsOf(head!))
  })

  it.each([4, 5, 6, 9])('clips a norm of 5 at %s as the separate links do', (maxNorm) => {
    const optimizer = chain(clipByGlobalNorm(maxNorm), adamw({ learningRate: 0.1 }))
    const params: Tree = [tensor([1, 2])]
    const grads = [tensor([3, 4])]
    const state = optimizer.init(params)
    expect(stateBits(applyGradients(optimizer, grads, { params, state }).state)).toBe(
      stateBits(optimizer.update(grads, state, params)[1]),
    )
  })

  it('runs other chains and other dtypes link by link', () => {
    const params: Tree = [tensor([1, 2], { dtype: 'bfloat16' })]
    const others: GradientTransformation[] = [adamw({ learningRate: 0.1 }), sgd({ learningRate: 0.1 })]
    for (const optimizer of others) {
      const state = optimizer.init(params)
      const [updates] = optimizer.update(params, state, params)
      const { params: next } = applyGradients(optimizer, params, { params, state })
      expect(bitsOf(next)).toEqual(bitsOf(applyUpdates(params, updates)))
    }
  })

  it('takes its own options where a chain runs link by link', () => {
    const params: Tree = [tensor([1, 2])]
    const point = { params, state: sgd({ learningRate: 1 }).init(params) }
    const options = { donate: true, engine: 'plain', extra: { value: 3 } } as const
    const next = applyGradients(sgd({ learningRate: 1 }), params, point, options)
    expect(bitsOf(next.params)).toEqual(bitsOf([tensor([0, 0])]))
    expect(() =>
      applyGradients(adamw({ learningRate: 1 }), params, point, { extra: { loss: 3 } as object }),
    ).toThrow('applyGradients, extra: unknown option')
  })

  it('names the path where trees or shapes differ', () => {
    const optimizer = adamw({ learningRate: 0.1 })
    const params: Tree = { layers: [{ kernel: tensor([1, 2]) }] }
    const point = { params, state: optimizer.init(params) }
    const shorter = { layers: [{ kernel: tensor([1]) }] }
    expect(() => applyGradients(optimizer, shorter, point)).toThrow(
      'applyGradients: shapes differ at layers.0.kernel [2 and 1]',
    )
    expect(() => applyGradients(optimizer, { layers: [{ bias: tensor([1, 2]) }] }, point)).toThrow(
      'applyGradients: trees differ at layers.0.bias',
    )
  })
})
