import { einsum as composed } from '../../../tensors/tensor/index.js'
import { keyword } from '../values/attributes.js'
import { type Lowering, single } from '../values/lowering.js'
import { real } from '../values/value.js'

/** `stablehlo.einsum` and `stablehlo.unary_einsum` of old texts: `ab,bc->ac`. */
export const einsum: Lowering = (op) => {
  const config = keyword(op, 'einsum_config')
  return single((inputs) => composed(config, inputs.map(real)))
}
