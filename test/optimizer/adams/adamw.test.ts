import {
  adam,
  adamw,
  amsgrad,
  applyUpdates,
  type GradientTransformation,
  injectHyperparams,
  nadam,
  nadamw,
} from 'tpu-toolkit/optimizer'
import { type WarmupCosineDecayOptions, warmupCosineDecaySchedule } from 'tpu-toolkit/schedule'
import type { Tree } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import {
  bitsOf,
  camelOptions,
  dtypeOf,
  gradsAt,
  type LeafBits,
  type Leaves,
  optimizerKey,
  stored,
  tensorBits,
  tensorOfBits,
  treeOf,
  ulpsFrom,
} from '../../support/optimizerKeys.js'

interface Run {
  readonly name: string
  readonly optimizer: string
  readonly hyper: Readonly<Record<string, unknown>>
  readonly mask: Readonly<Record<string, boolean>> | null
  readonly param_dtype: string
  readonly mu_dtype: string
  readonly grads: string
  readonly params0: LeafBits
  readonly lr_bits?: string
  readonly hyperparams_bits?: Readonly<Record<string, readonly [string, string]>>
  readonly records: readonly {
    readonly step: number
    readonly count: number
    readonly params: LeafBits
    readonly update: LeafBits
    readonly mu: LeafBits
    readonly nu: LeafBits
    readonly nu_max?: LeafBits
  }[]
}
interface AdamwKey {
  readonly leaves: Leaves
  readonly steps: number
  readonly grads: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  readonly runs: readonly Run[]
}

const key = optimizerKey<AdamwKey>('adamw')
const factories = { adam, adamw, nadam, nadamw, amsgrad } as unknown as Readonly<
  Record<string, (options: Record<string, unknown>) => GradientTransformation>
>

function optimizerOf(run: Run, arithmetic: string): GradientTransformation {
  const options: Record<string, unknown> = { ...camelOptions(run.hyper), arithmetic }
  const { lr_bits: rates, mask } = run
  if (rates) options['learningRate'] = (step: number) => floatAt(rates, step)
  if (mask) {
    options['mask'] = { decoder: { b: mask['decoder/b'], w: mask['decoder/w'] }, scale: mask['scale'] }
  }
  return factories[run.optimizer]!(options)
}

function floatAt(bits: string, step: number): number {
  return tensorOfBits(bits.slice(8 * step, 8 * step + 8), 'float32', []).item()
}

/** Walks a run and hands every recorded step to `look`. */
function walk(
  run: Run,
  arithmetic: 'ieee' | 'xla-cpu',
  look: (record: Run['records'][number], params: Tree, updates: Tree, state: unknown) => void,
): void {
  const dtype = dtypeOf(run.param_dtype)
  const optimizer = optimizerOf(run, arithmetic)
  let params = treeOf(key.leaves, run.params0, dtype)
  let state = optimizer.init(params)
  const records = new Map(run.records.map((record) => [record.step, record]))
  for (let step = 1; step <= key.steps; step++) {
    const grads = gradsAt(key.leaves, key.grads[run.grads]!, step - 1, dtype)
    const [updates, next] = optimizer.update(grads, state, params)
    params = applyUpdates(params, updates, { arithmetic })
    state = next
    const record = records.get(step)
    if (record) look(record, params, updates, state)
  }
}

const plain = key.runs.filter((run) => run.optimizer !== 'inject_adamw')

describe("the trajectories of optax's Adam family, 200 steps, arithmetic 'xla-cpu'", () => {
  it.each(plain)('$name agrees in every bit: parameters, updates, mu, nu', (run) => {
    const dtype = dtypeOf(run.param_dtype)
    let looked = 0
    walk(run, 'xla-cpu', (record, params, updates, state) => {
      const [adamState] = state as [{ count: number; mu: Tree; nu: Tree; nuMax?: Tree }]
      const step = `step ${record.step}`
      expect(adamState.count).toBe(record.count)
      expect(bitsOf(adamState.mu), `mu, ${step}`).toEqual(
        stored(record.mu, key.leaves, dtypeOf(run.mu_dtype)),
      )
      expect(bitsOf(adamState.nu), `nu, ${step}`).toEqual(stored(record.nu, key.leaves, dtype))
      expect(bitsOf(updates), `updates, ${step}`).toEqual(stored(record.update, key.leaves, dtype))
      expect(bitsOf(params), `params, ${step}`).toEqual(stored(record.params, key.leaves, dtype))
      if (record.nu_max) {
        expect(bitsOf(adamState.nuMax!), `nuMax, ${step}`).toEqual(stored(record.nu_max, key.leaves, dtype))
      }
      looked++
    })
    expect(looked).toBe(run.records.length)
  })
})

describe("our schedule in the place of optax's rates, arithmetic 'xla-cpu'", () => {
  const scheduled = plain.filter((run) => run.lr_bits !== undefined)

  it.each(scheduled)('$name stays as near as the rates are', (run) => {
    const [kind, args] = run.hyper['learning_rate'] as [string, Record<string, unknown>]
    expect(kind).toBe('warmup_cosine')
    const rate = warmupCosineDecaySchedule(camelOptions(args) as unknown as WarmupCosineDecayOptions)
    const options = { ...run.hyper, learning_rate: rate }
    let most = 0
    walk({ ...run, lr_bits: undefined, hyper: options } as unknown as Run, 'xla-cpu', (record, params) => {
      most = Math.max(most, ulpsFrom(params, record.params))
    })
    // Measured: the rates themselves are within 1.5 ulp of their largest.
    expect(most).toBe(run.param_dtype === 'f32' ? 1 : 0)
  })
})

