import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { planCosts } from 'tpu-toolkit/plan'
import { describe, expect, it } from 'vitest'
import { runCli } from '../support/runCli.js'

const run = { chip: 'v5p', chips: 4, tokensPerSecond: 40_000, flopsPerSecond: 1e15 } as const

describe('planCosts', () => {
  it('divides the performance of the slice by what all its chips draw and cost', () => {
    expect(planCosts(run, { v5p: { watts: 500, dollarsPerHour: 3 } })).toEqual({
      watts: 2000,
      flopsPerSecondPerWatt: 5e11,
      tokensPerJoule: 20,
      dollarsPerHour: 12,
      flopsPerDollar: 3e17,
      tokensPerDollar: 12e6,
      dollarsPerMillionTokens: 1 / 12,
    })
  })

  it('invents nothing: what the table or the estimate does not have is null', () => {
    expect(new Set(Object.values(planCosts(run, {})))).toEqual(new Set([null]))
    const { watts, tokensPerJoule, dollarsPerHour } = planCosts(run, { v5p: { watts: 500 } })
    expect([watts, tokensPerJoule, dollarsPerHour]).toEqual([2000, 20, null])
    const bound = { ...run, tokensPerSecond: null, flopsPerSecond: null }
    expect(planCosts(bound, { v5p: { dollarsPerHour: 3 } }).tokensPerDollar).toBe(null)
  })

  it.each([
    [{ v5p: { watts: 0 } }, 'planCosts: v5p watts is not a'],
    [{ v5p: { dollarsPerHour: Number.NaN } }, 'planCosts: v5p dollarsPerHour is not a'],
    [{ v5P: {} }, 'did you mean v5p'],
    [{ v5p: { watt: 3 } }, 'did you mean watts'],
  ])('%j is no table', (table, text) => expect(() => planCosts(run, table as never)).toThrow(text))

  it('is printed by plan --costs, beside samples and tokens a second', async () => {
    const path = join(tmpdir(), `costs-${process.pid}.json`)
    writeFileSync(path, '{ "v5p": { "watts": 400, "dollarsPerHour": 4.2 } }')
    const { out } = await runCli('plan', 'llama3-8b', '--slice', 'v5p-128', '--costs', path, '--json')
    const plan = JSON.parse(out)
    expect(plan.samplesPerSecond * plan.sequence).toBeCloseTo(plan.step.tokensPerSecond, 3)
    expect(plan.costs).toEqual(
      planCosts(
        {
          ...{ chip: 'v5p', chips: 64, tokensPerSecond: plan.step.tokensPerSecond },
          flopsPerSecond: plan.step.modelFlops / plan.step.estimateSeconds,
        },
        { v5p: { watts: 400, dollarsPerHour: 4.2 } },
      ),
    )
    const text = await runCli('plan', 'llama3-8b', '--slice', 'v6e-64', '--costs', path)
    expect(text.out).toMatch(/samples a second +\d/)
    expect(text.out).toContain('no watts of this chip in the table')
    writeFileSync(path, '[1]')
    expect((await runCli('plan', 'llama3-8b', '--costs', path)).error).toContain('--costs is a JSON object')
  })
})
