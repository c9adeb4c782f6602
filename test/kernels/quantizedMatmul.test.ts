import { grad, vjp, vmap } from 'tpu-toolkit/autodiff'
import { dequantize, quantize } from 'tpu-toolkit/blocks'
import { compile } from 'tpu-toolkit/compile'
import {
  blockScaledMatmul,
  type MatmulRecipe,
  matmulRecipes,
  quantizedMatmul,
  type RecipeName,
  scaleTiles,
} from 'tpu-toolkit/kernels'
import { certify } from 'tpu-toolkit/precision'
import { foldIn, key, keyTensor, normal } from 'tpu-toolkit/random'
import {
  cast,
  type FloatDType,
  hadamard,
  matmul,
  mul,
  sub,
  sum,
  type Tensor,
  tensor,
  transpose,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const draw = (seed: number, shape: readonly number[], dtype: FloatDType = 'bfloat16'): Tensor =>
  cast(tensor(normal(key(seed), shape[0]! * shape[1]!), { shape }), dtype)

const names = Object.keys(matmulRecipes) as RecipeName[]

/** y, dx and dw for a cotangent. */
function pulled(
  x: Tensor,
  w: Tensor,
  g: Tensor,
  f: (x: Tensor, w: Tensor) => Tensor,
): [y: Tensor, dx: Tensor, dw: Tensor] {
  const [y, pull] = vjp(f, x, w) as unknown as [Tensor, (g: Tensor) => [Tensor, Tensor]]
  return [y, ...pull(g)]
}

const bits = (tensors: readonly Tensor[]): unknown => tensors.map((x) => [x.dtype, x.shape, [...x.toBits()]])

describe('quantizedMatmul(x, w, { recipe })', () => {
  it("'deepseek-fp8' has the bits of blockScaledMatmul, forward and back", () => {
    for (const dtype of ['bfloat16', 'float32'] as const) {
      const [x, w, g] = [draw(1, [130, 200], dtype), draw(2, [200, 140], dtype), draw(3, [130, 140], dtype)]
      const ours = pulled(x, w, g, (a, b) =>
        quantizedMatmul(a as Tensor<FloatDType>, b as Tensor<FloatDType>, { recipe: 'deepseek-fp8' }),
      )
      const theirs = pulled(x, w, g, (a, b) =>
        blockScaledMatmul(a as Tensor<FloatDType>, b as Tensor<FloatDType>),
      )
      expect(bits(ours)).toEqual(bits(theirs))
    }
  })

  it("'nvfp4' is products of what blocks.quantize gives", () => {
    const [x, w, g] = [draw(1, [32, 48]), draw(2, [48, 64]), draw(3, [32, 64])] as Tensor<'bfloat16'>[]
    const own = key(7)
    const [y, dx, dw] = pulled(x!, w!, g!, (a, b) =>
      quantizedMatmul(a as Tensor<'float32'>, b as Tensor<'float32'>, { recipe: 'nvfp4', key: own }),
    )
    const nvfp4 = { element: 'float4_e2m1fn', scheme: 'nvfp4', tensorScale: 'amax' } as const
    const drawn = (i: number) => ({ ...nvfp4, rounding: 'stochastic', key: foldIn(own, i) }) as const
    // float64 products of what the codes stand for, their scales taken out of the tensor scales' rounding.
    const of = (a: ReturnType<typeof quantize>, b: ReturnType<typeof quantize>): Tensor => {
      const alpha = Math.fround(a.tensorScale * b.tensorScale)
      const [left, right] = [a, b].map((blocks) => dequantize({ ...blocks, tensorScale: 1 }))
      const sums = matmul(left!, transpose(right!), { accumulate: 'float32' })
      return cast(mul(cast(sums, 'float64'), alpha), 'bfloat16')
    }
    const weights = quantize(transpose(w!), { ...nvfp4, blockRows: 16 })
    expect(y.toBits()).toEqual(of(quantize(x!, nvfp4), weights).toBits())
    expect(dx.toBits()).toEqual(
      of(quantize(g!, drawn(2)), quantize(w!, { ...nvfp4, blockRows: 16 })).toBits(),
    )
    const turn = (z: Tensor): Tensor => hadamard(transpose(z), { size: 16, signs: key(0) })
    expect(dw.toBits()).toEqual(of(quantize(turn(x!), nvfp4), quantize(turn(g!), drawn(5))).toBits())
  })

  it("'fp8-row' is products of scaleTiles with a scale a row", () => {
    const [x, w] = [draw(1, [5, 20]), draw(2, [20, 7])] as [Tensor<'bfloat16'>, Tensor<'bfloat16'>]
    const y = quantizedMatmul(x, w, { recipe: 'fp8-row', dtype: 'float32' })
    const [a, b] = [scaleTiles(x, { tile: [1, 'all'] }), scaleTiles(w, { tile: ['all', 1] })]
    const sums = matmul(cast(a.codes, 'float32'), cast(b.codes, 'float32'))
    expect(y).toEqual(mul(sums, mul(a.scales, b.scales)))
  })

  it('without a quantisation is matmul with float32 sums, and so are its gradients', () => {
    const [x, w, g] = [draw(1, [5, 20]), draw(2, [20, 7]), draw(3, [5, 7])]
    const ours = pulled(x, w, g, (a, b) =>
      quantizedMatmul(a as Tensor<'float32'>, b as Tensor<'float32'>, { recipe: {} }),
    )
    const theirs = pulled(x, w, g, (a, b) => matmul(a, b, { accumulate: 'float32' }))
    expect(bits(ours)).toEqual(bits(theirs))
  })

  it('of every recipe has the same bits compiled, with another key at each call', () => {
    for (const recipe of names) {
      const step = (x: Tensor, w: Tensor, g: Tensor, words: Tensor<'uint32'>): Tensor[] => {
        const loss = (a: Tensor, b: Tensor): Tensor =>
          sum(
            mul(
              quantizedMatmul(a as Tensor<'bfloat16'>, b as Tensor<'bfloat16'>, {
                ...{ recipe, key: foldIn(words, 3) },
              }),
              g,
            ),
          )
        return grad(loss, { argnums: [0, 1] })(x, w) as unknown as Tensor[]
      }
      const compiled = compile(step)
      const seen = new Set<string>()
      for (let call = 0; call < 3; call++) {
        const args = [draw(1, [40, 48]), draw(2, [48, 33]), draw(3, [40, 33]), keyTensor(key(call))] as const
        const ours = compiled(...args)
        expect(bits(ours)).toEqual(bits(step(...args)))
        seen.add(ours[1]!.toBits().join())
      }
      expect([recipe, seen.size]).toEqual([recipe, ['nvfp4', 'mxfp4'].includes(recipe) ? 3 : 1])
      expect(compiled.plan().recorded).toBeGreaterThan(0)
    }
  })

  it('in vmap has the bits of one element after the other', () => {
    const x = tensor(normal(key(1), 3 * 16 * 16), { shape: [3, 16, 16] })
    const w = draw(2, [16, 16], 'float32') as Tensor<'float32'>
    const f = (a: Tensor): Tensor =>
      quantizedMatmul(a as Tensor<'float32'>, w, { recipe: 'nvfp4', key: key(1) })
    const all = vmap(f)(x)
    for (let i = 0; i < 3; i++) {
      const own = tensor(x.data.slice(i * 256, (i + 1) * 256), { shape: [16, 16] })
      expect(all.toNumbers().slice(i * 256, (i + 1) * 256)).toEqual(f(own).toNumbers())
    }
  })

  it('rounds gradients at random without a bias', () => {
    const [x, w, g] = [
      draw(1, [16, 16], 'float32'),
      draw(2, [16, 16], 'float32'),
      draw(3, [16, 16], 'float32'),
    ]
    const drawn = { scheme: 'mxfp4', scale: 'rceil', rounding: 'stochastic' } as const
    const recipe: MatmulRecipe = { dgrad: { g: drawn } }
    const exact = pulled(x, w, g, (a, b) => matmul(a, b))[1]
    const count = 300
    const mean = new Float64Array(256)
    let single = 0
    for (let i = 0; i < count; i++) {
      const dx = pulled(x, w, g, (a, b) =>
        quantizedMatmul(a as Tensor<'float32'>, b as Tensor<'float32'>, { recipe, key: key(i) }),
      )[1]
      const error = sub(dx, exact).toNumbers()
      for (let j = 0; j < 256; j++) mean[j] = mean[j]! + error[j]! / count
      single = Math.max(single, ...error.map(Math.abs))
    }
    // Errors are sums of 16 terms; the mean of 300 draws is within 5 of its standard errors, each at most single / sqrt(300).
    expect(single).toBeGreaterThan(0.1)
    expect(Math.max(...mean.map(Math.abs))).toBeLessThan((5 * single) / Math.sqrt(count))
  })

  it('is certified by its unrounded form, within a bound that is its error', () => {
    const [x, w] = [draw(1, [8, 32], 'float32'), draw(2, [32, 8], 'float32')]
    const wide = (y: Tensor): Tensor<'float64'> => cast(y, 'float64')
    for (const recipe of names) {
      const f = ([a, b]: readonly Tensor[]): Tensor =>
        quantizedMatmul(a as Tensor<'float32'>, b as Tensor<'float32'>, { recipe })
      const error = sub(wide(f([x, w])), matmul(wide(x), wide(w)))
        .toNumbers()
        .map(Math.abs)
      const { bounds, unknown } = certify(f, [x, w])
      expect(unknown).toEqual([])
      const bound = bounds[0]!.toNumbers()
      const within = Array.from(error, (own, i) => own <= bound[i]! && bound[i]! < own + 1e-12)
      expect([recipe, within.every(Boolean)]).toEqual([recipe, true])
    }
  })

  it('says what is wrong with a recipe', () => {
    const x = draw(1, [4, 4], 'float32') as Tensor<'float32'>
    const wrong =
      (recipe: unknown): (() => unknown) =>
      () =>
        quantizedMatmul(x, x, { recipe } as never)
    expect(wrong('nvfp')).toThrow(
      new RangeError('quantizedMatmul: unknown recipe, did you mean nvfp4 [nvfp]'),
    )
    const drawn = { scheme: 'mxfp4', rounding: 'stochastic' }
    expect(wrong({ forward: { x: drawn } })).toThrow(
      new RangeError('quantizedMatmul: a recipe that rounds at random needs a key [undefined]'),
    )
    expect(wrong('nvfp4')()).toMatchObject({ shape: [4, 4] })
    expect(() =>
      grad((a: Tensor) => sum(quantizedMatmul(a as Tensor<'float32'>, x, { recipe: 'nvfp4' })))(x),
    ).toThrow(
      new RangeError('quantizedMatmul: gradient: a recipe that rounds at random needs a key [undefined]'),
    )
    expect(wrong({ forwards: {} })).toThrow('quantizedMatmul: recipe: unknown option, did you mean forward')
    expect(wrong({ forward: { x: { scheme: 'mxfp5' } } })).toThrow('quantizedMatmul: forward: unknown scheme')
    expect(wrong({ forward: { x: { tile: [1] } } })).toThrow(
      'quantizedMatmul: forward: tile is not [rows, columns]',
    )
    expect(wrong({ forward: { x: { scheme: 'mxfp4', blockRows: 0 } } })).toThrow('blockRows')
    expect(wrong({ wgrad: { hadamard: { size: 12 } } })).toThrow('size is no power of two [12]')
  })
})
