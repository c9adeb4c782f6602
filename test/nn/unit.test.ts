import { readFileSync } from 'node:fs'
import { grad, valueAndGrad, vjp } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import * as nn from 'tpu-toolkit/nn'
import { foldIn, key, normal, randint } from 'tpu-toolkit/random'
import { cast, mul, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

interface Case {
  readonly result: readonly number[]
  readonly gradients: readonly (readonly number[])[]
}

const keys = JSON.parse(readFileSync(new URL('../golden/nn/unit_scaling.json', import.meta.url), 'utf8')) as {
  readonly tau: Record<string, number[]>
  readonly cases: Record<string, Case>
}

/** Operand `seed` of scripts/golden/torch/unit_scaling_ops.py. */
function operand(seed: number, ...shape: number[]): Tensor<'float32'> {
  const values = Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => {
    let h = i + seed * 2 ** 20
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
    h ^= h >>> 16
    return (h >> 16) * 2 ** -14
  })
  return tensor(values, { shape })
}

type F = (...inputs: Tensor<'float32'>[]) => Tensor

const [x, y, w] = [operand(1, 6, 8), operand(2, 6, 8), operand(3, 8, 5)]
const qkv = [4, 5, 6].map((seed) => operand(seed, 2, 3, 6, 4))
const labels = tensor([0, 3, 7, 7, 1, 2], { dtype: 'int32' })
const mults = [1, 0.5, 3]
const constraints = ['output', 'geometric', 'none'] as const

const cases: [string, F, Tensor<'float32'>[]][] = [
  ...constraints.flatMap((constraint): [string, F, Tensor<'float32'>[]][] => [
    [`matmul ${constraint}`, (a, b) => nn.unitMatmul(a!, b!, { constraint }), [x, w]],
    [`linear ${constraint}`, (a, b) => nn.unitLinear(a!, b!, { constraint }), [x, w]],
    ...mults.flatMap((mult): [string, F, Tensor<'float32'>[]][] => [
      [`gelu ${constraint} ${mult}`, (a) => nn.unitGelu(a!, { mult, constraint }), [x]],
      [`silu ${constraint} ${mult}`, (a) => nn.unitSilu(a!, { mult, constraint }), [x]],
      [`softmax ${constraint} ${mult}`, (a) => nn.unitSoftmax(a!, { mult, constraint }), [x]],
    ]),
  ]),
  ['readout', (a, b) => nn.unitLinear(a!, b!, { readout: true }), [x, w]],
  ...mults.flatMap((mult): [string, F, Tensor<'float32'>[]][] => [
    [`siluGlu ${mult}`, (a, b) => nn.unitSiluGlu(a!, b!, { mult }), [x, y]],
    [`attention full ${mult}`, (a, b, c) => nn.unitAttention(a!, b!, c!, { mult }), qkv],
    [`attention causal ${mult}`, (a, b, c) => nn.unitAttention(a!, b!, c!, { mult, causal: true }), qkv],
    [`crossEntropy ${mult}`, (a) => nn.unitCrossEntropy(a!, labels, { mult }), [x]],
    [`residual ${mult}`, (a) => nn.unitResidual(a!, (b) => mul(b, b), { tau: mult }), [x]],
  ]),
  ['embedding', (a) => nn.unitEmbedding(a!, labels), [operand(7, 10, 8)]],
  ['rmsNorm', (a, scale) => nn.unitRmsNorm(a!, { scale: scale! }), [x, operand(8, 8)]],
]

/** The largest difference over the largest magnitude. */
function apart(found: Tensor, right: readonly number[]): number {
  const values = found.toNumbers()
  expect(values.length).toBe(right.length)
  const most = Math.max(...right.map(Math.abs))
  return Math.max(...right.map((value, i) => Math.abs(values[i]! - value))) / most
}

// Chains of some ten float32 operations and sums of 48 terms, each of half an ulp: 64 unit roundoffs.
const tolerance = 64 * 2 ** -24

describe('operations in unit scaling', () => {
  it("has cases for all of the package's", () => {
    expect(cases.map(([name]) => name).sort()).toEqual(Object.keys(keys.cases).sort())
  })

  it.each(cases)("%s has results and gradients of Graphcore's package", (name, f, inputs) => {
    const right = keys.cases[name]!
    const [out, pull] = vjp((...given: Tensor<'float32'>[]) => f(...given), ...inputs)
    expect(apart(out, right.result)).toBeLessThan(tolerance)
    const cotangent = out.rank === 0 ? tensor(1) : operand(9, ...out.shape)
    const gradients = pull(cotangent) as Tensor[]
    for (const [i, gradient] of gradients.entries()) {
      expect(apart(gradient, right.gradients[i]!)).toBeLessThan(tolerance)
    }
  })

  it.each(cases)('%s compiles to the same bits, gradients among them', (_, f, inputs) => {
    const loss = (given: Tensor<'float32'>[]): Tensor => {
      const out = f(...given)
      return sum(out.rank === 0 ? out : mul(out, operand(9, ...out.shape)))
    }
    const both = valueAndGrad(loss)
    expect(compile(both)(inputs)).toEqual(both(inputs))
  })

  it('unitResidualTau has the rule of the package', () => {
    for (const [name, right] of Object.entries(keys.tau)) {
      const [residualMult, attentionRatio] = name.split(' ').map(Number) as [number, number]
      const found = right.map((_, i) => nn.unitResidualTau(i, 6, { residualMult, attentionRatio }))
      for (const [i, tau] of found.entries()) expect(tau).toBeCloseTo(right[i]!, 14)
    }
  })

  it('keeps a narrow dtype', () => {
    const narrow = cast(x, 'bfloat16')
    expect(nn.unitGelu(narrow).dtype).toBe('bfloat16')
    expect(nn.unitResidual(narrow, () => x).dtype).toBe('bfloat16')
  })
})

