import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { latest } from 'tpu-toolkit/checkpoint'
import { compile } from 'tpu-toolkit/compile'
import { cartPole } from 'tpu-toolkit/env'
import { causalMask, ropeFrequencies } from 'tpu-toolkit/kernels'
import { softmaxCrossEntropyWithIntegerLabels } from 'tpu-toolkit/losses'
import { drawPicture, type GrowthPoint, growth, SamplePool } from 'tpu-toolkit/nca'
import * as nn from 'tpu-toolkit/nn'
import { adamw, chain, clipByGlobalNorm, makeTrainStep, stateToTree } from 'tpu-toolkit/optimizer'
import { foldIn, type Key, key, randint } from 'tpu-toolkit/random'
import { ppo, presets, towers } from 'tpu-toolkit/rl'
import { gradientRules } from 'tpu-toolkit/ssm'
import {
  drawData,
  lossOf,
  parameterNames,
  runStep2750,
  type Sequence,
  step2750Options,
} from 'tpu-toolkit/step2750'
import { fromBits, mean, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { type Callback, descend, type Monitor, stopAtNonFinite, train } from 'tpu-toolkit/train'
import { pathsOf, type Treelike } from 'tpu-toolkit/tree'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let top = ''
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'experiments-'))
})
afterAll(() => rmSync(top, { recursive: true }))

const bitsOf = (tree: Treelike): unknown =>
  pathsOf(tree).map(({ path, leaf }) => [path, [...leaf.toBits()].map(String)])

/** A monitor that keeps the losses by step. */
function losses(): { readonly seen: number[]; readonly monitor: Monitor } {
  const seen: number[] = []
  return {
    seen,
    monitor: {
      onStep: ({ step, metrics }) => {
        seen[step - 1] = metrics['loss']!
      },
    },
  }
}

/** A callback that throws behind a step, as if the run had been killed there. */
const fails = (at: number): Callback => ({
  onStep: ({ step }) => {
    if (step === at) throw new Error('killed')
  },
})

describe('the step-2750 experiment on train', () => {
  it('has the losses of runStep2750 to the bit, up to the step that breaks, stopped and begun again on the way', async () => {
    const options = { lr: 2e-3, steps: 450 } as const
    const expected = runStep2750(options)
    expect(expected.firstNonFiniteStep).not.toBe(null)
    const run = step2750Options(options)
    const { x, y, clock, init, rows, length } = drawData(run)
    const row = (codes: Uint16Array, step: number): Tensor => {
      const at = ((step - 1) % rows) % (codes.length / length)
      return fromBits(codes.slice(at * length, (at + 1) * length), { shape: [length], dtype: 'bfloat16' })
    }
    const begun = (steps: number, monitor: Monitor) =>
      train({
        ...descend({
          init: () => Object.fromEntries(parameterNames.map((name, i) => [name, tensor(init[i]!)])),
          loss: (params, sequence: Sequence) => lossOf(params as never, sequence, run),
          optimizer: chain(
            clipByGlobalNorm(1, { arithmetic: 'xla-cpu' }),
            adamw({ learningRate: run.lr, b1: 0.9, b2: 0.95, eps: 1e-8, weightDecay: 1e-4 }),
          ),
          backward: { sum: { order: 'sequential', accumulate: 'float32' }, rules: gradientRules },
        }),
        data: (step): Sequence => ({ x: row(x, step), y: row(y, step), clock: row(clock, step) }),
        ...{ steps, monitor, callbacks: [stopAtNonFinite()] },
        checkpoint: { folder: join(top, 'step2750'), every: 100, keep: [latest(1)] },
      })
    const { seen, monitor } = losses()
    await begun(150, monitor)
    const { ended, step } = await begun(run.steps, monitor)
    expect(Float32Array.from(seen.slice(0, expected.stepsRun))).toEqual(expected.loss)
    // runStep2750 ends at the first gradient that is not finite; its loss may be finite still.
    const finite = Number.isFinite(expected.loss.at(-1))
    expect([ended, step]).toEqual(['callback', expected.stepsRun + (finite ? 1 : 0)])
  })
})

