import * as toolkit from 'tpu-toolkit'
import {
  add,
  argmax,
  cast,
  cos,
  cosh,
  cumprod,
  cumsum,
  div,
  erf,
  erfc,
  exp,
  expm1,
  gelu,
  log,
  log1p,
  logAddExp,
  matmul,
  max,
  mean,
  min,
  mul,
  pow,
  sigmoid,
  silu,
  sin,
  sinh,
  softplus,
  sub,
  sum,
  type Tensor,
  tanh,
  tensor,
  tril,
  type Unary,
} from 'tpu-toolkit'
import { unary, unaryNames } from 'tpu-toolkit/functions'
import {
  isWide,
  minus,
  over,
  plus,
  programOf,
  type Real,
  type Reals,
  realArithmetic,
  realOf,
  replay,
  root,
  shadow,
  times,
  toFloat64,
} from 'tpu-toolkit/precision'
import { seeded } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { rational, rationalOf } from '../../support/rational.js'
import { seed } from '../../support/seed.js'

const arithmetic = realArithmetic()

/** The outputs of a computation without any rounding. */
function unrounded(f: (x: readonly Tensor[]) => Tensor | Tensor[], inputs: readonly Tensor[]): Reals[] {
  const program = programOf('test', f, inputs)
  const run = replay(program, () => 'exact', arithmetic)
  return program.outputs.map((output) => {
    const value = run.valueOf(output)
    return isWide(value) ? value.wide : arithmetic.widen(value)
  })
}

const values = (f: (x: readonly Tensor[]) => Tensor, ...inputs: Tensor[]): number[] =>
  unrounded(f, inputs)[0]!.values.map(toFloat64)

