import { shown } from '../../../base/options/index.js'
import { type DType, type Shape, Tensor } from '../../../tensors/tensor/index.js'

/** A tensor of complex numbers: its real and its imaginary parts, float32 or float64 of one shape. */
export class Complex {
  readonly re: Tensor
  readonly im: Tensor

  constructor(re: Tensor, im: Tensor) {
    this.re = re
    this.im = im
  }

  get shape(): Shape {
    return this.re.shape
  }
}

/** A value of a running program; undefined stands for a token. */
export type Value = Tensor | Complex | readonly Value[] | undefined

/** A value that is a tensor of real numbers, integers or bools. */
export function real(value: Value): Tensor {
  if (value instanceof Tensor) return value
  throw new TypeError(value instanceof Complex ? 'has no complex form' : `takes a tensor [${shown(value)}]`)
}

/** A tensor of any kind, as its parts: one, or the real and the imaginary ones. */
export function partsOf(value: Value): readonly Tensor[] {
  return value instanceof Complex ? [value.re, value.im] : [real(value)]
}

/** What is done with each part alone: moving elements, adding. */
export function eachPart(value: Value, f: (x: Tensor, part: number) => Tensor): Tensor | Complex {
  return value instanceof Complex ? new Complex(f(value.re, 0), f(value.im, 1)) : f(real(value), 0)
}

/** The same of several operands of one kind. */
export function eachPartOf(
  values: readonly Value[],
  f: (xs: readonly Tensor[], part: number) => Tensor,
): Tensor | Complex {
  if (!values.some((value) => value instanceof Complex)) return f(values.map(real), 0)
  const pairs = values.map(complex)
  return new Complex(
    f(
      pairs.map(({ re }) => re),
      0,
    ),
    f(
      pairs.map(({ im }) => im),
      1,
    ),
  )
}

/** A value that is a tensor of complex numbers. */
export function complex(value: Value): Complex {
  if (value instanceof Complex) return value
  throw new TypeError(`takes complex numbers [${value instanceof Tensor ? value.dtype : shown(value)}]`)
}

/** The shape of a tensor of any kind. */
export function shapeOf(value: Value): Shape {
  return value instanceof Complex ? value.shape : real(value).shape
}

/** The dtype of the parts of a tensor of any kind. */
export function dtypeOf(value: Value): DType {
  return value instanceof Complex ? value.re.dtype : real(value).dtype
}
