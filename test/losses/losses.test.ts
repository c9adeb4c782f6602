import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { grad } from 'tpu-toolkit/autodiff'
import * as losses from 'tpu-toolkit/losses'
import { logSoftmax } from 'tpu-toolkit/numerics'
import { cast, mul, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { dtypeOf, tensorBits, tensorOfBits, ulpsFrom } from '../support/optimizerKeys.js'
import { seed } from '../support/seed.js'

interface Row {
  readonly loss: string
  readonly dtype: string
  readonly value: string
  readonly gradient: string
}
interface LossesKey {
  readonly rows: readonly Row[]
  readonly ctc: { readonly value: string; readonly gradient: string }
}

const key: LossesKey = JSON.parse(
  readFileSync(new URL('../golden/losses/losses.json', import.meta.url), 'utf8'),
)

/** The formulas of scripts/golden/losses.py: five significant bits, exact in both dtypes. */
const [rows, classes] = [5, 7]
const places = Array.from({ length: rows * classes }, (_, i) => i)
const grid = (a: number, b: number): number[] =>
  places.map((i) => ((((a * i + b) % 31) - 15) / 4) * (i >= (rows - 1) * classes ? 8 : 1))
const x = grid(7, 3)
const y = grid(11, 8)
const signs = y.map((v) => (v > 0 ? 1 : -1))
const shares = places.map((i) => ((i * 5) % 8) / 16)
const hard = places.map((i) => (i * 3) % 2)
const index = tensor([0, 3, 6, 2, 5], { dtype: 'int32' })
const shown = tensor(
  places.map((i) => (i < (rows - 1) * classes && (i * 3) % 5 > 1 ? 1 : 0)),
  { shape: [rows, classes], dtype: 'bool' },
)
const lanes = tensor([1, 0, 1, 1, 0], { dtype: 'bool' })
const only = { where: shown }

type Loss = (x: Tensor, y: Tensor) => Tensor
const made: Readonly<Record<string, readonly [loss: Loss, given: readonly number[]]>> = {
  squaredError: [(a, b) => losses.squaredError(a, b), y],
  l2Loss: [(a, b) => losses.l2Loss(a, b), y],
  huberLoss: [(a, b) => losses.huberLoss(a, b, { delta: 1.5 }), y],
  logCosh: [(a, b) => losses.logCosh(a, b), y],
  cosineSimilarity: [(a, b) => losses.cosineSimilarity(a, b), y],
  cosineDistance: [(a, b) => losses.cosineDistance(a, b, { epsilon: 0.5 }), y],
  sigmoidBinaryCrossEntropy: [(a, b) => losses.sigmoidBinaryCrossEntropy(a, b), shares],
  sigmoidFocalLoss: [(a, b) => losses.sigmoidFocalLoss(a, b, { alpha: 0.25 }), hard],
  hingeLoss: [(a, b) => losses.hingeLoss(a, b), signs],
  perceptronLoss: [(a, b) => losses.perceptronLoss(a, b), signs],
  multiclassHingeLoss: [(a) => losses.multiclassHingeLoss(a, index), []],
  multiclassPerceptronLoss: [(a) => losses.multiclassPerceptronLoss(a, index), []],
  softmaxCrossEntropy: [(a, b) => losses.softmaxCrossEntropy(a, b), shares],
  softmaxCrossEntropyAxis0: [(a, b) => losses.softmaxCrossEntropy(a, b, { axis: 0 }), shares],
  safeSoftmaxCrossEntropy: [(a, b) => losses.safeSoftmaxCrossEntropy(a, b), shares],
  softmaxCrossEntropyWithIntegerLabels: [(a) => losses.softmaxCrossEntropyWithIntegerLabels(a, index), []],
  polyLossCrossEntropy: [(a, b) => losses.polyLossCrossEntropy(a, b), shares],
  klDivergence: [(a, b) => losses.klDivergence(a, b), shares],
  klDivergenceWithLogTargets: [(a, b) => losses.klDivergenceWithLogTargets(a, b), y],
  generalizedKlDivergence: [(a, b) => losses.generalizedKlDivergence(a, b), shares],
  cosineSimilarityWhere: [(a, b) => losses.cosineSimilarity(a, b, { epsilon: 0.5, ...only }), y],
  softmaxCrossEntropyWhere: [(a, b) => losses.softmaxCrossEntropy(a, b, only), shares],
  softmaxCrossEntropyLanes: [(a, b) => losses.softmaxCrossEntropy(a, b, { where: lanes }), shares],
  softmaxCrossEntropyWithIntegerLabelsWhere: [
    (a) => losses.softmaxCrossEntropyWithIntegerLabels(a, index, only),
    [],
  ],
  polyLossCrossEntropyWhere: [(a, b) => losses.polyLossCrossEntropy(a, b, only), shares],
  klDivergenceWhere: [(a, b) => losses.klDivergence(a, b, only), shares],
  klDivergenceWithLogTargetsWhere: [(a, b) => losses.klDivergenceWithLogTargets(a, b, only), y],
  generalizedKlDivergenceWhere: [(a, b) => losses.generalizedKlDivergence(a, b, only), shares],
  smoothLabels: [(a) => losses.smoothLabels(a, 0.1), []],
  smoothLabelsWhere: [(a) => losses.smoothLabels(a, 0.1, only), []],
}

function ran({ loss, dtype: short }: Row) {
  const dtype = dtypeOf(short)
  const [f, given] = made[loss]!
  const [logits, labels] = [x, given.length ? given : x].map((v) =>
    tensor(v, { shape: [rows, classes], dtype }),
  )
  const value = f(logits!, labels!)
  const weights = tensor(
    Array.from({ length: value.size }, (_, i) => (i % 3) + 1),
    { shape: value.shape, dtype },
  )
  const gradient = grad((a: Tensor) => sum(mul(f(a, labels!), weights)))(logits!)
  return { value, gradient }
}

/**
 * Largest distances from optax in ulps of the dtype, [value, gradient] in float32 and bfloat16; every bit where there is none.
 * XLA's exp, log1p and logistic are within 2 ulp of ours, which are rounded from float64; what is subtracted from something
 * near it shows that magnified, and softplus is one operation here, three in JAX.
 */
const ulps: Readonly<Record<string, Readonly<Record<string, readonly [value: number, gradient: number]>>>> = {
  cosineSimilarity: { f32: [2, 5], bf16: [0, 9] },
  cosineDistance: { f32: [0, 5], bf16: [0, 9] },
  // Over its four elements the two parts of a gradient cancel to an eighth, over all seven to two fifths.
  cosineSimilarityWhere: { f32: [2, 8], bf16: [0, 16] },
  sigmoidBinaryCrossEntropy: { f32: [1, 4], bf16: [1, 32] },
  sigmoidFocalLoss: { f32: [10, 17], bf16: [5, 8] },
  softmaxCrossEntropyAxis0: { f32: [0, 1] },
  safeSoftmaxCrossEntropy: { f32: [0, 4], bf16: [0, 2] },
  softmaxCrossEntropyWithIntegerLabels: { f32: [0, 1] },
  polyLossCrossEntropy: { f32: [0, 1], bf16: [0, 2] },
  klDivergenceWithLogTargets: { f32: [2, 1] },
  generalizedKlDivergence: { f32: [1, 1] },
}

describe("optax's losses and their gradients", () => {
  it.each(key.rows)('$loss, $dtype: the bits of optax, or within the ulps stated', (row) => {
    const { value, gradient } = ran(row)
    const own = ulps[row.loss] ?? ulps[row.loss.replace(/(Where|Lanes)$/, '')]
    const [most, mostOfGradient] = own?.[row.dtype] ?? [0, 0]
    expect(ulpsFrom([value], { 0: row.value }), 'value').toBeLessThanOrEqual(most)
    expect(ulpsFrom([gradient], { 0: row.gradient }), 'gradient').toBeLessThanOrEqual(mostOfGradient)
    expect(value.dtype).toBe(dtypeOf(row.dtype))
  })

  it('every loss of the folder has its key', () => {
    const covered = new Set([
      ...key.rows.map(({ loss }) => loss.replace(/(Axis0|Where|Lanes)$/, '')),
      'ctcLoss',
      // Their keys are in test/golden/optimizer/root.json.
      ...['diceLoss', 'makeFenchelYoungLoss', 'ntxent', 'tripletMarginLoss'],
    ])
    expect([...covered].sort()).toEqual(Object.keys(losses).sort())
  })
})

describe('ctcLoss', () => {
  const logits = tensor(
    Array.from({ length: 4 * 8 * 5 }, (_, i) => (((7 * i + 3) % 31) - 15) / 4),
    { shape: [4, 8, 5] },
  )
  const labels = tensor(
    [
      [1, 2, 3],
      [2, 4, 1],
      [3, 1, 0],
      [4, 4, 2],
    ],
    { dtype: 'int32' },
  )
  const zeros = (n: number): number[] => Array.from({ length: n }, () => 0)
  const logitPaddings = tensor([zeros(8), [...zeros(6), 1, 1], zeros(8), [...zeros(7), 1]])
  const labelPaddings = tensor([zeros(3), zeros(3), [0, 0, 1], zeros(3)])
  const options = { logitPaddings, labelPaddings }
  const weights = tensor([1, 2, 3, 1])

  it('is within 4 ulp of optax, its gradient within 8 steps times 2^-22 of it', () => {
    const value = losses.ctcLoss(logits, labels, options)
    expect(ulpsFrom([value], { 0: key.ctc.value })).toBeLessThanOrEqual(4)
    const gradient = grad((a: Tensor) => sum(mul(losses.ctcLoss(a, labels, options), weights)))(logits)
    const expected = tensorOfBits(key.ctc.gradient, 'float32', [4, 8, 5]).toNumbers()
    // A gradient is a difference of probabilities times the weight, at most 3; each of 8 steps adds its roundings.
    const bound = 3 * 8 * 2 ** -22
    gradient.toNumbers().forEach((g, i) => {
      expect(Math.abs(g - expected[i]!)).toBeLessThanOrEqual(bound)
    })
  })

  it('is minus the log of the summed probability of all ways to say the labels', () => {
    // Every path of 4 frames over 3 classes, repetitions and blanks taken out.
    const [steps, depth] = [4, 3]
    const x = tensor([0.5, -1, 0.25, 1, 0, -0.5, 0.75, 2, -2, 0, 1, 1.5], {
      shape: [1, steps, depth],
      dtype: 'float64',
    })
    const log = logSoftmax(x).toNumbers()
    for (const said of [[1], [1, 2], [1, 1], [2, 1, 2]]) {
      let probability = 0
      for (let path = 0; path < depth ** steps; path++) {
        const frames = Array.from({ length: steps }, (_, t) => Math.floor(path / depth ** t) % depth)
        const heard = frames.filter((c, t) => c !== 0 && c !== frames[t - 1])
        if (heard.join() === said.join()) {
          probability += Math.exp(frames.reduce((total, c, t) => total + log[t * depth + c]!, 0))
        }
      }
      const loss = losses.ctcLoss(x, tensor([said], { dtype: 'int32' })).item()
      expect(Math.abs(loss + Math.log(probability))).toBeLessThanOrEqual(1e-14 * (1 + loss))
    }
  })

  it('refuses what is no label and no padding', () => {
    const bad = tensor([[5, 0, 0]], { dtype: 'int32' })
    const one = tensor(zeros(40), { shape: [1, 8, 5] })
    expect(() => losses.ctcLoss(one, bad)).toThrow('ctcLoss: a label is outside 5 classes [5]')
    expect(() => losses.ctcLoss(one, tensor([1, 2], { dtype: 'int32' }))).toThrow(
      'ctcLoss: logits and labels are not [batch, steps, classes] and [batch, labels] [1, 8, 5 and 2]',
    )
    const wrong = { labelPaddings: tensor([[1, 0, 0]]) }
    expect(() => losses.ctcLoss(one, tensor([[1, 2, 3]], { dtype: 'int32' }), wrong)).toThrow(
      'ctcLoss: labelPaddings is not zeros followed by ones [1, 0, 0]',
    )
  })
})

describe('losses of extreme arguments', () => {
  it('sigmoidBinaryCrossEntropy and softmaxCrossEntropy are finite where probabilities are 0', () => {
    const far = tensor([1000, -1000])
    expect(losses.sigmoidBinaryCrossEntropy(far, tensor([0, 1])).toNested()).toEqual([1000, 1000])
    expect(losses.softmaxCrossEntropy(far, tensor([0, 1])).item()).toBe(2000)
    expect(losses.sigmoidFocalLoss(far, tensor([1, 0])).toNested()).toEqual([0, 0])
  })

  it('sigmoidBinaryCrossEntropy takes labels of any dtype, as optax casts them', () => {
    const logits = tensor([0.5, -2])
    const expected = losses.sigmoidBinaryCrossEntropy(logits, tensor([1, 0])).toNested()
    for (const dtype of ['bool', 'int32', 'float64'] as const) {
      expect(losses.sigmoidBinaryCrossEntropy(logits, tensor([1, 0], { dtype })).toNested()).toEqual(expected)
    }
  })

  it('safeSoftmaxCrossEntropy and its gradient skip a class of -Inf with the label 0', () => {
    const logits = tensor([0, 0, -Infinity])
    const labels = tensor([1, 0, 0])
    expect(losses.softmaxCrossEntropy(logits, labels).item()).toBe(Number.NaN)
    expect(losses.safeSoftmaxCrossEntropy(logits, labels).item()).toBe(Math.fround(Math.LN2))
    const g = grad((x: Tensor) => losses.safeSoftmaxCrossEntropy(x, labels))(logits)
    expect(g.toNested()).toEqual([-0.5, 0.5, 0])
  })

  it('klDivergence has a finite gradient of targets that are 0', () => {
    const g = grad((p: Tensor) => losses.klDivergence(tensor([-1, -1]), p))(tensor([1, 0]))
    expect(g.toNested()).toEqual([2, 1])
  })

  it('where is a mask of bools, of elements or of lanes; a lane that does not count is 0, its gradient too', () => {
    const logits = tensor([
      [1, 2, Infinity],
      [Number.NaN, 3, 0],
    ])
    const labels = tensor([0, 1], { dtype: 'int32' })
    const mask = tensor(
      [
        [1, 1, 0],
        [0, 0, 0],
      ],
      { dtype: 'bool' },
    )
    const f = (a: Tensor): Tensor => losses.softmaxCrossEntropyWithIntegerLabels(a, labels, { where: mask })
    expect(f(logits).toNested()).toEqual([
      losses
        .softmaxCrossEntropyWithIntegerLabels(tensor([[1, 2]]), tensor([0], { dtype: 'int32' }))
        .toNumbers()[0],
      0,
    ])
    expect(
      grad((a: Tensor) => sum(f(a)))(logits)
        .toNumbers()
        .slice(2),
    ).toEqual(new Float64Array(4))
    const one = tensor([[1, 2]])
    expect(() => losses.klDivergence(one, one, { where: one as never })).toThrow(
      new TypeError('klDivergence: where is not of dtype bool [float32]'),
    )
    expect(() => losses.klDivergence(one, one, { where: mask })).toThrow(
      new RangeError('klDivergence: where has another shape [2, 3 and 1, 2]'),
    )
  })

  it("internal 'float32' rounds a bfloat16 loss once, from the loss of the same numbers in float32", () => {
    for (const [f, given] of Object.values(made)) {
      if (f.length < 2) continue
      const [a, b] = [x, given].map((v) => tensor(v, { shape: [rows, classes] }))
      const name = Object.keys(made)
        .find((key) => made[key]![0] === f)!
        .replace(/(Axis0|Where|Lanes)$/, '')
      const loss = (losses as unknown as Record<string, (x: Tensor, y: Tensor, o?: object) => Tensor>)[name]!
      const [narrowA, narrowB] = [a!, b!].map((v) => cast(v, 'bfloat16'))
      expect(tensorBits(loss(narrowA!, narrowB!, { internal: 'float32' })), name).toBe(
        tensorBits(cast(loss(a!, b!), 'bfloat16')),
      )
    }
  })
})

describe(`the documented errors of losses, bfloat16 (seed ${seed})`, () => {
  const u = 2 ** -8
  const n = 6
  const numbers = fc.array(fc.integer({ min: -255, max: 255 }), { minLength: n, maxLength: n })
  const narrow = (values: readonly number[]): Tensor => tensor(values, { dtype: 'bfloat16' })
  const within = (actual: Tensor, exact: readonly number[], bound: (i: number) => number): void => {
    actual.toNumbers().forEach((value, i) => {
      expect(Math.abs(value - exact[i]!)).toBeLessThanOrEqual(bound(i))
    })
  }
  const softplus = (v: number): number => Math.max(v, 0) + Math.log1p(Math.exp(-Math.abs(v)))

  it('hold of element by element losses', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const [p, t] = [a.map((v) => v / 16), b.map((v) => v / 256)]
        const e = p.map((v, i) => v - t[i]!)
        const squares = e.map((v) => v * v)
        within(losses.squaredError(narrow(p), narrow(t)), squares, (i) => 3.01 * u * squares[i]!)
        const cosh = e.map((v) => Math.abs(v) + Math.log1p(Math.exp(-2 * Math.abs(v))) - Math.LN2)
        within(losses.logCosh(narrow(p), narrow(t)), cosh, (i) => 3.2 * u * (Math.abs(e[i]!) + 1))
        const labels = t.map(Math.abs)
        const entropy = p.map((v, i) => labels[i]! * softplus(-v) + (1 - labels[i]!) * softplus(v))
        within(
          losses.sigmoidBinaryCrossEntropy(narrow(p), narrow(labels)),
          entropy,
          (i) => 4.1 * u * entropy[i]!,
        )
      }),
      { seed },
    )
  })

  it('hold of losses that sum', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const [p, t] = [a.map((v) => v / 16), b.map((v) => (v === 0 ? 1 : v))]
        const dot = (x: readonly number[], y: readonly number[]): number =>
          x.reduce((total, v, i) => total + v * y[i]!, 0)
        if (dot(p, p) > 0) {
          const cosine = dot(p, t) / Math.sqrt(dot(p, p) * dot(t, t))
          within(losses.cosineSimilarity(narrow(p), narrow(t)), [cosine], () => (n + 9) * u)
        }
        const range = Math.max(...p) - Math.min(...p)
        const normalizer = Math.log(p.reduce((total, v) => total + Math.exp(v), 0))
        const labels = [0.5, 0.25, 0.125, 0.125, 0, 0]
        const exact = -dot(
          labels,
          p.map((v) => v - normalizer),
        )
        within(losses.softmaxCrossEntropy(narrow(p), narrow(labels)), [exact], () => (5 * range + n + 6) * u)
      }),
      { seed },
    )
  })
})

