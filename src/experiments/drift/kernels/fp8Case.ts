import { blockScaledMatmul, fp8Matmul } from '../../../models/kernels/index.js'
import {
  abs,
  cast,
  type FloatDType,
  matmul,
  type Tensor,
  tensor,
  transpose,
} from '../../../tensors/tensor/index.js'
import type { KernelCase, KernelWay } from './kernelRow.js'

const size = 16

/** Units that differ in how they add fp8 products into float32. */
const unitNames = ['ada', 'h100', 'b200'] as const

/** Products of operands in fp8, by how they are scaled and added. */
export const fp8Case: KernelCase = {
  name: 'fp8',
  title: 'Products in fp8',
  about:
    'a x b with a [16, k] and b [k, 16] as e4m3, against float64 on the operands as they were before: the noise of the codes, and what scales and adders put on top. per tensor: one scale, of the tensor itself. Blocks are of 128. Units add as that GPU does, to the bit: promoted to float32 after each block, or not at all.',
  lengthName: 'k',
  trial: ({ input, length, dtype }) => {
    const of = (what: 'x' | 'v'): Tensor<FloatDType> => {
      const numbers = tensor(input.numbers(what, length, size), { shape: [length, size], dtype: 'float64' })
      return cast(numbers, dtype)
    }
    const [a, b] = [transpose(of('x')) as Tensor<FloatDType>, of('v')]
    const scales = { a: 448 / largest(a), b: 448 / largest(b) }
    const dtypeOf = { dtype: 'float32' } as const
    const ways: KernelWay[] = [
      { name: 'per tensor', compute: () => fp8Matmul(a, b, { scales, ...dtypeOf }) },
      {
        name: 'per tensor, e5m2',
        compute: () =>
          fp8Matmul(a, b, {
            scales: { a: (57344 / 448) * scales.a, b: scales.b },
            formats: { a: 'float8_e5m2' },
            ...dtypeOf,
          }),
      },
      { name: 'blocks', block: 128, compute: () => blockScaledMatmul(a, b, dtypeOf) },
      {
        name: 'blocks, powers of two',
        block: 128,
        compute: () => blockScaledMatmul(a, b, { scale: 'pow2', ...dtypeOf }),
      },
      ...unitNames.map((unit) => ({
        name: `blocks, ${unit} promoted`,
        block: 128,
        compute: () => blockScaledMatmul(a, b, { unit, ...dtypeOf }),
      })),
      ...unitNames.map((unit) => ({
        name: `${unit} to the end`,
        compute: () => blockScaledMatmul(a, b, { unit, block: length, ...dtypeOf }),
      })),
    ]
    const exact = matmul(cast(a, 'float64'), cast(b, 'float64'))
    return { reference: Float64Array.from(exact.toNumbers()), ways }
  },
}

function largest(x: Tensor): number {
  return Math.max(
    abs(x)
      .toNumbers()
      .reduce((most, y) => Math.max(most, y), 0),
    2 ** -100,
  )
}
