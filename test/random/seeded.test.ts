import { seeded } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'

describe('seeded', () => {
  it("seeded('hello.') gives the numbers of seedrandom's documentation", () => {
    const stream = seeded('hello.')
    expect(stream()).toBe(0.9282578795792454)
    expect(stream()).toBe(0.3752569768646784)
  })

  it('seeded streams of one text agree and share no state', () => {
    const a = seeded('a')
    const first = [a(), a(), a()]
    const b = seeded('a')
    expect([b(), seeded('other')(), b(), b()].filter((_, i) => i !== 1)).toEqual(first)
    expect(seeded('')()).toBe(seeded('')())
  })

  it('seeded leaves Math.random alone', () => {
    const before = Math.random
    seeded('x')()
    expect(Math.random).toBe(before)
  })

  it('seeded has double, int32 and quick', () => {
    const stream = seeded('hello.')
    expect(stream.double()).toBeLessThan(1)
    expect(Number.isInteger(stream.int32())).toBe(true)
    expect(stream.quick()).toBeGreaterThanOrEqual(0)
  })

  it.each([undefined, null, 3])('seeded(%s) throws', (text) => {
    expect(() => seeded(text as never)).toThrow(
      new TypeError(`seeded: text is not a string [${String(text)}]`),
    )
  })
})
