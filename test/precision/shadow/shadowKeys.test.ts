import { type PrecisionEvent, shadow } from 'tpu-toolkit/precision'
import { describe, expect, it } from 'vitest'
import {
  codeOf,
  expressions,
  inputsOf,
  keyFormats,
  keyRules,
  programOf,
} from '../../support/precisionKeys.js'

const cases = expressions.flatMap((expression) =>
  keyFormats.map((dtype) => ({ name: expression.name, dtype, expression })),
)

type KeyEvent = readonly [number, string, number?]

/** Events as the keys list them: by node, absorption before cancellation. */
function asKey(events: readonly PrecisionEvent[]): KeyEvent[] {
  return events.map(({ step, kind, bits }) => (kind === 'cancel' ? [step, kind, bits!] : [step, kind]))
}

const sorted = (events: readonly KeyEvent[]): string[] => events.map((event) => event.join(' ')).sort()

describe.each(cases)('shadow($name), $dtype, beside real numbers', ({ expression, dtype }) => {
  const key = expression[dtype]
  const f = programOf(expression, dtype)
  const runs = key.samples.map((sample) => ({
    sample,
    run: shadow(f, inputsOf(expression, sample, dtype), { reference: 'real', check: false, rules: keyRules }),
  }))

  it('computes the codes of the key, node by node', () => {
    for (const { sample, run } of runs) {
      expect(run.program.steps.map((step) => codeOf(step.output)).join('')).toBe(sample.nodes)
    }
  })

  it('finds the bits of error, gains within .01 bit, and the same blame', () => {
    for (const { sample, run } of runs) {
      expect(Math.abs(run.outputs()[0]!.max - sample.realBits)).toBeLessThan(1e-4)
      const contributions = run.contributions({ rerun: 'all' })
      const gains = key.order.map((node) => contributions.find(({ step }) => step === node)!.gain!)
      for (const [i, gain] of gains.entries()) expect(Math.abs(gain - sample.gains[i]!)).toBeLessThan(0.01)
      const most = Math.max(...gains)
      const blame = key.order.filter((_, i) => most > 1e-6 && gains[i]! > most - 1e-6)
      expect(blame).toEqual(sample.blame)
    }
  })

  it('tells the same events', () => {
    for (const { sample, run } of runs) expect(sorted(asKey(run.events))).toEqual(sorted(sample.events))
  })

  it('finds the local errors', () => {
    const means = key.order.map((node) => {
      const found = runs.map(({ run }) => run.localErrors().find(({ step }) => step === node)!.bits.max)
      return found.reduce((a, b) => a + b, 0) / found.length
    })
    for (const [i, mean] of means.entries()) expect(Math.abs(mean - key.meanLocal[i]!)).toBeLessThan(1e-3)
  })
})
