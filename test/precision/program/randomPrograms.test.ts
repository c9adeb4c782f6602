import { cast, dtypeFacts, tensor } from 'tpu-toolkit'
import { bitsApart, certify, kindOf, programOf, shadow, tune, withPolicy } from 'tpu-toolkit/precision'
import { seeded } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { plantedProgram, randomProgram } from '../../support/randomPrograms.js'
import { seed } from '../../support/seed.js'

// TPU_TOOLKIT_PROGRAMS=10000 npx vitest run test/precision/program/randomPrograms.test.ts takes 25 minutes of a processor.
const count = Number(process.env['TPU_TOOLKIT_PROGRAMS'] ?? 20)

describe(`random programs with constants, decisions, loops and ties (seed ${seed})`, () => {
  const draw = seeded(`programs ${seed}`)
  const programs = Array.from({ length: count }, () => randomProgram(draw))

  it(`certify bounds ${count} of them, against reals`, { timeout: 0 }, () => {
    let finite = 0
    for (const { f, x, text } of programs) {
      const run = shadow(f, x, { reference: 'real', check: false })
      const { computed, reference } = run.errors(run.program.steps.length - 1)
      const bounds = certify(f, x, { check: false }).bounds[0]!.toNumbers()
      // Where a decision came out differently the reference is another program's.
      if (run.divergences.length > 0) continue
      for (const [i, bound] of bounds.entries()) {
        if (bound === Infinity) continue
        finite++
        const error = Math.abs(computed[i]! - reference[i]!)
        expect(error, text).toBeLessThanOrEqual(bound * (1 + 2 ** -40) + 2 ** -60)
      }
    }
    expect(finite).toBeGreaterThan(count)
  })

  it('shadow knows which of them branch, and tells each in 40 lines at most', { timeout: 0 }, () => {
    for (const { f, x, text, branches } of programs) {
      const run = shadow(f, x)
      if (!branches) expect(run.branch, text).toBe(describeBranch(run.branch))
      expect(String(run).split('\n').length, text).toBeLessThanOrEqual(40)
    }
  })

  it('tune ends, and its policy meets the target when it is run again', { timeout: 0 }, () => {
    for (const { f, x, text } of programs.slice(0, count > 20 ? count : 5)) {
      // Maxima alone round nothing: there is nothing to tune.
      if (!programOf('test', f, x).steps.some(({ op }) => kindOf(op) === 'rounds')) continue
      const found = tune(f, x, { target: { meanBits: 0.7 }, exhaustive: 20 })
      const again = withPolicy(f, found.policy)(x)
      expect(again.dtype).toBe('bfloat16')
      const run = shadow(f, x, { check: false })
      const exact = run.errors(run.program.steps.length - 1).reference
      const nearest = cast(tensor(exact, { dtype: 'float64' }), 'bfloat16').toNumbers()
      const bits = again.toNumbers().map((got, i) => bitsApart(got, nearest[i]!, dtypeFacts('bfloat16')))
      if (found.met) {
        expect(bits.reduce((a, b) => a + b) / bits.length, text).toBeLessThanOrEqual(0.7 + 2 ** -40)
      } else {
        expect(found.wide.length, text).toBe(found.groups.length)
      }
    }
  })
})

describe(`random programs with one bad operation planted (seed ${seed})`, () => {
  const draw = seeded(`planted ${seed}`)
  const programs = Array.from({ length: count }, () => plantedProgram(draw))

  it('shadow blames it first', { timeout: 0 }, () => {
    for (const { f, x, text, guilty } of programs) {
      const run = shadow(f, x, { check: false, sites: false })
      const [most] = run.groups()
      expect(guilty(run.program.steps[most!.steps[0]!]!), `${text}\n${run}`).toBe(true)
    }
  })
})

/** A vector that the program closes over is in bfloat16: the run in float64 is refused, which the report says. */
function describeBranch(branch: unknown): unknown {
  return typeof branch === 'string' && branch.includes('dtypes differ') ? branch : undefined
}