describe(`realArithmetic (seed ${seed})`, () => {
  const draw = seeded(`real ${seed}`)
  const numbers = Float64Array.from({ length: 60 }, () => (draw() - 0.4) * 2 ** Math.floor(draw() * 30 - 22))

  it.each(unaryNames)('%s agrees with float64 in 42 bits', (name) => {
    const f = (toolkit as unknown as Record<string, Unary>)[name]!
    const x = tensor(numbers)
    const exact = values(([v]) => f(v!), x)
    for (const [i, value] of x.toNumbers().entries()) {
      const near = unary[name](value)
      if (!Number.isFinite(near)) continue
      // lgamma below -1/2 is a difference; its float64 value has an absolute error.
      const scale = name === 'lgamma' ? 1 + Math.abs(near) : Math.abs(near)
      expect(Math.abs(exact[i]! - near)).toBeLessThanOrEqual(scale * 2 ** -42)
    }
  })

  it.each([
    [
      'sin^2 + cos^2 = 1',
      ([x]: readonly Tensor[]) => [add(mul(sin(x!), sin(x!)), mul(cos(x!), cos(x!))), div(x!, x!)],
    ],
    ['log(e^x) = x', ([x]) => [log(exp(x!)), x!]],
    ['log1p(e^x - 1) = x', ([x]) => [log1p(expm1(x!)), x!]],
    ['cosh^2 - sinh^2 = 1', ([x]) => [sub(mul(cosh(x!), cosh(x!)), mul(sinh(x!), sinh(x!))), div(x!, x!)]],
    ['tanh = sinh / cosh', ([x]) => [tanh(x!), div(sinh(x!), cosh(x!))]],
    ['erf + erfc = 1', ([x]) => [add(erf(x!), erfc(x!)), div(x!, x!)]],
    ['silu = x sigmoid', ([x]) => [silu(x!), mul(x!, sigmoid(x!))]],
    ['softplus = log(1 + e^x)', ([x]) => [softplus(x!), log(add(1, exp(x!)))]],
    [
      'gelu = x erfc(-x / sqrt 2) / 2',
      ([x]) => [gelu(x!), mul(mul(x!, 0.5), erfc(div(x!, toolkit.neg(toolkit.sqrt(add(div(x!, x!), 1))))))],
    ],
    ['x^3 = x x x', ([x]) => [pow(x!, 3), mul(mul(x!, x!), x!)]],
    [
      'logAddExp = log(e^x + e^1)',
      ([x]) => [logAddExp(x!, div(x!, x!)), log(add(exp(x!), exp(div(x!, x!))))],
    ],
  ] as readonly (readonly [string, (x: readonly Tensor[]) => Tensor[]])[])('%s to 2^-200', (_, both) => {
    const x = tensor(Float64Array.from({ length: 40 }, () => (draw() - 0.5) * 8))
    const [a, b] = unrounded(both, [x])
    for (const [i, value] of a!.values.entries()) {
      const apart = toFloat64(minus(value, b!.values[i]!))
      expect(Math.abs(apart)).toBeLessThanOrEqual(2 ** -200 * Math.max(1, Math.abs(toFloat64(value)) ** 2))
    }
  })

  it('adds, multiplies, divides and takes roots as fractions do', () => {
    const near = ({ n, d }: { n: bigint; d: bigint }): number => Number((n * 2n ** 200n) / d) * 2 ** -200
    for (let run = 0; run < 200; run++) {
      const [x, y] = [draw() - 0.5, draw() * 4]
      const [a, b] = [realOf(x), realOf(y)] as [Real, Real]
      const [p, q] = [rationalOf(x), rationalOf(y)]
      expect(toFloat64(plus(a, b))).toBe(near(rational.add(p, q)))
      expect(toFloat64(times(a, b))).toBe(near(rational.mul(p, q)))
      expect(toFloat64(over(a, b))).toBe(near(rational.div(p, q)))
      const r = root(b)
      expect(Math.abs(toFloat64(minus(times(r, r), b)))).toBeLessThan(2 ** -300)
    }
  })

  it('keeps zeros, infinities and NaN as IEEE 754 has them, and has no end of exponents', () => {
    expect(plus(Infinity, -Infinity)).toBeNaN()
    expect(times(0, Infinity)).toBeNaN()
    expect(over(realOf(1), 0)).toBe(Infinity)
    expect(over(realOf(-1), 0)).toBe(-Infinity)
    expect(toFloat64(minus(realOf(1), realOf(1)))).toBe(0)
    expect(root(realOf(-1))).toBeNaN()
    const huge = times(realOf(1e300), realOf(1e300))
    expect(toFloat64(huge)).toBe(Infinity)
    expect(toFloat64(over(huge, realOf(1e300)))).toBe(1e300)
    expect(toFloat64(realOf(2 ** -1074))).toBe(2 ** -1074)
    expect(toFloat64(over(realOf(2 ** -1074), realOf(2)))).toBe(0)
    expect(toFloat64(over(realOf(3 * 2 ** -1074), realOf(2)))).toBe(2 ** -1073)
  })

  it('reduces and moves as the operations do', () => {
    const x = tensor(
      [
        [1, 2, 4],
        [8, 16, 32],
      ],
      { dtype: 'bfloat16' },
    )
    const third = (v: Tensor): Tensor => div(v, 3)
    const scaled = (list: number[]): number[] => list.map((value) => Math.round(value * 3))
    const of = (f: (v: Tensor) => Tensor): number[] => scaled(values(([v]) => f(third(v!)), x))
    expect(of((v) => sum(v, { axis: 0 }))).toEqual([9, 18, 36])
    expect(of((v) => sum(v, { axis: 1 }))).toEqual([7, 56])
    expect(of((v) => mean(v, { axis: [0, 1] }))).toEqual([Math.round(63 / 6)])
    expect(of((v) => cumsum(v, { axis: 1 }))).toEqual([1, 3, 7, 8, 24, 56])
    expect(of((v) => max(v, { axis: 0 }))).toEqual([8, 16, 32])
    expect(of((v) => min(v))).toEqual([1])
    expect(of((v) => tril(v))).toEqual([1, 0, 0, 8, 16, 0])
    expect(of((v) => toolkit.transpose(v))).toEqual([1, 8, 2, 16, 4, 32])
    expect(of((v) => matmul(v, tensor([[3], [0], [3]], { dtype: 'bfloat16' })))).toEqual([15, 120])
    expect(values(([v]) => cumprod(v!, { axis: 1 }), x)).toEqual([1, 2, 8, 8, 128, 4096])
    expect(values(([v]) => cast(argmax(v!, { axis: 1 }), 'float32'), x)).toEqual([2, 2])
  })
})

describe('the float64 reference of shadow', () => {
  it('multiplies matrices with the bits of the kernel, batched and broadcast', () => {
    const draw = seeded('matmul')
    const random = (shape: number[]): Tensor =>
      tensor(Float64Array.from({ length: shape.reduce((a, b) => a * b, 1) }, draw), {
        shape,
        dtype: 'float32',
      })
    for (const [a, b] of [
      [
        [3, 4],
        [4, 5],
      ],
      [
        [2, 3, 4],
        [4, 1],
      ],
      [
        [2, 1, 3, 2],
        [5, 2, 3],
      ],
      [
        [2, 0],
        [0, 3],
      ],
      [
        [0, 2],
        [2, 3],
      ],
    ] as const) {
      const [x, y] = [random([...a]), random([...b])]
      const { reference } = shadow(([v, w]) => matmul(v!, w!), [x, y]).errors(0)
      const kernel = matmul(cast(x, 'float64'), cast(y, 'float64'))
      expect(reference).toEqual(kernel.toNumbers())
    }
  })
})
