import { quantizationWays as ways } from 'tpu-toolkit/blocks'
import { flightGaps } from 'tpu-toolkit/data'
import { add, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { flightWindows, inputWidth } from '../../src/cli/formats/flightWindows.js'
import { gradients, type Layer, lossOf, trainModel } from '../../src/cli/formats/model.js'
import { quantisedLoss } from '../../src/cli/formats/modelData.js'
import { seed } from '../support/seed.js'

describe('flightWindows', () => {
  const { training, heldOut } = flightWindows()
  it('flightWindows has every window of each part', () => {
    // 24 gaps before, 16 ahead.
    const cut = Math.floor(0.8 * flightGaps.length)
    expect(training.count).toBe(cut - 24 - 16 + 1)
    expect(heldOut.count).toBe(flightGaps.length - cut - 24 - 16 + 1)
    for (const part of [training, heldOut]) {
      expect(part.inputs).toHaveLength(part.count * inputWidth)
      expect(part.targets).toHaveLength(part.count)
    }
  })
  it('a target is the mean of 16 inputs that come later, at another scale', () => {
    const later = (i: number): number => {
      let sum = 0
      // The last gap of the window that begins k rows later.
      for (let k = 1; k <= 16; k++) sum += training.inputs[(i + k) * inputWidth + 23]!
      return sum / 16
    }
    const slope = (training.targets[900]! - training.targets[100]!) / (later(900) - later(100))
    for (const i of [0, 17, 5_000]) {
      const expected = training.targets[100]! + slope * (later(i) - later(100))
      // Targets and inputs are rounded to float32, of a size up to 4: 2^-22 each, grown by the slope, below 4.
      expect(Math.abs(training.targets[i]! - expected)).toBeLessThan(2 ** -17)
    }
  })
  it('the held-out part begins where the training part has ended, and follows on from it', () => {
    const cut = Math.floor(0.8 * flightGaps.length)
    // The first input of training row i stands for gap i, that of held-out row i for gap cut + i: equal gaps are equal.
    const standsFor = new Map(
      Array.from({ length: training.count }, (_, i) => [flightGaps[i]!, training.inputs[i * inputWidth]!]),
    )
    for (let i = 0; i < heldOut.count; i++) {
      const known = standsFor.get(flightGaps[cut + i]!)
      if (known !== undefined) expect(heldOut.inputs[i * inputWidth], `row ${i}`).toBe(known)
    }
    // The last target of training is of gaps before the cut.
    expect(training.count - 1 + 24 + 16).toBe(cut)
  })
  it('targets of training have mean 0 and variance 1', () => {
    const mean = training.targets.reduce((sum, x) => sum + x, 0) / training.count
    const square = training.targets.reduce((sum, x) => sum + x * x, 0) / training.count
    // Rounded to float32 one by one.
    expect(Math.abs(mean)).toBeLessThan(2 ** -22)
    expect(Math.abs(square - 1)).toBeLessThan(2 ** -20)
  })
})

describe('gradients', () => {
  const whole = (values: readonly number[], shape: readonly number[]) => tensor(values, { shape: [...shape] })
  // Small whole numbers, so that float32 is exact. Hidden units are 4 or more from zero, on both sides of it, so that
  // the loss is a quadratic in each weight, whose central differences are exact.
  const layers = (): Layer[] => [
    { kernel: whole([1, -3, -1, 3, 2, -2], [3, 2]), bias: whole([2, -2, -2], [3]) },
    { kernel: whole([3, 1, 3, -1, 1, 2], [2, 3]), bias: whole([1, 3], [2]) },
    { kernel: whole([-1, -2], [1, 2]), bias: whole([-3], [1]) },
  ]
  const inputs = whole([-1, 3, -1, 3, -2, 3, 3, -1], [4, 2])
  const targets = whole([3, -7, 45, 5], [4, 1])
  const examples = { inputs: inputs.data, targets: targets.data, count: 4 }

  it('gradients by kernels are central differences of the loss, exactly', () => {
    const { kernelGradients } = gradients(layers(), inputs, targets)
    const h = 2 ** -6
    kernelGradients.forEach((gradient, i) => {
      gradient.data.forEach((found, k) => {
        const moved = (by: number): number => {
          const changed = layers()
          changed[i]!.kernel.data[k]! += by
          return lossOf(changed, examples)
        }
        expect((moved(h) - moved(-h)) / (2 * h), `layer ${i}, weight ${k}`).toBe(found)
      })
    })
    expect(kernelGradients.flatMap(({ data }) => [...data]).filter((g) => g === 0)).toEqual([])
  })
  it('gradients by outputs, summed over the batch, are central differences by the biases', () => {
    const { outputGradients } = gradients(layers(), inputs, targets)
    const h = 2 ** -6
    outputGradients.forEach((gradient, i) => {
      const width = gradient.shape[1]!
      for (let unit = 0; unit < width; unit++) {
        const found = gradient.data.filter((_, k) => k % width === unit).reduce((sum, g) => sum + g, 0)
        const moved = (by: number): number => {
          const changed = layers()
          changed[i]!.bias.data[unit]! += by
          return lossOf(changed, examples)
        }
        expect((moved(h) - moved(-h)) / (2 * h), `layer ${i}, unit ${unit}`).toBe(found)
      }
    })
  })
})

describe('lossOf', () => {
  it('lossOf lets every layer see what it is given in place of its inputs', () => {
    const identity = (): Layer => ({
      kernel: tensor([
        [1, 0],
        [0, 1],
      ]),
      bias: tensor([0, 0]),
    })
    const last: Layer = { kernel: tensor([[1, 1]]), bias: tensor([0]) }
    const examples = { inputs: Float32Array.of(1, 2), targets: Float32Array.of(0), count: 1 }
    // Doubled three times on its way: (8 + 16)^2, where nothing is doubled (1 + 2)^2.
    expect(lossOf([identity(), identity(), last], examples)).toBe(9)
    expect(lossOf([identity(), identity(), last], examples, (inputs) => add(inputs, inputs))).toBe(576)
  })
})

describe(`trainModel (seed ${seed})`, () => {
  const model = trainModel(seed)
  it('trainModel learns more than half of the variance of what it was not trained on', () => {
    expect(model.before).toBeGreaterThan(0.9)
    expect(model.after).toBeLessThan(0.6)
    expect(model.after).toBeGreaterThan(0.4)
  })
  it('trainModel gives the same bits for the same seed', () => {
    const again = trainModel(seed)
    expect(again.after).toBe(model.after)
    expect(again.layers.map(({ kernel }) => kernel.toBits())).toEqual(
      model.layers.map(({ kernel }) => kernel.toBits()),
    )
  })
  it('quantisedLoss is near the loss in 16 bits and far from it in a bare 4-bit float', () => {
    const loss = (scheme: string, what: 'weights' | 'activations') =>
      quantisedLoss(model, ways.find((way) => way.scheme === scheme && way.way === 'plain')!, what)!
    for (const what of ['weights', 'activations'] as const) {
      expect(Math.abs(loss('float16', what) / model.after - 1)).toBeLessThan(0.002)
      expect(loss('float4_e2m1fn', what)).toBeGreaterThan(1.3 * model.after)
    }
    expect(loss('float16', 'weights')).not.toBe(loss('float16', 'activations'))
  })
})
