import {
  adam,
  adamw,
  applyGradients,
  applyIfFinite,
  chain,
  clipByGlobalNorm,
  createOptimizer,
  type GradientTransformation,
  lion,
  type State,
  scaleByAdam,
  sgd,
  stateFromTree,
  stateToTree,
} from 'tpu-toolkit/optimizer'
import { warmupCosineDecaySchedule } from 'tpu-toolkit/schedule'
import type { Tensor } from 'tpu-toolkit/tensor'
import { bindTfjs } from 'tpu-toolkit/tfjs'
import { mapTreeWithPath } from 'tpu-toolkit/tree'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Tf, tfBackends } from '../support/tfjs.js'

const schedule = warmupCosineDecaySchedule({
  initValue: 0,
  peakValue: 0.05,
  warmupSteps: 3,
  decaySteps: 20,
  endValue: 0.001,
})

const chains: Record<string, () => GradientTransformation> = {
  'adamw with a schedule': () => adamw({ learningRate: schedule, weightDecay: 0.01 }),
  'clip, adamw with a mask': () =>
    chain(
      clipByGlobalNorm(0.1),
      adamw({
        learningRate: 0.01,
        weightDecay: 0.1,
        mask: (params) => mapTreeWithPath((path) => path.includes('kernel'), params),
      }),
    ),
  'createOptimizer()': () => createOptimizer({ lr: 0.01, totalSteps: 30, warmupSteps: 3 }),
  'sgd with Nesterov momentum': () => sgd({ learningRate: 0.1, momentum: 0.9, nesterov: true }),
  'lion with moments in bfloat16': () => lion({ learningRate: 0.01, muDtype: 'bfloat16' }),
  'applyIfFinite(adam)': () => applyIfFinite(adam({ learningRate: 0.01 }), 2),
}

/** Two dense layers, each weight from a formula, so that every backend begins at the same one. */
function smallModel(tf: Tf): InstanceType<Tf['Sequential']> {
  const model = tf.sequential()
  model.add(tf.layers.dense({ units: 4, inputShape: [3], activation: 'tanh' }))
  model.add(tf.layers.dense({ units: 1 }))
  let n = 0
  model.setWeights(
    model.getWeights().map((weight) => {
      const values = Float32Array.from({ length: weight.size }, () => Math.sin(++n) / 2)
      return tf.tensor(values, weight.shape)
    }),
  )
  return model
}

const dataOf = (tf: Tf) => ({
  x: tf.tensor2d(
    Float32Array.from({ length: 36 }, (_, i) => Math.cos(i * i)),
    [12, 3],
  ),
  y: tf.tensor2d(
    Float32Array.from({ length: 12 }, (_, i) => Math.sin(3 * i)),
    [12, 1],
  ),
})

const fit = { epochs: 4, batchSize: 4, shuffle: false, verbose: 0 } as const

