import fc from 'fast-check'
import { grad } from 'tpu-toolkit/autodiff'
import { type FuseOptions, fuse, rmsNorm } from 'tpu-toolkit/kernels'
import { softmax } from 'tpu-toolkit/numerics'
import {
  add,
  cast,
  fromBits,
  geluTanh,
  matmul,
  mul,
  relu,
  silu,
  sub,
  sum,
  type Tensor,
  tensor,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { seed } from '../support/seed.js'

const key = new Columns('kernels/fusion')
const [{ m, k, n }] = key.facts['cases'] as readonly [{ m: number; k: number; n: number }]
const read = (name: string, shape: readonly number[]): Tensor =>
  fromBits(key.u16(name), { shape, dtype: 'bfloat16' })
const a = read('a', [m, k])
const b = read('b', [k, n])
const up = read('up', [k, n])
const bias = read('bias', [n])
const residual = read('residual', [m, n])
const scale = read('norm_scale', [n])

const dense = (x: Tensor, w: Tensor, c: Tensor): Tensor => add(matmul(x, w), c)
const withResidual = (x: Tensor, w: Tensor, c: Tensor, r: Tensor): Tensor => add(dense(x, w, c), r)
const normed =
  (internal: 'float32' | 'bfloat16') =>
  (x: Tensor, s: Tensor): Tensor =>
    rmsNorm(x as Tensor<'bfloat16'>, { scale: s, internal })
const every: FuseOptions = { rounds: 'every' }

describe('fuse against an emulation in NumPy', () => {
  it.each(Object.entries({ gelu_tanh: geluTanh, silu, relu }))(
    'fuse of bias and %s has its bits',
    (name, act) => {
      const whole = (x: Tensor, w: Tensor, c: Tensor): Tensor => act(dense(x, w, c))
      expect(fuse(whole)(a, b, bias).toBits()).toEqual(key.u16(`bias_${name}_fused`))
      expect(fuse(whole, every)(a, b, bias).toBits()).toEqual(key.u16(`bias_${name}_op`))
      const epilogue = fuse((x: Tensor) => act(x))(fuse(dense)(a, b, bias))
      expect(epilogue.toBits()).toEqual(key.u16(`bias_${name}_epilogue`))
    },
  )

  it('fuse of SwiGLU has its bits', () => {
    const swiglu = (x: Tensor, w: Tensor, v: Tensor): Tensor => mul(silu(matmul(x, w)), matmul(x, v))
    expect(fuse(swiglu)(a, b, up).toBits()).toEqual(key.u16('swiglu_fused'))
    expect(fuse(swiglu, every)(a, b, up).toBits()).toEqual(key.u16('swiglu_op'))
  })

  it('fuse of a residual, and of the norm behind it, has its bits', () => {
    const args = [a, b, bias, residual] as const
    expect(fuse(withResidual)(...args).toBits()).toEqual(key.u16('residual_fused'))
    expect(fuse(withResidual, every)(...args).toBits()).toEqual(key.u16('residual_op'))
    const whole = fuse((x: Tensor, w: Tensor, c: Tensor, r: Tensor, s: Tensor) =>
      normed('float32')(withResidual(x, w, c, r), s),
    )
    expect(whole(...args, scale).toBits()).toEqual(key.u16('residual_rms_fused'))
    const rounded = normed('float32')(fuse(withResidual)(...args), scale)
    expect(rounded.toBits()).toEqual(key.u16('residual_rms_of_rounded'))
    const op = normed('bfloat16')(withResidual(...args), scale)
    expect(op.toBits()).toEqual(key.u16('residual_rms_op'))
  })

  it('fuse of softmax behind a product has its bits', () => {
    const f = (x: Tensor, w: Tensor): Tensor => {
      const logits = matmul(x, w)
      return softmax(logits, { accumulate: logits.dtype as 'bfloat16' })
    }
    expect(fuse(f)(a, b).toBits()).toEqual(key.u16('softmax_fused'))
    expect(fuse(f, every)(a, b).toBits()).toEqual(key.u16('softmax_op'))
  })
})

describe(`fuse (seed ${seed})`, () => {
  const numbers = fc.array(fc.float({ noNaN: true, min: -100, max: 100 }), { minLength: 1, maxLength: 9 })
  const f = (x: Tensor, y: Tensor): Tensor => sub(mul(add(x, y), y), silu(x))

  it('fuse is the cast of f over casts, and every is f', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const [x, y] = [values, [...values].reverse()].map((v) => tensor(v, { dtype: 'bfloat16' }))
        const definition = cast(f(cast(x!, 'float32'), cast(y!, 'float32')), 'bfloat16')
        expect(fuse(f)(x!, y!).toBits()).toEqual(definition.toBits())
        expect(fuse(f, every)(x!, y!).toBits()).toEqual(f(x!, y!).toBits())
      }),
      { seed, numRuns: 50 },
    )
  })

  it('fuse of float32 alone changes nothing', () => {
    const [x, y] = [tensor([1, 2]), tensor([3, 4])]
    expect(fuse(f)(x, y).toBits()).toEqual(f(x, y).toBits())
  })

  it('fuse takes trees and gives trees, other arguments pass', () => {
    const layer = fuse((x: Tensor, p: { w: Tensor; b: Tensor }, act: (v: Tensor) => Tensor) => ({
      out: act(dense(x, p.w, p.b)),
    }))
    const { out } = layer(a, { w: b, b: bias }, (v) => geluTanh(v))
    expect(out.toBits()).toEqual(key.u16('bias_gelu_tanh_fused'))
  })

  it('the gradient of a fused function is computed wide and rounded once', () => {
    const x = tensor([1.5, -0.25], { dtype: 'bfloat16' })
    const wide = cast(grad((v: Tensor) => sum(f(v, v)))(cast(x, 'float32')), 'bfloat16')
    expect(grad((v: Tensor) => sum(fuse(f, { dtype: 'float32' })(v, v)))(x).toBits()).toEqual(wide.toBits())
  })

  it('fuse names what is wrong', () => {
    expect(() => fuse(3 as unknown as () => Tensor)).toThrow('fuse: f is not a function [3]')
    expect(() => fuse(f, { rounds: 'once' as 'end' })).toThrow(
      'fuse: unknown rounds, there are end, every [once]',
    )
  })
})
