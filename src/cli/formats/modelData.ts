import { padRows, type QuantizationWay, rowsOf, unpadRows } from '../../tensors/blocks/index.js'
import { type Tensor, tensor } from '../../tensors/tensor/index.js'
import { type DataSet, inMemory } from './dataSet.js'
import { keptBatch, lossOf, type TrainedModel } from './model.js'

const of = 'of the model trained on gaps between departures'

/** The names of the data sets that come out of the model. */
export const modelNames: readonly string[] = ['weights', 'activations', 'gradients']

/** The data set of this name. */
export function modelData(name: string, model: TrainedModel): DataSet {
  const batch = `one batch of ${keptBatch} examples`
  switch (name) {
    case 'weights': {
      const tensors = named(
        'kernel',
        model.layers.map(({ kernel }) => kernel),
      )
      return { name, title: 'Weights', about: `the kernels ${of}`, tensors }
    }
    case 'activations': {
      const tensors = named('input', model.inputs)
      return { name, title: 'Activations', about: `what the layers ${of} read, ${batch}`, tensors }
    }
    default: {
      const tensors = [
        ...named('kernel.gradient', model.kernelGradients),
        // The last layer's is the error itself, one number an example: no rows to speak of.
        ...named('output.gradient', model.outputGradients.slice(0, -1)),
      ]
      const about = `the gradients of the mean loss by the kernels and by the outputs of the hidden layers ${of}, ${batch}`
      return { name, title: 'Gradients', about, tensors }
    }
  }
}

function named(part: string, tensors: readonly Tensor<'float32'>[]): DataSet['tensors'] {
  return tensors.map(({ shape, data }, i) => inMemory(`layers.${i}.${part}`, shape, data))
}

/** The held-out loss with the kernels quantised, and, if so asked, what the layers read; null where it is not finite. */
export function quantisedLoss(
  model: TrainedModel,
  way: QuantizationWay,
  what: 'weights' | 'activations',
): number | null {
  const layers = model.layers.map(({ kernel, bias }) => ({ kernel: quantised(kernel, way), bias }))
  const loss =
    what === 'weights'
      ? lossOf(layers, model.heldOut)
      : lossOf(layers, model.heldOut, (inputs) => quantised(inputs, way))
  return Number.isFinite(loss) ? loss : null
}

/** A tensor after a trip through a scheme. */
function quantised({ shape, data }: Tensor<'float32'>, way: QuantizationWay): Tensor<'float32'> {
  const { rowLength } = rowsOf(shape)
  const { blockSize, quantizer } = way
  const amax = data.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
  const quantise = quantizer(amax)
  if (blockSize === null) return tensor(quantise(data).restored(), { shape })
  const restored = quantise(padRows(data, rowLength, blockSize)).restored()
  return tensor(unpadRows(restored, rowLength, blockSize), { shape })
}