describe.each(tfBackends())('tfOptimizer on $name', ({ tf, use }) => {
  const { tfOptimizer, fromTf } = bindTfjs(tf)
  const bitsOf = (model: { getWeights(): Parameters<typeof fromTf>[0][] }) =>
    model.getWeights().map((weight) => fromTf(weight).toBits())
  beforeAll(use)

  it.each(Object.entries(chains))(
    'model.fit with %s takes the steps of applyGradients, bit for bit',
    async (_, make) => {
      const model = smallModel(tf)
      const variables = model.trainableWeights.map((weight) => weight.read())
      const named = (): Record<string, Tensor> =>
        Object.fromEntries(
          variables.map((variable) => [
            (variable as { name: string } & typeof variable).name,
            fromTf(variable),
          ]),
        )
      const start = named()
      const optimizer = tfOptimizer(make())
      const seen: Record<string, Tensor>[] = []
      const step = optimizer.applyGradients.bind(optimizer)
      optimizer.applyGradients = (gradients) => {
        const list = gradients as { name: string; tensor: Parameters<typeof fromTf>[0] }[]
        seen.push(Object.fromEntries(list.map(({ name, tensor }) => [name, fromTf(tensor)])))
        step(gradients)
      }
      model.compile({ optimizer, loss: 'meanSquaredError' })
      const { x, y } = dataOf(tf)
      await model.fit(x, y, fit)

      expect(seen).toHaveLength(12)
      const own = make()
      let point: { params: unknown; state: State } = { params: start, state: own.init(start) }
      for (const grads of seen) point = applyGradients(own, grads, point as never)
      const trained = named()
      for (const [name, tensor] of Object.entries(point.params as Record<string, Tensor>)) {
        expect(trained[name]!.toBits(), name).toEqual(tensor.toBits())
      }
      expect(optimizer.state).toEqual(point.state)
      expect(optimizer.iterations).toBe(12)
    },
  )

  it("model.fit with our adam follows tf.train.adam to within a few of float32's roundings a step", async () => {
    const [ours, theirs] = [smallModel(tf), smallModel(tf)]
    ours.compile({
      optimizer: tfOptimizer(adam({ learningRate: 0.01, eps: 1e-7 })),
      loss: 'meanSquaredError',
    })
    theirs.compile({ optimizer: tf.train.adam(0.01, 0.9, 0.999, 1e-7), loss: 'meanSquaredError' })
    const { x, y } = dataOf(tf)
    await ours.fit(x, y, fit)
    await theirs.fit(x, y, fit)
    // tf keeps beta^t as a running float32 product and biases by it: 12 steps of 0.01, each off by some 2^-24 relative
    // to 1 - 0.999^t, which is 0.001 at first.
    const bound = (12 * 0.01 * 2 ** -24) / 0.001
    const [a, b] = [ours, theirs].map((model) =>
      model.getWeights().flatMap((weight) => [...weight.dataSync()]),
    )
    const apart = a!.map((value, i) => Math.abs(value - b![i]!))
    expect(Math.max(...apart)).toBeLessThan(bound)
    expect(smallModel(tf).getWeights()[0]!.dataSync()).not.toEqual(ours.getWeights()[0]!.dataSync())
  })

  it('optimizer.state and stateToTree resume training bit for bit', async () => {
    const make = chains['adamw with a schedule']!
    const { x, y } = dataOf(tf)
    const whole = smallModel(tf)
    whole.compile({ optimizer: tfOptimizer(make()), loss: 'meanSquaredError' })
    await whole.fit(x, y, { ...fit, epochs: 6 })

    const pathOf = (name: string): string => name.replace(/Dense\d+/, '').replace(/_\d+$/, '')
    const unique = (name: string): string =>
      pathOf(name.replace(/^dense_Dense(\d+)/, (_, n) => `layer${Number(n) % 2}`))
    const first = smallModel(tf)
    const before = tfOptimizer(make(), { pathOf: unique })
    first.compile({ optimizer: before, loss: 'meanSquaredError' })
    await first.fit(x, y, { ...fit, epochs: 3 })
    const saved = stateToTree(before.state!)

    const second = smallModel(tf)
    second.setWeights(first.getWeights())
    const after = tfOptimizer(make(), { pathOf: unique })
    after.state = stateFromTree(saved, before.state!)
    second.compile({ optimizer: after, loss: 'meanSquaredError' })
    await second.fit(x, y, { ...fit, epochs: 3 })
    expect(bitsOf(second)).toEqual(bitsOf(whole))
  })

  it.each(['adamw with a schedule', 'lion with moments in bfloat16', 'applyIfFinite(adam)'])(
    'getWeights and setWeights of %s carry the state, before the first step and after',
    async (name) => {
      const model = smallModel(tf)
      const { x, y } = dataOf(tf)
      const optimizer = tfOptimizer(chains[name]!())
      expect(await optimizer.getWeights()).toHaveLength(1)
      model.compile({ optimizer, loss: 'meanSquaredError' })
      await model.fit(x, y, { ...fit, epochs: 1 })
      const weights = await optimizer.getWeights()
      const state = optimizer.state
      const values = model.getWeights().map((weight) => weight.clone())
      await model.fit(x, y, { ...fit, epochs: 1 })
      const bits = bitsOf(model)
      expect(optimizer.state).not.toEqual(state)

      await optimizer.setWeights(weights)
      expect(optimizer.state).toEqual(state)
      expect(optimizer.iterations).toBe(3)

      const fresh = tfOptimizer(chains[name]!())
      await fresh.setWeights(weights)
      expect((await fresh.getWeights()).map((weight) => weight.name)).toEqual(
        weights.map((weight) => weight.name),
      )
      model.setWeights(values)
      model.compile({ optimizer: fresh, loss: 'meanSquaredError' })
      await model.fit(x, y, { ...fit, epochs: 1 })
      expect(bitsOf(model)).toEqual(bits)
      expect(fresh.iterations).toBe(6)
    },
  )

  it('minimize, with variables alone and with a gradient that is missing, counts it as zeros', () => {
    const w = tf.variable(tf.scalar(1), true, 'alone/w')
    const unused = tf.variable(tf.scalar(2), true, 'alone/unused')
    const optimizer = tfOptimizer(sgd({ learningRate: 0.5 }))
    optimizer.minimize(() => tf.square(w) as ReturnType<typeof tf.scalar>, false, [w, unused])
    expect([w.dataSync()[0], unused.dataSync()[0]]).toEqual([0, 2])
    optimizer.applyGradients({ 'alone/w': tf.scalar(4) })
    expect(w.dataSync()[0]).toBe(-2)
    tf.dispose([w, unused])
  })

  it('model.fit keeps no tensors of its steps', async () => {
    const model = smallModel(tf)
    const { x, y } = dataOf(tf)
    model.compile({ optimizer: tfOptimizer(adamw({ learningRate: 0.01 })), loss: 'meanSquaredError' })
    await model.fit(x, y, fit)
    const before = tf.memory().numTensors
    await model.fit(x, y, fit)
    expect(tf.memory().numTensors).toBe(before)
  })

  it('errors name the op, the reason and the value', async () => {
    const error = (make: () => unknown) => {
      try {
        make()
      } catch (thrown) {
        return `${(thrown as Error).name} ${(thrown as Error).message}`
      }
      return 'nothing'
    }
    expect(error(() => tfOptimizer(tf.train.sgd(1) as never))).toBe(
      'TypeError tfOptimizer: needs a transformation with init and update [object]',
    )
    const optimizer = tfOptimizer(sgd({ learningRate: 1 }))
    expect(error(() => optimizer.applyGradients({ nobody: tf.scalar(1) }))).toBe(
      'RangeError tfOptimizer: tf knows no variable of that name, is it the same tf? [nobody]',
    )
    const whole = tf.variable(tf.scalar(1, 'int32'), true, 'errors/whole')
    expect(error(() => optimizer.applyGradients({ 'errors/whole': tf.scalar(1) }))).toBe(
      'TypeError tfOptimizer: trains float32 variables, not errors/whole [int32]',
    )
    const two = [1, 2].map((n) => tf.variable(tf.scalar(n), true, `errors/v${n}`))
    const grads = { 'errors/v1': tf.scalar(1), 'errors/v2': tf.scalar(1) }
    expect(
      error(() => tfOptimizer(sgd({ learningRate: 1 }), { pathOf: () => 'v' }).applyGradients(grads)),
    ).toBe('RangeError tfOptimizer: pathOf gives two variables one path [v]')
    expect(error(() => optimizer.getConfig())).toBe(
      'TypeError tfOptimizer: a chain of functions does not go into a model file, save optimizer.state beside it [includeOptimizer]',
    )
    const moments = tfOptimizer(scaleByAdam())
    moments.applyGradients(grads)
    const weights = await moments.getWeights()
    await expect(moments.setWeights(weights.slice(0, 3))).rejects.toThrow(
      new RangeError('tfOptimizer: setWeights needs the 5 tensors of this state [2]'),
    )
    const renamed = weights.map((weight) => ({ ...weight, name: weight.name.replace('v2', 'v3') }))
    await expect(moments.setWeights(renamed)).rejects.toThrow(
      new RangeError('tfOptimizer: setWeights brings nothing of this name [mu.errors/v2]'),
    )
    const halving = tfOptimizer({
      init: () => ({ rate: 0.5 }),
      update: (updates, state) => [updates, { rate: (state as { rate: number }).rate / 2 }],
    })
    halving.applyGradients(grads)
    await expect(halving.getWeights()).rejects.toThrow(
      new TypeError(
        'tfOptimizer: getWeights cannot hold a float64 number, save optimizer.state instead [rate]',
      ),
    )
    tf.dispose([whole, ...two])
  })

  it('model.save with includeOptimizer throws instead of losing the chain', async () => {
    const model = smallModel(tf)
    model.compile({ optimizer: tfOptimizer(adam({ learningRate: 1 })), loss: 'meanSquaredError' })
    const nowhere = tf.io.withSaveHandler(async () => ({
      modelArtifactsInfo: { dateSaved: new Date(0), modelTopologyType: 'JSON' as const },
    }))
    await expect(model.save(nowhere, { includeOptimizer: true })).rejects.toThrow(
      /^tfOptimizer: a chain of functions/,
    )
    await model.save(nowhere)
  })
})
