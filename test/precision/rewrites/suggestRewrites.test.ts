import {
  add,
  cast,
  cumsum,
  div,
  exp,
  layerNorm,
  log,
  matmul,
  mean,
  mul,
  naiveCovariance,
  naiveSum,
  neg,
  reshape,
  sigmoid,
  slice,
  softmax,
  sqrt,
  square,
  sub,
  sum,
  type Tensor,
  tanh,
  tensor,
  variance,
} from 'tpu-toolkit'
import { suggestRewrites, type TensorFunction } from 'tpu-toolkit/precision'
import { key, normal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'

/** Normal numbers in bfloat16. */
function draws(shape: readonly number[], average = 0, deviation = 1): Tensor<'bfloat16'> {
  const x = normal(key(9), shape as number[])
  return cast(add(mul(x, deviation), average), 'bfloat16')
}

const texts = (f: TensorFunction<Tensor>, x: Tensor): readonly string[] =>
  suggestRewrites(f, x).rewrites.map(({ to }) => to)

describe('suggestRewrites', () => {
  const wideVariance = 'variance(x, { axis: -1 })'
  const along = { axis: -1, accumulate: 'bfloat16' } as const
  const onePasses: [string, TensorFunction<Tensor>][] = [
    ['means of squares', (x) => sub(mean(square(x), along), square(mean(x, along)))],
    ['products, commuted', (x) => add(neg(mul(mean(x, along), mean(x, along))), mean(mul(x, x), along))],
    ['sums over n', (x) => sub(div(sum(mul(x, x), along), 64), div(square(sum(x, along)), 64 * 64))],
    ['reciprocal counts', (x) => sub(mul(sum(square(x), along), 1 / 64), square(mul(1 / 64, sum(x, along))))],
    [
      'kept axes, reshaped',
      (x) => {
        const m = mean(x, { ...along, keepDims: true })
        return sub(mean(square(x), along), reshape(square(m), [8]))
      },
    ],
    ['our own', (x) => variance(x, { ...along, method: 'one-pass' })],
  ]
  it.each(onePasses)('finds the one-pass variance written with %s', (_, f) => {
    const { rewrites, before, after } = suggestRewrites(f, draws([8, 64], 10))
    expect(rewrites.map(({ to }) => to)).toEqual([wideVariance])
    expect(before.mean).toBeLessThan(3)
    expect(after.mean).toBe(8)
  })

  it('leaves what only looks like a variance: another count, another axis', () => {
    const x = draws([8, 8], 10)
    const others: TensorFunction<Tensor>[] = [
      (v) => sub(mean(square(v), along), square(div(sum(v, along), 9))),
      (v) => sub(mean(square(v), along), square(mean(v, { axis: 0 }))),
    ]
    for (const f of others) {
      for (const { to } of suggestRewrites(f, x).rewrites) expect(to).not.toContain('variance')
    }
  })

  it('finds a softmax without its shift where it overflows, and reals decide', () => {
    const f = (x: Tensor): Tensor => {
      const e = exp(x)
      return div(e, sum(e, { axis: -1, keepDims: true }))
    }
    const logits = tensor([
      [1000, 999, 0],
      [1, 2, 3],
    ])
    const found = suggestRewrites(f, logits)
    expect([found.reference, found.rewrites.map(({ to }) => to)]).toEqual(['real', ['softmax(x)']])
    expect([found.before.worst, found.after.worst > 20]).toEqual([0, true])
  })

  it('knows whole functions: softmax, layerNorm, a covariance in one pass', () => {
    expect(texts((x) => softmax(x), draws([4, 64], 0, 4))).toEqual(["softmax(x, { internal: 'float32' })"])
    expect(texts((x) => layerNorm(x), draws([4, 64], 10))).toEqual([
      "layerNorm(x, { eps: 0.00001, internal: 'float32' })",
    ])
    expect(texts((x) => naiveCovariance(x, { method: 'one-pass' }), draws([128, 4], 20))).toEqual([
      "cast(mul(stableCovariance(x), 0.9921875), 'bfloat16')",
    ])
  })

  it('finds sums of many: in one operation, in a loop of additions, in a matrix product', () => {
    const terms = draws([500], 1)
    expect(texts((x) => naiveSum(x), terms)).toEqual(["sum(x, { accumulate: 'float32' })"])
    expect(texts((x) => cumsum(x), terms)).toEqual(['stableCumsum(x)'])
    const loop = (x: Tensor): Tensor => {
      let s: Tensor = slice(x, [0])
      for (let i = 1; i < 500; i++) s = add(s, slice(x, [i]))
      return s
    }
    expect(texts(loop, terms)).toEqual(["sum(stack([y, z, ...]), { axis: 0, accumulate: 'float32' })"])
    const product = (x: Tensor): Tensor =>
      matmul(reshape(x, [1, 500]), reshape(x, [500, 1]), { accumulate: 'bfloat16' })
    expect(texts(product, terms)).toEqual([
      "matmul(reshape(x, [1, 500]), reshape(x, [500, 1]), { accumulate: 'float32' })",
    ])
  })

  it('finds saturation: 1 - tanh, 1 - sigmoid written out, their logs', () => {
    const x = draws([64], 6)
    expect(texts((v) => sub(1, tanh(v)), x)).toEqual(['mul(sigmoid(mul(v, -2)), 2)'])
    const handmade = (v: Tensor): Tensor => div(1, add(exp(neg(v)), 1))
    expect(texts((v) => sub(1, handmade(v)), x)).toEqual(['sigmoid(neg(v))'])
    expect(texts((v) => log(sub(1, sigmoid(v))), x)).toEqual(['neg(softplus(v))'])
    expect(texts((v) => log(sigmoid(v)), x)).toEqual(['neg(softplus(neg(v)))'])
  })

  it('finds decays of running sums, and differences of two of them', () => {
    const steps = mul(draws([300], 1, 0.1), 0.0625)
    expect(texts((dt) => exp(mul(cumsum(dt), -1)), steps)).toEqual([
      "cast(stableDecay(-1, cumsum(cast(dt, 'float32'))), 'bfloat16')",
    ])
    const pairwise = (dt: Tensor): Tensor => {
      const cs = cumsum(dt)
      return exp(neg(sub(reshape(cs, [32, 1]), reshape(cs, [1, 32]))))
    }
    expect(texts(pairwise, draws([32], 8, 0.1))).toEqual([
      "const x = tril(cumsum(tril(broadcastTo(reshape(cast(dt, 'float32'), [32, 1]), [32, 32]), { k: -1 }), { axis: 0 }), { k: -1 }); cast(sub(x, matrixTranspose(x)), 'bfloat16')",
    ])
  })

  it('a line in a loop is one proposal, with the line, and what x is', () => {
    const f = ({ start, rate }: { start: Tensor; rate: Tensor }): Tensor => {
      let x = start
      for (let i = 0; i < 20; i++) x = log(add(mul(x, rate), 1))
      return x
    }
    const rate = cast(tensor(1.125), 'bfloat16')
    const [first, ...others] = suggestRewrites(f, { start: draws([8], 0.01, 0.001), rate }).rewrites
    expect([first?.to, first?.steps.length, others]).toEqual(['log1p(x)', 20, []])
    expect(first?.site).toMatch(/^suggestRewrites\.test\.ts:\d+:\d+$/)
    expect(first?.operands[0]).toMatch(/^x is mul at suggestRewrites\.test\.ts:\d+:\d+$/)
  })

  it('in a few lines says what to write, and that there is nothing', () => {
    const found = suggestRewrites((x) => log(add(1, x)), tensor([1e-5]))
    expect(String(found).split('\n')).toEqual([
      'what to write instead: right bits of 24.0 in the outputs, in the mean (and the worst element), beside float64',
      expect.stringMatching(/^ {2}\d+\.\d -> 24\.0 \(\d+\.\d -> 24\.0\) {2}log1p\(x\)$/),
      expect.stringMatching(/^ {6}for log\(add\(1, x\)\) at suggestRewrites\.test\.ts:\d+:\d+$/),
    ])
    expect(`${suggestRewrites((x) => mul(x, x), tensor([1.5]))}`).toMatch(/^nothing to write otherwise/)
  })

  it('leaves lines alone that it is told to', () => {
    const f = (x: Tensor): Tensor => sqrt(sub(exp(x), 1))
    const [{ site } = { site: '' }] = suggestRewrites(f, tensor([1e-4])).rewrites
    const line = site!.replace(/:\d+$/, '')
    expect(suggestRewrites(f, tensor([1e-4]), { ignore: [line] }).rewrites).toEqual([])
    expect(suggestRewrites(f, tensor([1e-4]), { ignore: ['suggestRewrites.test.ts'] }).rewrites).toEqual([])
    expect(suggestRewrites(f, tensor([1e-4]), { ignore: [`${line}0`] }).rewrites.length).toBe(1)
  })

  it('refuses options that are none', () => {
    const f = (x: Tensor): Tensor => exp(x)
    const wrong = { atleast: 1 } as object
    expect(() => suggestRewrites(f, tensor(1), wrong)).toThrow(
      'unknown option, did you mean atLeast [atleast]',
    )
    expect(() => suggestRewrites(f, tensor(1), { atLeast: -1 })).toThrow(RangeError)
    const reference = 'float32' as 'float64'
    expect(() => suggestRewrites(f, tensor(1), { reference })).toThrow(
      'unknown reference, did you mean float64 [float32]',
    )
  })
})