interface SingleLeafKey {
  readonly runs: readonly {
    readonly dtype: string
    readonly shape: readonly number[]
    readonly params0: string
    readonly grads: readonly string[]
    readonly params: readonly string[]
  }[]
}

describe('a tree of exactly one leaf', () => {
  it.each(optimizerKey<SingleLeafKey>('single_leaf').runs)(
    'adam on $dtype [$shape] agrees in every bit',
    (run) => {
      const dtype = dtypeOf(run.dtype)
      const optimizer = adam({ learningRate: 0.01, arithmetic: 'xla-cpu' })
      let params: Tree = { w: tensorOfBits(run.params0, dtype, run.shape) }
      let state = optimizer.init(params)
      run.grads.forEach((bits, i) => {
        const [updates, next] = optimizer.update({ w: tensorOfBits(bits, dtype, run.shape) }, state, params)
        params = applyUpdates(params, updates, { arithmetic: 'xla-cpu' })
        state = next
        expect(bitsOf(params)['w'], `step ${i + 1}`).toBe(
          tensorBits(tensorOfBits(run.params[i]!, dtype, run.shape)),
        )
      })
    },
  )
})

describe("arithmetic 'ieee' beside optax", () => {
  it.each(plain)('$name has the same parameters at every recorded step', (run) => {
    walk(run, 'ieee', (record, params) => expect(ulpsFrom(params, record.params)).toBe(0))
  })

  it('adam on one leaf of 20 float32 elements divides where optax multiplies by the reciprocal', () => {
    const run = optimizerKey<SingleLeafKey>('single_leaf').runs.find(
      (r) => r.dtype === 'f32' && r.shape[0] === 20,
    )!
    const optimizer = adam({ learningRate: 0.01 })
    let params: Tree = { w: tensorOfBits(run.params0, 'float32', run.shape) }
    let state = optimizer.init(params)
    let most = 0
    run.grads.forEach((bits, i) => {
      const [updates, next] = optimizer.update({ w: tensorOfBits(bits, 'float32', run.shape) }, state, params)
      params = applyUpdates(params, updates)
      state = next
      most = Math.max(most, ulpsFrom(params, { w: run.params[i]! }))
    })
    expect(most).toBeGreaterThan(0)
  })
})

const injected = key.runs.filter((run) => run.optimizer === 'inject_adamw')

describe("injectHyperparams(adamw), arithmetic 'xla-cpu'", () => {
  it.each(injected)(
    '$name: hyper-parameters in the dtype of the parameters; parameters beside optax',
    (run) => {
      const dtype = dtypeOf(run.param_dtype)
      const optimizer = injectHyperparams(adamw)({
        ...{ b1: 0.9, b2: 0.999, eps: 1e-8, epsRoot: 0 },
        ...(camelOptions(run.hyper) as { learningRate: number }),
        arithmetic: 'xla-cpu',
      })
      let params = treeOf(key.leaves, run.params0, dtype)
      let state = optimizer.init(params)
      const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
      for (const [name, [, bits]] of Object.entries(run.hyperparams_bits!)) {
        expect(tensorBits(state.hyperparams[camel(name)]!), name).toBe(bits)
      }
      const records = new Map(run.records.map((record) => [record.step, record]))
      let most = 0
      for (let step = 1; step <= key.steps; step++) {
        const grads = gradsAt(key.leaves, key.grads[run.grads]!, step - 1, dtype)
        const [updates, next] = optimizer.update(grads, state, params)
        params = applyUpdates(params, updates, { arithmetic: 'xla-cpu' })
        state = next
        const record = records.get(step)
        if (record) most = Math.max(most, ulpsFrom(params, record.params))
      }
      // 1 - b1 in bfloat16, where b1 is strong: a difference in float32 would be 3 ulp off.
      expect(most).toBe(0)
    },
  )
})

interface TorchKey {
  readonly runs: readonly {
    readonly name: string
    readonly hyper: { readonly lr: number; readonly betas: [number, number]; readonly weight_decay: number }
    readonly grads: string
    readonly params0: LeafBits
    readonly ulp_distance_max?: number
    readonly records: readonly { readonly step: number; readonly params: LeafBits }[]
  }[]
}

describe('torch.optim.AdamW beside adamw', () => {
  // torch decays first and corrects in float64: other roundings. amsgrad takes another maximum and is not comparable.
  const runs = optimizerKey<TorchKey>('torch').runs.filter((run) => run.ulp_distance_max !== undefined)

  it.each(runs)('$name is no farther from it than optax is', (run) => {
    const { lr, betas, weight_decay: weightDecay } = run.hyper
    const optimizer = adamw({ learningRate: lr, b1: betas[0], b2: betas[1], weightDecay })
    const grads = key.grads[/grads\.(\S+)/.exec(run.grads)![1]!]!
    const records = new Map(run.records.map((record) => [record.step, record.params]))
    let params = treeOf(key.leaves, run.params0, 'float32')
    let state = optimizer.init(params)
    let most = 0
    for (let step = 1; step <= key.steps; step++) {
      const [updates, next] = optimizer.update(gradsAt(key.leaves, grads, step - 1, 'float32'), state, params)
      params = applyUpdates(params, updates)
      state = next
      const expected = records.get(step)
      if (expected) most = Math.max(most, ulpsFrom(params, expected))
    }
    expect(most).toBeLessThanOrEqual(run.ulp_distance_max!)
  })
})
