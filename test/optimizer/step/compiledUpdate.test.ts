import { optimizer as o, type Tensor } from 'tpu-toolkit'
import { seeded } from 'tpu-toolkit/random'
import * as t from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, test } from 'vitest'
import { seed } from '../../support/seed.js'

const bitsOf = (tree: unknown): string =>
  leavesOf(tree as Tensor[])
    .map((x) => `${x.dtype} ${x.shape} ${Array.from(x.toBits(), String)}`)
    .join(' ')

const makers: Readonly<Record<string, (arithmetic: o.Arithmetic) => o.GradientTransformation>> = {
  adamw: (arithmetic) => o.adamw({ learningRate: (step) => 0.1 / (step + 1), arithmetic }),
  createOptimizer: (arithmetic) => o.createOptimizer({ lr: 0.1, totalSteps: 9, gradClip: 0.1, arithmetic }),
  adaptiveGradClip: (arithmetic) =>
    o.chain(o.adaptiveGradClip(0.1, { arithmetic }), o.sgd({ learningRate: 0.1, arithmetic })),
  ademamix: (arithmetic) => o.ademamix({ learningRate: 0.1, arithmetic }),
  lion: (arithmetic) => o.lion({ learningRate: 0.1, arithmetic }),
  lookahead: (arithmetic) => o.applyIfFinite(o.adafactor({ learningRate: 0.1, arithmetic }), 2),
}

describe.each(['ieee', 'xla-cpu'] as const)(
  `applyGradients by a program (%s, seed ${seed})`,
  (arithmetic) => {
    test.each(Object.keys(makers))('%s gives the bits of update and applyUpdates, donated or not', (name) => {
      const draw = seeded(`compiled update ${name} ${seed}`)
      for (const dtype of ['float32', 'bfloat16', 'float16'] as const) {
        const leaves = (): Tensor[] =>
          [[5, 3], [4]].map((shape) =>
            t.tensor(
              Array.from({ length: t.sizeOf(shape) }, () => (draw() < 0.02 ? Number.NaN : draw() - 0.5)),
              { shape, dtype },
            ),
          )
        for (const donate of [false, true]) {
          const transform = makers[name]!(arithmetic)
          const start = leaves()
          let eager = { params: start, state: transform.init(start) }
          let other = {
            params: start.map((x) => t.fromBits(x.toBits(), { shape: x.shape, dtype })),
            state: transform.init(start),
          }
          for (let k = 0; k < 5; k++) {
            const grads = leaves()
            const [updates, state] = transform.update(grads, eager.state, eager.params)
            eager = { params: o.applyUpdates(eager.params, updates, { arithmetic }), state }
            const before = bitsOf([other.params, grads])
            const next = o.applyGradients(transform, grads, other, { arithmetic, donate })
            if (!donate) expect(bitsOf([other.params, grads])).toBe(before)
            other = next as typeof other
            expect(bitsOf([other.params, o.stateToTree(other.state)]), `${dtype} ${k}`).toBe(
              bitsOf([eager.params, o.stateToTree(eager.state)]),
            )
          }
        }
      }
    })

    test('takes any number of kinds of leaves', () => {
      const sgd = o.sgd({ learningRate: 0.5, momentum: 0.5, arithmetic })
      for (let n = 1; n < 10; n++) {
        const params = [t.ones([n], { dtype: 'bfloat16' })]
        let point = { params, state: sgd.init(params) }
        for (let k = 0; k < 3; k++) point = o.applyGradients(sgd, params, point, { arithmetic })
        // 1 - (.5 + .75 + .875)
        expect(point.params[0]!.toNumbers()).toEqual(new Float64Array(n).fill(-1.125))
      }
    })
  },
)
