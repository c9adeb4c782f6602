import { scaleByAdam, stateToTree } from 'tpu-toolkit/optimizer'
import { seeded } from 'tpu-toolkit/random'
import { tensor } from 'tpu-toolkit/tensor'
import type { Tree } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { bitsOf } from '../../support/optimizerKeys.js'
import { seed } from '../../support/seed.js'

const random = seeded(`scaleByAdam ${seed}`)
const special = [0, -0, 1e-45, -1e-39, 3e38, -3e38, Number.NaN, Infinity, -Infinity, 1e20, 1e-20]
const draw = (n: number) =>
  tensor(
    Float64Array.from({ length: n }, () =>
      random() < 0.05
        ? special[Math.floor(random() * special.length)]!
        : (random() - 0.5) * 2 ** (60 * random() - 40),
    ),
  )

describe(`scaleByAdam of float32 leaves, which runs in one pass (seed ${seed})`, () => {
  const options = [{}, { b1: 0, b2: 0.95, eps: 0 }, { eps: 1e-6, epsRoot: 1e-12 }, { b1: 0.999999, b2: 0 }]
  it.each(options)('is equal to its operations one by one in every bit, %j', (constants) => {
    // A muDtype, be it the one that mu has anyway, is computed operation by operation.
    const [once, plain] = [scaleByAdam(constants), scaleByAdam({ ...constants, muDtype: 'float32' })]
    const params: Tree = { a: [draw(1), draw(0), draw(70)], b: draw(33) }
    let [one, two] = [once.init(params), plain.init(params)]
    for (let step = 0; step < 12; step++) {
      const grads: Tree = { a: [draw(1), draw(0), draw(70)], b: draw(33) }
      const [updates, next] = once.update(grads, one)
      const [expected, other] = plain.update(grads, two)
      expect(bitsOf(updates), `step ${step}`).toEqual(bitsOf(expected))
      expect(bitsOf(stateToTree(next)), `step ${step}`).toEqual(bitsOf(stateToTree(other)))
      one = next
      two = other
    }
  })
})
