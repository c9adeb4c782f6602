import {
  add,
  cast,
  isFinite,
  matmul,
  mean,
  mul,
  square,
  sub,
  sum,
  type Tensor,
  tanh,
  tensor,
  where,
} from 'tpu-toolkit'
import { grad, valueAndGrad } from 'tpu-toolkit/autodiff'
import { stalledUpdates, storedParams } from 'tpu-toolkit/lowprecision'
import { adam, makeTrainStep, sgd } from 'tpu-toolkit/optimizer'
import { shadowTrainStep } from 'tpu-toolkit/precision'
import { bits, key, normal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'

const draws = (seed: number, shape: readonly number[], deviation: number): Tensor =>
  cast(mul(normal(key(seed), shape as number[]), deviation), 'bfloat16')

interface Mlp {
  readonly w1: Tensor
  readonly b1: Tensor
  readonly w2: Tensor
}

const params: Mlp = { w1: draws(1, [32, 64], 0.3), b1: draws(2, [64], 0.1), w2: draws(3, [64, 1], 0.2) }
const [x, y] = [draws(4, [128, 32], 1), draws(5, [128, 1], 1)]
const loss = (p: Mlp, inputs: Tensor, targets: Tensor): Tensor =>
  mean(square(sub(matmul(tanh(add(matmul(inputs, p.w1), p.b1)), p.w2), targets)))
const lossAndGrad = valueAndGrad(loss)

/** Gradient descent, written out. */
function descend(p: Mlp, inputs: Tensor, targets: Tensor): { params: Mlp; loss: Tensor } {
  const [value, g] = lossAndGrad(p, inputs, targets)
  const next = (w: Tensor, slope: Tensor): Tensor => sub(w, mul(slope, 5e-4))
  return { params: { w1: next(p.w1, g.w1), b1: next(p.b1, g.b1), w2: next(p.w2, g.w2) }, loss: value }
}

const wide = (p: Mlp): Mlp => ({
  w1: cast(p.w1, 'float64'),
  b1: cast(p.b1, 'float64'),
  w2: cast(p.w2, 'float64'),
})

describe('shadowTrainStep, a step of an MLP whose loss shows nothing', () => {
  const seen = shadowTrainStep(descend, [params, x, y])
  const w1 = seen.updates.find(({ name }) => name === 'w1')!

  it('98.6 % of w1 is unchanged by its update, which is the verdict', () => {
    expect((100 * w1.unchanged) / w1.asked).toBeCloseTo(98.6, 0)
    const lines = String(seen).split('\n')
    expect(lines[1]).toMatch(
      /^verdict: 98\.\d % of w1 \(and 2 more\) is unchanged by its update, 0\.0\d+ ulp/,
    )
    expect(lines[1]).toContain('stochastic rounding (lowprecision.storedParams)')
    expect(lines.length).toBeLessThanOrEqual(40)
  })

  it('counts what lowprecision counts as stalled', () => {
    const inFloat64 = descend(wide(params), cast(x, 'float64'), cast(y, 'float64')).params
    const updates = {
      w1: sub(inFloat64.w1, wide(params).w1),
      b1: sub(inFloat64.b1, wide(params).b1),
      w2: sub(inFloat64.w2, wide(params).w2),
    }
    const counted = stalledUpdates(params, updates)
    const unchanged = seen.updates.reduce((total, update) => total + update.unchanged, 0)
    expect(unchanged).toBe(counted.stalled)
  })

  it('under stochastic rounding goes all the way in the mean, by as many elements as casts that round so change', () => {
    expect(w1.moved).toBeLessThan(0.1)
    expect(Math.abs(w1.movedStochastic - 1)).toBeLessThan(0.01)
    const { w1: before } = wide(params)
    const exact = sub(before, mul(cast(lossAndGrad(params, x, y)[1].w1, 'float64'), 5e-4))
    const runs = 40
    let changed = 0
    for (let k = 0; k < runs; k++) {
      const words = bits(key(100 + k), exact.size)
      let at = 0
      const random = (): number => words[at++]!
      const after = cast(exact, 'bfloat16', { rounding: 'stochastic', random })
      changed += after.toNumbers().filter((w, i) => w !== before.toNumbers()[i]).length / runs
    }
    expect(Math.abs(changed / w1.changedStochastic - 1)).toBeLessThan(0.1)
  })

  it('measures gradients against their own size, as a run in float64 does', () => {
    const exact = grad(loss)(wide(params), cast(x, 'float64'), cast(y, 'float64'))
    const own = lossAndGrad(params, x, y)[1]
    for (const { name, relative, rms, cosine } of seen.gradients) {
      const [g, e] = [own, exact].map((tree) => tree[name as keyof Mlp].toNumbers())
      const size = Math.sqrt(e!.reduce((total, value) => total + value ** 2, 0) / e!.length)
      const error = Math.sqrt(g!.reduce((total, value, i) => total + (value - e![i]!) ** 2, 0) / e!.length)
      expect(rms).toBeCloseTo(size, 9)
      expect(relative).toBeCloseTo(error / size, 9)
      expect(cosine).toBeGreaterThan(0.99)
    }
    expect(seen.gradients.map(({ name }) => name).sort()).toEqual(['b1', 'w1', 'w2'])
  })

  it('says which lines the error of the gradients comes from, in shares that add up to 1', () => {
    const shares = seen.gradientLines.map(({ share }) => share)
    expect(shares.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9)
    expect(seen.gradientLines[0]?.share).toBeGreaterThan(0.1)
    expect(seen.gradientLines.some(({ site }) => site?.startsWith('shadowTrainStep.test.ts:'))).toBe(true)
  })

  it('names the constant that rounding changed, and its line', () => {
    expect(seen.constants.map(({ text }) => text)).toEqual([
      '0.0005, which is 0.000499725341796875 in bfloat16 (0.055 % off)',
    ])
    expect(seen.lines.map(({ leaves }) => leaves)).toEqual([['w1', 'b1', 'w2']])
    expect(seen.lines[0]?.site).toMatch(/^shadowTrainStep\.test\.ts:\d+:\d+$/)
  })
})

describe('shadowTrainStep', () => {
  it('a gradient that loses most of its bits in elements of no weight does not head the list', () => {
    // w is 1 and 1e-6 times as important; the gradient of the second element cancels to nothing.
    const step = (w: Tensor, a: Tensor): { params: Tensor; loss: Tensor } => {
      const f = (v: Tensor): Tensor => sum(sub(mul(mul(v, v), a), mul(v, a)))
      const [value, g] = valueAndGrad(f)(w)
      return { params: sub(w, mul(g, 0.25)), loss: value }
    }
    const w = tensor([3, 0.50390625], { dtype: 'bfloat16' })
    const [gradient] = shadowTrainStep(step, [w, tensor([1.2, 1e-3], { dtype: 'bfloat16' })]).gradients
    expect(gradient!.relative).toBeLessThan(0.02)
  })

  it('takes steps of makeTrainStep: optimizers that run in one loop are compared with float64', () => {
    const optimizer = sgd({ learningRate: 5e-4 })
    const step = makeTrainStep(lossAndGrad, optimizer)
    const seen = shadowTrainStep(step, [{ params, state: optimizer.init(params) }, x, y])
    const own = shadowTrainStep(descend, [params, x, y])
    expect(seen.updates.map(({ name, unchanged }) => [name, unchanged]).sort()).toEqual(
      own.updates.map(({ name, unchanged }) => [name, unchanged]).sort(),
    )
    expect(seen.gradients.map(({ name, relative }) => [name, relative])).toEqual(
      own.gradients.map(({ name, relative }) => [name, expect.closeTo(relative, 6)]),
    )
    expect(String(seen).split('\n').length).toBeLessThanOrEqual(40)
  })

  it('tells of state too: a second moment that stands still, and a master copy that keeps what parameters lose', () => {
    const average = (w: Tensor, state: { v: Tensor }, g: Tensor): readonly unknown[] => [
      sub(w, g),
      { v: add(mul(state.v, 0.999), mul(square(g), 0.001)) },
    ]
    const arguments_ = [
      draws(1, [64], 1),
      { v: mul(square(draws(2, [64], 1)), 1) },
      draws(3, [64], 1),
    ] as const
    const moment = shadowTrainStep(average, arguments_).updates.find(({ kind }) => kind === 'state')!
    expect(moment.name).toBe('v')
    expect(moment.unchanged / moment.asked).toBeGreaterThan(0.5)
    const stored = storedParams(adam({ learningRate: 1e-4 }), { mode: 'master' })
    const train = (point: ReturnType<typeof stored.init<Mlp>>): unknown => {
      const [value, g] = lossAndGrad(point.params as Mlp, x, y)
      return { ...stored.step(g, point), loss: value }
    }
    const seen = shadowTrainStep(train, [stored.init(params)])
    const kept = seen.updates.filter(({ kind }) => kind === 'parameter')
    expect(kept.map(({ keptWider }) => keptWider)).toEqual([true, true, true])
    expect(String(seen)).toContain('verdict: the parameters move by their updates')
  })

  it('sees through a choice between the new value and the old one', () => {
    const step = (w: Tensor, g: Tensor): Tensor => where(isFinite(g), sub(w, mul(g, 1e-3)), w)
    const [update] = shadowTrainStep(step, [draws(1, [64], 1), draws(2, [64], 1)]).updates
    expect(update!.op).toBe('sub')
    expect(update!.unchanged / update!.asked).toBeGreaterThan(0.5)
    expect(update!.movedStochastic).toBeCloseTo(1, 2)
  })

  it('leaves lines out that it is told to, and refuses what is no step', () => {
    const [{ site } = { site: '' }] = shadowTrainStep(descend, [params, x, y]).lines
    const line = site!.replace(/:\d+$/, '')
    const seen = shadowTrainStep(descend, [params, x, y], { ignore: [line] })
    expect([seen.lines, seen.constants]).toEqual([[], []])
    expect(() => shadowTrainStep((w: Tensor) => sum(w), [params.w1])).toThrow(
      'shadowTrainStep: the step gives no parameters back, { params, ... }, [params, ...] or params alone',
    )
    expect(() => shadowTrainStep(descend, [params, x, y], { loss: 'cost' })).toThrow(
      'shadowTrainStep: the step returns no tensor of that path as its loss [cost]',
    )
    expect(() => shadowTrainStep(descend, [params, x, y], { los: 'loss' } as object)).toThrow(
      'did you mean loss',
    )
  })
})
