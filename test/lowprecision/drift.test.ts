import { type StoredParamsOptions, storedParams } from 'tpu-toolkit/lowprecision'
import { adamw, applyGradients } from 'tpu-toolkit/optimizer'
import { cast, type FloatDType, fromBits, type Tensor, zeros } from 'tpu-toolkit/tensor'
import type { Tree } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { gradientAt, type LeastSquares, lossAt } from '../support/leastSquares.js'
import { optimizerKey, tensorBits, tensorOfBits } from '../support/optimizerKeys.js'

interface Run {
  readonly params_at: Readonly<Record<string, string>>
  readonly loss_at: Readonly<Record<string, number>>
  readonly max_param_drift_vs_f64: number
  readonly rms_param_drift_vs_f64: number
  readonly unchanged_params_in_last_step: number
  readonly final_mu?: string
  readonly final_nu?: string
  readonly final_comp?: string
}

// 64 x 64 least squares under AdamW, 500 steps; test/golden/README.md says how each run computes.
const key = optimizerKey<{
  readonly seed: number
  readonly n: number
  readonly steps: number
  readonly hyper: Readonly<Record<string, number>>
  readonly A: string
  readonly b: string
  readonly x0: string
  readonly runs: Readonly<Record<string, Run>>
}>('drift')

const n = key.n
const read = (bits: string, shape: readonly number[]) => tensorOfBits(bits, 'float32', shape)
const problem: LeastSquares = { n, A: read(key.A, [n, n]).toNumbers(), b: read(key.b, [n]).toNumbers() }
const start = read(key.x0, [n])
const adam = (arithmetic: 'ieee' | 'xla-cpu') =>
  adamw({ learningRate: key.hyper['learning_rate']!, weightDecay: key.hyper['weight_decay']!, arithmetic })

interface Trajectory {
  /** The parameters after each step, from the start on. */
  readonly params: readonly Tensor[]
  readonly state: unknown
}

/** Two leaves, so that optax's bias correction divides: the weights, and a 0 that stays. */
const pair = (a: Tensor, dtype: FloatDType): Tree => ({ a, z: zeros([], { dtype }) })

/** Plain optimizer steps in one dtype, the gradient computed in another and rounded to it. */
function plain(dtype: FloatDType, inside: 'float32' | 'float64', arithmetic: 'ieee' | 'xla-cpu'): Trajectory {
  const optimizer = adam(arithmetic)
  const first = pair(cast(start, dtype), dtype)
  let point: { params: Tree; state: ReturnType<typeof optimizer.init> } = {
    params: first,
    state: optimizer.init(first),
  }
  const params = [weights(point.params)]
  for (let step = 0; step < key.steps; step++) {
    const gradient = gradientAt(problem, weights(point.params), inside, dtype)
    point = applyGradients(optimizer, pair(gradient, dtype), point, { arithmetic })
    params.push(weights(point.params))
  }
  return { params, state: point.state }
}

const weights = (tree: Tree): Tensor => (tree as { a: Tensor }).a

/** Stored in bfloat16, gradients rounded to it, everything else in float32. */
function stored(options: StoredParamsOptions): Trajectory {
  const optimizer = storedParams(adam('ieee'), options)
  let point = optimizer.init({ a: start })
  const seen = () => weights('master' in point.state ? point.state.master : point.params)
  const params = [seen()]
  for (let step = 0; step < key.steps; step++) {
    point = optimizer.step({ a: gradientAt(problem, weights(point.params), 'float32', 'bfloat16') }, point)
    params.push(seen())
  }
  return { params, state: point.state }
}

/** The key's words: where it adds r to the lower half, a word at 2^32 - 1 - r 2^16 rounds up as often and alike. */
function hash32(x: number): number {
  let h = x ^ (x >>> 16)
  h = Math.imul(h, 0x7feb352d)
  h ^= h >>> 15
  h = Math.imul(h, 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}
const keyWords = (step: number, _leaf: number, count: number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, i) => {
    const stream = hash32(hash32(key.seed) ^ (0x5eed0000 + step))
    const r = hash32((stream + Math.imul(i, 0x9e3779b9)) >>> 0) & 0xffff
    return ((0xffff - r) << 16) >>> 0
  })

