import type { FormatName } from '../../../numbers/formats/index.js'
import {
  apply,
  cast,
  type KnownOp,
  mul,
  reciprocal,
  type Tensor,
  untraced,
} from '../../../tensors/tensor/index.js'

interface Rounding {
  readonly format: FormatName
  readonly saturate: boolean
}

/** The codes of x times a scale. */
export function codesOf(x: Tensor, scale: Tensor, { format, saturate }: Rounding): Tensor {
  return cast(mul(cast(x, 'float32'), scale), format, { saturate })
}

/**
 * x times a scale, rounded to a narrow format, as the float32 numbers that its codes stand for. Gradients pass the rounding, also
 * of what was clipped, and stay float32: the dtype of codes would cut them.
 */
const roundScaledOp: KnownOp<Rounding> = {
  name: 'roundScaled',
  form: 'elementwise',
  rounds: 'once',
  kernel: ([x, scale], how) =>
    // Of float64 operands, which the doctor hands it, what it would be without the rounding.
    x!.dtype === 'float64'
      ? mul(untraced(x!), cast(untraced(scale!), 'float64'))
      : cast(codesOf(untraced(x!), untraced(scale!), how), 'float32'),
  exact: ([x, scale]) => mul(x!, scale!),
  gradient: ({ g, inputs: [x, scale] }) => [cast(mul(g, scale!), x!.dtype), undefined],
}

/** x as it is; its cotangent is rounded like `roundScaled`, and divided by the scale again. */
const roundCotangentOp: KnownOp<Rounding> = {
  name: 'roundCotangent',
  form: 'elementwise',
  rounds: 'never',
  kernel: ([x]) => x!,
  exact: ([x]) => x!,
  gradient: ({ g, inputs: [, scale], attributes }) => [
    mul(roundScaled(g, scale!, attributes), reciprocal(scale!)),
    undefined,
  ],
}

/** The float32 numbers that the codes of x times a scale stand for. */
export function roundScaled(x: Tensor, scale: Tensor, how: Rounding): Tensor {
  return apply(roundScaledOp, [x, scale], how)
}

/** x, with a cotangent that passes through a narrow format. */
export function roundCotangent(x: Tensor, scale: Tensor, how: Rounding): Tensor {
  return apply(roundCotangentOp, [x, scale], how)
}
