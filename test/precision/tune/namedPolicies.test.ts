import {
  abs,
  add,
  cast,
  div,
  exp,
  layerNorm,
  less,
  logSoftmax,
  logsumexp,
  losses,
  max,
  mean,
  mul,
  norm,
  softmax,
  square,
  sub,
  sum,
  type Tensor,
  where,
} from 'tpu-toolkit'
import { namedPolicies, type TensorFunction, tune } from 'tpu-toolkit/precision'
import { key, normal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'

const x = cast(mul(normal(key(1), [4, 16]), 4), 'bfloat16')
const autocast = namedPolicies.filter(({ name }) => name === 'pytorch-autocast')

/** The operations that autocast runs wide. */
const wideIn = (f: TensorFunction<Tensor>): readonly string[] => {
  const run = f as (v: Tensor) => Tensor
  const target = { meanBits: 8 }
  return tune(run, x, { target, policies: autocast }).policies[0]!.wide
}

describe("namedPolicies, PyTorch's autocast", () => {
  it('runs all of softmax, logSoftmax and layerNorm wide, as its list has them whole', () => {
    expect(wideIn((v) => softmax(v))).toEqual(['sub#0', 'exp#0', 'sum#0', 'div#0'])
    expect(wideIn((v) => logSoftmax(v))).toEqual(['sub#0', 'exp#0', 'sum#0', 'log#0', 'sub#1'])
    expect(wideIn((v) => layerNorm(v)).length).toBe(7)
  })

  it('runs all of logsumexp, norms, and the means of squared and absolute errors wide, likewise', () => {
    const wide = (f: TensorFunction<Tensor>): string[] => wideIn(f).map((name) => name.replace(/#.*/, ''))
    expect(wide((v) => logsumexp(v, { axis: -1 }))).toEqual(['sub', 'exp', 'sum', 'log', 'add'])
    expect(wide((v) => norm(v, { axis: -1 }))).toEqual(['square', 'sum', 'sqrt'])
    expect(wide((v) => mean(losses.squaredError(v, mul(v, 2))))).toEqual(['sub', 'square', 'mean'])
    expect(wide((v) => mean(abs(sub(v, mul(v, 2)))))).toEqual(['sub', 'mean'])
    // A variance is on no list, and what feeds a loss is not of it.
    expect(wide((v) => mean(square(sub(v, mean(v)))))).toEqual([])
  })

  it('runs all of huberLoss, smooth absolute errors and klDivergence wide, with what sums them', () => {
    const wide = (f: TensorFunction<Tensor>): string[] => wideIn(f).map((name) => name.replace(/#.*/, ''))
    const huber = ['sub', 'square', 'mul', 'sub', 'mul', 'add', 'mean']
    expect(wide((v) => mean(losses.huberLoss(v, mul(v, 2), { delta: 1.5 })))).toEqual(huber)
    const smooth = (v: Tensor): Tensor => {
      const error = sub(v, mul(v, 2))
      const far = mul(sub(abs(error), 0.5), 3)
      return mean(where(less(abs(error), 1), mul(square(error), 0.5), far))
    }
    expect(wide(smooth)).toEqual(['sub', 'sub', 'mul', 'square', 'mul', 'mean'])
    const targets = cast(softmax(cast(x, 'float32')), 'bfloat16')
    const divergence = (v: Tensor): Tensor => losses.klDivergence(v, mul(targets, add(mul(v, 0), 1)))
    expect(wide(divergence)).toEqual(['log', 'sub', 'mul', 'sum'])
    expect(wide((v) => losses.klDivergenceWithLogTargets(v, mul(v, 2)))).toEqual(['exp', 'sub', 'mul', 'sum'])
    // A product with a difference of something else is on no list.
    expect(wide((v) => mul(mul(v, 2), sub(square(v), 1)))).toEqual([])
  })

  it('finds them written out, and leaves what feeds them alone', () => {
    const written = (v: Tensor): Tensor => {
      const scaled = add(v, 0.5)
      const e = exp(sub(scaled, max(scaled, { axis: -1, keepDims: true })))
      return div(e, sum(e, { axis: -1, keepDims: true }))
    }
    expect(wideIn(written)).toEqual(['sub#0', 'exp#0', 'sum#0', 'div#0'])
  })

  it('goes by operations where there is no such function', () => {
    expect(wideIn((v) => sub(v, sum(v, { axis: -1, keepDims: true })))).toEqual(['sum#0', 'sub#0'])
    expect(wideIn((v) => sub(v, max(v, { axis: -1, keepDims: true })))).toEqual([])
  })
})
