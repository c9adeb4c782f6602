import {
  equal,
  greater,
  greaterEqual,
  isFloat,
  less,
  lessEqual,
  logicalAnd,
  logicalNot,
  logicalOr,
  notEqual,
  type Tensor,
} from '../../../tensors/tensor/index.js'
import { keyword } from '../values/attributes.js'
import { type Lowering, single } from '../values/lowering.js'
import { Complex, complex, real } from '../values/value.js'
import { totalOrder } from './totalOrder.js'

const comparisons: Readonly<Record<string, (a: Tensor, b: Tensor) => Tensor>> = {
  EQ: (a, b) => equal(a, b),
  NE: (a, b) => notEqual(a, b),
  GE: (a, b) => greaterEqual(a, b),
  GT: (a, b) => greater(a, b),
  LE: (a, b) => lessEqual(a, b),
  LT: (a, b) => less(a, b),
}

/** The comparison of a direction by its name. */
export function comparisonOf(direction: string): (a: Tensor, b: Tensor) => Tensor {
  if (!Object.hasOwn(comparisons, direction)) throw new RangeError(`has no such direction [${direction}]`)
  return comparisons[direction]!
}

/**
 * Floats compared as `WEAKORDER` has them: both zeros are one number, and every NaN is one that lies above Inf, as the specification's
 * reference interpreter places it.
 */
function weakOrder(a: Tensor, b: Tensor, direction: string): Tensor {
  const [isNaNa, isNaNb] = [notEqual(a, a), notEqual(b, b)]
  switch (direction) {
    case 'EQ':
      return logicalOr(equal(a, b), logicalAnd(isNaNa, isNaNb))
    case 'NE':
      return logicalNot(weakOrder(a, b, 'EQ'))
    case 'GT':
      return logicalOr(greater(a, b), logicalAnd(isNaNa, logicalNot(isNaNb)))
    case 'GE':
      return logicalOr(greaterEqual(a, b), isNaNa)
    default:
      return weakOrder(b, a, direction === 'LT' ? 'GT' : 'GE')
  }
}

/** `stablehlo.compare`: numbers, bools, complex numbers (EQ and NE), floats in total and in weak order. */
export const compare: Lowering = (op) => {
  const direction = keyword(op, 'comparison_direction')
  const type = keyword(op, 'compare_type', '')
  const holds = comparisonOf(direction)
  return single(([a, b]) => {
    if (a instanceof Complex) {
      const other = complex(b)
      if (direction !== 'EQ' && direction !== 'NE') {
        throw new TypeError(`has no order of complex numbers [${direction}]`)
      }
      const join = direction === 'EQ' ? logicalAnd : logicalOr
      return join(holds(a.re, other.re), holds(a.im, other.im))
    }
    const [x, y] = [real(a), real(b)]
    if (!isFloat(x.dtype)) return holds(x, y)
    if (type === 'TOTALORDER') return totalOrder(x, y, direction)
    return type === 'WEAKORDER' ? weakOrder(x, y, direction) : holds(x, y)
  })
}
