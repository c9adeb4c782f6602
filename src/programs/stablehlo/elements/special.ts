import { unary as functions } from '../../../numbers/functions/index.js'
import {
  acos,
  acosh,
  apply,
  asin,
  asinh,
  atan,
  atanh,
  broadcastTo,
  cast,
  cosh,
  equal,
  erf,
  erfc,
  exp,
  full,
  isInf,
  type KnownOp,
  lgamma,
  mul,
  sinh,
  slice,
  square,
  Tensor,
  takeAlongAxis,
  tan,
} from '../../../tensors/tensor/index.js'
import { integer } from '../values/attributes.js'
import { type Lowering, single } from '../values/lowering.js'
import type { CompositeName, LoweringTable } from '../values/operations.js'
import { commonShape } from '../values/perElement.js'
import { Complex, eachPart, real, type Value } from '../values/value.js'
import * as c from './complexNumbers.js'
import { constant } from './constant.js'
import { elementwise } from './elementwise.js'
import { mulhi } from './mulhi.js'
import { nextAfter } from './nextAfter.js'
import { besselI1e, digamma, erfInverse, polygamma, zeta } from './specialFunctions.js'
import { topOrder } from './topOrder.js'

/** A function in float64, rounded once. */
function rounded(
  name: string,
  f: (...numbers: number[]) => number,
  gradient?: KnownOp['gradient'],
): Lowering {
  const op: KnownOp = {
    name,
    form: 'elementwise',
    rounds: 'once',
    kernel: (inputs) => {
      const numbers = inputs.map((x) => x.toNumbers())
      const { dtype, shape, size } = inputs[0]!
      const values = new Float64Array(size)
      for (let i = 0; i < size; i++) values[i] = f(...numbers.map((list) => list[i]!))
      return cast(new Tensor('float64', shape, values), dtype)
    },
    ...(gradient && { gradient }),
  }
  return () =>
    single((values) => {
      const xs = values.map(real)
      const shape = commonShape(xs.map((x) => x.shape))
      return apply(
        op,
        xs.map((x) => broadcastTo(x, shape)),
        undefined,
      )
    })
}

const plain = (f: (x: Tensor) => Tensor, g?: (x: Complex) => Value): Lowering => {
  return () => single(([x]) => (g && x instanceof Complex ? g(x) : f(real(x))))
}

const erfInv = rounded(
  'erfInv',
  (y) => erfInverse(y!, functions.erf, functions.erfc),
  ({ g, output }) => [mul(g, mul(exp(square(output)), Math.sqrt(Math.PI) / 2))],
)

/** The largest elements of the last axis and their places, the largest first, equal ones as they stand. */
const topK: Lowering = (op) => {
  const k = integer(op, 'k')
  return ([value]) => {
    const x = real(value)
    const order = topOrder(x)
    const cut = (all: Tensor): Tensor => slice(all, [...all.shape.slice(0, -1).map(() => null), [0, k]])
    const first = cut(order) as Tensor<'int32'>
    return [takeAlongAxis(x, first, { axis: -1 }), first]
  }
}

/** The specification's operation on operands that numpy's rules broadcast. */
const as = (name: keyof typeof elementwise): Lowering => elementwise[name]

const like: Lowering = (op) => {
  const value = Object.hasOwn(op.attributes, 'value') ? op.attributes['value'] : undefined
  if (value?.kind !== 'float' && value?.kind !== 'integer') throw new TypeError('has no number as its value')
  return single(([x]) =>
    eachPart(x, (part, i) => full(part.shape, i === 0 ? Number(value.value) : 0, { dtype: part.dtype })),
  )
}

/** The functions of the chlo dialect. */
export const special: LoweringTable<CompositeName> = {
  'chlo.acos': plain((x) => acos(x), c.acos),
  'chlo.acosh': plain((x) => acosh(x), c.acosh),
  'chlo.asin': plain((x) => asin(x), c.asin),
  'chlo.asinh': plain((x) => asinh(x), c.asinh),
  'chlo.atan': plain((x) => atan(x), c.atan),
  'chlo.atanh': plain((x) => atanh(x), c.atanh),
  'chlo.bessel_i1e': rounded('besselI1e', (x) => besselI1e(x!)),
  'chlo.broadcast_acos': plain((x) => acos(x)),
  'chlo.broadcast_add': as('stablehlo.add'),
  'chlo.broadcast_and': as('stablehlo.and'),
  'chlo.broadcast_atan2': as('stablehlo.atan2'),
  'chlo.broadcast_compare': as('stablehlo.compare'),
  'chlo.broadcast_complex': as('stablehlo.complex'),
  'chlo.broadcast_divide': as('stablehlo.divide'),
  'chlo.broadcast_maximum': as('stablehlo.maximum'),
  'chlo.broadcast_minimum': as('stablehlo.minimum'),
  'chlo.broadcast_multiply': as('stablehlo.multiply'),
  'chlo.broadcast_next_after': () => single(([a, b]) => nextAfter(real(a), real(b))),
  'chlo.broadcast_or': as('stablehlo.or'),
  'chlo.broadcast_polygamma': rounded('polygamma', (n, x) => polygamma(n!, x!)),
  'chlo.broadcast_power': as('stablehlo.power'),
  'chlo.broadcast_remainder': as('stablehlo.remainder'),
  'chlo.broadcast_select': as('stablehlo.select'),
  'chlo.broadcast_shift_left': as('stablehlo.shift_left'),
  'chlo.broadcast_shift_right_arithmetic': as('stablehlo.shift_right_arithmetic'),
  'chlo.broadcast_shift_right_logical': as('stablehlo.shift_right_logical'),
  'chlo.broadcast_subtract': as('stablehlo.subtract'),
  'chlo.broadcast_xor': as('stablehlo.xor'),
  'chlo.broadcast_zeta': rounded('zeta', (s, q) => zeta(s!, q!)),
  'chlo.conj': () => single(([x]) => (x instanceof Complex ? c.conjugate(x) : x)),
  'chlo.constant': constant,
  'chlo.constant_like': like,
  'chlo.cosh': plain((x) => cosh(x), c.cosh),
  'chlo.digamma': rounded('digamma', (x) => digamma(x!)),
  'chlo.erf': plain((x) => erf(x)),
  'chlo.erf_inv': erfInv,
  'chlo.erfc': plain((x) => erfc(x)),
  'chlo.is_inf': plain((x) => isInf(x)),
  'chlo.is_neg_inf': plain((x) => equal(x, -Infinity)),
  'chlo.is_pos_inf': plain((x) => equal(x, Infinity)),
  'chlo.lgamma': plain((x) => lgamma(x)),
  'chlo.mulhi': () => single(([a, b]) => mulhi(real(a), real(b))),
  'chlo.next_after': () => single(([a, b]) => nextAfter(real(a), real(b))),
  'chlo.polygamma': rounded('polygamma', (n, x) => polygamma(n!, x!)),
  'chlo.sinh': plain((x) => sinh(x), c.sinh),
  'chlo.square': plain(
    (x) => square(x),
    (x) => c.mul(x, x),
  ),
  'chlo.tan': plain((x) => tan(x), c.tan),
  'chlo.top_k': topK,
  'chlo.zeta': rounded('zeta', (s, q) => zeta(s!, q!)),
}
