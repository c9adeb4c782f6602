import { cartPole, vectorEnv } from 'tpu-toolkit/env'
import { key } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'

const left = [0, 0, 0]

describe('vectorEnv', () => {
  it('same-step: the step that ends an episode gives the next one’s first state, and the last state beside it', () => {
    const vector = vectorEnv(cartPole(), { count: 3 })
    let state = vector.reset(key(5))
    for (let t = 0; t < 30; t++) {
      const next = vector.step(state, left)
      for (const i of left.keys()) {
        const over = next.terminated[i] === 1
        expect(next.state.states[i]!.steps).toBe(over ? 0 : state.states[i]!.steps + 1)
        expect(next.reached[i]!.steps).toBe(state.states[i]!.steps + 1)
        expect(Math.abs(next.reached[i]!.theta) > (12 * 2 * Math.PI) / 360).toBe(over)
      }
      state = next.state
    }
    expect(state.episodes.every((episodes) => episodes > 2)).toBe(true)
  })

  it('next-step: the step after an end ignores its action, gives reward 0 and the first state', () => {
    const vector = vectorEnv(cartPole(), { count: 3, autoreset: 'next-step' })
    let state = vector.reset(key(5))
    let resets = 0
    for (let t = 0; t < 30; t++) {
      const next = vector.step(state, left)
      for (const i of left.keys()) {
        if (!state.waiting[i]) continue
        resets++
        expect(next.rewards[i]).toBe(0)
        expect(next.ignored[i]).toBe(1)
        expect(next.state.states[i]!.steps).toBe(0)
      }
      state = next.state
    }
    expect(resets).toBeGreaterThan(5)
  })

  it('disabled: a step after the end is refused', () => {
    const vector = vectorEnv(cartPole(), { count: 3, autoreset: 'disabled' })
    let state = vector.reset(key(5))
    expect(() => {
      for (let t = 0; t < 30; t++) state = vector.step(state, left).state
    }).toThrow('the episode is over')
  })

  it('an environment’s episodes do not depend on how many others there are', () => {
    const [few, many] = [1, 4].map((count) => vectorEnv(cartPole(), { count }))
    let [a, b] = [few!.reset(key(9)), many!.reset(key(9))]
    for (let t = 0; t < 40; t++) {
      a = few!.step(a, [t % 2]).state
      b = many!.step(b, [t % 2, 0, 1, 0]).state
      expect(b.states[0]).toEqual(a.states[0])
    }
  })

  it('a state written as JSON goes on with the same bits', () => {
    const vector = vectorEnv(cartPole(), { count: 2 })
    let state = vector.reset(key(1))
    for (let t = 0; t < 15; t++) state = vector.step(state, [1, 0]).state
    const again = JSON.parse(JSON.stringify(state))
    expect(vector.step(again, [0, 0])).toEqual(vector.step(state, [0, 0]))
  })

  it('refuses actions of another number', () => {
    const vector = vectorEnv(cartPole(), { count: 2 })
    expect(() => vector.step(vector.reset(key(1)), [0])).toThrow(
      'not an action for each environment [1 of 2]',
    )
  })
})
