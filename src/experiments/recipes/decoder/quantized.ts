import {
  type MatmulRecipe,
  type RecipeName as MatmulRecipeName,
  quantizedMatmul,
} from '../../../models/kernels/index.js'
import { foldIn } from '../../../tensors/random/index.js'
import { cast, type Tensor } from '../../../tensors/tensor/index.js'
import type { Product } from './product.js'

/**
 * The product of a recipe of `quantizedMatmul`: operands, result and cotangent in bfloat16 as the baseline has them, then quantised. Each
 * product of each step draws words of its own.
 */
export function quantizedProduct(recipe: MatmulRecipeName | MatmulRecipe): Product {
  return (x, w, { index, words }) => {
    const [left, right] = [x, w].map((one) => cast(one, 'bfloat16')) as [
      Tensor<'bfloat16'>,
      Tensor<'bfloat16'>,
    ]
    return cast(quantizedMatmul(left, right, { recipe, key: foldIn(words, index) }), 'float32')
  }
}
