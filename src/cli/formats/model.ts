import { foldIn, key, normal, permutation } from '../../tensors/random/index.js'
import {
  add,
  greater,
  matmul,
  mul,
  relu,
  sub,
  sum,
  type Tensor,
  tensor,
  transpose,
  where,
} from '../../tensors/tensor/index.js'
import { type Examples, flightWindows, inputWidth } from './flightWindows.js'

/** A layer: outputs = inputs * kernel^T + bias, kernel [outputs, inputs], so that rows are what is summed over. */
export interface Layer {
  readonly kernel: Tensor<'float32'>
  readonly bias: Tensor<'float32'>
}

/** A trained model and what there is to measure in it. */
export interface TrainedModel {
  readonly layers: readonly Layer[]
  readonly heldOut: Examples
  /** Held-out losses. */
  readonly before: number
  readonly after: number
  /** One batch after training: what each layer reads, and the gradients of the loss by its kernel and by its outputs. */
  readonly inputs: readonly Tensor<'float32'>[]
  readonly kernelGradients: readonly Tensor<'float32'>[]
  readonly outputGradients: readonly Tensor<'float32'>[]
}

/** Outputs of each layer. */
export const widths: readonly number[] = [64, 64, 1]
const epochs = 4
const batchSize = 128
/** Examples in the batch whose activations and gradients are kept. */
export const keptBatch = 1024

/** Adam's constants, and its largest step, which falls to 0 along half a cosine. */
const adam = { learningRate: 1e-3, b1: 0.9, b2: 0.999, eps: 1e-8 }

/**
 * Trains a network of two hidden layers, with relu, on the gaps between departures: float32 throughout, mean squared
 * error, Adam. Weights and order of examples follow from the seed.
 */
export function trainModel(seed: number): TrainedModel {
  const { training, heldOut } = flightWindows()
  const root = key(seed)
  const layers = widths.map((outputs, i): Layer => {
    const inputs = widths[i - 1] ?? inputWidth
    const spread = Math.sqrt(2 / inputs)
    const kernel = normal(foldIn(root, 200 + i), outputs * inputs).map((z) => z * spread)
    return { kernel: tensor(kernel, { shape: [outputs, inputs] }), bias: tensor(new Float32Array(outputs)) }
  })
  const before = lossOf(layers, heldOut)
  const step = adamStep(layers, epochs * Math.floor(training.count / batchSize))
  for (let epoch = 0; epoch < epochs; epoch++) {
    const order = permutation(foldIn(root, 300 + epoch), training.count)
    for (let from = 0; from + batchSize <= training.count; from += batchSize) {
      const { inputs, targets } = batch(training, order.subarray(from, from + batchSize))
      const { kernelGradients, outputGradients } = gradients(layers, inputs, targets)
      step(
        kernelGradients,
        outputGradients.map((gradient) => sum(gradient, { axis: 0 })),
      )
    }
  }
  const kept = batch(training, permutation(foldIn(root, 400), training.count).subarray(0, keptBatch))
  const last = gradients(layers, kept.inputs, kept.targets)
  return { layers, heldOut, before, after: lossOf(layers, heldOut), ...last }
}

/** Mean squared error of a model; `see` may replace what each layer reads. */
export function lossOf(
  layers: readonly Layer[],
  examples: Examples,
  see: (inputs: Tensor<'float32'>) => Tensor<'float32'> = (inputs) => inputs,
): number {
  const { count } = examples
  const inputs = tensor(examples.inputs, { shape: [count, examples.inputs.length / count] })
  const outputs = forward(layers, inputs, see).at(-1)!.toNumbers()
  return outputs.reduce((total, y, i) => total + (y - examples.targets[i]!) ** 2, 0) / count
}

/** What each layer reads, and last what the model gives. */
function forward(
  layers: readonly Layer[],
  first: Tensor<'float32'>,
  see: (inputs: Tensor<'float32'>) => Tensor<'float32'>,
): Tensor<'float32'>[] {
  const passed = [see(first)]
  layers.forEach(({ kernel, bias }, i) => {
    const outputs = add(matmul(passed[i]!, transpose(kernel)), bias)
    passed.push(i + 1 < layers.length ? see(relu(outputs)) : outputs)
  })
  return passed
}

function batch(
  { inputs, targets }: Examples,
  places: Iterable<number>,
): { inputs: Tensor<'float32'>; targets: Tensor<'float32'> } {
  const chosen = [...places]
  const rows = new Float32Array(chosen.length * inputWidth)
  chosen.forEach((place, i) => {
    rows.set(inputs.subarray(place * inputWidth, (place + 1) * inputWidth), i * inputWidth)
  })
  return {
    inputs: tensor(rows, { shape: [chosen.length, inputWidth] }),
    targets: tensor(
      Float32Array.from(chosen, (place) => targets[place]!),
      { shape: [chosen.length, 1] },
    ),
  }
}

/** Back through the layers, by hand. */
export function gradients(
  layers: readonly Layer[],
  first: Tensor<'float32'>,
  targets: Tensor<'float32'>,
): Pick<TrainedModel, 'inputs' | 'kernelGradients' | 'outputGradients'> {
  const passed = forward(layers, first, (inputs) => inputs)
  const inputs = passed.slice(0, -1)
  // Of (y - t)^2 / n by y.
  let gradient = mul(sub(passed.at(-1)!, targets), 2 / targets.size)
  const kernelGradients: Tensor<'float32'>[] = []
  const outputGradients: Tensor<'float32'>[] = []
  for (let i = layers.length - 1; i >= 0; i--) {
    kernelGradients.unshift(matmul(transpose(gradient), inputs[i]!))
    outputGradients.unshift(gradient)
    if (i > 0) gradient = where(greater(inputs[i]!, 0), matmul(gradient, layers[i]!.kernel), 0)
  }
  return { inputs, kernelGradients, outputGradients }
}

/** Adam on kernels and biases, in place, float32 moments. */
function adamStep(
  layers: readonly Layer[],
  steps: number,
): (kernels: readonly Tensor<'float32'>[], biases: readonly Tensor<'float32'>[]) => void {
  const { learningRate, b1, b2, eps } = adam
  const parameters = [...layers.map(({ kernel }) => kernel.data), ...layers.map(({ bias }) => bias.data)]
  const means = parameters.map(({ length }) => new Float32Array(length))
  const squares = parameters.map(({ length }) => new Float32Array(length))
  let done = 0
  return (kernels, biases) => {
    done++
    const rate = (learningRate * (1 + Math.cos((Math.PI * done) / steps))) / 2
    const [meanPart, squarePart] = [1 - b1 ** done, 1 - b2 ** done]
    ;[...kernels, ...biases].forEach(({ data }, k) => {
      const [values, mean, square] = [parameters[k]!, means[k]!, squares[k]!]
      for (let i = 0; i < values.length; i++) {
        const g = data[i]!
        mean[i] = b1 * mean[i]! + (1 - b1) * g
        square[i] = b2 * square[i]! + (1 - b2) * g * g
        values[i]! -= (rate * (mean[i]! / meanPart)) / (Math.sqrt(square[i]! / squarePart) + eps)
      }
    })
  }
}
