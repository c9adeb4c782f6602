import { Console } from 'node:console'
import { PassThrough } from 'node:stream'
import { inspect } from 'node:util'
import { dtypes, tensor, zeros } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const x = tensor(
  [
    [1, 257],
    [-0, Number.NaN],
  ],
  { dtype: 'bfloat16' },
)

/** What a failed expectation says and hands on to be compared line by line. */
function failure(actual: unknown, expected: unknown): string {
  try {
    expect(actual).toEqual(expected)
  } catch (error) {
    const { message, actual: left, expected: right } = error as Error & { actual: unknown; expected: unknown }
    return [message, left, right].map((part) => (typeof part === 'string' ? part : inspect(part))).join('\n')
  }
  return 'equal'
}

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
    const said = failure(tensor([1, 2], { dtype: 'bfloat16' }), tensor([1, 3], { dtype: 'bfloat16' }))
    expect(said).toContain('bfloat16')
    expect(said).not.toContain('16448')
    expect(failure(tensor([1]), tensor([1]))).toBe('equal')
    expect(failure(tensor([0]), tensor([-0]))).not.toBe('equal')
    expect(failure(tensor([1]), tensor([1], { dtype: 'float64' }))).not.toBe('equal')
  })

  it.each(dtypes)(
    'of %s, with an axis, 0-d and empty, shows values and never the codes in `data`',
    (dtype) => {
      // Both are numbers of every dtype; their codes are others, but for int32 and uint32.
      const bool = dtype === 'bool'
      const narrow = bool || dtype === 'int2'
      const [one, two] = bool ? [true, true] : [1, narrow ? 1 : 2]
      const vector = tensor([1, narrow ? 1 : 2], { dtype })
      const point = tensor(narrow ? 1 : 2, { dtype })
      const empty = zeros([2, 0], { dtype })
      const shown = [
        [vector, `${dtype} [2]\n[${String(one)}, ${String(two)}]`, { dtype, shape: [2], values: [one, two] }],
        [point, `${dtype} [] ${String(two)}`, { dtype, shape: [], values: two }],
        [empty, `${dtype} [2, 0] (empty)`, { dtype, shape: [2, 0], values: [[], []] }],
      ] as const
      for (const [x, text, json] of shown) {
        const written = new PassThrough()
        new Console(written).log(x)
        expect(String(written.read())).toBe(`${text}\n`)
        expect(JSON.parse(JSON.stringify(x))).toEqual(json)
        const said = failure(x, tensor(3, { dtype: 'float64' }))
        expect(said).toContain(text)
        expect(said).not.toContain('Array')
      }
    },
  )
})
