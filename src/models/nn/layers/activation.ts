import { checkName } from '../../../base/options/index.js'
import { gelu, geluTanh, relu, silu, type Tensor } from '../../../tensors/tensor/index.js'

/** What may stand between two products. */
export type Activation = 'gelu' | 'geluTanh' | 'relu' | 'silu'

const activations: Readonly<Record<Activation, (x: Tensor) => Tensor>> = { gelu, geluTanh, relu, silu }

/** The function of a name. */
export function activationOf(op: string, name: Activation): (x: Tensor) => Tensor {
  checkName(op, 'activation', name, Object.keys(activations))
  return activations[name]
}
