import * as toolkit from 'tpu-toolkit'
import {
  abs,
  acosh,
  add,
  apply,
  argmax,
  argsort,
  asin,
  atan2,
  atanh,
  cast,
  concat,
  cumprod,
  cumsum,
  div,
  exp,
  greater,
  hypot,
  log,
  logAddExp,
  matmul,
  max,
  maximum,
  mean,
  min,
  minimum,
  mul,
  neg,
  type Op,
  type Order,
  ones,
  pow,
  reciprocal,
  reshape,
  sqrt,
  square,
  sub,
  sum,
  type Tensor,
  take,
  tan,
  tensor,
  transpose,
  tril,
  type Unary,
  where,
  zeros,
} from 'tpu-toolkit'
import { unaryNames } from 'tpu-toolkit/functions'
import { certify, shadow } from 'tpu-toolkit/precision'
import { seeded } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { isLong } from '../../support/long.js'
import { expressions, inputsOf, keyFormats, programOf } from '../../support/precisionKeys.js'
import { holdsFor, randomCases } from '../../support/randomExpressions.js'
import {
  approximately,
  type Rational,
  rational,
  rationalOf,
  rationalOfDecimal,
  within,
} from '../../support/rational.js'
import { seed } from '../../support/seed.js'

const dtypes = ['bfloat16', 'float16', 'float32', 'float8_e4m3', 'float64'] as const

describe(`certify, rational expressions (seed ${seed})`, () => {
  const count = isLong ? 10_000 : 1000

  it(`contains the exact result of ${count} random expressions`, () => {
    const counts = { finite: 0 }
    for (const { expression, inputs } of randomCases(seeded(`certify ${seed}`), count)) {
      const { results, bounds } = certify((x) => expression.of(x), inputs, { check: false })
      const bound = bounds[0]!.item()
      if (bound < Infinity) counts.finite++
      expect(holdsFor(expression, inputs, results[0]!, bound)).toBe(true)
    }
    expect(counts.finite).toBeGreaterThan(0.8 * count)
  })

  const draws = seeded(`certify sums ${seed}`)
  const orders: readonly Order[] = [
    'sequential',
    'pairwise',
    'kahan',
    'neumaier',
    'associative',
    { blocked: 4 },
  ]
  const numbers = (n: number, dtype: (typeof dtypes)[number]): Tensor =>
    cast(
      tensor(
        Float64Array.from({ length: n }, () => (draws() - 0.5) * 2 ** (draws() * 8)),
        { dtype: 'float64' },
      ),
      dtype,
    )
  const exactSum = (values: Iterable<Rational>): Rational =>
    [...values].reduce(rational.add, { n: 0n, d: 1n })

  it.each(orders.map((order) => [typeof order === 'string' ? order : 'blocked', order] as const))(
    'contains sums, means and running sums, %s, in every dtype',
    (_, order) => {
      for (let run = 0; run < 100; run++) {
        const dtype = dtypes[run % dtypes.length]!
        const x = mul(numbers(1 + (run % 40), dtype), cast(tensor(0.3), dtype))
        const terms = Array.from(x.toNumbers(), rationalOf)
        const { results, bounds } = certify(
          (v) => [sum(v, { order }), mean(v, { order }), cumsum(v, { order })],
          x,
        )
        const total = exactSum(terms)
        expect(within(results[0]!.item(), total, bounds[0]!.item())).toBe(true)
        const count = rationalOf(terms.length)
        expect(within(results[1]!.item(), rational.div(total, count), bounds[1]!.item())).toBe(true)
        for (const i of terms.keys()) {
          const exact = exactSum(terms.slice(0, i + 1))
          expect(within(results[2]!.toNumbers()[i]!, exact, bounds[2]!.toNumbers()[i]!)).toBe(true)
        }
      }
    },
  )

  it('contains products of matrices and running products of rounded operands', () => {
    for (let run = 0; run < 100; run++) {
      const dtype = dtypes[run % dtypes.length]!
      const [m, k, n] = [1 + (run % 3), 1 + (run % 7), 1 + (run % 2)]
      const a = reshape(numbers(m * k, dtype), [m, k])
      const b = reshape(numbers(k * n, dtype), [k, n])
      // Squared first, so that the operands carry bounds of their own.
      const { results, bounds } = certify(
        ([x, y]) => [matmul(square(x!), y!), cumprod(square(y!), { axis: 0 })],
        [a, b],
      )
      const [x, y] = [a, b].map((t) => Array.from(t.toNumbers(), rationalOf)) as [Rational[], Rational[]]
      for (let i = 0; i < m; i++) {
        for (let j = 0; j < n; j++) {
          const terms = Array.from({ length: k }, (_, p) =>
            rational.mul(rational.mul(x[i * k + p]!, x[i * k + p]!), y[p * n + j]!),
          )
          const at = i * n + j
          expect(within(results[0]!.toNumbers()[at]!, exactSum(terms), bounds[0]!.toNumbers()[at]!)).toBe(
            true,
          )
        }
      }
      for (let j = 0; j < n; j++) {
        let product: Rational = { n: 1n, d: 1n }
        for (let i = 0; i < k; i++) {
          product = rational.mul(product, rational.mul(y[i * n + j]!, y[i * n + j]!))
          expect(
            within(results[1]!.toNumbers()[i * n + j]!, product, bounds[1]!.toNumbers()[i * n + j]!),
          ).toBe(true)
        }
      }
    }
  })

  it('is within 10 times the real worst case of dot products and sums', () => {
    for (const dtype of ['bfloat16', 'float32'] as const) {
      let [worst, largest, worstDot, largestDot] = [0, 0, 0, 0]
      for (let run = 0; run < 200; run++) {
        const [a, b] = [abs(numbers(64, dtype)), abs(numbers(64, dtype))]
        const { results, bounds } = certify(
          ([x, y]) => [sum(x!), matmul(x!, y!, { accumulate: dtype })],
          [a, b],
        )
        const [x, y] = [a, b].map((t) => Array.from(t.toNumbers(), rationalOf)) as [Rational[], Rational[]]
        const off = (i: number, exact: Rational): number =>
          Math.abs(approximately(rational.sub(rationalOf(results[i]!.item()), exact)))
        worst = Math.max(worst, off(0, exactSum(x)))
        largest = Math.max(largest, bounds[0]!.item())
        worstDot = Math.max(worstDot, off(1, exactSum(x.map((value, i) => rational.mul(value, y[i]!)))))
        largestDot = Math.max(largestDot, bounds[1]!.item())
      }
      // What rounding came to is measured, so of exact operands the bound is the error.
      expect(largest / worst).toBeLessThan(1.001)
      expect(largestDot / worstDot).toBeLessThan(1.001)
    }
  })
})