describe('wrong arguments of losses', () => {
  const two = tensor([1, 2])
  it('shapes, dtypes and labels are named', () => {
    expect(() => losses.squaredError(two, tensor([[1], [2]]))).toThrow(
      'squaredError: the targets have another shape [2 and 2, 1]',
    )
    expect(() => losses.l2Loss(tensor([1], { dtype: 'int32' }))).toThrow(
      'l2Loss: needs a floating-point dtype, cast first [int32]',
    )
    expect(() =>
      losses.klDivergence(two, tensor([1, 2], { dtype: 'bfloat16' }) as Tensor as typeof two),
    ).toThrow('klDivergence: dtypes differ, cast one of them [float32 and bfloat16]')
    expect(() => losses.softmaxCrossEntropyWithIntegerLabels(two, tensor(2, { dtype: 'int32' }))).toThrow(
      'softmaxCrossEntropyWithIntegerLabels: a label is outside 2 classes [2]',
    )
    expect(() =>
      losses.softmaxCrossEntropyWithIntegerLabels(two, tensor(0, { dtype: 'int32' }), { axis: 1 }),
    ).toThrow('softmaxCrossEntropyWithIntegerLabels: no such axis in rank 1 [1]')
    expect(() => losses.multiclassHingeLoss(two, tensor(1) as Tensor as Tensor<'int32'>)).toThrow(
      'multiclassHingeLoss: the labels are not int32 or uint32 [float32]',
    )
  })
  it('options are checked', () => {
    expect(() => losses.huberLoss(two, two, { delta: 0 })).toThrow('huberLoss: delta is not above 0 [0]')
    expect(() => losses.huberLoss(two, two, 1 as unknown as object)).toThrow('write { delta: 1 }')
    expect(() => losses.smoothLabels(two, 2)).toThrow('smoothLabels: alpha is not a number from 0 to 1 [2]')
    expect(() => losses.logCosh(two, two, { internal: 'int32' as 'float32' })).toThrow(
      'logCosh: internal is no floating-point dtype [int32]',
    )
    expect(() => losses.l2Loss(two, two, { inside: 'float32' } as object)).toThrow('l2Loss: unknown option')
  })
})
