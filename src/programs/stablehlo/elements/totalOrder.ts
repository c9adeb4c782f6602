import { apply, broadcastTo, dtypeFacts, type KnownOp, Tensor } from '../../../tensors/tensor/index.js'
import { commonShape } from '../values/perElement.js'

/**
 * Floats as integers that are in order as IEEE 754's totalOrder has it: -NaN, -Inf, ..., -0, +0, ..., Inf, NaN.
 */
export function totalOrderKeys({ dtype, data, size }: Tensor): Int32Array | BigInt64Array {
  if (data instanceof Float64Array) {
    const bits = new BigInt64Array(data.buffer, data.byteOffset, size)
    return bits.map((code) => (code < 0n ? code ^ 0x7fffffffffffffffn : code))
  }
  if (dtype === 'float32') {
    const bits = new Int32Array(data.buffer, data.byteOffset, size)
    return bits.map((code) => (code < 0 ? code ^ 0x7fffffff : code))
  }
  const { signMask, magnitudeMask } = dtypeFacts(dtype)
  const codes = data as Uint16Array
  return Int32Array.from({ length: size }, (_, i) => {
    const magnitude = codes[i]! & magnitudeMask!
    return codes[i]! & signMask! ? ~magnitude : magnitude
  })
}

type Key = number | bigint

const directions: Readonly<Record<string, (a: Key, b: Key) => boolean>> = {
  EQ: (a, b) => a === b,
  NE: (a, b) => a !== b,
  GE: (a, b) => a >= b,
  GT: (a, b) => a > b,
  LE: (a, b) => a <= b,
  LT: (a, b) => a < b,
}

/** A comparison of floats in total order; operands of one shape. */
const totalOrderOp: KnownOp<{ readonly direction: string }> = {
  name: 'totalOrder',
  form: 'elementwise',
  rounds: 'decides',
  kernel: ([a, b], { direction }) => {
    const [x, y] = [totalOrderKeys(a!), totalOrderKeys(b!)]
    const holds = directions[direction]!
    return new Tensor(
      'bool',
      a!.shape,
      Uint8Array.from({ length: a!.size }, (_, i) => (holds(x[i]!, y[i]!) ? 1 : 0)),
    )
  },
}

/** a compared with b in total order: by the sign and the bits, so that -0 is below +0 and NaN has its place. */
export function totalOrder(a: Tensor, b: Tensor, direction: string): Tensor {
  const shape = commonShape([a.shape, b.shape])
  return apply(totalOrderOp, [broadcastTo(a, shape), broadcastTo(b, shape)], { direction })
}
