import { inspect } from 'node:util'
import { tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const x = tensor(
  [
    [1, 257],
    [-0, Number.NaN],
  ],
  { dtype: 'bfloat16' },
)

describe('a tensor', () => {
  it('inspected (console.log, a notebook) is its dtype, shape and values, not codes', () => {
    expect(inspect(x)).toBe(x.toString())
    expect(inspect({ x })).toContain(x.toString().split('\n')[0])
    expect(inspect(x)).toContain('bfloat16')
    expect(inspect(x)).toContain('256')
    expect(inspect(x)).not.toContain('17280')
  })

  it('as JSON is its dtype, shape and values, words where JSON has no number', () => {
    expect(JSON.parse(JSON.stringify(x))).toEqual({
      dtype: 'bfloat16',
      shape: [2, 2],
      values: [
        [1, 256],
        ['-0', 'NaN'],
      ],
    })
    expect(JSON.stringify(tensor(-Infinity))).toBe('{"dtype":"float32","shape":[],"values":"-Infinity"}')
    expect(JSON.stringify(tensor([true], { dtype: 'bool' }))).toBe(
      '{"dtype":"bool","shape":[1],"values":[true]}',
    )
  })

  it('in a failed expectation shows dtype, shape and values, and equality still compares bits', () => {
    const failure = (actual: unknown, expected: unknown): string => {
      try {
        expect(actual).toEqual(expected)
      } catch (error) {
        const {
          message,
          actual: left,
          expected: right,
        } = error as Error & { actual: unknown; expected: unknown }
        return [message, left, right]
          .map((part) => (typeof part === 'string' ? part : inspect(part)))
          .join('\n')
      }
      return 'equal'
    }
    const said = failure(tensor([1, 2], { dtype: 'bfloat16' }), tensor([1, 3], { dtype: 'bfloat16' }))
    expect(said).toContain('bfloat16')
    expect(said).not.toContain('16448')
    expect(failure(tensor([1]), tensor([1]))).toBe('equal')
    expect(failure(tensor([0]), tensor([-0]))).not.toBe('equal')
    expect(failure(tensor([1]), tensor([1], { dtype: 'float64' }))).not.toBe('equal')
  })
})
