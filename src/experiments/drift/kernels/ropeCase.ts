import { applyRope, type RopeCache, ropeCache, ropeFrequencies } from '../../../models/kernels/index.js'
import { cast, type FloatDType, type Tensor, tensor } from '../../../tensors/tensor/index.js'
import type { KernelCase, KernelWay } from './kernelRow.js'

const [dim, rows] = [64, 32]

/** A rotary embedding at the last 32 positions. */
export const ropeCase: KernelCase = {
  name: 'rope',
  title: 'Rotary embeddings',
  about:
    'Heads of 64 turned to the last 32 positions, against float64 frequencies, angles and products. Angles are what may not be narrow; the table may; frequencies that are rounded alone are another model.',
  lengthName: 'positions',
  trial: ({ input, length, dtype }) => {
    const count = Math.min(rows, length)
    const positions = Array.from({ length: count }, (_, i) => length - count + i)
    const numbers = input.numbers('x', count, dim)
    const x: Tensor<FloatDType> = cast(tensor(numbers, { shape: [count, dim], dtype: 'float64' }), dtype)
    const exact = ropeCache(ropeFrequencies({ dim, dtype: 'float64' }), positions, { angles: 'float64' })
    const [wide, narrow] = [ropeFrequencies({ dim }), ropeFrequencies({ dim, dtype: 'bfloat16' })]
    const way = (name: string, cache: RopeCache, internal?: FloatDType): KernelWay => ({
      name,
      compute: () => applyRope(x, cache, internal ? { internal } : {}),
    })
    return {
      reference: Float64Array.from(applyRope(cast(x, 'float64'), exact).toNumbers()),
      ways: [
        way(
          'float64 angles',
          ropeCache(ropeFrequencies({ dim, dtype: 'float64' }), positions, { dtype: 'float32' }),
        ),
        way('float32 angles', ropeCache(wide, positions)),
        way('bfloat16 table', ropeCache(wide, positions, { dtype: 'bfloat16' }), 'float32'),
        way('bfloat16 frequencies', ropeCache(narrow, positions, { angles: 'float32' })),
        way('bfloat16 angles', ropeCache(wide, positions, { angles: 'bfloat16' }), 'float32'),
      ],
    }
  },
}
