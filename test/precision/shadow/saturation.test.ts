import { add, div, exp, log, mul, neg, pow, sub, sum, type Tensor, tensor } from 'tpu-toolkit'
import { certify, shadow, type TensorFunction } from 'tpu-toolkit/precision'
import { seeded } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { seed } from '../../support/seed.js'

const scalar = (x: number): Tensor => tensor(x, { dtype: 'float64' })
const real = { reference: 'real' } as const

describe('shadow beside real numbers', () => {
  const wrong: readonly (readonly [string, TensorFunction<Tensor>, number, number])[] = [
    ['(1 + x) - 1', (x) => sub(add(1, x), 1), 1e-120, 1e-120],
    ['(1 + x)^2 - 1', (x) => sub(mul(add(1, x), add(1, x)), 1), 1e-200, 2e-200],
    ['1 / (1 + x) - 1', (x) => sub(div(1, add(1, x)), 1), 1e-300, -1e-300],
    ['((1 + e^-x) - 1) / e^-x', (x) => div(sub(add(1, exp(neg(x))), 1), exp(neg(x))), 230, 1],
    ['(1 + x)^(1 / x)', (x) => pow(add(1, x), div(1, x)), 1e-100, Math.E],
    ['log(exp(x))', (x) => log(exp(x)), 1e-200, 1e-200],
  ]
  it.each(wrong)('does not call %s exact where all bits are lost', (_, f, x, exact) => {
    for (const options of [real, {}]) {
      const seen = shadow(f, scalar(x), options)
      const { reference } = seen.errors(seen.program.steps.length - 1)
      expect(reference[0]).toBeCloseTo(exact, 10)
      expect(Math.abs(reference[0]! / exact - 1)).toBeLessThan(1e-12)
      expect(String(seen)).not.toContain('verdict: exact')
      expect(seen.outputs()[0]!.max).toBeGreaterThan(20)
    }
  })

  // 2,000 programs take some minutes: TPU_TOOLKIT_CONSISTENT=2000.
  const programs = Number(process.env['TPU_TOOLKIT_CONSISTENT'] ?? 150)
  it(`and certify agree on ${programs} random programs of 1e-300 to 1e300 (seed ${seed})`, () => {
    const draw = seeded(`consistent ${seed}`)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)]!
    for (let k = 0; k < programs; k++) {
      const number = (): number => (draw() < 0.5 ? -1 : 1) * 10 ** (600 * draw() - 300)
      const inputs = [number(), number(), draw() < 0.5 ? 1 : number()].map(scalar)
      const plan = Array.from(
        { length: 1 + Math.floor(draw() * 5) },
        () => [pick([add, sub, mul, div]), draw(), draw()] as const,
      )
      const f = (given: readonly Tensor[]): Tensor => {
        const values = [...given]
        for (const [op, a, b] of plan) {
          values.push(op(values[Math.floor(a * values.length)]!, values[Math.floor(b * values.length)]!))
        }
        return values.at(-1)!
      }
      const { bounds, results } = certify(f, inputs)
      const [bound, result] = [bounds[0]!.item(), results[0]!.item()]
      const seen = shadow(f, inputs, real)
      expect(seen.doubt, `program ${k}`).toBeUndefined()
      const exact = seen.errors(seen.program.steps.length - 1).reference[0]!
      if (bound === Infinity) continue
      expect(Math.abs(exact - result), `program ${k}`).toBeLessThanOrEqual(bound + 2 ** -52 * Math.abs(exact))
      // Real numbers have one zero.
      if (bound === 0) expect(exact + 0).toBe(result + 0)
    }
  }, 600_000)
})

describe('the verdict of a shadow', () => {
  it('puts an overflow on the operation that overflows, not on what reads it', () => {
    const seen = shadow((x) => log(sum(exp(x))), tensor([100, 1, 2]))
    expect(seen.groups()[0]).toMatchObject({ name: 'exp', saturated: true })
    expect(String(seen)).toMatch(
      /verdict: the result keeps 0\.0 of 24 bits in its worst element; exp at \S+ is infinite or 0/,
    )
    const added = shadow((x) => log(sum(exp(x))), tensor([88.5, 88.5]))
    expect(added.groups()[0]).toMatchObject({ name: 'sum', saturated: true })
  })

  it('blames of the output that it names what that output reads', () => {
    const f = ({ x, y }: { x: Tensor; y: Tensor }): { a: Tensor; b: Tensor } => {
      const good = mul(mul(div(x, 3), div(x, 7)), 1.1)
      return { a: good, b: sub(exp(y), 1) }
    }
    const seen = shadow(f, { x: tensor([1, 2, 3]), y: tensor([1e-6]) })
    const [most] = seen.groups('b')
    expect(most?.name).toBe('exp')
    const text = String(seen)
    expect(text).toMatch(/verdict: b keeps .*; 100 % of the error is exp at/)
    expect(text).toContain('where the error of b comes from')
    const named = text.split('where the problem')[0]!.split('where the error of b')[1]!
    expect(named).not.toContain('div')
    expect(() => seen.groups('c')).toThrow('groups: no such output [c]')
  })
})
