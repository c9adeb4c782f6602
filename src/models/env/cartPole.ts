import {
  checkInteger,
  checkOptions,
  checkRecord,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { type Key, uniform } from '../../tensors/random/index.js'
import { checkAction } from './checkAction.js'
import type { Environment } from './environment.js'

/** A cart with a pole: position, angle from upright (radians), their velocities, and the steps since the start. */
export interface CartPoleState {
  readonly x: number
  readonly xDot: number
  readonly theta: number
  readonly thetaDot: number
  readonly steps: number
}

/** Options of `cartPole`. */
export interface CartPoleOptions {
  /** Steps after which an episode is cut off. Default 500, as CartPole-v1; CartPole-v0 has 200. */
  readonly maxSteps?: number
}

const cartPoleNames: OptionTable<CartPoleOptions> = { maxSteps: 'optional' }

const gravity = 9.8
const [massCart, massPole, halfLength] = [1, 0.1, 0.5]
const totalMass = massCart + massPole
const poleMoment = massPole * halfLength
const [force, seconds] = [10, 0.02]
const farthest = 2.4
const steepest = (12 * 2 * Math.PI) / 360

/**
 * gymnasium's CartPole: action 0 pushes to the left, 1 to the right; reward 1 in every step, the last too. Over where the cart
 * is farther than 2.4 from the middle or the pole steeper than 12 degrees.
 *
 * Shape     observations [4]: x, xDot, theta, thetaDot.
 * Dtype     states are float64, observations float32, as gymnasium's.
 * Rounding  explicit Euler with the old velocities, in gymnasium's order of operations; an observation once.
 * Error     sin and cos come from Math, whose last bit engines may choose. The pole is unstable: an error in theta grows about
 *           45-fold in 50 steps, so a run repeats to the bit on one engine, and states, not actions, carry one to another.
 * Throws    RangeError for actions other than 0 and 1, and where the episode is over.
 * Source    gymnasium 1.4.0, classic_control/cartpole.py; the start is uniform in +-0.05, drawn here from a key, in float32
 *
 * @example cartPole().step({ x: 0, xDot: 0, theta: 0, thetaDot: 0, steps: 0 }, 1).state.xDot // 0.1951219512195122
 */
export function cartPole(options: CartPoleOptions = noOptions): Environment<CartPoleState> {
  checkOptions('cartPole', options, cartPoleNames, { positional: 'maxSteps' })
  const { maxSteps = 500 } = options
  checkInteger('cartPole', 'maxSteps', maxSteps, 1)
  return {
    observationShape: [4],
    actions: 2,
    reset(key: Key) {
      const [x, xDot, theta, thetaDot] = uniform(key, 4, { minval: -0.05, maxval: 0.05 })
      return { x: x!, xDot: xDot!, theta: theta!, thetaDot: thetaDot!, steps: 0 }
    },
    step(state, action) {
      checkRecord('cartPole: step', 'state', state)
      checkAction('cartPole: step', action, 2)
      if (isOver(state) || state.steps >= maxSteps) {
        throw new RangeError(`cartPole: step: the episode is over, reset it [step ${state.steps}]`)
      }
      const next = moved(state, action === 1 ? force : -force)
      const terminated = isOver(next)
      return { state: next, reward: 1, terminated, truncated: !terminated && next.steps >= maxSteps }
    },
    observe: ({ x, xDot, theta, thetaDot }) => Float32Array.of(x, xDot, theta, thetaDot),
  }
}

const isOver = ({ x, theta }: CartPoleState): boolean => Math.abs(x) > farthest || Math.abs(theta) > steepest

function moved({ x, xDot, theta, thetaDot, steps }: CartPoleState, push: number): CartPoleState {
  const cos = Math.cos(theta)
  const sin = Math.sin(theta)
  const temp = (push + poleMoment * (thetaDot * thetaDot) * sin) / totalMass
  const thetaAcc =
    (gravity * sin - cos * temp) / (halfLength * (4 / 3 - (massPole * (cos * cos)) / totalMass))
  const xAcc = temp - (poleMoment * thetaAcc * cos) / totalMass
  return {
    x: x + seconds * xDot,
    xDot: xDot + seconds * xAcc,
    theta: theta + seconds * thetaDot,
    thetaDot: thetaDot + seconds * thetaAcc,
    steps: steps + 1,
  }
}
