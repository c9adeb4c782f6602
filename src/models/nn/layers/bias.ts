import type { Key } from '../../../tensors/random/index.js'
import { add, cast, type Tensor } from '../../../tensors/tensor/index.js'
import { initialized } from '../initializers/initializer.js'
import { constant } from '../initializers/plain.js'
import type { FullPolicy } from '../policy.js'

/** The entry of fresh parameters for a bias of zeros; none where it is not wanted. */
export function freshBias(
  wanted: boolean,
  key: Key,
  features: number,
  { params }: FullPolicy,
): { readonly bias?: Tensor } {
  return wanted ? { bias: initialized(constant(0), key, [features], params) } : {}
}

/** x plus a bias, if there is one, rounded to `output` before and after. */
export function shifted(x: Tensor, bias: Tensor | undefined, { output }: FullPolicy): Tensor {
  return bias ? add(x, cast(bias, output)) : x
}