describe('a small GPT on train', () => {
  const [vocabulary, features, heads, length, batch] = [17, 8, 2, 6, 2]
  const policy: nn.Policy = { params: 'float32', compute: 'bfloat16', output: 'float32' }
  const model = nn.sequential([
    nn.embedding({ count: vocabulary, features, policy }),
    nn.residual(
      nn.sequential([
        nn.rmsNorm({ features, policy }),
        nn.attention({
          ...{ features, heads, policy, mask: causalMask() },
          rope: ropeFrequencies({ dim: features / heads }),
        }),
      ]),
    ),
    nn.residual(
      nn.sequential([
        nn.rmsNorm({ features, policy }),
        nn.mlp({ features, hidden: 16, activation: 'silu', gated: true, policy }),
      ]),
    ),
    nn.linear({ inputs: features, outputs: vocabulary, bias: false, policy }),
  ])
  type Batch = { readonly tokens: Tensor<'int32'>; readonly next: Tensor<'int32'> }
  const loss = (params: nn.ParametersOf<typeof model>, { tokens, next }: Batch): Tensor =>
    mean(softmaxCrossEntropyWithIntegerLabels(model.apply(params, tokens), next))
  const data = (_: number, at: Key): Batch => {
    const drawn = randint(at, batch * (length + 1), { minval: 0, maxval: vocabulary })
    const rows = (from: number): Tensor<'int32'> =>
      tensor(
        Array.from({ length: batch }, (_, i) => [
          ...drawn.subarray(i * (length + 1) + from, i * (length + 1) + from + length),
        ]),
        { dtype: 'int32' },
      )
    return { tokens: rows(0), next: rows(1) }
  }
  const optimizer = adamw({ learningRate: 0.01 })

  it('makes the steps of a loop written by hand, to the bit, killed in the midst or not', async () => {
    const step = makeTrainStep(compile(valueAndGrad(loss)), optimizer)
    const params = model.init(foldIn(key(1), 0))
    let point = { params, state: optimizer.init(params) } as Parameters<typeof step>[0]
    const byHand: number[] = []
    for (let i = 1; i <= 8; i++) {
      const next = step(point, data(i, foldIn(key(1), i)))
      byHand.push(next.loss.item())
      point = next
    }
    const { seen, monitor } = losses()
    const run = (at: number) =>
      train({
        ...descend({ init: (k) => model.init(k), loss, optimizer }),
        ...{ data, steps: 8, seed: 1, monitor, checkpoint: { folder: join(top, 'gpt'), every: 3 } },
        callbacks: [fails(at)],
      })
    await expect(run(5)).rejects.toThrow('killed')
    const { point: last } = await run(0)
    expect(seen).toEqual(byHand)
    expect(bitsOf(last.params)).toEqual(bitsOf(point.params))
  })
})

describe('PPO on train', () => {
  const agent = () =>
    ppo({
      environment: cartPole(),
      network: towers({ inputs: 4, actions: 2, hidden: [8] }),
      settings: { ...presets['zoo-cartpole'], epochs: 2 },
      steps: 1024,
    })

  it('makes the updates of a loop written by hand, to the bit, killed in the midst or not', async () => {
    const byHand = agent()
    let state = byHand.init(foldIn(key(2), 0))
    while (state.update < byHand.updates) state = byHand.update(state)[0]
    // Where environments and episodes stand is plain data: there are more returns with every update.
    const run = (at: number) => {
      const { init, update, updates } = agent()
      return train({
        init: (from) => {
          const { point, ...record } = init(from)
          return { ...point, record }
        },
        step: ({ params, state: moments, record }) => {
          const [{ point, ...next }, { loss }] = update({ ...record, point: { params, state: moments } })
          return { ...point, record: next, loss }
        },
        ...{ data: () => null, plain: ['record'], steps: updates, seed: 2, callbacks: [fails(at)] },
        checkpoint: { folder: join(top, 'ppo'), every: 1, keep: [latest(1)] },
      })
    }
    await expect(run(3)).rejects.toThrow('killed')
    const { point } = await run(0)
    const { point: expected, ...record } = state
    expect(point.record).toEqual(record)
    expect(record.returns.length).toBeGreaterThan(10)
    expect(bitsOf(point.params)).toEqual(bitsOf(expected.params))
    expect(bitsOf(stateToTree(point.state))).toEqual(bitsOf(stateToTree(expected.state)))
  })
})

describe('a growing automaton on train', () => {
  it('makes the steps of a loop written by hand, to the bit, killed in the midst or not', async () => {
    const picture = drawPicture('face', { size: 8, margin: 1 })
    const { start, step } = growth({
      target: picture,
      ...{ channels: 8, hidden: 16, batch: 2, poolSize: 8, steps: [8, 10], damaged: 1 },
    })
    let byHand = start(foldIn(key(3), 0))
    for (let i = 0; i < 6; i++) byHand = step(byHand)[0]
    // The pool as the tensor that it holds; key and number of the step are numbers.
    const kept = ({ pool, ...rest }: GrowthPoint) => ({ ...rest, pool: pool.states })
    const run = (at: number) =>
      train({
        init: (from) => kept(start(from)),
        step: (point) => {
          const [next, { loss, steps }] = step({ ...point, pool: new SamplePool(point.pool) })
          return { ...kept(next), loss, metrics: { steps } }
        },
        ...{ data: () => null, steps: 6, seed: 3, callbacks: [fails(at)] },
        checkpoint: { folder: join(top, 'automaton'), every: 2 },
      })
    await expect(run(5)).rejects.toThrow('killed')
    const { point } = await run(0)
    expect([point.step, point.key.data]).toEqual([6, byHand.key.data])
    expect(bitsOf(point.params)).toEqual(bitsOf(byHand.params))
    expect(bitsOf(point.optimizer)).toEqual(bitsOf(byHand.optimizer))
    expect(bitsOf(point.pool)).toEqual(bitsOf(byHand.pool.states))
  })
})
