import {
  adamw,
  applyGradients,
  type CreateOptimizerOptions,
  chain,
  clipByGlobalNorm,
  createOptimizer,
  type GradientTransformation,
  makeTrainStep,
  type Point,
  type State,
  sgd,
  type ZeroNansState,
  zeroNans,
} from 'tpu-toolkit/optimizer'
import { seeded } from 'tpu-toolkit/random'
import { doublingPeriods, doublingRestartsSchedule } from 'tpu-toolkit/schedule'
import { mul, sum, tensor } from 'tpu-toolkit/tensor'
import { leavesOf, mapTree, type Tree } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { bitsOf } from '../../support/optimizerKeys.js'
import { seed } from '../../support/seed.js'

const random = seeded(`createOptimizer ${seed}`)
const below = (n: number): number => Math.floor(random() * n)
const elements = (tree: Tree): number[] => leavesOf(tree).flatMap((leaf) => [...leaf.toNumbers()])
const orders = ['clip-then-zero', 'zero-then-clip'] as const
const dtypes = ['float32', 'bfloat16'] as const

describe('createOptimizer', () => {
  const options = { lr: 0.01, totalSteps: 70, warmupSteps: 10, nRestarts: 3, weightDecay: 0.1, b2: 0.95 }

  it.each(orders)('is the chain of its parts in every bit, %s', (order) => {
    const learningRate = doublingRestartsSchedule({
      peakValue: 0.01,
      warmupSteps: 10,
      totalSteps: 70,
      cycles: 3,
    })
    const guards = [clipByGlobalNorm(0.5), zeroNans()]
    if (order === 'zero-then-clip') guards.reverse()
    const parts: GradientTransformation<readonly State[]> = chain(
      ...guards,
      adamw({ learningRate, weightDecay: 0.1, b2: 0.95 }),
    )
    const whole = createOptimizer({ ...options, gradClip: 0.5, order })
    const params: Tree = { a: tensor([1, -2]), b: [tensor(3)] }
    let one: Point<readonly State[]> = { params, state: whole.init(params) }
    let two = one
    for (let step = 0; step < 80; step++) {
      const grads = mapTree(
        (x) =>
          tensor(
            x.toNumbers().map((y) => Math.sin(y + step)),
            { shape: x.shape },
          ),
        params,
      )
      one = applyGradients(whole, grads, one)
      const [updates, state] = parts.update(grads, two.state, two.params)
      two = {
        params: applyGradients(sgd({ learningRate: -1 }), updates, { params: two.params, state: [{}, {}] })
          .params,
        state,
      }
      expect(bitsOf(one.params), `step ${step}`).toEqual(bitsOf(two.params))
    }
  })

  it('gradClip of 0 leaves the clip out: the chain of zeroNans and adamw', () => {
    const learningRate = doublingRestartsSchedule({
      peakValue: 0.01,
      totalSteps: 70,
      warmupSteps: 10,
      cycles: 3,
    })
    const parts: GradientTransformation<readonly State[]> = chain(
      zeroNans(),
      adamw({ learningRate, weightDecay: 0.1, b2: 0.95 }),
    )
    const whole = createOptimizer({ ...options, gradClip: 0 })
    const params: Tree = { a: tensor([1, -2]) }
    let [one, two]: Point<readonly State[]>[] = [whole, parts].map((of) => ({
      params,
      state: of.init(params),
    })) as [Point<readonly State[]>, Point<readonly State[]>]
    for (let step = 0; step < 20; step++) {
      const grads: Tree = { a: tensor([1000, -3]) }
      one = applyGradients(whole, grads, one!)
      two = applyGradients(parts, grads, two!)
    }
    expect(bitsOf(one!.params)).toEqual(bitsOf(two!.params))
    expect(bitsOf(one!.params)).not.toEqual(bitsOf(params))
  })

  it('peaks after the warm-up and at each restart', () => {
    // With b1 = b2 = 0 and no decay an update is the rate times the gradient's sign.
    const optimizer = createOptimizer({ ...options, b1: 0, b2: 0, eps: 0, weightDecay: 0 })
    let state = optimizer.init([tensor(1)])
    const rates: number[] = []
    for (let step = 0; step <= 70; step++) {
      const [updates, next] = optimizer.update([tensor(-1)], state, [tensor(1)])
      state = next
      rates.push(elements(updates)[0]!)
    }
    const peak = Math.fround(0.01)
    expect(doublingPeriods({ warmupSteps: 10, totalSteps: 70, cycles: 3 })).toEqual([8, 16, 36])
    expect(rates.flatMap((rate, step) => (rate === peak ? [step] : []))).toEqual([10, 18, 34])
    expect(rates.flatMap((rate, step) => (rate === 0 ? [step] : []))).toEqual([0, 70])
  })

  it("'drop' leaves the last steps at endLr", () => {
    const rateAt = (remainder: 'drop' | 'last-cycle'): number => {
      const optimizer = createOptimizer({
        ...options,
        endLr: 0.001,
        b1: 0,
        b2: 0,
        eps: 0,
        weightDecay: 0,
        remainder,
      })
      const [clip, zero, [adam, decay]] = optimizer.init([tensor(1)]) as unknown as [
        State,
        State,
        [State, State],
      ]
      const state = [clip, zero, [adam, decay, { count: 67 }]]
      return elements(optimizer.update([tensor(-1)], state, [tensor(1)])[0])[0]!
    }
    expect(rateAt('drop')).toBe(Math.fround(0.001))
    expect(rateAt('last-cycle')).toBeGreaterThan(0.001)
  })
})

