import {
  add,
  cast,
  cumprod,
  cumsum,
  isFloat,
  matmul,
  mean,
  mul,
  noRows,
  type OpName,
  opNames,
  ops,
  reshape,
  roundsOf,
  sub,
  sum,
  type Tensor,
  tensor,
} from 'tpu-toolkit'
import { certify, kindOf, shadow, significantBits } from 'tpu-toolkit/precision'
import { key, uniform } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { type Case, everyOperation } from '../../support/everyOperation.js'

const cases = Object.entries(everyOperation) as [OpName, Case][]
const draw = (seed: number, [low, high]: readonly [number, number]): Tensor =>
  tensor(uniform(key(seed), 16, { minval: low, maxval: high }), { dtype: 'float64' })
const floats = cases.filter(([, { f, domain }]) => isFloat(f(draw(0, domain)).dtype))
const decisions = cases.filter(([, { f, domain }]) => !isFloat(f(draw(0, domain)).dtype))
/** Decisions give no float: a weight makes a function of them. */
const weighed =
  (f: (x: Tensor) => Tensor) =>
  (x: Tensor): Tensor =>
    cast(f(x), 'bfloat16')
const seeds = [1, 2, 3]

/** What f gives, and the same of real numbers. */
function beside(f: (x: Tensor) => Tensor, x: Tensor): { got: Float64Array; exact: Float64Array } {
  const run = shadow(f, x, { reference: 'real', check: false })
  const { computed, reference } = run.errors(run.program.steps.length - 1)
  return { got: computed, exact: reference }
}

