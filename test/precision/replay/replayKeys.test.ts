import { cast, type FloatDType, type Tensor, tensor } from 'tpu-toolkit'
import {
  bitsApart,
  dtypeArithmetic,
  isWide,
  type Policy,
  type Program,
  realArithmetic,
  programOf as recordProgram,
  replay,
  type Shadow,
  shadow,
} from 'tpu-toolkit/precision'
import { dtypeFacts } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import {
  expressions,
  inputsOf,
  keyFormats,
  keyRules,
  programOf,
  scalar,
} from '../../support/precisionKeys.js'

const bfloat16 = dtypeFacts('bfloat16')

/** The program's output by a policy, rounded to bfloat16 at the end. */
function outputBy(program: Program, policy: (step: number) => Policy): number {
  const arithmetic = dtypeArithmetic('float64')
  const value = replay(program, policy, arithmetic).valueOf(program.outputs[0]!)
  const result: Tensor = isWide(value) ? arithmetic.narrow(value.wide, 'bfloat16') : value
  return cast(result, 'bfloat16').item()
}

const kept = expressions.filter(({ bfloat16: key }) => key.keepFloat32)

describe.each(kept.map((expression) => ({ name: expression.name, expression })))(
  'replay($name), steps in float32 among bfloat16',
  ({ expression }) => {
    const key = expression.bfloat16
    const f = programOf(expression, 'bfloat16')
    const runs = key.samples.map((sample) => ({
      program: recordProgram('test', f, inputsOf(expression, sample, 'bfloat16')),
      exact: scalar(sample.true, 'bfloat16').item(),
    }))

    it('is off by the bits of the key, for every best set', () => {
      for (const { meanBits, sets } of key.keepFloat32!) {
        for (const set of sets) {
          const wide = new Set(set)
          const policy = (step: number): Policy => (wide.has(step) ? 'float32' : 'own')
          const bits = runs.map(({ program, exact }) => bitsApart(outputBy(program, policy), exact, bfloat16))
          const mean = bits.reduce((a, b) => a + b, 0) / bits.length
          // The key has four decimals.
          expect(Math.abs(mean - meanBits)).toBeLessThan(1e-4)
        }
      }
    })
  },
)

describe('replay', () => {
  it('with every step exact is the reference; with every step its own, the recording', () => {
    const program = recordProgram('test', (x) => programOf(expressions[0]!, 'float32')(x), {
      x: tensor(8224416),
    })
    const arithmetic = realArithmetic()
    const own = replay(program, () => 'own', arithmetic).valueOf(program.outputs[0]!)
    expect(isWide(own)).toBe(false)
    const exact = replay(program, () => 'exact', arithmetic).valueOf(program.outputs[0]!)
    if (!isWide(exact)) throw new Error('replay: an unrounded result is no tensor')
    expect(arithmetic.toFloat64(exact.wide).item()).toBeCloseTo(0.00017434984, 8)
    const policies: FloatDType[] = ['float64', 'float16', 'bfloat16']
    for (const policy of policies) {
      expect(isWide(replay(program, () => policy, arithmetic).valueOf(program.outputs[0]!))).toBe(true)
    }
  })
})

describe('shadow, first order and float64, over all samples of the keys', () => {
  interface Row {
    readonly agrees: boolean
    readonly relative: number
    readonly name: string
  }
  const rows: Row[] = []
  const lost = new Map<string, number>()
  const silent: string[] = []
  let escalated = 0
  for (const expression of expressions) {
    for (const dtype of keyFormats) {
      const key = expression[dtype]
      const f = programOf(expression, dtype)
      for (const sample of key.samples) {
        const inputs = inputsOf(expression, sample, dtype)
        const off = (run: Shadow): boolean => Math.abs(run.outputs()[0]!.max - sample.realBits) > 0.01
        const beside = shadow(f, inputs, { reference: 'float64', check: false, rules: keyRules })
        if (off(beside)) lost.set(expression.name, (lost.get(expression.name) ?? 0) + 1)
        const chosen = shadow(f, inputs, { check: false, rules: keyRules })
        if (chosen.reference === 'real') escalated++
        if (off(chosen)) silent.push(`${expression.name} ${sample.x}`)
        if (!(Math.max(...sample.gains) > 1)) continue
        const run = shadow(f, inputs, { reference: 'real', check: false, rules: keyRules })
        const predicted = run.contributions({ rerun: 0 })
        const best = predicted.reduce((a, b) => ((b.firstOrder ?? 0) > (a.firstOrder ?? 0) ? b : a))
        const { computed, reference } = run.errors(run.program.steps.length - 1)
        rows.push({
          name: expression.name,
          agrees: sample.blame.includes(best.step),
          relative: Math.abs(computed[0]! / reference[0]! - 1),
        })
      }
    }
  }

  it('the first-order ranking begins with the blamed step in 99 of 100 samples with a gain above one bit and an error below 1/16', () => {
    const small = rows.filter(({ relative }) => relative < 1 / 16)
    expect(small.length).toBe(343)
    // Its blame is the division; exact, the difference b^2 - 4ac would move the root after it by an ulp, and the sum after
    // that would round the ulp away again: a second consumer, which first order does not look at.
    expect(small.filter(({ agrees }) => !agrees).map(({ name }) => name)).toEqual(['quadratic-plus'])
    // What is no first-order question any more, errors as large as the result among it.
    expect(rows.length).toBe(1008)
    expect(rows.filter(({ agrees }) => agrees).length).toBe(661)
  })

  it('the reference that chooses itself is right on all of them, and float64 on most', () => {
    expect(silent).toEqual([])
    expect(escalated).toBeGreaterThan(246)
    expect(escalated).toBeLessThan(1500)
  })

  it('float64 is not enough where float64 itself cancels: these expressions, so many samples of 100', () => {
    expect(Object.fromEntries([...lost].sort())).toEqual({
      'complex-sqrt-re': 10,
      'cross-entropy-two': 6,
      'exp-minus-1': 25,
      'exp-plus-exp-minus-2': 20,
      'hyperbolic-tangent': 28,
      'inverse-diff-fma': 29,
      'log-ratio': 19,
      'one-minus-cos-over-sin': 41,
      'one-minus-cos-over-square': 19,
      'quadratic-plus': 4,
      'x-sin-x-tan': 45,
    })
  })
})
