import { naiveMatmul, stableMatmul } from 'tpu-toolkit/numerics'
import { cast, matmul, ones, reshape, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { driftInput, hexOf } from '../support/reductionKeys.js'

describe('stableMatmul and naiveMatmul', () => {
  const a = reshape(driftInput('uniform', 512), [8, 64])
  const b = reshape(driftInput('softplus_normal', 512), [64, 8])

  it('are matmul in float32 and in the own dtype', () => {
    expect(hexOf(stableMatmul(a, b))).toBe(hexOf(matmul(a, b, { accumulate: 'float32' })))
    expect(hexOf(naiveMatmul(a, b))).toBe(hexOf(matmul(a, b, { accumulate: 'bfloat16' })))
    expect(hexOf(naiveMatmul(a, b))).not.toBe(hexOf(stableMatmul(a, b)))
  })

  it('ones of 1,000 count to 1,000 or stop at 256', () => {
    const row = ones([1000], { dtype: 'bfloat16' })
    expect(stableMatmul(row, row).item()).toBe(1000)
    expect(naiveMatmul(row, row).item()).toBe(256)
  })

  it('stableMatmul(a, b, { dtype }) keeps the float32 sums, or rounds them once to another dtype', () => {
    const wide = stableMatmul(a, b, { dtype: 'float32' })
    expect(wide.toBits()).toEqual(matmul(cast(a, 'float32'), cast(b, 'float32')).toBits())
    expect(hexOf(cast(wide, 'bfloat16'))).toBe(hexOf(stableMatmul(a, b)))
    expect(hexOf(stableMatmul(a, b, { dtype: 'float16' }))).toBe(hexOf(cast(wide, 'float16')))
  })

  it('float64 adds in float64', () => {
    const x = tensor([1, 2 ** -40], { dtype: 'float64' })
    expect(stableMatmul(x, tensor([1, 1], { dtype: 'float64' })).item()).toBe(1 + 2 ** -40)
  })

  it('refuse mixed dtypes, integers and shapes that do not meet', () => {
    expect(() => stableMatmul(a, cast(b, 'float32') as never, { dtype: 'float32' })).toThrow(
      new TypeError('stableMatmul: dtypes differ, cast one of them [bfloat16 and float32]'),
    )
    expect(() => naiveMatmul(cast(a, 'int32'), cast(b, 'int32'))).toThrow(
      new TypeError('naiveMatmul: needs a floating-point dtype, cast first [int32]'),
    )
    expect(() => stableMatmul(a, a)).toThrow(RangeError)
  })
})
