import { apply, broadcastTo, dtypeFacts, type KnownOp, Tensor } from '../../../tensors/tensor/index.js'
import { commonShape } from '../values/perElement.js'

/** The next value of the format from the first operand towards the second, as C's nextafter. */
const nextAfterOp: KnownOp = {
  name: 'nextAfter',
  form: 'elementwise',
  rounds: 'decides',
  kernel: ([a, b]) => {
    const { dtype, shape, size } = a!
    const [x, y] = [a!.toNumbers(), b!.toNumbers()]
    const data = a!.data.slice()
    const { bits } = dtypeFacts(dtype)
    const codes =
      data instanceof Float64Array
        ? new BigUint64Array(data.buffer)
        : data instanceof Float32Array
          ? new Uint32Array(data.buffer)
          : data
    for (let i = 0; i < size; i++) {
      const [from, to] = [x[i]!, y[i]!]
      if (Number.isNaN(from) || Number.isNaN(to)) {
        data[i] = dtypeFacts(dtype).format?.canonicalNaN ?? Number.NaN
      } else if (from === to) {
        data[i] = b!.data[i]!
      } else if (codes instanceof BigUint64Array) {
        if (from === 0) codes[i] = to < 0 ? 0x8000000000000001n : 1n
        else codes[i] = codes[i]! + (from < to === from > 0 ? 1n : -1n)
      } else if (from === 0) {
        codes[i] = to < 0 ? 2 ** (bits - 1) + 1 : 1
      } else {
        codes[i] = Number(codes[i]!) + (from < to === from > 0 ? 1 : -1)
      }
    }
    return new Tensor(dtype, shape, data)
  },
}

export function nextAfter(a: Tensor, b: Tensor): Tensor {
  const shape = commonShape([a.shape, b.shape])
  return apply(nextAfterOp, [broadcastTo(a, shape), broadcastTo(b, shape)], undefined)
}
