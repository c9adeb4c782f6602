import { errorBound, type GemmOptions, gemm, type UnitName } from '../../../models/kernels/index.js'
import { abs, cast, matmul, type Tensor, tensor, transpose } from '../../../tensors/tensor/index.js'
import type { KernelCase, KernelWay } from './kernelRow.js'

const size = 32

const modes: readonly (readonly [string, GemmOptions])[] = [
  ['default', { precision: 'default' }],
  ['high, truncated', { precision: 'high', split: 'truncate' }],
  ['high, rounded', { precision: 'high', split: 'nearest' }],
  ['highest', { precision: 'highest' }],
  ['bf16_x9', { precision: 'BF16_BF16_F32_X9' }],
  ['tf32', { precision: 'TF32_TF32_F32' }],
  ['tf32_x3', { precision: 'TF32_TF32_F32_X3' }],
  ['float32', { precision: 'F32_F32_F32' }],
]

const units: readonly UnitName[] = ['a100', 'h100', 'b200', 'mi300']

/** Products of float32 matrices as a matrix unit forms them. */
export const gemmCase: KernelCase = {
  name: 'gemm',
  title: 'Products of float32 matrices',
  about:
    'a x b with a [32, k] and b [k, 32] in float32, against float64: the passes of bfloat16 and tf32 parts behind jax.default_matmul_precision, and the default with each block of k rounded to bfloat16 before it is added. By name of a GPU: its own tf32, and bfloat16 operands, to the bit where it was measured.',
  lengthName: 'k',
  only: 'float32',
  trial: ({ input, length, blocks }) => {
    const of = (what: 'x' | 'v'): Tensor<'float32'> =>
      tensor(input.numbers(what, length, size), { shape: [length, size] })
    const [a, b] = [transpose(of('x')) as Tensor<'float32'>, of('v')]
    const [wideA, wideB] = [cast(a, 'float64'), cast(b, 'float64')]
    const data = {
      sumAbs: largest(matmul(abs(wideA), abs(wideB))),
      maxAbs: Math.max(largest(abs(a)), largest(abs(b))),
    }
    const ways = modes.map(
      ([name, how]): KernelWay => ({
        name,
        compute: () => gemm(a, b, how),
        bound: () => errorBound('gemm', { k: length, ...boundOf(how) }, data),
      }),
    )
    const between = blocks.map((block): KernelWay => {
      const how: GemmOptions = { blockK: block, between: 'bfloat16' }
      return { name: 'default, bfloat16 between', block, compute: () => gemm(a, b, how) }
    })
    const [narrowA, narrowB] = [cast(a, 'bfloat16'), cast(b, 'bfloat16')]
    const onUnits = units.flatMap((unit): KernelWay[] => {
      const tf32: Pick<GemmOptions, 'unit' | 'input'> = { unit, input: 'tf32' }
      const bounded = { k: length, ...tf32 }
      return [
        {
          name: `${unit}, tf32`,
          compute: () => gemm(a, b, { ...tf32, out: 'float32' }),
          bound: () => errorBound('gemm', bounded, data),
        },
        { name: `${unit}, bfloat16`, compute: () => gemm(narrowA, narrowB, { unit, out: 'float32' }) },
      ]
    })
    return {
      reference: Float64Array.from(matmul(wideA, wideB).toNumbers()),
      ways: [...ways, ...onUnits, ...between],
    }
  },
}

function boundOf({
  precision = 'default',
  split = 'truncate',
}: GemmOptions): Pick<GemmOptions, 'precision' | 'split'> {
  return { precision, split }
}

function largest(x: Tensor): number {
  return x.toNumbers().reduce((most, y) => Math.max(most, y), 0)
}
