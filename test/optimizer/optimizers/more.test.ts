import * as optimizer from 'tpu-toolkit/optimizer'
import { type FloatDType, tensor } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { bitsOf, dtypeOf, type LeafBits, optimizerKey, tensorBits } from '../../support/optimizerKeys.js'

interface MoreKey {
  readonly runs: readonly {
    readonly name: string
    readonly optimizer: string
    readonly dtype: string
    readonly records: Readonly<Record<string, LeafBits>>
  }[]
  readonly oneElement: readonly {
    readonly optimizer: string
    readonly dtype: string
    readonly rows: readonly { readonly p: number; readonly g: number; readonly u: string }[]
  }[]
}

const key = optimizerKey<MoreKey>('more')
const arithmetic = 'xla-cpu'
const shapes = { b: [3], one: [1], w: [5, 4] }

/** The formula of scripts/golden/optimizer_more.py: five significant bits, exact in both dtypes. */
function leaf(shape: readonly number[], step: number, dtype: FloatDType) {
  const n = shape.reduce((a, b) => a * b)
  const values = Array.from(
    { length: n },
    (_, i) => (((7 * i + 13 * step + 5 * n) % 31) - 15) / 2 ** (step % 9),
  )
  return tensor(values, { shape, dtype })
}
const treeAt = (step: number, dtype: FloatDType) => ({
  b: leaf(shapes.b, step, dtype),
  one: leaf(shapes.one, step, dtype),
  w: leaf(shapes.w, step, dtype),
})

const halving = (step: number): number => Math.fround(Math.fround(0.55) / Math.fround(1 + step))
const made: Readonly<Record<string, optimizer.GradientTransformation>> = {
  identity: optimizer.identity(),
  setToZero: optimizer.setToZero(),
  signSgd: optimizer.signSgd({ learningRate: 0.013, arithmetic }),
  optimisticGradientDescent: optimizer.optimisticGradientDescent({
    learningRate: 0.013,
    alpha: 1.1,
    beta: 0.7,
    arithmetic,
  }),
  scheduledDecay: optimizer.chain(
    optimizer.addDecayedWeights(halving, { arithmetic }),
    optimizer.scale(-0.01, { arithmetic }),
  ),
  injectedSchedule: optimizer.injectHyperparams(optimizer.sgd)({ learningRate: halving, arithmetic }),
}

describe("200 steps of optax, arithmetic 'xla-cpu'", () => {
  it.each(key.runs)('$name agrees in every bit', (run) => {
    const dtype = dtypeOf(run.dtype)
    const transform = made[run.optimizer]!
    let point = { params: treeAt(0, dtype), state: transform.init(treeAt(0, dtype)) }
    let looked = 0
    for (let step = 1; step <= 200; step++) {
      point = optimizer.applyGradients(transform, treeAt(step, dtype), point, { arithmetic })
      const expected = run.records[step]
      if (!expected) continue
      expect(bitsOf(point.params), `step ${step}`).toEqual(expected)
      looked++
    }
    expect(looked).toBe(7)
  })
})

describe('a leaf of one element whose square leaves the range', () => {
  it.each(key.oneElement)('$optimizer, $dtype: every bit of optax', (run) => {
    const dtype = dtypeOf(run.dtype)
    const transform =
      run.optimizer === 'lars'
        ? optimizer.lars({ learningRate: 1, arithmetic })
        : optimizer.lamb({ learningRate: 1, eps: 0, arithmetic })
    for (const { p, g, u } of run.rows) {
      const [params, grads] = [p, g].map((x) => [tensor([x], { dtype })])
      const [updates] = transform.update(grads!, transform.init(params!), params)
      const nan = run.dtype === 'f32' ? /^[7f]fc00000$/ : /^[7f]fc0$/
      const got = tensorBits(leavesOf(updates)[0]!)
      if (nan.test(u)) expect(got.trim(), `p ${p}, g ${g}`).toBe('nan')
      else expect(got, `p ${p}, g ${g}`).toBe(u)
    }
  })
})

describe('createPythonOptimizer', () => {
  it("is createOptimizer with the Python toolkit's defaults, any of which may be replaced", () => {
    const params = [tensor([1, -2])]
    const options = { totalSteps: 40, warmupSteps: 2, nRestarts: 2 }
    const [python, same] = [
      optimizer.createPythonOptimizer(options),
      optimizer.createOptimizer({ ...options, lr: 1e-4, weightDecay: 0.01, b2: 0.95 }),
    ]
    const run = (of: typeof python) => {
      let point = { params, state: of.init(params) }
      for (let i = 0; i < 5; i++) point = optimizer.applyGradients(of, params, point)
      return bitsOf(point.params)
    }
    expect(run(python)).toEqual(run(same))
    expect(run(python)).not.toEqual(bitsOf(params))
  })
})
