import { expect, it } from 'vitest'

const numbers = (): number[] => Array.from({ length: 100 }, (_, i) => i)
const changed = (at: number, value: unknown): unknown[] =>
  numbers().map((item, i): unknown => (i === at ? value : item))

it('long arrays are equal where every element is, 0 and -0 apart', () => {
  expect(numbers()).toEqual(numbers())
  expect(changed(3, Number.NaN)).toEqual(changed(3, Number.NaN))
  expect(changed(3, 'a')).toEqual(changed(3, 'a'))
  expect(changed(0, -0)).not.toEqual(numbers())
  expect(changed(99, 0)).not.toEqual(numbers())
  expect(numbers().slice(1)).not.toEqual(numbers())
  expect(Object.assign(numbers(), { index: 1 })).not.toEqual(numbers())
})

it('what stands in long arrays beside numbers and texts is compared as ever', () => {
  expect(changed(5, { a: 1 })).toEqual(changed(5, { a: 1 }))
  expect(changed(5, { a: 1 })).not.toEqual(changed(5, { a: 2 }))
  expect(changed(5, undefined)).toEqual(changed(5, undefined))
  const sparse = numbers()
  delete sparse[5]
  expect(sparse).not.toStrictEqual(changed(5, undefined))
})

it('typed arrays are equal where their bytes are', () => {
  expect(Float32Array.of(1, Number.NaN)).toEqual(Float32Array.of(1, Number.NaN))
  expect(Float32Array.of(0)).not.toEqual(Float32Array.of(-0))
  expect(Float32Array.of(1)).not.toEqual(Float64Array.of(1))
})
