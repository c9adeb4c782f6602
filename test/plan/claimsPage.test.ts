import { claims } from 'tpu-toolkit/plan'
import { describe, expect, it } from 'vitest'
import { planningPage } from '../../scripts/planningPage.js'
import { readText } from '../support/project.js'
import { runCli } from '../support/runCli.js'

const page = readText('docs/planning.md')

describe('docs/planning.md', () => {
  it('has the claims as they are computed, in a table that npm run doors writes', () => {
    expect(page).toBe(planningPage(page))
    for (const { published } of claims()) expect(page).toContain(published)
  })

  it('is told apart from a page whose table is another', () => {
    const line = page.split('\n').find((each) => each.startsWith('| slice v4-32'))!
    expect(planningPage(page.replace(`${line}\n`, '| slice v4-32 | | | | |\n'))).toBe(page)
    expect(() => planningPage('# Planning')).toThrow('no table under the heading')
  })
})

describe('plan --claims', () => {
  it('prints every claim with its figure and its verdict', async () => {
    const { status, out } = await runCli('plan', '--claims')
    expect(status).toBe(0)
    for (const { published, computed, verdict } of claims()) {
      for (const said of [published, computed, verdict]) expect(out).toContain(said)
    }
    expect(JSON.parse((await runCli('plan', '--claims', '--json')).out)).toEqual({ claims: claims() })
  })

  it('stands in place of a model', async () => {
    expect((await runCli('plan', 'llama3-8b', '--claims')).error).toContain(
      '--claims stands in place of a model',
    )
    expect((await runCli('plan', '--claims', '--sequence', '8')).error).toContain(
      '--sequence is not for --claims',
    )
  })
})
