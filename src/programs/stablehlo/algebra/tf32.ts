import { apply, type KnownOp, Tensor } from '../../../tensors/tensor/index.js'

/** The nearest number of 11 significand bits in the range of float32, ties to even: NVIDIA's TF32. */
const tf32Op: KnownOp = {
  name: 'tf32',
  form: 'elementwise',
  rounds: 'once',
  kernel: ([x]) => {
    const data = Float32Array.from(x!.data as Float32Array)
    const bits = new Uint32Array(data.buffer)
    for (let i = 0; i < bits.length; i++) {
      const code = bits[i]!
      if ((code & 0x7f800000) !== 0x7f800000) bits[i] = (code + 0xfff + ((code >>> 13) & 1)) & 0xffffe000
    }
    return new Tensor('float32', x!.shape, data)
  },
  gradient: ({ g }) => [g],
}

/** float32 numbers rounded to TF32. */
export function roundedToTf32(x: Tensor): Tensor {
  return apply(tf32Op, [x], undefined)
}