describe('unit variance at the beginning', () => {
  const draw = (stream: number, ...shape: number[]): Tensor<'float32'> =>
    normal(foldIn(key(5), stream), shape)
  const deviation = (of: Tensor): number => {
    const values = of.toNumbers()
    const mean = values.reduce((a, b) => a + b, 0) / values.length
    return Math.sqrt(values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length)
  }
  const measured = (f: F, ...inputs: Tensor<'float32'>[]): { out: number; gradients: number[] } => {
    const [out, pull] = vjp((...given: Tensor<'float32'>[]) => f(...given), ...inputs)
    const g = draw(99, ...out.shape)
    return { out: deviation(out), gradients: (pull(g) as Tensor[]).map(deviation) }
  }

  // A standard deviation of n independent numbers has an error of 1 / sqrt(2 n); here n is at least 1024: 0.1 is 4.5 of those.
  it.each([
    [64, 32, 64],
    [32, 128, 256],
  ])('unitLinear without a constraint has it for %i rows, %i to %i features', (rows, inputs, outputs) => {
    const { out, gradients } = measured(
      (a, b) => nn.unitLinear(a!, b!, { constraint: 'none' }),
      draw(0, rows, inputs),
      draw(1, inputs, outputs),
    )
    for (const one of [out, ...gradients]) expect(Math.abs(one - 1)).toBeLessThan(0.1)
  })

  it('unitMatmul, activations and residuals have it about', () => {
    const [a, b] = [draw(0, 64, 64), draw(1, 64, 64)]
    const found = [
      measured((p, q) => nn.unitMatmul(p!, q!), a, b),
      measured((p) => nn.unitResidual(p!, (branch) => branch, { tau: 0.5 }), a),
      measured((p) => nn.unitGelu(p!, { constraint: 'none' }), a),
      measured((p) => nn.unitSilu(p!, { constraint: 'none' }), a),
      measured((p, q) => nn.unitSiluGlu(p!, q!), a, b),
      measured((p) => nn.unitSoftmax(p!, { constraint: 'none' }), a),
    ]
    // The factors of activations are fitted for all multipliers, not exact for one: a third of a power of two at most. The branch of the residual
    // here is its stream, which doubles the covariance: sqrt(1 + 2 tau / (1 + tau^2)) = 1.34.
    for (const { out, gradients } of found) {
      for (const one of [out, ...gradients]) expect(Math.abs(Math.log2(one))).toBeLessThan(0.5)
    }
  })

  it('unitCrossEntropy has it for logits of 0, at any number of classes', () => {
    for (const classes of [8, 256]) {
      const logits = tensor(new Float32Array(64 * classes), { shape: [64, classes] })
      const next = tensor(Array.from(randint(key(1), 64, { minval: 0, maxval: classes })), { dtype: 'int32' })
      const g = grad((at: Tensor<'float32'>) => nn.unitCrossEntropy(at, next))(logits)
      expect(deviation(g)).toBeCloseTo(1, 5)
    }
  })

  it('unitAttention has it within a factor of two, and so do gradients of values', () => {
    for (const causal of [false, true]) {
      const inputs = [0, 1, 2].map((stream) => draw(stream, 8, 64, 16))
      const { out, gradients } = measured((q, k, v) => nn.unitAttention(q!, k!, v!, { causal }), ...inputs)
      expect(Math.abs(Math.log2(out))).toBeLessThan(1)
      expect(Math.abs(Math.log2(gradients[2]!))).toBeLessThan(1)
    }
  })
})

describe('wrong calls', () => {
  const two = tensor([[1, 2]])
  it.each([
    [() => nn.rescale(two, { forward: Number.NaN }), /^rescale: forward/],
    [
      () => nn.rescale(tensor([1], { dtype: 'int32' }), { forward: 2 }),
      /^rescale: needs a floating-point dtype/,
    ],
    [() => nn.unitLinear(two, tensor([1, 2])), /^unitLinear: the weight is no matrix \[2\]/],
    [() => nn.unitLinear(two, tensor([[1]])), /^unitLinear: the last axis of x has not 1 features/],
    [() => nn.unitGelu(two, { mult: 0 }), 'unitGelu: mult is not above 0 [0]'],
    [() => nn.unitSilu(two, { constraint: 'gmean' as never }), /^unitSilu: unknown constraint/],
    [() => nn.unitResidual(two, () => tensor([1])), 'unitResidual: f changes the shape [1, 2 and 1]'],
    [() => nn.unitResidualTau(2, 2), /^unitResidualTau: index/],
    [() => nn.unitEmbedding(two, tensor([1]) as never), /^unitEmbedding: positions are not int32/],
    [() => nn.unitCrossEntropy(two, tensor([1, 2], { dtype: 'int32' })), /^unitCrossEntropy: logits are not/],
    [() => nn.unitMatmul(tensor([1]), two as never), /^unitMatmul: operands have less than 2 axes/],
  ])('are refused: %s', (call, message) => {
    expect(call).toThrow(message)
  })
})
