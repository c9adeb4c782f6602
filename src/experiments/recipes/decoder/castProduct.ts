import { fakeQuantize } from '../../../models/kernels/index.js'
import { apply, cast, type KnownOp, matmul, type Tensor } from '../../../tensors/tensor/index.js'
import type { Product } from './product.js'

type Fp8 = 'float8_e4m3fn' | 'float8_e5m2'

/** The operand itself, whose cotangent is rounded to fp8 without a scale. */
const narrowCotangentOp: KnownOp<Fp8> = {
  name: 'narrowCotangent',
  form: 'view',
  rounds: 'never',
  kernel: ([x]) => x!,
  exact: ([x]) => x!,
  gradient: ({ g, attributes }) => [fp8(g, attributes)],
}

/** Operands in float8_e4m3fn and cotangents in a format, all without a scale; sums in float32, results in bfloat16. */
export function castProduct(ofCotangents: Fp8): Product {
  return (x, w) => {
    const y = matmul(fp8(x, 'float8_e4m3fn'), fp8(w, 'float8_e4m3fn'))
    return cast(apply(narrowCotangentOp, [y], ofCotangents), 'float32')
  }
}

/** In bfloat16, rounded to the format as it is. */
function fp8(x: Tensor, format: Fp8): Tensor {
  const narrow = cast(x, 'bfloat16') as Tensor<'bfloat16'>
  return fakeQuantize(narrow, { format, scale: 'none' }, { gradient: 'straight-through' })
}
