import { key, normal } from 'tpu-toolkit/random'
import { tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { additionsOf } from '../../lab/sections/sums/additionsOf.js'
import { isThere, shownOrders, sumInOrder } from '../../lab/sections/sums/orders.js'
import { height, placesOf, width } from '../../lab/sections/sums/placesOf.js'

const numbers = (count: number, dtype: 'bfloat16' | 'float16'): number[] => [
  ...tensor(
    Array.from(normal(key(3), count), (x) => 1 + x / 4),
    { dtype },
  ).toNumbers(),
]

describe('the additions of a sum over machines', () => {
  it.each(shownOrders)('%s: end with the bits of allReduce, for every number of machines', (order) => {
    for (let count = 2; count <= 64; count++) {
      const values = numbers(count, 'bfloat16')
      const additions = additionsOf(values, order, 'bfloat16')
      expect(additions).toHaveLength(count - 1)
      expect([count, additions.at(-1)!.sum]).toEqual([
        count,
        sumInOrder(values, order, 'bfloat16', 'bfloat16').item(),
      ])
      // Every machine's number is added once.
      const sent = additions.map(({ from }) => from)
      expect(new Set(sent).size).toBe(count - 1)
    }
  })

  it('are in a wider accumulator those of allReduce, which NCCL does not have', () => {
    for (const order of ['ring', 'tree', 'all-to-all'] as const) {
      const values = numbers(48, 'float16')
      const { sum } = additionsOf(values, order, 'float32').at(-1)!
      expect(tensor(sum, { dtype: 'float16' }).item()).toBe(
        sumInOrder(values, order, 'float16', 'float32').item(),
      )
    }
    expect(shownOrders.filter((order) => isThere(order, 'float16', 'float32'))).toEqual([
      'ring',
      'tree',
      'all-to-all',
    ])
    expect(shownOrders.filter((order) => isThere(order, 'float8_e5m2', 'float8_e5m2'))).toHaveLength(3)
  })

  it.each(shownOrders)('%s: are drawn within the picture, every machine in a place of its own', (order) => {
    for (const count of [2, 3, 7, 32, 64]) {
      const additions = additionsOf(numbers(count, 'bfloat16'), order, 'bfloat16')
      const { machines, additions: drawn, radius } = placesOf(order, count, additions)
      expect(new Set(machines.map(({ x, y }) => `${x.toFixed(3)} ${y.toFixed(3)}`)).size).toBe(count)
      for (const { x, y } of [...machines, ...drawn.flatMap(({ own, from, to }) => [own, from, to])]) {
        expect(x - radius).toBeGreaterThanOrEqual(0)
        expect(x + radius).toBeLessThanOrEqual(width)
        expect(y - radius).toBeGreaterThanOrEqual(0)
        expect(y + radius).toBeLessThanOrEqual(height)
      }
    }
  })
})