const exact = plain('float64', 'float64', 'ieee')

/** Each run is made once. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const runs: Readonly<Record<string, () => Trajectory>> = {
  f32_optax: once(() => plain('float32', 'float32', 'xla-cpu')),
  bf16_optax_naive: once(() => plain('bfloat16', 'float32', 'xla-cpu')),
  bf16_nearest_f32state: once(() => stored({ mode: 'nearest' })),
  bf16_master_f32state: once(() => stored({ mode: 'master' })),
  bf16_kahan_f32state: once(() => stored({ mode: 'kahan' })),
  bf16_stochastic_f32state: once(() => stored({ mode: 'stochastic', random: keyWords })),
}

const driftOf = (x: Tensor): Float64Array => {
  const reference = exact.params.at(-1)!.toNumbers()
  return x.toNumbers().map((value, i) => Math.abs(value - reference[i]!))
}

describe('the runs of drift.json', () => {
  it('in float64 AdamW is where the key says, to 1e-12', () => {
    for (const [step, bits] of Object.entries(key.runs['f64']!.params_at)) {
      const words = bits.match(/.{16}/g)!.map((digits) => BigInt(`0x${digits}`))
      const expected = fromBits(BigUint64Array.from(words), { dtype: 'float64', shape: [n] }).toNumbers()
      const found = exact.params[Number(step)]!.toNumbers()
      expect(Math.max(...found.map((x, i) => Math.abs(x - expected[i]!)))).toBeLessThan(1e-12)
    }
  })

  it.each(Object.keys(runs))("%s has the key's bits after every step that it lists", (name) => {
    const run = key.runs[name]!
    const { params } = runs[name]!()
    for (const [step, bits] of Object.entries(run.params_at)) {
      expect(tensorBits(params[Number(step)]!), `step ${step}`).toBe(bits)
      expect(lossAt(problem, params[Number(step)]!)).toBeCloseTo(run.loss_at[step]!, 12)
    }
    const drift = driftOf(params.at(-1)!)
    expect(Math.max(...drift)).toBeCloseTo(run.max_param_drift_vs_f64, 11)
    expect(Math.sqrt(drift.reduce((sum, d) => sum + d * d, 0) / n)).toBeCloseTo(
      run.rms_param_drift_vs_f64,
      11,
    )
    const before = tensorBits(params.at(-2)!)
    const after = tensorBits(params.at(-1)!)
    const width = after.length / n
    const same = Array.from(
      { length: n },
      (_, i) => before.substr(i * width, width) === after.substr(i * width, width),
    )
    expect(same.filter(Boolean)).toHaveLength(run.unchanged_params_in_last_step)
  })

  it("the moments and the compensation end on the key's bits", () => {
    for (const [name, mode] of [
      ['master', 'master'],
      ['kahan', 'kahan'],
      ['nearest', 'nearest'],
    ] as const) {
      const run = key.runs[`bf16_${name}_f32state`]!
      const state = runs[`bf16_${name}_f32state`]!().state as {
        optimizer: [{ mu: { a: Tensor }; nu: { a: Tensor } }]
        compensation?: { a: Tensor }
      }
      expect(tensorBits(state.optimizer[0].mu.a), mode).toBe(run.final_mu)
      expect(tensorBits(state.optimizer[0].nu.a), mode).toBe(run.final_nu)
      if (mode === 'kahan') expect(tensorBits(state.compensation!.a)).toBe(run.final_comp)
    }
  })

  it('drift from float64: naive .49, float32 5e-6, master 1e-3, Kahan 6e-3, stochastic 8e-2', () => {
    const found = Object.fromEntries(
      Object.entries(runs).map(([name, run]) => [
        name,
        Math.max(...driftOf(run().params.at(-1)!)).toPrecision(1),
      ]),
    )
    expect(found).toEqual({
      f32_optax: '0.000005',
      bf16_optax_naive: '0.5',
      bf16_nearest_f32state: '0.5',
      bf16_master_f32state: '0.001',
      bf16_kahan_f32state: '0.006',
      bf16_stochastic_f32state: '0.08',
    })
  })
})
