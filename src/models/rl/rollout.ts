import { sizeOf, type Tensor, tensor } from '../../tensors/tensor/index.js'
import type { VectorEnvironment, VectorState } from '../env/index.js'

/** What was recorded of some steps of several environments: rows in order of time, in each the environments. */
export interface Rollout {
  readonly steps: number
  readonly environments: number
  /** As the network was shown them. */
  readonly observations: Float32Array
  readonly actions: Int32Array
  readonly logProbs: Float32Array
  readonly rewards: Float32Array
  readonly values: Float32Array
  /** Of the state that each step really led to. */
  readonly nextValues: Float32Array
  readonly terminated: Uint8Array
  readonly truncated: Uint8Array
}

/** An episode that ended. */
export interface Finished {
  /** The undiscounted sum of its rewards. */
  readonly return: number
  /** Steps of the rollout, of all environments, when it did. */
  readonly step: number
}

/** What a policy says of observations [n, ...]: scores to draw by, log-probabilities, values, all float32. */
export type Said = (observations: Tensor) => {
  readonly logits: Tensor
  readonly logProbs: Tensor
  readonly values: Tensor
}

/** Where a rollout begins and ends. */
export interface RolloutState<S> {
  readonly vector: VectorState<S>
  /** Rewards of the running episodes so far. */
  readonly running: readonly number[]
}

/**
 * Steps of a policy in environments that reset in the same step. Action k of a row is the first greatest of logits + draws.
 * Values of states where episodes were cut off are asked for together at the end, with those of the last states.
 */
export function collect<S>(
  envs: VectorEnvironment<S>,
  said: Said,
  { vector, running }: RolloutState<S>,
  { steps, draws, shown }: { steps: number; draws: Float32Array; shown: (x: Float32Array) => Float32Array },
): { rollout: Rollout; finished: Finished[]; after: RolloutState<S> } {
  const n = envs.count
  const { actions: choices, observationShape } = envs.env
  const size = sizeOf(observationShape)
  const ask = (observed: Float32Array): ReturnType<Said> =>
    said(tensor(observed, { shape: [observed.length / size, ...observationShape] }))
  const rollout = emptyRollout(steps, n, size)
  const finished: Finished[] = []
  const cut: { row: number; state: S }[] = []
  const sums = [...running]
  let state = vector
  for (let t = 0; t < steps; t++) {
    const observed = shown(envs.observe(state.states))
    const { logits, logProbs, values } = ask(observed)
    const actions = greatest(logits.toNumbers(), draws.subarray(t * n * choices), n, choices)
    const next = envs.step(state, actions)
    rollout.observations.set(observed, t * n * size)
    rollout.actions.set(actions, t * n)
    rollout.values.set(values.toNumbers(), t * n)
    rollout.rewards.set(next.rewards, t * n)
    rollout.terminated.set(next.terminated, t * n)
    rollout.truncated.set(next.truncated, t * n)
    const logs = logProbs.toNumbers()
    for (let i = 0; i < n; i++) {
      rollout.logProbs[t * n + i] = logs[i * choices + actions[i]!]!
      sums[i]! += next.rewards[i]!
      if (next.truncated[i] === 1) cut.push({ row: t * n + i, state: next.reached[i]! })
      if (next.truncated[i] === 1 || next.terminated[i] === 1) {
        finished.push({ return: sums[i]!, step: (t + 1) * n })
        sums[i] = 0
      }
    }
    state = next.state
  }
  const last = ask(shown(envs.observe(state.states))).values.toNumbers()
  rollout.nextValues.set(rollout.values.subarray(n))
  rollout.nextValues.set(last, (steps - 1) * n)
  // What comes after the end of an episode is worth nothing: not what the next one begins with is.
  for (const [row, over] of rollout.terminated.entries()) if (over === 1) rollout.nextValues[row] = 0
  // In groups of as many as there are environments, so that one program does: rows do not see each other.
  for (let from = 0; from < cut.length; from += n) {
    const group = cut.slice(from, from + n)
    const states = Array.from({ length: n }, (_, i) => (group[i] ?? group[0]!).state)
    const values = ask(shown(envs.observe(states))).values.toNumbers()
    for (const [i, { row }] of group.entries()) rollout.nextValues[row] = values[i]!
  }
  return { rollout, finished, after: { vector: state, running: sums } }
}

function emptyRollout(steps: number, environments: number, size: number): Rollout {
  const rows = steps * environments
  const column = (): Float32Array => new Float32Array(rows)
  return {
    steps,
    environments,
    observations: new Float32Array(rows * size),
    actions: new Int32Array(rows),
    logProbs: column(),
    rewards: column(),
    values: column(),
    nextValues: column(),
    terminated: new Uint8Array(rows),
    truncated: new Uint8Array(rows),
  }
}

/** For each row the first place of the greatest logit + draw, added in float32. */
function greatest(logits: Float64Array, draws: Float32Array, rows: number, width: number): Int32Array {
  const chosen = new Int32Array(rows)
  for (let i = 0; i < rows; i++) {
    let best = -Infinity
    for (let k = 0; k < width; k++) {
      const score = Math.fround(logits[i * width + k]! + draws[i * width + k]!)
      if (score > best) {
        best = score
        chosen[i] = k
      }
    }
  }
  return chosen
}