describe('certify, the keys of MPFR', () => {
  it('contains the exact result of every sample, and is half as wide again as the error in the middle of them', () => {
    let finite = 0
    const ratios: number[] = []
    for (const expression of expressions) {
      if (expression.nodes.some(([op]) => op === 'fma' || op === 'hypot')) continue
      for (const dtype of keyFormats) {
        for (const sample of expression[dtype].samples) {
          const f = programOf(expression, dtype)
          const { results, bounds } = certify(f, inputsOf(expression, sample, dtype), { check: false })
          const exact = rationalOfDecimal(sample.trueDecimal)
          const [r, bound] = [results[0]!.item(), bounds[0]!.item()]
          // trueDecimal has 25 digits.
          const slack = Math.abs(approximately(exact)) * 1e-24
          expect(within(r, exact, bound + slack)).toBe(true)
          if (bound === Infinity) continue
          finite++
          const error = Math.abs(approximately(rational.sub(rationalOf(r), exact)))
          if (error > slack) ratios.push(bound / error)
        }
      }
    }
    // The usual recurrences: 3,482 samples with a median of 16.
    expect(finite).toBeGreaterThan(3_500)
    expect(ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)]).toBeLessThan(2)
  })
})

describe(`certify, functions (seed ${seed})`, () => {
  const draws = seeded(`certify functions ${seed}`)

  it.each(unaryNames)('contains %s of operands that carry an error, beside real numbers', (name) => {
    const f = (toolkit as unknown as Record<string, Unary>)[name]!
    for (const dtype of ['bfloat16', 'float32'] as const) {
      const x = cast(
        tensor(
          Float64Array.from({ length: 100 }, () => (draws() - 0.4) * 2 ** (draws() * 12 - 6)),
          { dtype: 'float64' },
        ),
        dtype,
      )
      const compute = ([a, b]: readonly Tensor[]): Tensor => f(mul(a!, b!))
      const inputs = [x, cast(tensor(1.1), dtype)]
      const { results, bounds } = certify(compute, inputs)
      const run = shadow(compute, inputs, { reference: 'real', check: false })
      const { reference } = run.errors(1)
      const got = results[0]!.toNumbers()
      const bound = bounds[0]!.toNumbers()
      // The first operand's real product is exact in float64; the reference is rounded to float64 once.
      for (const [i, value] of got.entries()) {
        const exact = reference[i]!
        if (bound[i] === Infinity) continue
        if (!(Math.abs(value - exact) <= bound[i]! * (1 + 1e-9) + Math.abs(exact) * 2 ** -52)) {
          throw new Error(
            `certify: ${name} ${dtype} of ${x.toNumbers()[i]}: ${value} +- ${bound[i]}, exact ${exact}`,
          )
        }
      }
      if (
        ![
          'asin',
          'acos',
          'acosh',
          'atanh',
          'log',
          'log2',
          'log10',
          'sqrt',
          'rsqrt',
          'log1p',
          'lgamma',
        ].includes(name)
      ) {
        expect(bound.filter((e) => e < Infinity).length).toBeGreaterThan(60)
      }
    }
  })

  it('contains functions of two operands that carry errors', () => {
    const logSum = (a: Tensor, b: Tensor): Tensor => logAddExp(a, b)
    const two = { pow, atan2, hypot, logAddExp: logSum, minimum, maximum }
    for (const [name, f] of Object.entries(two)) {
      for (let run = 0; run < 200; run++) {
        const [a, b] = [draws() * 8 - (name === 'pow' ? 0 : 4), draws() * 6 - 3].map((x) =>
          cast(tensor(x), 'bfloat16'),
        )
        const compute = ([x, y]: readonly Tensor[]): Tensor => f(mul(x!, 1.1), mul(y!, 0.9))
        const { results, bounds } = certify(compute, [a!, b!])
        const beside = shadow(compute, [a!, b!], { reference: 'real', check: false })
        const { reference } = beside.errors(beside.program.steps.length - 1)
        expect(Math.abs(results[0]!.item() - reference[0]!)).toBeLessThanOrEqual(
          bounds[0]!.item() * (1 + 1e-9) + Math.abs(reference[0]!) * 2 ** -50,
        )
      }
    }
  })
})

