import { add, cast, sameShape } from '../../../tensors/tensor/index.js'
import { checkApply, type Layer } from '../layer.js'
import { checkLayer } from './sequential.js'

/**
 * x + layer(x). The parameters are those of the layer.
 *
 * Shape     the layer gives the shape that it is given.
 * Rounding  what the layer gives is rounded to the dtype of x, and the sum once to it: a narrow stream loses what is small
 *           beside it, so give a float32 x where the stream is to be kept wide.
 * Throws    RangeError where the shapes differ.
 *
 * @example residual(pure(neg)).apply({}, tensor([1, 2])).toNested() // [0,0]
 */
export function residual<P>(layer: Layer<P>): Layer<P> {
  checkLayer('residual', layer)
  return {
    init: (key) => layer.init(key),
    apply(params, x, applied) {
      const y = layer.apply(params, x, checkApply('residual', applied))
      if (!sameShape(y.shape, x.shape)) {
        throw new RangeError(
          `residual: the layer changes the shape [${x.shape.join(', ')} and ${y.shape.join(', ')}]`,
        )
      }
      return add(x, cast(y, x.dtype))
    },
  }
}
