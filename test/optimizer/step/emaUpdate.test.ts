import { emaUpdate, incrementalUpdate } from 'tpu-toolkit/optimizer'
import { seeded } from 'tpu-toolkit/random'
import { cast, type FloatDType, tensor } from 'tpu-toolkit/tensor'
import { leavesOf, mapTree, type Tree } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { bitsOf, optimizerKey, tensorBits } from '../../support/optimizerKeys.js'
import { seed } from '../../support/seed.js'

interface EmaRun {
  readonly dtype: string
  readonly tau: number
  readonly kind?: string
  readonly start: number
  readonly target: number
  readonly first_60: string
  readonly stall_after_updates: number | null
  readonly last_step: number
  readonly last: string
}
const runs = optimizerKey<{ ema: readonly EmaRun[] }>('chain').ema.filter((run) => run.kind !== 'tree')
const dtypeOf = (run: EmaRun): FloatDType => (run.dtype === 'f32' ? 'float32' : 'bfloat16')
const value = (tree: Tree): number => leavesOf(tree)[0]!.item()

/** A target that follows a constant: what it is after each update, until nothing changes or the end. */
function follow(start: number, online: number, dtype: FloatDType, tau: number, steps: number): number[] {
  let target: Tree = tensor(start, { dtype })
  const weights = tensor(online, { dtype })
  return Array.from({ length: steps }, () => {
    target = emaUpdate(target, weights, { tau })
    return value(target)
  })
}

describe('emaUpdate of a constant', () => {
  const title = '$dtype, tau $tau, from $start to $target: every bit of optax, and its stall'
  it.each(runs)(title, (run) => {
    const dtype = dtypeOf(run)
    for (const arithmetic of ['ieee', 'xla-cpu'] as const) {
      let target: Tree = [tensor(run.start, { dtype })]
      const online: Tree = [tensor(run.target, { dtype })]
      const seen: string[] = []
      for (let step = 1; step <= run.last_step; step++) {
        target = emaUpdate(target, online, { tau: run.tau, arithmetic })
        seen.push(tensorBits(leavesOf(target)[0]!))
      }
      expect(seen.slice(0, 60).join('')).toBe(run.first_60)
      expect(seen.at(-1)).toBe(run.last)
      const start = tensorBits(tensor(run.start, { dtype }))
      const stall = [start, ...seen].findIndex((bits, i, all) => all[i + 1] === bits)
      expect(stall === -1 ? null : stall).toBe(run.stall_after_updates)
    }
  })

  it('a bfloat16 target stalls once a step is under half an ulp; a float32 one of the same weights arrives', () => {
    // At 1 the step is 0.004 (1.9375 - 1) = 0.00375, and half an ulp 2^-8 = 0.0039: not one is taken.
    expect(follow(1, 1.9375, 'bfloat16', 0.996, 1)).toEqual([1])
    const low = follow(0, 1, 'bfloat16', 0.996, 3000)
    const high = follow(0, 1, 'float32', 0.996, 3000)
    const stall = low.findIndex((x, i) => x === low[i + 1])
    expect([stall, low.at(-1)]).toEqual([205, 0.50390625])
    // What is left of the way is .996^3000 = 6e-6, and rounding is within the docstring's bound, 3 2^-24 / .004.
    expect(Math.abs(high.at(-1)! - (1 - 0.996 ** 3000))).toBeLessThanOrEqual((3 * 2 ** -24) / 0.004)
  })
})

describe(`emaUpdate of moving weights (seed ${seed})`, () => {
  const random = seeded(`emaUpdate ${seed}`)

  it('float32 is within 3 2^-24 / (1 - tau) of the exact mean, relative to the largest weight', () => {
    let worst = 0
    for (const tau of [0.5, 0.9, 0.996, 0.9999]) {
      for (let trial = 0; trial < 20; trial++) {
        let exact = Float64Array.from({ length: 8 }, () => random() * 2 - 1).map(Math.fround)
        let target: Tree = tensor(exact)
        for (let step = 0; step < 200; step++) {
          const weights = cast(tensor(Float64Array.from({ length: 8 }, () => random() * 2 - 1)), 'bfloat16')
          target = emaUpdate(target, weights, { tau })
          const x = weights.toNumbers()
          exact = exact.map((e, i) => tau * e + (1 - tau) * x[i]!)
        }
        const apart = leavesOf(target)[0]!
          .toNumbers()
          .map((x, i) => Math.abs(x - exact[i]!))
        const ratio = Math.max(...apart) / ((3 * 2 ** -24) / (1 - tau))
        expect(ratio, `tau ${tau}`).toBeLessThanOrEqual(1)
        worst = Math.max(worst, ratio)
      }
    }
    expect(worst).toBeGreaterThan(0.05)
  })

  it('is incrementalUpdate by 1 - tau, the online weights widened first', () => {
    const target: Tree = { a: tensor([1, 2]), b: [tensor(3)] }
    const online = mapTree((x) => cast(x, 'bfloat16'), { a: tensor([0.3, -2]), b: [tensor(7)] })
    const widened = mapTree((x) => cast(x, 'float32'), online)
    expect(bitsOf(emaUpdate(target, online))).toEqual(bitsOf(incrementalUpdate(widened, target, 1 - 0.996)))
    expect(bitsOf(emaUpdate(target, online, { tau: 1 }))).toEqual(bitsOf(target))
    expect(bitsOf(emaUpdate(target, online, { tau: 0 }))).toEqual(bitsOf(widened))
  })

  it('hands NaN and Inf through, and takes an empty tree', () => {
    const [next] = leavesOf(emaUpdate([tensor([1, NaN, 1])], [tensor([NaN, 1, Infinity])]))
    expect(next!.toNested()).toEqual([NaN, NaN, Infinity])
    expect(emaUpdate({}, {})).toEqual({})
    expect(leavesOf(emaUpdate([tensor([])], [tensor([])]))[0]!.shape).toEqual([0])
  })
})

describe('bad input', () => {
  const one = { w: tensor([1]) }
  it.each([
    ['emaUpdate: tau is not a number from 0 to 1 [1.1]', () => emaUpdate(one, one, { tau: 1.1 })],
    ['emaUpdate: tau is not a number from 0 to 1 [NaN]', () => emaUpdate(one, one, { tau: Number.NaN })],
    ['emaUpdate: trees differ at v [nothing, leaf]', () => emaUpdate(one, { ...one, v: one.w })],
    ['emaUpdate: shapes differ at w [2 and 1]', () => emaUpdate(one, { w: tensor([1, 2]) })],
    [
      'emaUpdate: the target is narrower than the online weights at w, cast one [bfloat16, float32]',
      () => emaUpdate({ w: cast(one.w, 'bfloat16') }, one),
    ],
    [
      'emaUpdate: needs a floating-point dtype at w, cast first [int32]',
      () => emaUpdate({ w: cast(one.w, 'int32') }, { w: cast(one.w, 'int32') }),
    ],
  ])('%s', (message, call) => {
    expect(call).toThrow(message)
  })
})