const boundOf = (f: (x: Tensor) => Tensor, x: Tensor): number => certify(f, x).bounds[0]!.item()
/** The same value with an error: the sum with 2^-12 is off by that in bfloat16. */
const blurred = (x: Tensor): Tensor => sub(add(x, 2 ** -12), 0)
const bf16 = (x: number | number[]): Tensor => tensor(x, { dtype: 'bfloat16' })

describe('certify', () => {
  it('adds nothing for an exact operation', () => {
    const exact = (x: Tensor): Tensor => neg(mul(abs(sub(add(x, 3), 1)), 4))
    expect(boundOf(exact, bf16(2))).toBe(0)
    expect(boundOf((x) => sum(x), ones([200], { dtype: 'bfloat16' }))).toBe(0)
    expect(boundOf((x) => matmul(x, x), bf16([1, 2, 3]))).toBe(0)
    expect(boundOf((x) => div(x, 4), bf16(3))).toBe(0)
    expect(boundOf((x) => sqrt(x), bf16(9))).toBe(0)
    expect(boundOf((x) => cast(cast(x, 'float32'), 'bfloat16'), bf16(9))).toBe(0)
  })

  it('knows nothing where the exact result may not exist', () => {
    for (const f of [log, sqrt, reciprocal, (x: Tensor) => div(1, x), (x: Tensor) => pow(x, 0.5)]) {
      expect(boundOf((x) => f(sub(blurred(x), 1)), bf16(1))).toBe(Infinity)
    }
    expect(boundOf((x) => asin(blurred(x)), bf16(1))).toBe(Infinity)
    expect(boundOf((x) => acosh(blurred(x)), bf16(1))).toBe(Infinity)
    expect(boundOf((x) => atanh(sub(1, blurred(sub(x, x)))), bf16(1))).toBe(Infinity)
    expect(boundOf((x) => tan(mul(blurred(x), 1.5703125)), bf16(1.0003))).toBeGreaterThan(1)
    expect(boundOf((x) => div(x, sub(x, x)), bf16(1))).toBe(Infinity)
    expect(boundOf((x) => log(sub(x, x)), bf16(1))).toBe(Infinity)
    expect(boundOf((x) => square(x), bf16(1e30))).toBe(Infinity)
    expect(boundOf((x) => add(x, x), tensor(1.7e308, { dtype: 'float64' }))).toBe(Infinity)
  })

  it('takes an open comparison both ways', () => {
    const pick = (x: Tensor): Tensor => where(greater(blurred(x), 1), mul(x, 100), x)
    // 1 + 2^-12 is above 1, what was computed is not: the exact result is 100.
    expect(boundOf(pick, bf16(1))).toBeGreaterThanOrEqual(99)
    expect(boundOf(pick, bf16(2))).toBe(0)
    expect(certify(pick, bf16(1)).steps[2]!.item()).toBe(1)
    expect(certify(pick, bf16(1)).open).toMatchObject([{ step: 2, op: 'greater', count: 1, elements: [0] }])
    // The second of two may be the largest.
    expect(boundOf((x) => cast(argmax(blurred(x)), 'float32'), bf16([1, 1]))).toBeGreaterThanOrEqual(1)
    expect(boundOf((x) => cast(argmax(blurred(x)), 'float32'), bf16([1, 1]))).toBeLessThan(1.001)
    expect(boundOf((x) => cast(argmax(blurred(x)), 'float32'), bf16([1, 2]))).toBe(0)
    expect(boundOf((x) => max(blurred(x)), bf16([1, 2]))).toBeGreaterThanOrEqual(2 ** -12)
    expect(boundOf((x) => min(blurred(x)), bf16([-1, 2]))).toBeGreaterThan(0)
  })

  it('knows the rank of an element that lies apart from all others, and of equal ones that are exact', () => {
    const bounds = (f: (v: Tensor) => Tensor, x: number[]): unknown =>
      certify((v) => cast(f(v), 'float32'), bf16(x))
        .steps.at(-1)!
        .toNested()
    // Any of four, rounded upward.
    const open = 3 * (1 + 2 ** -50)
    const ranks = (x: number[], descending: boolean): unknown =>
      bounds((v) => argsort(blurred(v), { descending }), x)
    expect(ranks([4, 1, 2, 1], false)).toEqual([open, open, 0, 0])
    expect(ranks([4, 1, 2, 1], true)).toEqual([0, 0, open, open])
    expect(ranks([1, 4, 1 + 2 ** -7, 1 - 2 ** -8], false)).toEqual([0, 0, 0, 0])
    expect(bounds((v) => argsort(v), [3, 3, 0, 3])).toEqual([0, 0, 0, 0])
    const half = (v: Tensor): Tensor => argsort(concat([v, blurred(take(v, [0]))]))
    expect(bounds(half, [3, 3, 1])).toEqual([0, open, open, open])
  })

  it('moves bounds with the elements', () => {
    const x = bf16([1, 2 ** -12])
    const moved = certify((v) => {
      const y = add(v, 1)
      return [
        concat([y, v]),
        take(y, [1, 0]),
        transpose(stackRows(y, v)),
        tril(stackRows(y, v)),
        where(greater(v, 0.5), v, y),
      ]
    }, x)
    const e = 2 ** -12
    const near = (list: number[]): number[] => list.map((value) => Math.round(value / e))
    expect(near([...moved.bounds[0]!.toNumbers()])).toEqual([0, 1, 0, 0])
    expect(near([...moved.bounds[1]!.toNumbers()])).toEqual([1, 0])
    expect(near([...moved.bounds[2]!.toNumbers()])).toEqual([0, 0, 1, 0])
    expect(near([...moved.bounds[3]!.toNumbers()])).toEqual([0, 0, 0, 0])
    expect(near([...moved.bounds[4]!.toNumbers()])).toEqual([0, 1])
  })

  it('leaves everything open behind an operation that it does not know, and says which', () => {
    const half: Op = { name: 'half', kernel: ([x]) => mul(x!, 0.5) }
    const f = (x: Tensor): Tensor => add(apply(half, [x], undefined), 1)
    expect(certify(f, bf16(3))).toMatchObject({ unknown: ['half'] })
    expect(boundOf(f, bf16(3))).toBe(Infinity)
    const rules = new Map([
      [half, ([a]: readonly number[], [e]: readonly number[], r: number) => e! / 2 + Math.abs(r - a! / 2)],
    ])
    expect(certify(f, bf16(3), { rules }).bounds[0]!.item()).toBe(0)
  })

  it('takes masks of -Inf, empty tensors and integers', () => {
    const masked = (x: Tensor): Tensor => sum(exp(where(greater(x, 0), x, -Infinity)))
    expect(boundOf(masked, bf16([1, -1]))).toBeLessThan(0.01)
    expect(boundOf((x) => sum(x), zeros([0]))).toBe(0)
    expect(boundOf((x) => mean(x), zeros([0]))).toBe(Infinity)
    expect(boundOf((x) => cast(add(cast(x, 'int32'), 1), 'float32'), bf16(3))).toBe(0)
    expect(boundOf((x) => cast(cast(blurred(x), 'int32'), 'float32'), bf16(1))).toBe(Infinity)
  })

  it('says what is wrong with inputs and functions', () => {
    expect(() => certify((x) => exp(x), tensor([1, Infinity]))).toThrow(
      new RangeError('certify: an input is not finite already, element 1 [Infinity]'),
    )
    let calls = 0
    expect(() => certify((x) => mul(x, calls++), tensor(1))).toThrow(
      'certify: the function is not deterministic',
    )
    expect(() => certify((x) => greater(x, 0), tensor(1))).toThrow(TypeError)
  })
})

function stackRows(a: Tensor, b: Tensor): Tensor {
  return concat([reshape(a, [1, a.size]), reshape(b, [1, b.size])])
}
