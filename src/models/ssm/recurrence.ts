import {
  add,
  broadcastTo,
  cast,
  exp,
  type FloatDType,
  matmul,
  mul,
  slice,
  stack,
  type Tensor,
} from '../../tensors/tensor/index.js'
import { asColumn, asRow, commonLengths } from './axes.js'
import { checkInputs, type SsmInputs, type SsmOptions } from './inputs.js'

/**
 * The recurrence itself, position by position:
 *   a_t = exp(A dt_t),  h_t = a_t h_{t-1} + (dt_t B_t) x_t^T,  y_t = C_t h_t,  h_0 = 0.
 *
 * Shape     x [..., L, P], dt [..., L], A [...], B and C [..., L or 1, N] -> [..., L, P].
 * Dtype     all alike, a float; the result has it too.
 * Rounding  A dt_t, exp, dt_t B_t, its product with x_t, a_t h, their sum (these three to `dtypes.states`), C_t h_t (one
 *           sum over N in `accumulate`): each once.
 * Special   exponents are not positive: nothing overflows that the states themselves do not.
 * Cost      L times 3 N P, one position after the other: the form of generation, not of training.
 * Source    Transformers are SSMs, arXiv:2405.21060
 *
 * @example recurrence({ x: ones([3, 1]), dt: ones([3]), A: tensor(0), B: ones([1, 1]), C: ones([1, 1]) }).toNested() // [[1],[2],[3]]
 */
export function recurrence(inputs: SsmInputs, options: SsmOptions = {}): Tensor {
  const { length } = checkInputs('recurrence', inputs, options)
  const { x, dt, A, B, C } = inputs
  const dtype = x.dtype as FloatDType
  const kept = options.dtypes?.states ?? dtype
  const decay = asColumn(asColumn(exp(mul(asColumn(A), dt))))
  const steps = mul(asColumn(dt), B)
  // [..., L, N, P]: what enters the state at every position.
  const entering = mul(cast(asColumn(steps), kept), cast(asRow(x), kept))
  const state = commonLengths([decay.shape.slice(0, -3), entering.shape.slice(0, -3)])
  const rows = asRow(C)
  const outputs: Tensor[] = []
  let h: Tensor | undefined
  for (let t = 0; t < length; t++) {
    const u = broadcastTo(position(entering, t), [...state, ...entering.shape.slice(-2)])
    h = h ? add(mul(cast(position(decay, t), kept), h), u) : u
    outputs.push(position(matmulTo(position(rows, t), cast(h, dtype), options), 0, -2))
  }
  return stack(outputs, { axis: outputs[0]!.rank - 1 })
}

/** The element of an axis, the third from the end by default, without that axis; shared where its length is 1. */
function position(value: Tensor, t: number, axis = -3): Tensor {
  const along = value.rank + axis
  return slice(
    value,
    value.shape.map((length, i) => (i === along ? Math.min(t, length - 1) : null)),
  )
}

function matmulTo(a: Tensor, b: Tensor, { accumulate }: SsmOptions): Tensor {
  return matmul(a, b, accumulate ? { accumulate } : {})
}
