import {
  abs,
  add,
  cast,
  cumsum,
  div,
  exp,
  floor,
  greater,
  log,
  logAddExp,
  matmul,
  mul,
  neg,
  ones,
  relu,
  softmax,
  sqrt,
  square,
  stack,
  sub,
  sum,
  type Tensor,
  tensor,
  where,
  zeros,
} from 'tpu-toolkit'
import { grad } from 'tpu-toolkit/autodiff'
import { shadow, shadowEvery, shadowGraph } from 'tpu-toolkit/precision'
import { seeded } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { isLong } from '../../support/long.js'
import { seed } from '../../support/seed.js'

const bf16 = (values: number | number[]): Tensor<'bfloat16'> => tensor(values, { dtype: 'bfloat16' })
const difference = (x: Tensor): Tensor => sub(sqrt(add(x, 1)), sqrt(x))

describe('shadow', () => {
  it('tells an inherited error from an introduced one, element by element', () => {
    const run = shadow(difference, bf16([3, 100]))
    const last = run.errors(3)
    for (let i = 0; i < 2; i++) {
      const parts = last.introduced[i]! + last.inherited[i]!
      expect(parts).toBe(last.computed[i]! - last.reference[i]!)
      // The subtraction of close numbers is exact: all of the error came in.
      expect(last.introduced[i]).toBe(0)
    }
    expect(run.errors(0)).toEqual({
      computed: Float64Array.of(4, 101),
      reference: Float64Array.of(4, 101),
      introduced: Float64Array.of(0, 0),
      inherited: Float64Array.of(0, 0),
    })
  })

  it('blames the root whose rounding is magnified, and finds the subtraction ill-conditioned', () => {
    const run = shadow(difference, tensor(8224416), { reference: 'real' })
    expect(run.contributions()[0]!.step).toBe(2)
    expect(run.culprits()).toEqual([3])
    const worst = run.localErrors().reduce((a, b) => (b.bits.max > a.bits.max ? b : a))
    expect(worst.step).toBe(3)
  })

  it('shares add up to the error of the output, to first order', () => {
    const run = shadow((x) => sum(mul(exp(x), x)), tensor([0.1, 0.7, 1.3]))
    const { computed, reference } = run.errors(2)
    const shares = run.contributions().reduce((total, { share }) => total + share!, 0)
    const error = Math.abs(computed[0]! - reference[0]!) / 2 ** -21
    expect(Math.abs(shares - error)).toBeLessThan(1e-5)
  })

  it('the first-order gain of the last operation is its gain', () => {
    for (const x of [0.1, 0.7, 1.3, 3.3]) {
      const [only] = shadow((v) => mul(v, v), tensor(x), { reference: 'real' }).contributions()
      expect(only!.gain).toBeGreaterThan(0)
      expect(Math.abs(only!.gain! - only!.firstOrder!)).toBeLessThan(1e-6)
    }
  })

  it('runs again only as many operations as asked, the best of the first-order ranking', () => {
    const run = shadow(difference, bf16(300))
    expect(run.contributions({ rerun: 1 }).filter(({ gain }) => gain !== undefined)).toHaveLength(1)
    expect(run.contributions({ rerun: 0 }).every(({ gain }) => gain === undefined)).toBe(true)
    expect(() => run.contributions({ rerun: -1 })).toThrow('contributions: rerun is not a count [-1]')
    expect(() => run.errors(9)).toThrow('errors: no such step of 4 [9]')
  })

  it('counts the absorbed additions of a sum that stalls', () => {
    const run = shadow((x) => sum(x, { accumulate: 'bfloat16' }), ones([300], { dtype: 'bfloat16' }))
    expect(run.events).toEqual([
      { step: 0, kind: 'absorb', count: 44, element: 0, operands: [256, 1], result: 256 },
    ])
    const scan = shadow((x) => cumsum(x), ones([2, 300], { dtype: 'bfloat16' }))
    expect(scan.events[0]).toMatchObject({ count: 88, element: 256 })
  })

  it('names invalid operations by their form', () => {
    const forms = [
      shadow((x) => sub(exp(x), exp(x)), tensor(100)),
      shadow((x) => mul(exp(x), exp(neg(x))), tensor(200)),
      shadow((x) => div(sub(x, x), sub(x, x)), tensor(1)),
      shadow((x) => log(neg(x)), tensor(2)),
    ].map(({ events }) => events.find(({ kind }) => kind === 'invalid')!.form)
    expect(forms).toEqual(['Inf - Inf', '0 * Inf', '0 / 0', 'log(-2)'])
  })

  it('follows the computed decision, and attributes nothing past it', () => {
    // 0.1 in bfloat16 is above 0.1: (x + 1) - 1 rounds to 0.1015625, in the reference it is x.
    const f = (x: Tensor): Tensor => where(greater(sub(add(x, 1), 1), 0.101), mul(x, x), neg(x))
    const run = shadow(f, bf16([0.1, 0.5]))
    expect(run.divergences).toEqual([{ step: 3, count: 1, element: 0, computed: 1, reference: 0 }])
    expect(run.outputs()[0]).toMatchObject({ unattributed: 1 })
    expect(run.operations().at(-1)!.total.unattributed).toBe(1)
    expect(String(run)).toMatch(
      /decided differently: 3 greater bool \[2\] at .*, 1 elements, the first 0: 1, in the reference 0/,
    )
    const whole = shadow((x) => floor(sub(1, x)), bf16(2 ** -10))
    expect(whole.divergences[0]).toMatchObject({ step: 1, computed: 1, reference: 0 })
  })

  it('names the constants that rounding changed, beside the operations', () => {
    const ema = ([s, x]: readonly Tensor[]): Tensor => add(mul(s!, 0.999), mul(x!, 0.001))
    const run = shadow(ema, [bf16(1), bf16(2)])
    expect(run.program.steps.map(({ op }) => op.name)).toEqual(['constant', 'mul', 'constant', 'mul', 'add'])
    expect(run.branch).toBeUndefined()
    expect(run.errors(0).introduced[0]).toBeCloseTo(0.001, 12)
    expect(run.errors(4).reference[0]).toBeCloseTo(1.001, 12)
    // 0.999 and the result's own rounding take away as much as 0.001 * 2 adds: nothing else did anything.
    expect(String(run)).toMatch(/constant 0\.999, which is 1 in bfloat16/)
    // A number that the dtype holds is no source.
    expect(shadow((x) => mul(x, 0.5), bf16(1)).program.steps).toHaveLength(1)
  })

  it('says which source line called an operation, also one inside softmax or a gradient', () => {
    const run = shadow((x) => sum(softmax(x)), bf16([1, 2]))
    for (const { site } of run.program.steps) expect(site).toMatch(/^shadow\.test\.ts:\d+:\d+$/)
    const inner = shadow((x: Tensor) => grad((y: Tensor) => sum(exp(y)))(x), bf16([1, 2]))
    for (const { site } of inner.program.steps) expect(site).toMatch(/^shadow\.test\.ts:\d+:\d+$/)
    expect(String(run)).toContain(' at shadow.test.ts:')
    for (const options of [{ sites: false }, { check: false }]) {
      expect(shadow((x) => exp(x), bf16(1), options).program.steps[0]!.site).toBeUndefined()
    }
    expect(shadow((x) => exp(x), bf16(1), { check: false, sites: true }).program.steps[0]!.site).toBeDefined()
  })

  it('says of an operation of a backward pass the line whose gradient it is', () => {
    const loss = (y: Tensor): Tensor => {
      const e = exp(y)
      return sum(mul(e, e))
    }
    const descend = (x: Tensor): Tensor => {
      const g = grad(loss)(x)
      return sub(x, g)
    }
    const lineOf = (op: string): string[] =>
      shadow(descend, bf16([1, 2])).program.steps.flatMap(({ op: own, site }) =>
        own.name === op ? [site!] : [],
      )
    const [product, ...gradients] = lineOf('mul')
    const [exponential] = lineOf('exp')
    // The gradient of e * e on its line, that of exp on the line of exp.
    expect(gradients).toEqual([product, exponential])
    expect(new Set([product, exponential, ...lineOf('sub')]).size).toBe(3)
  })

  it('sees into gradients', () => {
    const run = shadow((x: Tensor) => grad((y: Tensor) => sum(logAddExp(y, 0)))(x), bf16([1, 2]))
    expect(run.program.steps.map(({ op }) => op.name)).toContain('exp')
    expect(run.outputs()[0]!.max).toBeGreaterThan(0)
  })

  it('runs beside another dtype', () => {
    const run = shadow((x) => sum(x), ones([300], { dtype: 'bfloat16' }), { reference: 'float32' })
    expect(run.errors(0).reference[0]).toBe(300)
    expect(() => shadow((x) => x, tensor(1), { reference: 'int32' as never })).toThrow(
      new TypeError('shadow: needs a floating-point reference [int32]'),
    )
  })

  it('takes trees, empty tensors and scalars', () => {
    const run = shadow(({ a, b }) => ({ total: sum(a), both: [add(b, 1)] }), {
      a: zeros([0, 3]),
      b: tensor(2),
    })
    expect(run.outputs().map(({ max }) => max)).toEqual([0, 0])
    expect(run.clean).toBe(true)
    expect(shadow((x) => x, tensor([1, 2])).outputs()[0]!.max).toBe(0)
  })
})