/**
 * Two runs of 6 steps from one start: `bad` put into one element of one step's gradients, and beside it gradients with
 * what `instead` says in that step.
 */
function twoRuns(
  order: (typeof orders)[number],
  dtype: (typeof dtypes)[number],
  bad: number,
  instead: 'zeros' | 'zero element',
) {
  const optimizer = createOptimizer({ lr: 0.1, totalSteps: 6, order, b2: 0.9 })
  const draw = (): Tree => ({
    a: tensor(
      Float64Array.from({ length: 1 + sizes[0]! }, () => random() + 0.5),
      { dtype },
    ),
    b: [
      tensor(random() + 0.5, { dtype }),
      tensor(
        Float64Array.from({ length: sizes[1]! }, () => random()),
        { dtype },
      ),
    ],
  })
  const sizes = [below(6), 1 + below(6)]
  const start = draw()
  const [badStep, leaf] = [below(6), below(3)]
  const index = below(leavesOf(start)[leaf]!.size)
  const replaced = (tree: Tree, value: number): Tree => {
    let next = 0
    return mapTree((x) => {
      const values = x.toNumbers()
      if (next++ === leaf) values[index] = value
      return tensor(values, { shape: x.shape, dtype })
    }, tree)
  }
  let [real, other]: Point<readonly State[]>[] = [0, 1].map(() => ({
    params: start,
    state: optimizer.init(start),
  }))
  const found: boolean[][] = []
  for (let step = 0; step < 6; step++) {
    const grads = draw()
    const now = step === badStep
    const zeros = mapTree((x) => mul(x, 0), grads)
    real = applyGradients(optimizer, now ? replaced(grads, bad) : grads, real!)
    const beside = !now ? grads : instead === 'zeros' ? zeros : replaced(grads, 0)
    other = applyGradients(optimizer, beside, other!)
    const guards = real.state as readonly State[]
    const { foundNan } = guards[order === 'clip-then-zero' ? 1 : 0] as unknown as ZeroNansState
    found.push(leavesOf(foundNan).map((x) => x.item() === 1))
  }
  const at =
    leavesOf(start)
      .slice(0, leaf)
      .reduce((n, x) => n + x.size, 0) + index
  return { real: real!, other: other!, found, badStep, leaf, at }
}

describe(`one bad element at any leaf and step (seed ${seed})`, () => {
  describe.each(dtypes)('%s', (dtype) => {
    it.each([Number.NaN, Infinity, -Infinity])(
      "'clip-then-zero', %s: as a step whose gradient is zero, every leaf told of",
      (bad) => {
        for (let trial = 0; trial < 40; trial++) {
          const { real, other, found, badStep } = twoRuns('clip-then-zero', dtype, bad, 'zeros')
          expect(bitsOf(real.params)).toEqual(bitsOf(other.params))
          expect(elements(real.params).every(Number.isFinite)).toBe(true)
          // Only a NaN makes all leaves NaN; an infinity makes the others 0.
          expect(found[badStep]!.filter(Boolean).length).toBe(Number.isNaN(bad) ? 3 : 1)
          expect(found.flat().filter(Boolean).length).toBe(found[badStep]!.filter(Boolean).length)
        }
      },
    )

    it("'zero-then-clip', NaN: as if that element were 0, its leaf told of", () => {
      for (let trial = 0; trial < 40; trial++) {
        const { real, other, found, badStep, leaf } = twoRuns(
          'zero-then-clip',
          dtype,
          Number.NaN,
          'zero element',
        )
        expect(bitsOf(real.params)).toEqual(bitsOf(other.params))
        expect(found[badStep]).toEqual([0, 1, 2].map((i) => i === leaf))
      }
    })

    it.each([Infinity, -Infinity])(
      "'zero-then-clip', %s: its parameter is NaN for good, the others as in a step with a zero gradient, told of nowhere",
      (bad) => {
        for (let trial = 0; trial < 40; trial++) {
          const { real, other, found, badStep, at } = twoRuns('zero-then-clip', dtype, bad, 'zeros')
          // In a later step the NaN in the gradient is not there any more: only Adam's moments have it.
          const [now, then] = [elements(real.params), elements(other.params)]
          expect(now).toEqual(then.map((x, i) => (i === at ? Number.NaN : x)))
          expect(found[badStep]).toEqual([false, false, false])
        }
      },
    )
  })
})

