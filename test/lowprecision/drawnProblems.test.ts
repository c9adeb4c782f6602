import {
  type Stepper,
  type StoredParamsOptions,
  stalledUpdates,
  storedParams,
} from 'tpu-toolkit/lowprecision'
import { adamw, applyGradients, type GradientTransformation, type Point } from 'tpu-toolkit/optimizer'
import { foldIn, key, normal, uniform } from 'tpu-toolkit/random'
import { cast, type FloatDType, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { leavesOf, type Tree, type Treelike } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { gradientAt, type LeastSquares } from '../support/leastSquares.js'
import { isLong } from '../support/long.js'
import { seed } from '../support/seed.js'

const values = (tree: Tree): number[] => leavesOf(tree).flatMap((leaf) => [...leaf.toNumbers()])

/** A least-squares problem and a rate at which bfloat16 steps stall: under 2^-11, over as many steps as make .4. */
function drawn(root: ReturnType<typeof key>) {
  const n = 16
  const A = Float64Array.from(normal(foldIn(root, 1), n * n), (x) => Math.fround(x / 4))
  const truth = normal(foldIn(root, 2), n)
  const b = new Float64Array(n).map((_, i) => truth.reduce((sum, x, j) => sum + A[i * n + j]! * x, 0))
  const rate = 2 ** (-11 - uniform(foldIn(root, 4), 1)[0]!)
  const start = tensor(normal(foldIn(root, 3), n), { dtype: 'bfloat16' })
  return { problem: { n, A, b } satisfies LeastSquares, rate, steps: Math.round(0.4 / rate), start }
}

describe(`drift over drawn problems (seed ${seed})`, () => {
  it('master and kahan stay a tenth of nearest, stochastic half; nearest stalls', () => {
    for (let trial = 0; trial < (isLong ? 8 : 2); trial++) {
      const root = foldIn(key(seed), trial)
      const { problem, rate, steps, start } = drawn(root)
      const optimizer = adamw({ learningRate: rate, weightDecay: 0.01 })
      const gradient = (w: Tensor, inside: 'float32' | 'float64', dtype: FloatDType) => [
        gradientAt(problem, w, inside, dtype),
      ]
      const weights = (tree: Treelike): Tensor => leavesOf(tree)[0]!

      const wide = [cast(start, 'float64')]
      let exact: Point = { params: wide, state: optimizer.init(wide) }
      for (let i = 0; i < steps; i++) {
        exact = applyGradients(
          optimizer as GradientTransformation,
          gradient(weights(exact.params), 'float64', 'float64'),
          exact,
        )
      }
      const reference = values(exact.params)

      // Counts the updates that storing to nearest loses.
      const lost = { updates: 0, stalled: 0 }
      const counting: GradientTransformation = {
        init: (params) => optimizer.init(params),
        update(grads, state, params) {
          const [updates, next] = (optimizer as GradientTransformation).update(grads, state, params)
          const { updates: all, stalled } = stalledUpdates([cast(weights(params!), 'bfloat16')], updates)
          lost.updates += all
          lost.stalled += stalled
          return [updates, next]
        },
      }
      const rms = (options: StoredParamsOptions, by: GradientTransformation): number => {
        const stepper = storedParams(by, options) as Stepper
        let point = stepper.init([start])
        for (let i = 0; i < steps; i++) {
          point = stepper.step(gradient(weights(point.params), 'float32', 'bfloat16'), point)
        }
        const { master } = point.state as { master?: Tree }
        const found = values(master ?? point.params)
        return Math.sqrt(found.reduce((sum, x, i) => sum + (x - reference[i]!) ** 2, 0) / found.length)
      }

      const naive = rms({ mode: 'nearest' }, counting)
      const of = (options: StoredParamsOptions) => rms(options, optimizer as GradientTransformation)
      expect(of({ mode: 'master' }), `trial ${trial}`).toBeLessThan(naive / 10)
      expect(of({ mode: 'kahan' }), `trial ${trial}`).toBeLessThan(naive / 10)
      expect(of({ mode: 'stochastic', random: root }), `trial ${trial}`).toBeLessThan(naive / 2)
      expect(lost.stalled / lost.updates, `trial ${trial}`).toBeGreaterThan(0.5)
    }
  })
})
