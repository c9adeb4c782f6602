import {
  add,
  cast,
  cumsum,
  div,
  exp,
  fromBits,
  greater,
  log,
  log1p,
  logAddExp,
  matmul,
  maximum,
  mean,
  mul,
  naiveSum,
  neg,
  ones,
  reshape,
  sqrt,
  sub,
  sum,
  type Tensor,
  tanh,
  tensor,
  where,
} from 'tpu-toolkit'
import { grad, stopGradient, valueAndGrad } from 'tpu-toolkit/autodiff'
import { format } from 'tpu-toolkit/formats'
import { dtypeArithmetic, isWide, programOf, replay, withPolicy } from 'tpu-toolkit/precision'
import { key, normal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'

const bf16 = (values: number | number[]): Tensor<'bfloat16'> => tensor(values, { dtype: 'bfloat16' })
const draws = cast(tensor(normal(key(7), 48)), 'bfloat16')

/** Some of everything: a scan, a product of matrices, decisions, moves, wide results read narrow. */
function mixed(x: Tensor): Tensor {
  const running = cumsum(mul(x, x))
  const square = reshape(running, [6, 8])
  const product = matmul(square, reshape(tanh(x), [8, 6]))
  const scaled = div(product, add(sum(running), 1))
  const chosen = where(greater(scaled, 0.25), sqrt(maximum(scaled, 0.01)), exp(neg(scaled)))
  return log(add(stopGradient(chosen), exp(scaled)))
}

describe('withPolicy', () => {
  it('gives the numbers of replay, whichever operations are wide', () => {
    const program = programOf('test', mixed, draws)
    const arithmetic = dtypeArithmetic('float64')
    const seen = new Map<string, number>()
    const names = program.steps.map(({ op }) => {
      // The only constant is the 0.01 of the maximum.
      if (op.name === 'constant') return 'maximum#0'
      const { name } = op
      const count = seen.get(name) ?? 0
      seen.set(name, count + 1)
      return `${name}#${count}`
    })
    for (let trial = 0; trial < 40; trial++) {
      const wide = new Set(
        [...names.keys()].filter(
          (i) => (Math.imul(trial * 31 + names.indexOf(names[i]!) + 1, 0x9e3779b1) >>> 16) % 3 === 0,
        ),
      )
      const again = replay(program, (i) => (wide.has(i) ? 'float32' : 'own'), arithmetic)
      const value = again.valueOf(program.outputs[0]!)
      const expected = isWide(value) ? arithmetic.narrow(value.wide, 'bfloat16') : value
      const got = withPolicy(mixed, { wide: names.filter((_, i) => wide.has(i)) })(draws)
      expect(got.toBits()).toEqual(expected.toBits())
    }
  })

  it('rounds a composed operation once, and a narrow one of a wide operand once', () => {
    const arithmetic = dtypeArithmetic('float64')
    const agrees = (f: (x: Tensor) => Tensor, x: Tensor, wide: readonly string[]): void => {
      const program = programOf('test', f, x)
      const steps = new Set(program.steps.flatMap(({ op }, i) => (wide.includes(op.name) ? [i] : [])))
      const value = replay(program, (i) => (steps.has(i) ? 'float32' : 'own'), arithmetic).valueOf(
        program.outputs[0]!,
      )
      const expected = isWide(value) ? arithmetic.narrow(value.wide, 'bfloat16') : value
      const got = withPolicy(f, { wide, groupBy: 'name' })(x).toNumbers()
      const wrong = expected.toNumbers().findIndex((number, i) => !Object.is(number, got[i]))
      expect(wrong).toBe(-1)
    }
    // What is left of the sum when its first 16 bits are taken away: rounding inside would show.
    const exact = logAddExp(cast(draws, 'float64'), 0)
    const first = cast(exact, 'bfloat16')
    const second = cast(sub(exact, cast(first, 'float64')), 'bfloat16')
    agrees((x) => sub(sub(logAddExp(x, 0), first), second), draws, ['logAddExp', 'sub'])
    // Some of so many exponentials lie so near the middle between two numbers that float32 would round to it first.
    const n = 2 ** 20
    const offsets = cast(tensor(normal(key(8), n)), 'bfloat16')
    agrees((x) => exp(add(x, offsets)), cast(tensor(normal(key(9), n)), 'bfloat16'), ['add'])
  })

  it('rounds a sum of a wide and a narrow operand once, where float32 would stop on the middle', () => {
    // 1 + 2^-8 lies midway between two numbers of bfloat16; what comes on top decides, and is below float32's last bit.
    const f = (x: Tensor): Tensor => add(add(x, 2 ** -8), 2 ** -30)
    expect(withPolicy(f, { wide: ['add#0'] })(bf16(1)).item()).toBe(1 + 2 ** -7)
    const g = (x: Tensor): Tensor => sub(add(x, 2 ** -8), -(2 ** -30))
    expect(withPolicy(g, { wide: ['add#0'] })(bf16(1)).item()).toBe(1 + 2 ** -7)
  })

  it.each(['float8_e4m3fn', 'float8_e5m2', 'float8_e3m4', 'float6_e2m3fn', 'bfloat16', 'float16'] as const)(
    'what it computes in float32, + - * / and sqrt of %s operands, is what float64 rounds once',
    (dtype) => {
      const { bits } = format(dtype)
      const side = bits <= 8 ? 2 ** bits : 256
      const step = bits <= 8 ? 1 : 40503
      const codes = (of: (i: number) => number): Tensor => {
        const list = Array.from({ length: side * side }, (_, i) => of(i) % 2 ** bits)
        const data = bits <= 8 ? Uint8Array.from(list) : Uint16Array.from(list)
        return fromBits(data, { shape: [list.length], dtype })
      }
      const a = codes((i) => Math.floor(i / side) * step)
      const b = codes((i) => (i % side) * step + 7)
      const through = (run: (x: Tensor, y: Tensor) => Tensor, wide: 'float32' | 'float64'): Tensor =>
        cast(run(cast(a, wide), cast(b, wide)), dtype)
      for (const run of [add, sub, mul, div, (x: Tensor) => sqrt(x)]) {
        expect(through(run, 'float32').toBits()).toEqual(through(run, 'float64').toBits())
      }
    },
  )

  it('log1p of operands in the format it rounds to is rounded once, not to float32 before', () => {
    // log1p(1539 / 2^18) is 1534.5000085... / 2^18 (mpmath, 200 bits): float16 has 1534 and 1535 there, float32 also the middle.
    const f = (x: Tensor): Tensor => sub(log1p(add(x, 3 / 2 ** 18)), 1536 / 2 ** 18)
    const wide = withPolicy(f, { wide: ['add#0', 'log1p#0', 'sub#0'], dtype: 'float16' })
    expect(wide(bf16(1536 / 2 ** 18)).item()).toBe(-1 / 2 ** 18)
  })

  it('mean, adding in float32, divides and rounds once: the quotient is not rounded to float32 before', () => {
    // The sum is 65793 + 2^-7, which every order of adding gives without an error; 65537 times the middle 1 + 2^-8 is
    // 2^-8 less. The quotient is less than half of float32's last bit above that middle.
    const list = Array.from({ length: 65537 }, (_, i) => [65536, 256, 1, 2 ** -7][i] ?? 0)
    const f = (x: Tensor): Tensor => mean(add(x, 0), { accumulate: 'float32' })
    expect(withPolicy(f, { wide: ['add#0'] })(bf16(list)).item()).toBe(1 + 2 ** -7)
  })

  it('takes a plain number in the wide dtype where the operation that reads it is wide', () => {
    const f = (s: Tensor): Tensor => sub(mul(s, 0.999), s)
    expect(withPolicy(f, { wide: [] })(bf16(100)).item()).toBe(0)
    expect(withPolicy(f, { wide: ['mul#0'] })(bf16(100)).item()).toBeCloseTo(-0.1, 3)
    const g = (s: Tensor): Tensor => sub(maximum(s, 0.999), s)
    expect(withPolicy(g, { wide: ['maximum#0'] })(bf16(0.5)).item()).toBeCloseTo(0.499, 2)
    const numbered = (_: unknown, index: number): string => String(index)
    expect(withPolicy(f, { wide: ['0'], groupBy: numbered })(bf16(100)).item()).toBeCloseTo(-0.1, 3)
  })

  it('passes wide values on through moves and stopGradient', () => {
    const f = (x: Tensor): Tensor => sub(reshape(stopGradient(neg(add(x, 1))), []), neg(x))
    expect(f(bf16(256)).item()).toBe(0)
    expect(withPolicy(f, { wide: ['add#0'] })(bf16(256)).item()).toBe(-1)
  })

  it('with nothing wide is the function itself, gradients too, bit for bit', () => {
    const f = (x: Tensor): Tensor => sum(mixed(x))
    const plain = valueAndGrad(f)(draws)
    const same = valueAndGrad(withPolicy(f, { wide: [] }))(draws)
    expect(same.map((x) => x.toBits())).toEqual(plain.map((x) => x.toBits()))
  })

  it('runs the backward pass of a wide operation wide: as the same function written with casts', () => {
    const f = (x: Tensor): Tensor => sum(cast(exp(mul(cumsum(x), -0.25)), 'float32'))
    const written = (x: Tensor): Tensor => {
      const exponent = mul(cumsum(cast(x, 'float32')), -0.25)
      return sum(cast(cast(exp(exponent), 'bfloat16'), 'float32'))
    }
    const x = bf16([3, 0.0625, 0.03, 0.5, 0.01])
    const tuned = valueAndGrad(withPolicy(f, { wide: ['cumsum#0', 'mul#0'] }))(x)
    expect(tuned[0].item()).toBe(valueAndGrad(written)(x)[0].item())
    // exp is narrow in both: its derivative is its own rounded result here, the float32 one in the written form.
    const narrow = grad(f)(x)
    expect(tuned[1].toNested()).not.toEqual(narrow.toNested())
    const exact = grad((v: Tensor) => sum(exp(mul(cumsum(v), -0.25))))(cast(x, 'float64')).toNumbers()
    const errors = [tuned[1], narrow].map((g) =>
      Math.max(...Array.from(g.toNumbers(), (v, i) => Math.abs(v / exact[i]! - 1))),
    )
    expect(errors[0]!).toBeLessThan(2 ** -8)
    expect(errors[0]!).toBeLessThan(errors[1]!)
  })

  it('names operations of gradients taken inside, too', () => {
    const step = (x: Tensor): Tensor => grad((v: Tensor) => sum(mul(mul(v, v), v)))(x)
    const x = bf16([1.0078125, 3.140625])
    const program = programOf('test', step, x)
    const count = program.steps.filter(({ op }) => op.name === 'mul').length
    const wide = Array.from({ length: count }, (_, i) => `mul#${i}`)
    const all = withPolicy(step, { wide: [...wide, 'add#0', 'add#1'] })(x)
    const exact = Array.from(x.toNumbers(), (v) =>
      cast(tensor(3 * v * v, { dtype: 'float64' }), 'bfloat16').item(),
    )
    expect(all.toNested()).toEqual(exact)
  })

  it('keeps trees, dtypes and whatever is not narrow', () => {
    const f = ({ a, b }: { a: Tensor; b: Tensor }) => ({ total: naiveSum(add(a, 1)), other: [mul(b, b)] })
    const inputs = { a: ones([300], { dtype: 'bfloat16' }), b: tensor(1.1) }
    const { total, other } = withPolicy(f, { wide: ['add#0', 'sum#0', 'mul#0'] })(inputs)
    expect([total.dtype, total.item()]).toEqual(['bfloat16', 600])
    expect(f(inputs).total.item()).toBe(512)
    expect(other[0]!.toBits()).toEqual(mul(inputs.b, inputs.b).toBits())
  })

  it('groups by name, by line, and by a function of the step', () => {
    const f = (x: Tensor): Tensor => sub(add(x, 1), add(x, 0.5))
    const x = bf16(256)
    expect(f(x).item()).toBe(0)
    expect(withPolicy(f, { wide: ['add'], groupBy: 'name' })(x).item()).toBe(0.5)
    const [site] = programOf('test', f, x, { sites: true }).steps.map((step) => step.site!)
    expect(withPolicy(f, { wide: ['add#1'] })(x).item()).toBe(-0.5)
    expect(withPolicy(f, { wide: [site!], groupBy: 'site' })(x).item()).toBe(1)
    const late = withPolicy(f, { wide: ['late'], groupBy: (_, i) => (i > 0 ? 'late' : 'early') })
    expect(late(x).item()).toBe(-0.5)
  })

  it('takes inputs that are not finite, scalars, empty tensors, and other dtypes', () => {
    const f = (x: Tensor): Tensor => mul(add(x, 1), 3)
    const policy = { wide: ['add#0'] }
    expect(withPolicy(f, policy)(bf16([Number.NaN, Infinity, -0])).toNested()).toEqual([NaN, Infinity, 3])
    expect(withPolicy(f, policy)(bf16([])).shape).toEqual([0])
    const half = withPolicy(f, { wide: ['add#0'], dtype: 'float64', narrow: 'float16' })
    expect(half(tensor(2048, { dtype: 'float16' })).item()).toBe(6148)
    expect(f(tensor(2048, { dtype: 'float16' })).item()).toBe(6144)
  })

  it('says what it cannot do', () => {
    const f = (x: Tensor): Tensor => add(x, 1)
    const to = (policy: object): unknown => withPolicy(f, { wide: [], ...policy })
    expect(() => to({ groupBy: 'line' })).toThrow(
      new RangeError("withPolicy: groupBy is 'operation', 'name', 'site' or a function [line]"),
    )
    expect(() => to({ dtype: 'int32' })).toThrow(
      new TypeError('withPolicy: needs a floating-point dtype [int32]'),
    )
    const outside = (y: Tensor): Tensor => withPolicy((x: Tensor) => mul(x, y), { wide: [] })(bf16(2))
    expect(() => grad(outside)(bf16(3))).toThrow(
      'withPolicy: the function reads a tensor under a gradient that is not among its inputs [variable]',
    )
  })
})
