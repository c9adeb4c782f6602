import {
  add,
  cast,
  type DType,
  type FloatDType,
  isFloat,
  sub,
  type Tensor,
} from '../../../tensors/tensor/index.js'
import type { Operation } from '../module.js'
import { fields, integer } from '../values/attributes.js'
import { elementsOf } from '../values/elementType.js'
import { roundedToTf32 } from './tf32.js'

type Multiply = (a: Tensor, b: Tensor) => Tensor

/** What `algorithm` says of a product: the dtype that operands are taken in, how many parts they are cut into, where it adds. */
export interface Algorithm {
  readonly accumulate: FloatDType
  product(a: Tensor, b: Tensor, multiply: Multiply, result: DType): Tensor
}

/** The algorithm of an operation. */
export function algorithmOf(op: Operation): Algorithm {
  const entries = fields(op, 'algorithm')
  const type = (name: string): string => {
    const attribute = Object.hasOwn(entries, name) ? entries[name] : undefined
    if (attribute?.kind !== 'type') throw new RangeError(`has no ${name}`)
    const { type: given } = attribute
    return given.kind === 'named' ? given.text : given.kind === 'tensor' ? given.element : ''
  }
  const [left, right] = [type('lhs_precision_type'), type('rhs_precision_type')]
  const accumulate = elementsOf(type('accumulation_type'))?.dtype
  if (!accumulate || !isFloat(accumulate)) {
    throw new RangeError(`has an algorithm that adds in what no tensor has [${type('accumulation_type')}]`)
  }
  const parts = integer(op, 'num_primitive_operations', 1, entries)
  const counts = [
    integer(op, 'lhs_component_count', 1, entries),
    integer(op, 'rhs_component_count', 1, entries),
  ] as const
  return {
    accumulate,
    product(a, b, multiply, result) {
      const x = componentsOf(a, left, counts[0], accumulate)
      const y = componentsOf(b, right, counts[1], accumulate)
      // The products of parts that are smallest first; the smallest of all are left out where there are fewer products than pairs.
      const pairs = x
        .flatMap((own, i) => y.map((other, j) => ({ own, other, rank: i + j })))
        .sort((one, two) => one.rank - two.rank)
        .slice(0, parts)
        .reverse()
      const total = pairs.map(({ own, other }) => multiply(own, other)).reduce((sum, each) => add(sum, each))
      return total.dtype === result ? total : cast(total, result)
    },
  }
}

/** x as a sum of parts of a precision, each in the dtype that products are added in. */
function componentsOf(x: Tensor, precision: string, count: number, accumulate: FloatDType): Tensor[] {
  const wide = accumulate === 'float64' ? 'float64' : 'float32'
  const rounded = (each: Tensor): Tensor => {
    if (precision === 'tf32') return roundedToTf32(cast(each, 'float32'))
    const dtype = elementsOf(precision)?.dtype
    if (!dtype) throw new RangeError(`has an algorithm of a precision that no tensor has [${precision}]`)
    return cast(cast(each, dtype), wide)
  }
  const parts: Tensor[] = []
  let rest = cast(x, wide)
  for (let i = 0; i < count; i++) {
    const part = rounded(rest)
    parts.push(part)
    if (i + 1 < count) rest = sub(rest, part)
  }
  return parts
}
