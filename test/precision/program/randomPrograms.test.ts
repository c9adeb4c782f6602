import { certify, shadow, tune, withPolicy } from 'tpu-toolkit/precision'
import { seeded } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { randomProgram } from '../../support/randomPrograms.js'
import { seed } from '../../support/seed.js'

// TPU_TOOLKIT_PROGRAMS=10000 npx vitest run test/precision/program/randomPrograms.test.ts takes some ten minutes.
const count = Number(process.env['TPU_TOOLKIT_PROGRAMS'] ?? 80)

describe(`random programs with constants, decisions, loops and ties (seed ${seed})`, () => {
  const draw = seeded(`programs ${seed}`)
  const programs = Array.from({ length: count }, () => randomProgram(draw))

  it(`certify bounds ${count} of them, against reals`, () => {
    let finite = 0
    for (const { f, x } of programs) {
      const run = shadow(f, x, { reference: 'real', check: false })
      const { computed, reference } = run.errors(run.program.steps.length - 1)
      const bounds = certify(f, x, { check: false }).bounds[0]!.toNumbers()
      // Where a decision came out differently the reference is another program's.
      if (run.divergences.length > 0) continue
      for (const [i, bound] of bounds.entries()) {
        if (bound === Infinity) continue
        finite++
        expect(Math.abs(computed[i]! - reference[i]!)).toBeLessThanOrEqual(bound * (1 + 2 ** -40) + 2 ** -60)
      }
    }
    expect(finite).toBeGreaterThan(count)
  })

  it('shadow never takes them for code that branches, and tells each in 40 lines at most', () => {
    for (const { f, x } of programs.slice(0, Math.ceil(count / 5))) {
      const run = shadow(f, x)
      expect(run.branch).toBe(describeBranch(run.branch))
      expect(String(run).split('\n').length).toBeLessThanOrEqual(40)
    }
  })

  it('tune ends, and its policy meets the target when it is run again', () => {
    for (const { f, x } of programs.slice(0, Math.ceil(count / 15))) {
      const found = tune(f, x, { target: { meanBits: 0.7 }, exhaustive: 20 })
      const again = withPolicy(f, found.policy)(x)
      expect(again.dtype).toBe('bfloat16')
      if (found.met) expect(found.value).toBeLessThanOrEqual(0.7)
      else expect(found.wide.length).toBe(found.groups.length)
    }
  })
})

/** A vector that the program closes over is in bfloat16: the run in float64 is refused, which the report says. */
function describeBranch(branch: unknown): unknown {
  return typeof branch === 'string' && branch.includes('dtypes differ') ? branch : undefined
}
