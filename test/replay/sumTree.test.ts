import { describe, expect, it } from 'vitest'
import { SumTree } from '../../src/replay/sumTree.js'

/** The numbers that the masses lie in. */
function found(
  numbers: readonly number[],
  masses: readonly number[],
  capacity: number = numbers.length,
): number[] {
  const tree = new SumTree(capacity)
  for (const [i, number] of numbers.entries()) tree.set(i, number)
  const places = Float64Array.from(masses)
  tree.find(places)
  return Array.from(places)
}

describe('SumTree', () => {
  // Of 100 numbers one mass goes down three levels, a hundred walk the lowest.
  it.each([1, 100])('gives a mass on the border of two numbers to the later one, %i at a time', (count) => {
    const numbers = Array.from({ length: 100 }, (_, i) => 1 + (i % 3))
    const borders = numbers.map((_, i) => numbers.slice(0, i).reduce((a, b) => a + b, 0))
    for (let from = 0; from < 100; from += count) {
      const asked = borders.slice(from, from + count)
      expect(found(numbers, asked)).toEqual(asked.map((_, i) => from + i))
      expect(
        found(
          numbers,
          asked.map((mass) => mass + 0.5),
        ),
      ).toEqual(asked.map((_, i) => from + i))
    }
  })

  it.each([1, 20])('passes over numbers that are 0, first, last and between, %i at a time', (count) => {
    const numbers = [0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0]
    for (const [mass, place] of [
      [0, 2],
      [0.5, 2],
      [1, 9],
      [3, 9],
    ] as const) {
      expect(
        found(
          numbers,
          Array.from({ length: count }, () => mass),
          600,
        ),
      ).toEqual(Array.from({ length: count }, () => place))
    }
  })

  it('has the sums of what is there now: replaced, filled, and 0 behind it', () => {
    const tree = new SumTree(70)
    for (let i = 0; i < 70; i++) tree.set(i, i)
    tree.set(69, 1)
    expect([tree.total, tree.get(69), tree.get(68)]).toEqual([(68 * 69) / 2 + 1, 1, 68])
    tree.fill(Float64Array.of(2, 3))
    expect([tree.total, tree.get(1), tree.get(69)]).toEqual([5, 3, 0])
    expect(tree.numbers(3)).toEqual(Float64Array.of(2, 3, 0))
    expect(new SumTree(0).total).toBe(0)
  })

  it('refuses numbers that are NaN where it would read them', () => {
    const tree = new SumTree(64)
    tree.set(0, Number.NaN)
    expect(() => tree.find(Float64Array.of(0))).toThrow('SumTree: a number is NaN [NaN]')
  })
})
