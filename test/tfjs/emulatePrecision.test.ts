import { round } from 'tpu-toolkit/formats'
import { adam } from 'tpu-toolkit/optimizer'
import { seeded } from 'tpu-toolkit/random'
import { bindTfjs } from 'tpu-toolkit/tfjs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Tf, tfBackends } from '../support/tfjs.js'

type Model = InstanceType<Tf['LayersModel']>
type TfTensor = ReturnType<Tf['tensor']>
const bfloat16 = (x: number): number => round(x, 'bfloat16')

/** Weights and inputs on which bfloat16 rounding tells: none has fewer than ten bits. */
const values = (n: number, phase: number): Float32Array =>
  Float32Array.from({ length: n }, (_, i) => Math.sin(i * 1.7 + phase))

function fill(tf: Tf, model: Model): Model {
  model.setWeights(model.getWeights().map((weight, i) => tf.tensor(values(weight.size, i), weight.shape)))
  return model
}

function twoLayers(tf: Tf): Model {
  const model = tf.sequential()
  model.add(tf.layers.dense({ units: 4, inputShape: [3], activation: 'relu', name: 'first' }))
  model.add(tf.layers.dense({ units: 2, name: 'last' }))
  return fill(tf, model)
}

describe.each(tfBackends())('emulatePrecision on $name', ({ tf, use }) => {
  const { emulatePrecision, tfOptimizer } = bindTfjs(tf)
  const numbers = (x: TfTensor | TfTensor[]): number[] => Array.from((x as TfTensor).dataSync())
  const rounded = (x: TfTensor): TfTensor => tf.tensor(numbers(x).map(bfloat16), x.shape)
  const x = (): TfTensor => tf.tensor(values(15, 9), [5, 3])
  const y = (): TfTensor => tf.tensor(values(10, 4), [5, 2])
  const loss = (output: TfTensor) =>
    tf.mean(tf.squaredDifference(output, y())) as ReturnType<typeof tf.scalar>
  const gradients = (model: Model): number[][] => {
    const weights = model.trainableWeights.map((weight) => weight.read())
    const { grads } = tf.variableGrads(() => loss(model.apply(x()) as TfTensor), weights as never)
    return weights.map((weight) => numbers(grads[(weight as unknown as { name: string }).name]!))
  }
  beforeAll(use)

  it('predict equals a forward pass that is rounded by hand, bit for bit', () => {
    const model = twoLayers(tf)
    const plain = numbers(model.predict(x()))
    const [w1, b1, w2, b2] = model.getWeights().map(rounded)
    const hidden = rounded(tf.relu(tf.add(tf.matMul(rounded(x()), w1!), b1!)))
    const byHand = numbers(rounded(tf.add(tf.matMul(hidden, w2!), b2!)))
    const { restore } = emulatePrecision(model, 'bfloat16')
    expect(numbers(model.predict(x()))).toEqual(byHand)
    expect(byHand).not.toEqual(plain)
    restore()
    expect(numbers(model.predict(x()))).toEqual(plain)
  })

  it('int32 inputs pass as they are: a model that begins with an embedding, forward, effects and training', async () => {
    const model = tf.sequential()
    model.add(tf.layers.embedding({ inputDim: 300, outputDim: 4, inputLength: 3, name: 'words' }))
    model.add(tf.layers.flatten({ name: 'flat' }))
    model.add(tf.layers.dense({ units: 2, name: 'last' }))
    fill(tf, model)
    // 257 is no bfloat16 number: rounded, it would be another word.
    const words = tf.tensor([257, 1, 2, 3, 259, 5], [2, 3], 'int32')
    const target = tf.tensor(values(4, 4), [2, 2])
    const [table, w, b] = model.getWeights().map(rounded)
    const rows = rounded(tf.reshape(tf.gather(table!, words), [2, 12]) as TfTensor)
    const byHand = numbers(rounded(tf.add(tf.matMul(rows, w!), b!)))
    const emulation = emulatePrecision(model, 'bfloat16')
    expect(numbers(model.predict(words))).toEqual(byHand)
    // This backend has no gradient of an embedding.
    if (tf.getBackend() === 'wasm') return
    const distance = (t: TfTensor, output: TfTensor) => tf.mean(tf.squaredDifference(output, t))
    const effects = emulation.effects({ x: words, y: target, loss: distance as never })
    expect(effects.filter(({ tensor }) => tensor === 'input')).toEqual([])
    expect(effects.some(({ layer, gradients }) => layer === 'words' && gradients > 0)).toBe(true)
    model.compile({ optimizer: tfOptimizer(adam({ learningRate: 0.01 })), loss: 'meanSquaredError' })
    const { history } = await model.fit(words, target, { epochs: 2, verbose: 0 })
    expect(history['loss']!.every((value) => Number.isFinite(value as number))).toBe(true)
    expect(numbers(model.getWeights()[0]!)).not.toEqual(Array.from(values(1200, 0)))
  })

  it('gradients equal a backward pass that is rounded by hand, bit for bit', () => {
    const model = twoLayers(tf)
    const [w1, b1, w2, b2] = model.getWeights().map(rounded)
    const input = rounded(x())
    const before = tf.add(tf.matMul(input, w1!), b1!)
    const hidden = rounded(tf.relu(before))
    const output = rounded(tf.add(tf.matMul(hidden, w2!), b2!))
    const atOutput = rounded(tf.grad((o: TfTensor) => loss(o))(output))
    const atHidden = rounded(tf.matMul(atOutput, w2!, false, true))
    const atBefore = tf.mul(atHidden, tf.step(before))
    const byHand = [
      tf.matMul(input, atBefore as TfTensor, true),
      tf.sum(atBefore, 0),
      tf.matMul(hidden, atOutput, true),
      tf.sum(atOutput, 0),
    ].map((gradient) => numbers(rounded(gradient)))
    emulatePrecision(model, 'bfloat16')
    expect(gradients(model)).toEqual(byHand)
  })

  it('gradients: false passes gradients straight through; weights and activations round by themselves', () => {
    const all = { weights: false, activations: false, gradients: false }
    const model = twoLayers(tf)
    const plain = numbers(model.predict(x()))
    const plainGradients = gradients(model)
    const off = emulatePrecision(model, 'bfloat16', all)
    expect(numbers(model.predict(x()))).toEqual(plain)
    expect(gradients(model)).toEqual(plainGradients)
    expect(off.records()).toEqual([])
    off.restore()

    const weightsOnly = emulatePrecision(model, 'bfloat16', { ...all, weights: true })
    const byWeights = numbers(model.predict(x()))
    const straight = gradients(model)
    weightsOnly.restore()
    const kept = model.getWeights().map((weight) => weight.clone())
    model.setWeights(kept.map(rounded))
    expect(numbers(model.predict(x()))).toEqual(byWeights)
    expect(gradients(model)).toEqual(straight)
    expect(straight.flat()).not.toEqual(straight.flat().map(bfloat16))
    model.setWeights(kept)

    const activationsOnly = emulatePrecision(model, 'bfloat16', { ...all, activations: true })
    const byActivations = numbers(model.predict(x()))
    expect(byActivations).toEqual(byActivations.map(bfloat16))
    expect(activationsOnly.records().map(({ layer, tensor }) => `${layer} ${tensor}`)).toEqual([
      'first input',
      'first output',
      'last output',
    ])
    activationsOnly.restore()
  })

  it('model.fit keeps float32 weights, which layers read rounded', async () => {
    const model = twoLayers(tf)
    const emulation = emulatePrecision(model, 'bfloat16')
    model.compile({ optimizer: tfOptimizer(adam({ learningRate: 1e-4 })), loss: 'meanSquaredError' })
    const before = numbers(model.getWeights()[0]!)
    const inputs = [x(), y()] as const
    await model.fit(...inputs, { epochs: 2, verbose: 0 })
    const after = numbers(model.getWeights()[0]!)
    expect(after).not.toEqual(before)
    expect(after).not.toEqual(after.map(bfloat16))
    const tensors = tf.memory().numTensors
    await model.fit(...inputs, { epochs: 2, verbose: 0 })
    expect(tf.memory().numTensors).toBe(tensors)
    expect(emulation.format).toBe('bfloat16')
  })

  it('records count what rounding did at every place, in the order of the layers', () => {
    const model = twoLayers(tf)
    const kernel = Float32Array.of(1, 0.5, 1.001, -1.001, Infinity, -1e-45, 3, -2, 0, -0, NaN, 0)
    const [, ...rest] = model.getWeights()
    model.setWeights([tf.tensor(kernel, [3, 4]), ...rest])
    const emulation = emulatePrecision(model, 'bfloat16', { gradients: false })
    model.predict(x())
    const [first, second] = emulation.records()
    expect(first).toMatchObject({
      layer: 'first',
      kind: 'activation',
      tensor: 'input',
      elements: 15,
      changed: 15,
    })
    expect(second).toEqual({
      layer: 'first',
      kind: 'weight',
      tensor: 'kernel',
      elements: 12,
      changed: 3,
      flushed: 1,
      overflowed: 0,
      maxRelative: 1,
    })
    model.predict(x())
    expect(emulation.records()[1]).toMatchObject({ elements: 24, changed: 6 })
    emulation.reset()
    expect(emulation.records()).toEqual([])
    emulation.restore()

    const big = emulatePrecision(model, 'float8_e4m3fn', { gradients: false, activations: false })
    model.setWeights([tf.fill([3, 4], 500), ...rest])
    model.predict(x())
    expect(big.records()[0]).toMatchObject({ changed: 12, overflowed: 12, maxRelative: 0 })
    big.restore()
    const saturated = emulatePrecision(model, 'float8_e4m3fn', { saturate: true, activations: false })
    model.predict(x())
    expect(saturated.records()[0]).toMatchObject({ changed: 12, overflowed: 12, flushed: 0 })
    expect(saturated.records()[0]!.maxRelative).toBeCloseTo(52 / 500, 12)
  })

  it('rounding: stochastic draws from the stream that is given, the same for the same seed', () => {
    const model = twoLayers(tf)
    const run = (seed: string): number[] => {
      const stream = seeded(seed)
      const random = (): number => stream.int32() >>> 0
      const { restore } = emulatePrecision(model, 'bfloat16', { rounding: 'stochastic', random })
      const output = numbers(model.predict(x()))
      restore()
      return output
    }
    expect(run('a')).toEqual(run('a'))
    expect(run('a')).not.toEqual(run('b'))
  })

  it('models inside models, several inputs, integers and normalization keep their meaning', async () => {
    const inner = tf.sequential({ name: 'inner' })
    inner.add(tf.layers.dense({ units: 3, inputShape: [2], name: 'within' }))
    inner.add(tf.layers.batchNormalization({ name: 'norm' }))
    const ids = tf.input({ shape: [1], dtype: 'int32' })
    const side = tf.input({ shape: [3] })
    const embedded = tf.layers
      .embedding({ inputDim: 5, outputDim: 2, name: 'table', trainable: false })
      .apply(ids)
    const flat = tf.layers.flatten({ name: 'flat' }).apply(embedded) as ReturnType<Tf['input']>
    const sum = tf.layers.add({ name: 'sum' }).apply([inner.apply(flat) as ReturnType<Tf['input']>, side])
    const model = tf.model({ inputs: [ids, side], outputs: sum as ReturnType<Tf['input']> })
    const emulation = emulatePrecision(model, 'bfloat16')
    const inputs = [tf.tensor([[1], [4]], [2, 1], 'int32'), tf.tensor(values(6, 2), [2, 3])]
    const output = numbers(model.predict(inputs))
    expect(output).toEqual(output.map(bfloat16))
    const places = emulation.records().map(({ layer, tensor }) => `${layer} ${tensor}`)
    expect(places.sort()).toEqual([
      'flat output',
      'norm beta',
      'norm gamma',
      'norm output',
      'sum input',
      'sum output',
      'table embeddings',
      'table output',
      'within bias',
      'within input',
      'within kernel',
      'within output',
    ])
    model.compile({ optimizer: 'sgd', loss: 'meanSquaredError' })
    await model.fit(inputs, tf.zeros([2, 3]), { epochs: 1, verbose: 0 })
    const moving = inner.layers[1]!.getWeights()[2]!
    expect(numbers(moving)).not.toEqual(numbers(moving).map(bfloat16))
  })

  it('recurrent layers, in both directions, read every weight rounded, also the second time they run', () => {
    const model = tf.sequential()
    model.add(tf.layers.lstm({ units: 3, inputShape: [4, 2], returnSequences: true, name: 'lstm' }))
    const layer = tf.layers.gru({ units: 2, name: 'gru' })
    model.add(tf.layers.bidirectional({ layer: layer as never, mergeMode: 'concat', name: 'both' }))
    fill(tf, model)
    const sequence = tf.tensor(values(24, 5), [3, 4, 2])
    const only = { activations: false, gradients: false }
    const emulation = emulatePrecision(model, 'bfloat16', only)
    const emulated = numbers(model.predict(sequence))
    expect(numbers(model.predict(sequence))).toEqual(emulated)
    expect(emulation.records().map(({ tensor, changed }) => `${tensor} ${changed > 0}`)).toEqual([
      'kernel true',
      'recurrent_kernel true',
      'bias true',
      ...['forward', 'backward'].flatMap((way) =>
        ['kernel', 'recurrent_kernel', 'bias'].map((weight) => `${way}_gru/${weight} true`),
      ),
    ])
    emulation.restore()
    expect(numbers(model.predict(sequence))).not.toEqual(emulated)
    model.setWeights(model.getWeights().map(rounded))
    expect(numbers(model.predict(sequence))).toEqual(emulated)
    emulatePrecision(model, 'bfloat16')
    const weights = model.trainableWeights.map((weight) => weight.read())
    const output = () => tf.sum(model.apply(sequence) as TfTensor) as ReturnType<typeof tf.scalar>
    const { grads } = tf.variableGrads(output, weights as never)
    const found = Object.values(grads).flatMap(numbers)
    expect(found.length).toBeGreaterThan(100)
    expect(found).toEqual(found.map(bfloat16))
  })

  it('errors say what the model or the format lacks', () => {
    const model = twoLayers(tf)
    const emulate =
      (...given: unknown[]) =>
      () =>
        emulatePrecision(...(given as Parameters<typeof emulatePrecision>))
    expect(emulate(undefined, 'bfloat16')).toThrow(
      new TypeError('emulatePrecision: needs a tf.LayersModel [undefined]'),
    )
    expect(emulate(model, 'bf16')).toThrow(/^format: unknown name, .*\[bf16\]$/)
    expect(emulate(model, 'float8_e8m0fnu')).toThrow(
      new RangeError('emulatePrecision: needs a format with a sign [float8_e8m0fnu]'),
    )
    expect(emulate(model, 'bfloat16', { rounding: 'nearest' })).toThrow(RangeError)
    expect(emulate(tf.sequential({ name: 'empty' }), 'bfloat16')).toThrow(
      new RangeError('emulatePrecision: the model has no layers [empty]'),
    )
    const first = emulatePrecision(model, 'bfloat16')
    expect(emulate(model, 'float16')).toThrow(
      new RangeError(
        'emulatePrecision: the layer is emulated already, restore the other emulation first [first]',
      ),
    )
    first.restore()
    const second = emulatePrecision(model, 'float16')
    first.restore()
    model.predict(x())
    expect(second.records()).not.toEqual([])
    expect(() => first.effects({ x: x(), y: y(), loss })).toThrow(
      new RangeError('effects: the model is restored, emulate it again [bfloat16]'),
    )
  })

  it('restore gives a layer back the call that it has of its own', () => {
    const model = twoLayers(tf)
    const [layer] = model.layers
    const call = layer!.call.bind(layer)
    layer!.call = call
    const { restore } = emulatePrecision(model, 'bfloat16')
    expect(layer!.call).not.toBe(call)
    restore()
    expect(layer!.call).toBe(call)
    expect(Object.hasOwn(model.layers[1]!, 'call')).toBe(false)
  })
})