describe('shadow, of compensated sums', () => {
  const terms = Array.from({ length: 40 }, () => 0.1)

  it('blames no correction of a Kahan sum in tensor operations', () => {
    const kahan = (x: readonly Tensor[]): Tensor => {
      let [s, c]: [Tensor, Tensor] = [zeros([], { dtype: x[0]!.dtype }), zeros([], { dtype: x[0]!.dtype })]
      for (const v of x) {
        const y = sub(v, c)
        const t = add(s, y)
        c = sub(sub(t, s), y)
        s = t
      }
      return s
    }
    const run = shadow(kahan, terms.map(bf16), { reference: 'real' })
    expect(run.outputs()[0]!.max).toBeLessThan(1)
    expect(run.culprits()).toEqual([])
    // The corrections themselves are all error: 0 in exact arithmetic.
    const corrections = run.localErrors().filter(({ bits }) => bits.max >= 5)
    expect(corrections).toEqual([])
    const naive = shadow((x) => x.reduce((a, b) => add(a, b)), terms.map(bf16), { reference: 'real' })
    expect(naive.outputs()[0]!.max).toBeGreaterThan(2)
  })

  const neumaier = (x: readonly Tensor[]): Tensor => {
    const zero = zeros([], { dtype: x[0]!.dtype })
    let [s, c]: [Tensor, Tensor] = [zero, zero]
    for (const v of x) {
      const t = add(s, v)
      const large = greater(abs(s), abs(v))
      c = add(c, where(large, add(sub(s, t), v), add(sub(v, t), s)))
      s = t
    }
    return add(s, c)
  }

  it('blames no correction of a Neumaier sum', () => {
    const run = shadow(neumaier, terms.map(bf16), { reference: 'real' })
    expect(run.outputs()[0]!.max).toBeLessThan(1)
    expect(run.culprits()).toEqual([])
  })

  it.each(['real', 'float64'] as const)(
    'blames what cancels after a Neumaier sum, not the corrections inside it, beside %s',
    (reference) => {
      const many = Array.from({ length: 160 }, () => 0.1)
      const run = shadow((x) => sub(neumaier(x), 15.9375), many.map(bf16), { reference })
      const last = run.program.steps.length - 1
      expect(run.outputs()[0]!.max).toBeGreaterThan(5)
      expect(
        run.localErrors().filter(({ step, bits }) => step < last && bits.max >= 5).length,
      ).toBeGreaterThan(0)
      expect(run.culprits()).toEqual([last])
    },
  )
})

