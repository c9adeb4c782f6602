import { cartPole } from 'tpu-toolkit/env'
import { stateToTree } from 'tpu-toolkit/optimizer'
import { foldIn, key, normal } from 'tpu-toolkit/random'
import { ReplayBuffer } from 'tpu-toolkit/replay'
import { type PpoState, ppo, ppoUpdate, presets, type Rollout, towers } from 'tpu-toolkit/rl'
import { type Tensor, tensor } from 'tpu-toolkit/tensor'
import { leavesOf, type Tree } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'

const network = towers({ inputs: 4, actions: 2, hidden: [8] })
const settings = { ...presets['zoo-cartpole'], epochs: 2 }
const small = () => ppo({ environment: cartPole(), network, settings, steps: 1024 })

/** Everything of a state as text, tensors by their bits. */
const written = (state: PpoState): string =>
  JSON.stringify({
    ...state,
    point: leavesOf(stateToTree(state.point as never) as Tree).map((leaf) => [...leaf.toBits()].map(String)),
  })

const minibatch = (n: number) => {
  const column = (i: number): Tensor => tensor(normal(foldIn(key(7), i), n))
  return {
    observations: tensor(normal(foldIn(key(7), 9), 4 * n), { shape: [n, 4] }),
    actions: tensor(
      Int32Array.from({ length: n }, (_, i) => i % 2),
      { dtype: 'int32' },
    ),
    logProbs: tensor(new Float32Array(n).fill(-0.7)),
    advantages: column(1),
    values: column(2),
    returns: column(3),
  }
}

describe('ppo', () => {
  it('the same key gives the same bits, another key others', () => {
    const run = small()
    const end = (seed: number) => {
      let state = run.init(key(seed))
      while (state.update < run.updates) state = run.update(state)[0]
      return written(state)
    }
    expect(run.updates).toBe(4)
    expect(end(1)).toBe(end(1))
    expect(end(1)).not.toBe(end(2))
  })

  it('narrows the clip with a linear clipSchedule alone', () => {
    const run = (clip: number, clipSchedule: 'constant' | 'linear') =>
      ppo({ environment: cartPole(), network, settings: { ...settings, clip, clipSchedule }, steps: 1024 })
    const clip = 1e-3
    const [state] = run(clip, 'linear').update(run(clip, 'linear').init(key(5)))
    const updated = (of: ReturnType<typeof run>) => written(of.update(state)[0])
    // The second of four updates.
    expect(updated(run(clip, 'linear'))).toBe(updated(run(0.75 * clip, 'constant')))
    expect(updated(run(clip, 'linear'))).not.toBe(updated(run(clip, 'constant')))
  })

  it('in the first minibatch of every update all ratios are exactly 1: one program says both', () => {
    const run = small()
    let state = run.init(key(3))
    for (let i = 0; i < 4; i++) {
      const [next, progress] = run.update(state)
      expect(progress.exactlyOneAtFirst).toBe(1)
      expect(progress.steps).toBe(256 * (i + 1))
      state = next
    }
    expect(() => run.update(state)).toThrow('the update is not a whole number from 0 to 3 [4]')
  })

  it('log-probabilities rounded to bfloat16 in both places are alike too; a rollout in bfloat16 is a mismatch', () => {
    const one = (options: object) => {
      const run = ppo({ environment: cartPole(), network, settings, steps: 256, ...options })
      return run.update(run.init(key(3)))[1].exactlyOneAtFirst
    }
    expect(one({ precision: { logProbs: 'bfloat16' } })).toBe(1)
    expect(one({ precision: { loss: 'bfloat16' } })).toBe(1)
    const narrow = towers({ inputs: 4, actions: 2, hidden: [8], policy: { compute: 'bfloat16' } })
    expect(one({ network: narrow })).toBe(1)
    expect(one({ rolloutNetwork: narrow })).toBeLessThan(0.1)
  })

  it('shows every rollout, whose next values follow on its values but where episodes ended', () => {
    let seen = 0
    const run = ppo({
      environment: cartPole({ maxSteps: 12 }),
      network,
      settings,
      steps: 256,
      onRollout: ({ values, nextValues, terminated, truncated, environments }) => {
        for (let row = 0; row < values.length - environments; row++) {
          const over = terminated[row] === 1 || truncated[row] === 1
          expect(nextValues[row] === values[row + environments]).toBe(!over)
          seen += truncated[row]!
        }
      },
    })
    run.update(run.init(key(0)))
    expect(seen).toBeGreaterThan(3)
  })

  it('shows rollouts that a replay buffer takes as they are: rows by environment, which sequences follow', () => {
    const kept = new ReplayBuffer({
      ...{ capacity: 512, environments: settings.environments, prefetch: 'in-process' },
      spec: {
        observations: { shape: [4] },
        ...{ actions: { dtype: 'int32' }, rewards: {}, values: {}, nextValues: {}, logProbs: {} },
      },
    })
    const rollouts: Rollout[] = []
    const run = ppo({
      ...{ environment: cartPole({ maxSteps: 12 }), network, settings, steps: 768 },
      onRollout: (rollout) => {
        const { steps: _, environments: __, ...rows } = rollout
        kept.addBatch(rows)
        rollouts.push(rollout)
      },
    })
    let state = run.init(key(4))
    while (state.update < run.updates) state = run.update(state)[0]
    // The last two of three rollouts of 256 rows, every column to the bit.
    expect([kept.added, kept.oldest]).toEqual([768, 256])
    for (const [i, from] of [256, 512].entries()) {
      const rows = kept.gather(Array.from({ length: 256 }, (_, row) => from + row))
      for (const [name, column] of Object.entries(rollouts[1 + i]!)) {
        if (typeof column !== 'number') expect(Reflect.get(rows, name), name).toEqual(column)
      }
    }
    // Within an episode the next state's value is that of the next row, where no update lies between them.
    const { values, nextValues, indices } = kept.sampleSequences(50, { length: 4 })
    const updateOf = (i: number): number => Math.floor(indices[i]! / 256)
    const pairs = [...values.keys()].flatMap((i) => (i % 4 < 3 && updateOf(i) === updateOf(i + 1) ? [i] : []))
    expect(pairs.length).toBeGreaterThan(100)
    for (const i of pairs) expect(nextValues[i]).toBe(values[i + 1])
  })

  it('acts by the greatest logit', () => {
    const run = small()
    const state = run.init(key(0))
    expect([0, 1]).toContain(run.act(state.point.params, Float32Array.of(0, 0, 0.1, 0))[0])
  })

  it('refuses settings that are none', () => {
    const start = (wrong: object) => () =>
      ppo({ environment: cartPole(), network, settings, steps: 10, ...wrong })
    expect(start({ settings: { ...settings, epochs: 0 } })).toThrow(
      'epochs is not a whole number, 1 or more [0]',
    )
    expect(start({ network: {} })).toThrow('the network has no init')
    expect(start({ precision: { loss: 'bf16' } })).toThrow(TypeError)
    expect(start({ stepz: 3 })).toThrow('did you mean steps')
  })
})

