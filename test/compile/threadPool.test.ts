import { expect, it } from 'vitest'
import { ThreadPool } from '../../src/tensors/compile/engine/threadPool.js'

it('run ends after every part has run, also where one of them throws: no part is left for the next step', () => {
  const pool = new ThreadPool({}, 1)
  const ran: number[] = []
  const failing = (place: number): boolean => {
    ran.push(place)
    if (place === 10) throw new Error('a trap')
    return false
  }
  expect(() => pool.run([10, 20, 30], failing)).toThrow('a trap')
  expect(ran).toEqual([10, 20, 30])
  expect(pool.run([40, 50], (place) => place === 50)).toBe(true)
})
