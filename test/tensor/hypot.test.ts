import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { grad } from 'tpu-toolkit/autodiff'
import { type FormatName, format } from 'tpu-toolkit/formats'
import { fromBits, hypot, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'

const address = new URL('../golden/functions/hypot_pairs.json', import.meta.url)
const { sha256 }: { sha256: Readonly<Record<string, string>> } = JSON.parse(readFileSync(address, 'utf8'))
const names = Object.keys(sha256).filter(
  (name): name is Exclude<FormatName, 'bfloat16' | 'float16'> => format(name as FormatName).bits <= 8,
)
const narrow = new Columns('functions/hypot_narrow')

describe('hypot', () => {
  it.each(names)(
    'hypot of all pairs of %s codes is the root of the exact sum of squares, rounded once',
    (dtype) => {
      const count = 2 ** format(dtype).bits
      const codes = Uint8Array.from({ length: count }, (_, code) => code)
      const [column, row] = [fromBits(codes, { dtype, shape: [count, 1] }), fromBits(codes, { dtype })]
      const hash = (x: Tensor): string =>
        createHash('sha256')
          .update(x.data as Uint8Array)
          .digest('hex')
      // The first rows go code by code, all of them through the table when it is made.
      expect(hash(hypot(column, row))).toBe(sha256[dtype])
      expect(hash(hypot(column, row))).toBe(sha256[dtype])
    },
  )

  it.each(['bfloat16', 'float16'] as const)('hypot of %s is rounded once', (dtype) => {
    const [a, b] = [
      fromBits(narrow.u16(`${dtype} a`), { dtype }),
      fromBits(narrow.u16(`${dtype} b`), { dtype }),
    ]
    const expected = fromBits(narrow.u16(dtype), { dtype }).toNumbers()
    const actual = hypot(a, b).toNumbers()
    const wrong = [...actual.keys()].filter((i) => !Object.is(actual[i], expected[i]))
    expect(wrong.map((i) => [a.toNumbers()[i], b.toNumbers()[i], actual[i], expected[i]])).toEqual([])
  })

  it('an infinity beats a NaN, as in C', () => {
    for (const dtype of ['bfloat16', 'float32', 'float64'] as const) {
      const x = tensor([Infinity, Number.NaN, Number.NaN, -Infinity], { dtype })
      expect(hypot(x, tensor([Number.NaN, -Infinity, 1, 0], { dtype })).toNested()).toEqual([
        Infinity,
        Infinity,
        Number.NaN,
        Infinity,
      ])
    }
  })

  it('nothing overflows or underflows inside', () => {
    expect(
      hypot(
        tensor([3 * 2 ** 600, 3 * 2 ** -600], { dtype: 'float64' }),
        tensor([2 ** 602, 2 ** -598], { dtype: 'float64' }),
      ).toNested(),
    ).toEqual([5 * 2 ** 600, 5 * 2 ** -600])
    expect(hypot(tensor([3 * 2 ** 120, 3 * 2 ** -149]), tensor([2 ** 122, 2 ** -147])).toNested()).toEqual([
      5 * 2 ** 120,
      5 * 2 ** -149,
    ])
  })

  it('hypot(0, 0) has the gradient that JAX gives it, half for each, and a second one of 0', () => {
    const at = (x: Tensor): Tensor => sum(hypot(x, tensor([0, 4], { dtype: 'float64' })))
    const x = tensor([0, 3], { dtype: 'float64' })
    expect(grad(at)(x).toNested()).toEqual([0.5, 0.6])
    const second = grad((y: Tensor) => sum(grad(at)(y)))(x).toNumbers()
    expect([second[0], Math.abs(second[1]! - 0.128) < 2 ** -52]).toEqual([0, true])
  })

  it('hypot refuses integers', () => {
    const x = tensor([3], { dtype: 'int32' })
    expect(() => hypot(x, 4)).toThrow(
      new TypeError('hypot: needs a floating-point dtype, cast first [int32]'),
    )
  })
})