describe(`shadow, exact computations (seed ${seed})`, () => {
  const count = isLong ? 10_000 : 2000
  it(`raises no false alarm in ${count} of them`, () => {
    const random = seeded(`exact ${seed}`)
    const pick = (n: number): number => Math.floor(random() * n)
    const binary = [add, sub, mul] as const
    const unary = [
      neg,
      abs,
      relu,
      (x: Tensor) => mul(x, 2),
      (x: Tensor) => cast(cast(x, 'float32'), 'bfloat16'),
    ] as const
    for (let run = 0; run < count; run++) {
      const inputs = [bf16(pick(9) - 4), bf16(pick(9) - 4), bf16(2 ** (pick(7) - 3))]
      const code = Array.from({ length: 1 + pick(4) }, () => [pick(3), pick(5), pick(3), pick(2)] as const)
      // Whole numbers up to 4, twice at most multiplied, then added: below 256 and so exact in bfloat16.
      const f = (x: readonly Tensor[]): Tensor => {
        let value = x[pick0(code[0]![2], 2)]!
        for (const [i, [op, which, input, kind]] of code.entries()) {
          const product = op === 2 && i > 1
          if (kind === 1) value = unary[which]!(value)
          else value = (product ? add : binary[op]!)(value, x[pick0(input, 2)]!)
        }
        return value
      }
      const shadowed = shadow(f, inputs, { check: false })
      if (
        !shadowed.clean ||
        shadowed.culprits().length > 0 ||
        shadowed.contributions({ rerun: 0 }).some(({ share }) => share !== 0)
      ) {
        throw new Error(
          `shadow: false alarm ${run} ${code.join(' ')} of ${inputs.map(String).join(' ')}\n${shadowed}`,
        )
      }
    }
  })
})