describe('ppoUpdate', () => {
  const params = network.init(key(0))
  const flat = (tree: unknown) => leavesOf(tree as Tree).flatMap((leaf) => [...leaf.toNumbers()])

  it.each([
    { microBatch: 32, why: 'parts of one size' },
    { microBatch: 24, why: 'a last part of 16' },
  ])('micro-batches of $microBatch, $why, come to the step of the whole minibatch', ({ microBatch }) => {
    const rows = minibatch(64)
    const [whole, part] = [{}, { microBatch }].map((options) => {
      const update = ppoUpdate(network, { ...options, learningRate: 0.1, normalize: 'n-1', eps: 1 })
      return update.step(update.init(params), rows)
    })
    const [a, b] = [flat(whole![0].params), flat(part![0].params)]
    // eps 1 makes the step nearly the gradient; sums of 64 float32 terms in another order.
    expect(Math.max(...a.map((x, i) => Math.abs(x - b[i]!)))).toBeLessThanOrEqual(64 * 2 ** -24)
    expect(Math.abs(whole![1].loss - part![1].loss)).toBeLessThanOrEqual(64 * 2 ** -24)
  })

  it('adds micro-batches up in the dtype that is said: in bfloat16 every addition rounds to 8 bits', () => {
    const rows = minibatch(64)
    const steps = [{}, { precision: { gradients: 'bfloat16' } }].map((options) => {
      const update = ppoUpdate(network, { microBatch: 8, learningRate: 0.1, eps: 1, ...options } as object)
      return flat(update.step(update.init(params), rows)[0].params)
    })
    const start = flat(params)
    const [wide, narrow] = steps.map((step) => step.map((x, i) => x - start[i]!))
    const largest = Math.max(...wide!.map(Math.abs))
    const off = Math.max(...narrow!.map((x, i) => Math.abs(x - wide![i]!)))
    // Eight roundings of parts and seven of sums, none of more than 2^-8 of a partial sum, of which none is above 8 times the largest.
    expect(off).toBeGreaterThan(2 ** -16 * largest)
    expect(off).toBeLessThan(15 * 2 ** -8 * 8 * largest)
  })

  it('with a loss scale leaves out a step whose gradients are not finite, and halves the scale', () => {
    const update = ppoUpdate(network, { lossScale: { initScale: 2 ** 15 } })
    const start = update.init(params)
    const [good] = update.step(start, minibatch(16))
    expect(flat(good.params)).not.toEqual(flat(params))
    const broken = { ...minibatch(16), returns: tensor(new Float32Array(16).fill(Number.POSITIVE_INFINITY)) }
    const [bad] = update.step(start, broken)
    expect(flat(bad.params)).toEqual(flat(params))
    expect(bad.state).toMatchObject({ scale: 2 ** 14, skippedSteps: 1 })
  })

  it('a loss scale that is a power of two changes no bit of a float32 step', () => {
    const [plain, scaled] = [{}, { lossScale: { initScale: 1024 } }].map((options) => {
      const update = ppoUpdate(network, options)
      return flat(update.step(update.init(params), minibatch(32))[0].params)
    })
    expect(scaled).toEqual(plain)
  })

  it('refuses minibatches of unlike rows', () => {
    const update = ppoUpdate(network)
    const rows = { ...minibatch(8), returns: tensor([1]) }
    expect(() => update.step(update.init(params), rows)).toThrow('returns are not rows for each action [1]')
  })
})