describe('every operation of tensor, in every table of the doctor', () => {
  it.each(floats)('%s on real numbers is what float64 gives, to its last bits', (name, { f, domain }) => {
    if (name === 'cast') return
    for (const seed of seeds) {
      const { got, exact } = beside(f, draw(seed, domain))
      for (const [i, x] of exact.entries()) {
        expect(Math.abs(got[i]! - x)).toBeLessThanOrEqual(2 ** -46 * Math.max(1, Math.abs(x)))
      }
    }
  })

  const stepping = ['sign', 'floor', 'ceil', 'rint', 'trunc', 'rem']
  // atan2 of reals is evaluated in float64.
  const fine = floats.filter(([name]) => ![...stepping, 'atan2'].includes(name))
  it.each(fine)('%s on real numbers tells apart what float64 cannot', (_, { f, domain }) => {
    const apart = (x: Tensor): Tensor => sub(f(add(x, mul(mul(x, x), 2 ** -70))), f(x))
    const differences = beside(apart, draw(1, domain)).exact
    expect(differences.some((difference) => difference !== 0)).toBe(true)
    for (const difference of differences) expect(Math.abs(difference)).toBeLessThan(2 ** -62)
  })

  it.each(floats)('%s of exact operands is certified to be off by what it is off by', (_, { f, domain }) => {
    for (const seed of seeds) {
      const x = cast(draw(seed, domain), 'bfloat16')
      const { got, exact } = beside(f, x)
      const bounds = certify(f, x, { check: false }).bounds[0]!.toNumbers()
      for (const [i, bound] of bounds.entries()) {
        const error = Math.abs(got[i]! - exact[i]!)
        const slack = 2 ** -40 * Math.max(1, Math.abs(exact[i]!))
        expect(bound).toBeGreaterThanOrEqual(error - slack)
        expect(bound).toBeLessThanOrEqual(error + slack)
      }
    }
  })

  it.each(floats)(
    '%s of operands that carry errors is certified soundly, and not to infinity',
    (name, { f, domain }) => {
      // What a third and its double leave of x: off in the last bits.
      const blurred = (x: Tensor): Tensor => f(add(mul(x, 0.3), mul(x, 0.7)))
      for (const seed of seeds) {
        const x = cast(draw(seed, domain), 'bfloat16')
        const { got, exact } = beside(blurred, x)
        const bounds = certify(blurred, x, { check: false }).bounds[0]!.toNumbers()
        for (const [i, bound] of bounds.entries()) {
          expect(bound).toBeGreaterThanOrEqual(Math.abs(got[i]! - exact[i]!) * (1 - 2 ** -40) - 2 ** -60)
        }
        const finite = bounds.filter((bound) => bound < Infinity).length
        if (kindOf(ops[name]) !== 'decides') expect(finite).toBeGreaterThan(bounds.length / 2)
      }
    },
  )

  it.each(decisions)(
    '%s is certain of exact operands, and open where errors reach across',
    (name, { f, domain }) => {
      const x = cast(draw(1, domain), 'bfloat16')
      expect(
        certify(weighed(f), x, { check: false })
          .bounds[0]!.toNumbers()
          .every((e) => e === 0),
      ).toBe(true)
      if (['isFinite', 'isInf', 'isNaN'].includes(name)) return
      // All elements become 0 but for their errors.
      const near = (v: Tensor): Tensor => sub(add(mul(v, 0.3), mul(v, 0.7)), v)
      const open = certify((v) => cast(f(near(v)), 'bfloat16'), x, { check: false })
      expect(open.bounds[0]!.toNumbers().some((e) => e >= 1)).toBe(true)
      // Behind a cast to integers nothing is known of operands that carry errors, and so no decision is named.
      if (!(name in noRows('bits'))) expect(open.open.length).toBeGreaterThan(0)
    },
  )

  it.each(cases)('%s is of the kind that it behaves as', (name, { f, domain }) => {
    const kind = kindOf(ops[name])
    if (decisions.some(([other]) => other === name)) return expect(kind).toBe('decides')
    const off = [1, 2, 3, 4, 5, 6, 7, 8].some((seed) => {
      const { got, exact } = beside(f, cast(draw(seed, domain), 'bfloat16'))
      return exact.some((x, i) => x !== got[i])
    })
    if (['sign', 'floor', 'ceil', 'rint', 'trunc', 'rem'].includes(name)) return expect(kind).toBe('decides')
    expect(kind === 'rounds').toBe(off)
    // What moves gives zeros and elements that were there.
    const x = cast(draw(1, domain), 'bfloat16')
    const there = new Set([0, ...x.toNumbers()])
    const moved = f(x)
      .toNumbers()
      .every((value) => there.has(value))
    expect(kind === 'moves' || ['max', 'min', 'maximum', 'minimum', 'relu'].includes(name)).toBe(moved)
  })

  it('significantBits rounds every step of what rounds at each: a sum as the chain of its additions', () => {
    const x = cast(tensor([1.1, 1.3, 0.7, 1.9, 0.6, 1.7, 1.2, 0.9, 1.4, 0.8, 1.05, 1.15]), 'bfloat16')
    const each = Array.from(x.toNumbers(), (value) => tensor([value], { dtype: 'bfloat16' }))
    const options = { key: key(5), samples: 200 }
    for (const [scan, step] of [
      [(v: Tensor) => cumsum(v), add],
      [(v: Tensor) => cumprod(v), mul],
    ] as const) {
      const running = significantBits(scan, x, options)
      const chain = significantBits((v: readonly Tensor[]) => v.reduce((a, b) => step(a, b)), each, options)
      const [a, b] = [running.outputs[0]!.plain.toNumbers().at(-1)!, chain.outputs[0]!.plain.toNumbers()[0]!]
      expect(Math.abs(a - b)).toBeLessThan(0.5)
    }
    const narrow = { accumulate: 'bfloat16' } as const
    const row = (v: Tensor): Tensor => reshape(v, [1, 12])
    for (const [reduced, term] of [
      [(v: Tensor) => sum(v, narrow), (v: Tensor) => v],
      [(v: Tensor) => mean(v, narrow), (v: Tensor) => v],
      [(v: Tensor) => matmul(row(v), reshape(v, [12, 1]), narrow), (v: Tensor) => mul(v, v)],
    ] as const) {
      const whole = significantBits(reduced, x, options)
      const chain = significantBits(
        (v: readonly Tensor[]) => v.map(term).reduce((a, b) => add(a, b)),
        each,
        options,
      )
      const [a, b] = [whole, chain].map((run) => run.outputs[0]!.plain.toNumbers()[0]!)
      expect(Math.abs(a! - b!)).toBeLessThan(0.7)
    }
    // A cast rounds once: what lies between two bfloat16 numbers falls on either, and one of them stays.
    const between = tensor([1 + 2 ** -8, 1.5], { dtype: 'float32' })
    const cut = significantBits((v: Tensor) => cast(v, 'bfloat16'), between, options)
    const [loose, fixed] = cut.outputs[0]!.plain.toNumbers()
    expect(loose).toBeGreaterThan(7)
    expect(loose).toBeLessThan(9)
    expect(fixed).toBeGreaterThan(loose!)
    expect(opNames.filter((name) => roundsOf(ops[name]) === 'each step')).toEqual([
      ...['sum', 'mean', 'cumsum', 'cumprod', 'matmul'],
    ])
  })
})
