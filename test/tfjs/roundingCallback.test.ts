import type { FormatName } from 'tpu-toolkit/formats'
import { sgd } from 'tpu-toolkit/optimizer'
import { bindTfjs, type RoundingReport } from 'tpu-toolkit/tfjs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Tf, tfBackends } from '../support/tfjs.js'

type TfTensor = ReturnType<Tf['tensor']>

/** y = w x + b on inputs and targets that bfloat16 holds, and trained by whole steps of 2^-4: nothing rounds. */
function exactModel(tf: Tf, w: number) {
  const model = tf.sequential()
  model.add(tf.layers.dense({ units: 1, inputShape: [1], name: 'line' }))
  model.setWeights([tf.tensor([[w]]), tf.tensor([0])])
  return model
}

describe.each(tfBackends())('roundingCallback on $name', ({ tf, use }) => {
  const { emulatePrecision, roundingCallback, tfOptimizer } = bindTfjs(tf)
  const probe = () => ({ x: tf.tensor([[1], [2]]), y: tf.tensor([[0], [0]]) })
  /** Trains for an epoch at rate 0, so that the defect stays where it is put, and gives the reports. */
  const reportsOf = async (
    w: number,
    x = 1,
    { scale = 1, format = 'bfloat16' as FormatName } = {},
  ): Promise<readonly RoundingReport[]> => {
    const model = exactModel(tf, w)
    const loss = (target: TfTensor, output: TfTensor): TfTensor =>
      tf.mul(tf.mean(tf.squaredDifference(target, output)), scale)
    model.compile({ optimizer: tfOptimizer(sgd({ learningRate: 0 })), loss: loss as never })
    const emulation = emulatePrecision(model, format)
    const callback = roundingCallback(emulation, {
      probe: { x: tf.tensor([[x], [2 * x]]), y: tf.tensor([[0], [0]]) },
    })
    const { x: inputs, y } = probe()
    await model.fit(inputs, y, { epochs: 1, batchSize: 2, verbose: 0, callbacks: callback })
    return callback.reports
  }
  const placesOf = (report: RoundingReport | undefined): string[] | undefined =>
    report?.effects.map(({ kind, tensor }) => `${kind} ${tensor}`)
  beforeAll(use)

  it('reports nothing where every number is one of bfloat16', async () => {
    expect(await reportsOf(1.5)).toEqual([{ epoch: 0, effects: [], records: [] }])
  })

  it('a weight between two bfloat16 numbers is reported, and no longer once it is one', async () => {
    // 1 + 2^-9 is halfway to no neighbour: it rounds to 1, the outputs by as much.
    const [report] = await reportsOf(1 + 2 ** -9)
    const [first] = report!.effects
    expect(first).toMatchObject({ layer: 'line', kind: 'weight', tensor: 'kernel', elements: 1, changed: 1 })
    expect(first!.outputs).toBeCloseTo(2 ** -9 / (1 + 2 ** -9), 12)
    expect(first!.loss).toBeLessThan(0)
    expect(report!.records.map(({ kind, tensor }) => `${kind} ${tensor}`)).toEqual(['weight kernel'])
    expect(placesOf((await reportsOf(1))[0])).toEqual([])
  })

  it('an input between two bfloat16 numbers is reported as the activation that enters', async () => {
    const [report] = await reportsOf(1, 1 + 2 ** -9)
    expect(placesOf(report)![0]).toBe('activation input')
    expect(placesOf(report)).not.toContain('weight kernel')
    expect(placesOf((await reportsOf(1, 1 + 2 ** -7))[0])).not.toContain('activation input')
  })

  it('gradients that the format cannot hold are reported as gradients, and change no output', async () => {
    // The loss has the gradients scale (1, 2) in the outputs, 5 scale and 3 scale in the weights; half of float16's
    // smallest number is 2^-25. A number that small is none that a backend flushes to 0 in float32.
    const [report] = await reportsOf(1, 1, { scale: 2 ** -27, format: 'float16' })
    const gradients = report!.effects.filter(({ kind }) => kind === 'gradient')
    expect(gradients.length).toBeGreaterThan(0)
    expect(report!.effects).toEqual(gradients)
    for (const { outputs, loss } of gradients) expect([outputs, loss]).toEqual([0, 0])
    expect(gradients[0]!.flushed).toBeGreaterThan(0)
    expect(gradients[0]!.gradients).toBeGreaterThan(0.1)
    expect(placesOf((await reportsOf(1, 1, { format: 'float16' }))[0])).toEqual([])
  })

  it('a report comes every so many epochs, goes to onReport, and counts since the one before', async () => {
    const model = exactModel(tf, 1 + 2 ** -9)
    model.compile({ optimizer: tfOptimizer(sgd({ learningRate: 0 })), loss: 'meanSquaredError' })
    const emulation = emulatePrecision(model, 'bfloat16')
    const told: RoundingReport[] = []
    const onReport = (report: RoundingReport): void => {
      told.push(report)
    }
    const callback = roundingCallback(emulation, { probe: probe(), everyEpochs: 2, onReport })
    const { x, y } = probe()
    await model.fit(x, y, { epochs: 5, batchSize: 2, verbose: 0, callbacks: callback })
    expect(told.map(({ epoch }) => epoch)).toEqual([1, 3])
    expect(callback.reports).toEqual(told)
    // The kernel is one number, read once in each of two epochs of one batch.
    for (const { records } of told) {
      expect(records[0]).toMatchObject({ tensor: 'kernel', elements: 2, changed: 2 })
    }
  })

  it('effects rank a place that overflows first, take a loss of their own, and leave records and memory alone', () => {
    // 400 lies between 384 and 416, and 600 above 448, the largest number.
    const model = exactModel(tf, 1.5)
    const emulation = emulatePrecision(model, 'float8_e4m3fn')
    const x = tf.tensor([[400], [1]])
    const y = tf.tensor([[0], [0]])
    const loss = (target: TfTensor, output: TfTensor): TfTensor => tf.squaredDifference(target, output)
    const before = tf.memory().numTensors
    const effects = emulation.effects({ x, y, loss })
    expect(tf.memory().numTensors).toBe(before)
    const overflow = effects.map(({ overflowed }) => overflowed > 0)
    expect(overflow).toEqual([...overflow].sort((a, b) => Number(b) - Number(a)))
    const output = effects.find(({ kind, tensor }) => kind === 'activation' && tensor === 'output')
    expect(output).toMatchObject({ overflowed: 1, outputs: Number.NaN, loss: Number.NaN })
    expect(effects.find(({ tensor }) => tensor === 'input')).toMatchObject({ changed: 1, overflowed: 0 })
    expect(emulation.records()).toEqual([])
  })

  it('errors say what is missing', () => {
    const model = exactModel(tf, 1)
    const emulation = emulatePrecision(model, 'bfloat16')
    expect(() => emulation.effects(probe())).toThrow(
      new RangeError(
        'effects: needs a loss and a target for each output, compile the model or give a loss [0 losses, 1 targets]',
      ),
    )
    const two = { x: probe().x, y: [probe().y, probe().y], loss: (a: TfTensor) => a }
    expect(() => emulation.effects(two)).toThrow(
      new RangeError('effects: needs a target for each output [2 of 1]'),
    )
    expect(() => roundingCallback(emulation, { probe: probe(), everyEpochs: 0 })).toThrow(
      new RangeError('roundingCallback: everyEpochs is not a whole number, 1 or more [0]'),
    )
  })
})
