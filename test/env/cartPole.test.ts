import { cartPole } from 'tpu-toolkit/env'
import { key } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'

interface Case {
  readonly name: string
  readonly steps: number
  readonly terminated: boolean
  readonly truncated: boolean
}

const keys = new Columns('rl/cartpole')
const cases = keys.facts['cases'] as readonly Case[]
const env = cartPole()

function recorded(name: string) {
  const numbers = new Float64Array(BigUint64Array.from(keys.u64(`${name}_states`)).buffer)
  return (t: number) => ({
    x: numbers[4 * t]!,
    xDot: numbers[4 * t + 1]!,
    theta: numbers[4 * t + 2]!,
    thetaDot: numbers[4 * t + 3]!,
    steps: t,
  })
}

const apart = (a: object, b: object): number =>
  Math.max(...Object.values(a).map((value, i) => Math.abs(value - Object.values(b)[i])))

describe('cartPole', () => {
  it.each(cases)('$name: a step from each of gymnasium’s states is within 1e-15 of its next', (run) => {
    const at = recorded(run.name)
    const actions = keys.u8(`${run.name}_actions`)
    let worst = 0
    for (let t = 0; t < run.steps; t++) {
      const { state, reward, terminated, truncated } = env.step(at(t), actions[t]!)
      worst = Math.max(worst, apart(state, at(t + 1)))
      const last = t === run.steps - 1
      if (reward !== 1 || terminated !== (last && run.terminated) || truncated !== (last && run.truncated)) {
        expect.fail(`step ${t}: ${reward} ${terminated} ${truncated}`)
      }
    }
    expect(worst).toBeLessThanOrEqual(1e-15)
  })

  it.each(cases)('$name: the run from its start stays within 1e-12 for 100 steps', (run) => {
    const at = recorded(run.name)
    let state = at(0)
    for (const [t, action] of keys.u8(`${run.name}_actions`).subarray(0, 100).entries()) {
      state = env.step(state, action).state
      expect(apart(state, at(t + 1))).toBeLessThanOrEqual(1e-12)
    }
  })

  it.each(cases)('$name: observations are the states rounded to float32, bit for bit', (run) => {
    const at = recorded(run.name)
    const bits = keys.u32(`${run.name}_observations`)
    for (let t = 0; t <= run.steps; t++) {
      expect(new Uint32Array(env.observe(at(t)).buffer)).toEqual(bits.slice(4 * t, 4 * t + 4))
    }
  })

  it('starts within 0.05 of upright, alike for one key and otherwise for another', () => {
    const first = env.reset(key(1))
    expect(first).toEqual(env.reset(key(1)))
    expect(first).not.toEqual(env.reset(key(2)))
    for (const value of [first.x, first.xDot, first.theta, first.thetaDot]) {
      expect(Math.abs(value)).toBeLessThanOrEqual(Math.fround(0.05))
    }
  })

  it('refuses other actions, and a step after the end', () => {
    const state = env.reset(key(1))
    expect(() => env.step(state, 2)).toThrow('the action is not a whole number from 0 to 1 [2]')
    expect(() => env.step(state, 0.5)).toThrow('[0.5]')
    expect(() => env.step({ ...state, theta: 0.3 }, 0)).toThrow('the episode is over, reset it [step 0]')
    expect(() => env.step({ ...state, steps: 500 }, 0)).toThrow('[step 500]')
  })
})