/** A whole number below n from one below 3. */
function pick0(x: number, n: number): number {
  return x % n
}

describe('shadow, told what is wrong', () => {
  it('a function that is not deterministic', () => {
    let calls = 0
    const f = (x: Tensor): Tensor => (calls++ % 2 === 0 ? exp(x) : log(x))
    expect(() => shadow(f, tensor(2), { sites: false })).toThrow(
      new RangeError(
        'shadow: the function is not deterministic, two runs part at step 0 [exp float32 [], then log float32 []]',
      ),
    )
  })

  it('a function that branches on values, with both sides', () => {
    const f = (x: Tensor): Tensor => (sub(add(x, 1), 1).item() > 0.101 ? exp(x) : log(x))
    const run = shadow(f, bf16(0.1), { sites: false })
    expect(run.branch).toEqual({
      kind: 'operations',
      step: 0,
      narrow: 'exp bfloat16 []',
      wide: 'log float64 []',
    })
    expect(String(run)).toContain(
      'the code branches on values: step 0 is exp bfloat16 []; in float64 log float64 []',
    )
  })

  it('a number read out of a tensor', () => {
    const run = shadow((x) => mul(x, sub(add(x, 1), 1).item()), bf16(0.1))
    expect(run.branch).toMatchObject({ kind: 'constants', step: 0 })
    expect(String(run)).toContain('a number was read out of a tensor: step 0 takes')
  })

  it('a function that cannot run in float64', () => {
    const run = shadow((x) => add(x, bf16(1)), bf16(0.1))
    expect(run.branch).toBe('add: dtypes differ, cast one of them [float64 and bfloat16]')
    expect(String(run)).toContain('not checked for branches')
  })

  it('no floating-point tensor, nothing, or no tensor at all', () => {
    expect(() => shadow((x) => greater(x, 0), tensor(1))).toThrow(
      new TypeError('shadow: the function returns no floating-point tensor [bool]'),
    )
    expect(() => shadow(() => undefined as never, tensor(1))).toThrow(
      new TypeError('shadow: the function returns nothing [undefined]'),
    )
    expect(() => shadow(() => 3 as never, tensor(1))).toThrow(
      new TypeError('shadow: not a leaf, array or plain object at the root [3]'),
    )
    expect(() => shadow((async (x: Tensor) => x) as never, tensor(1))).toThrow(
      new TypeError('shadow: the function is asynchronous [Promise]'),
    )
  })

  it('inputs that are not finite already', () => {
    expect(() => shadow(({ w }) => exp(w), { w: tensor([1, Number.NaN]) })).toThrow(
      new RangeError('shadow: an input is not finite already, element 1 of w [NaN]'),
    )
  })
})

describe('the report of shadow', () => {
  const run = shadow((x) => sum(square(sub(x, stack([x, x]) as Tensor))), bf16([1, 2, 3]))

  it('is text, plain data and a drawing', () => {
    const text = String(shadow(difference, bf16(300)))
    expect(text).toContain('4 operations beside float64')
    expect(text).toContain(
      'where the error comes from: share to first order, bits gained if none of it were rounded',
    )
    const data = JSON.parse(JSON.stringify(run))
    expect(Object.keys(data)).toEqual(
      'reference outputs operations contributions localErrors culprits faults events divergences'.split(' '),
    )
    const drawn = shadowGraph(run)
    expect(drawn.match(/<rect/g)).toHaveLength(run.program.steps.length)
    expect(shadowGraph(run, { color: 'gain' })).toContain('bits')
    expect(String(shadow((x) => matmul(x, x), ones([2, 2])))).toContain('no single operation')
  })
})

describe('shadowEvery', () => {
  it('reports the first run and every k-th after it, and returns what the function returns', () => {
    const seen: number[] = []
    const f = shadowEvery((x: Tensor) => mul(x, x), { every: 3, report: (_, run) => seen.push(run) })
    expect(Array.from({ length: 7 }, (_, i) => f(tensor(i)).item())).toEqual([0, 1, 4, 9, 16, 25, 36])
    expect(seen).toEqual([0, 3, 6])
    expect(() => shadowEvery((x: Tensor) => x, { every: 0, report: () => {} })).toThrow(
      new RangeError('shadowEvery: every is not a count from 1 up [0]'),
    )
  })
})
