import { checkName, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { cast, type Tensor, take } from '../../../tensors/tensor/index.js'
import { assign, assignNames } from '../rows/assign.js'
import type { DistanceOptions } from '../rows/distances.js'
import { rotationTrick } from './rotationTrick.js'
import { straightThrough } from './straightThrough.js'

/** How codes are chosen, and what gradient vectors get. */
export interface QuantizeVectorsOptions extends DistanceOptions {
  /**
   * 'straight-through': as it comes; 'rotation': turned with the vectors; 'none': the vectors get none, the codebook that of its
   * own rows. Default 'straight-through'.
   */
  readonly gradient?: 'straight-through' | 'rotation' | 'none'
}

/** Vectors and their codes. */
export interface QuantizedVectors<D extends Tensor['dtype'] = Tensor['dtype']> {
  readonly codes: Tensor<'int32'>
  /** The codes' vectors, with the gradient asked for, in the dtype of x. */
  readonly quantized: Tensor<D>
  /** The selected rows of the codebook, for losses. */
  readonly chosen: Tensor<D>
}

const names: OptionTable<QuantizeVectorsOptions> = { ...assignNames, gradient: 'optional' }

/**
 * Every vector's code and the vector it stands for.
 *
 * Shape     x [..., d], codebook [k, d] -> codes [...], quantized [..., d].
 * Dtype     those of x; a codebook of another dtype is cast.
 * Rounding  codes as `assign`; the codes' vectors are moved, not computed, but for gradient 'rotation'.
 * Gradient  to x as said; to the codebook through `chosen`.
 * Throws    as `assign`.
 *
 * @example quantizeVectors(tensor([[0.2], [0.9]]), tensor([[0], [1]])).quantized.toNested() // [[0], [1]]
 */
export function quantizeVectors<D extends Tensor['dtype']>(
  x: Tensor<D>,
  codebook: Tensor,
  options: QuantizeVectorsOptions = noOptions,
): QuantizedVectors<D> {
  checkOptions('quantizeVectors', options, names, { positional: 'metric' })
  const { gradient = 'straight-through', ...how } = options
  checkName('quantizeVectors', 'gradient', gradient, ['straight-through', 'rotation', 'none'])
  const codes = assign(x, codebook, how)
  const chosen = take(cast(codebook, x.dtype), codes, { axis: 0 })
  if (gradient === 'none') return { codes, quantized: chosen, chosen }
  const pass = gradient === 'rotation' ? rotationTrick : straightThrough
  return { codes, quantized: pass(x, chosen), chosen }
}