describe('makeTrainStep', () => {
  const lossAndGrad = (params: Tree, target: number): readonly [number, Tree] => {
    const [w] = leavesOf(params)
    const apart = tensor(w!.toNumbers().map((x) => x - target))
    return [sum(mul(apart, apart)).item() / 2, [apart]]
  }

  it('gives the loss before the step, and the point after it, which it takes again', () => {
    const optimizer = sgd({ learningRate: 0.5 })
    const step = makeTrainStep(lossAndGrad, optimizer)
    const params: Tree = [tensor([4, 8])]
    const first = step({ params, state: optimizer.init(params) }, 0)
    expect([first.loss, elements(first.params)]).toEqual([40, [2, 4]])
    const second = step(first, 0)
    expect([second.loss, elements(second.params)]).toEqual([10, [1, 2]])
    expect(elements(params)).toEqual([4, 8])
  })

  it('hands its options to applyGradients', () => {
    const optimizer = adamw({ learningRate: 0.5 })
    const params: Tree = [tensor([4, 8])]
    const step = makeTrainStep(lossAndGrad, optimizer, { donate: true })
    const next = step({ params, state: optimizer.init(params) }, 0)
    expect(leavesOf(next.params)[0]).toBe(leavesOf(params)[0])
  })

  it('refuses what is no pair', () => {
    const optimizer = sgd({ learningRate: 1 })
    const call = (given: unknown) => () =>
      makeTrainStep(
        () => given as readonly [number, Tree],
        optimizer,
      )({ params: [], state: optimizer.init([]) })
    expect(call(3)).toThrow('makeTrainStep: lossAndGrad gave no pair of a loss and gradients [number]')
    expect(call([3])).toThrow('makeTrainStep: lossAndGrad gave no pair of a loss and gradients [1 values]')
    expect(call(3)).toThrow(TypeError)
  })
})

describe('bad input', () => {
  const make = (changes: Partial<CreateOptimizerOptions>) => () =>
    createOptimizer({ lr: 0.1, totalSteps: 100, ...changes })
  it.each([
    ['lr is not a number from 0 to 1.7976931348623157e+308 [NaN]', { lr: Number.NaN }],
    ['lr is not a number from 0 to 1.7976931348623157e+308 [-0.1]', { lr: -0.1 }],
    ['lr is not a number from 0 to 1.7976931348623157e+308 [Infinity]', { lr: Infinity }],
    ['weightDecay is not a number from 0 to 1.7976931348623157e+308 [NaN]', { weightDecay: Number.NaN }],
    ['gradClip is not a number from 0 to 1.7976931348623157e+308 [-1]', { gradClip: -1 }],
    ['endLr is not a number from 0 to 1.7976931348623157e+308 [NaN]', { endLr: Number.NaN }],
    ['totalSteps is not a whole number, 1 or more [0]', { totalSteps: 0 }],
    ['warmupSteps is not a whole number, 0 or more [-1]', { warmupSteps: -1 }],
    ['warmupSteps is not a whole number, 0 or more [1.5]', { warmupSteps: 1.5 }],
    ['nRestarts is not a whole number, 1 or more [0]', { nRestarts: 0 }],
    ['nRestarts of 4 needs at least 15 steps after the warm-up [14]', { nRestarts: 4, warmupSteps: 86 }],
    ['nRestarts of 1 needs at least 1 steps after the warm-up [0]', { warmupSteps: 100 }],
    ['unknown order, there are clip-then-zero, zero-then-clip [zero]', { order: 'zero' as 'zero-then-clip' }],
  ])('%s', (message, changes) => {
    expect(make(changes)).toThrow(RangeError)
    expect(make(changes)).toThrow(`createOptimizer: ${message}`)
  })

  it('names the part whose own option is bad', () => {
    expect(make({ b2: Number.NaN })).toThrow('scaleByAdam: b2 is not a number from 0 to 1 [NaN]')
    expect(make({ remainder: 'none' as 'drop' })).toThrow(
      'createOptimizer: unknown remainder, there are last-cycle, drop [none]',
    )
  })

  it('a state whose count is negative, or an update without parameters', () => {
    const optimizer = make({})()
    const params: Tree = [tensor([1])]
    const state = optimizer.init(params)
    expect(() => optimizer.update(params, state)).toThrow(
      'addDecayedWeights: update needs the parameters, its third argument [undefined]',
    )
    const [clip, zero, [adam, decay]] = state as unknown as [State, State, [State, State, State]]
    const behind = (count: number): State[] => [clip, zero, [adam, decay, { count }]]
    const early = (count: number): State[] => [
      clip,
      zero,
      [{ ...(adam as object), count } as unknown as State, decay, { count: 0 }],
    ]
    for (const run of [
      (s: State[]) => optimizer.update(params, s, params),
      (s: State[]) => applyGradients(optimizer, params, { params, state: s }),
    ]) {
      expect(() => run(early(-1))).toThrow("optimizer: the state's count is not a whole number from 0 [-1]")
      expect(() => run(behind(-1))).toThrow(
        'doublingRestartsSchedule: step is not a finite number, 0 or more [-1]',
      )
    }
  })
})
