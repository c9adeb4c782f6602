import { blockSchemes, quantizationWays, quantize } from 'tpu-toolkit/blocks'
import { key, normal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'

describe('quantize(x, name)', () => {
  const x = normal(key(1), [3, 64])
  it.each(Object.entries(blockSchemes))('quantize(x, %s) is the scheme of that name', (name, options) => {
    expect(quantize(x, name as keyof typeof blockSchemes)).toEqual(quantize(x, options))
    expect(quantizationWays.some(({ scheme }) => scheme === name)).toBe(true)
  })
  it('quantize(x, unknown) names the nearest', () => {
    expect(() => quantize(x, 'mxfp_4' as 'mxfp4')).toThrow(
      new RangeError('quantize: unknown scheme, did you mean mxfp4 [mxfp_4]'),
    )
  })
})
