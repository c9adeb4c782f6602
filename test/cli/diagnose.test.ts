import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jsonLines } from 'tpu-toolkit/monitor'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../support/runCli.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'diagnose-'))
  for (const name of ['well', 'broken']) {
    const sink = jsonLines(join(folder, name, 'run.jsonl'))
    for (let step = 1; step <= 20; step++) {
      const loss = name === 'broken' && step > 10 ? Number.NaN : 1 / step
      sink.write({ step, time: step, values: { loss, step }, nonFinite: {} })
    }
    sink.close()
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('tpu-toolkit diagnose', () => {
  it('says that nothing is wrong, what was looked at, and ends with 0', async () => {
    const { status, out, error } = await runCli('diagnose', join(folder, 'well'))
    expect([status, error]).toEqual([0, ''])
    expect(out).toContain('Nothing is wrong with what this run recorded.')
    expect(out).toContain('20 samples, steps 1 to 20.')
    expect(out).toContain('Not recorded, so nothing is known of: ')
  })

  it('prints the problems, writes the page, and ends with 1 where something is critical', async () => {
    const page = join(folder, 'page.html')
    const { status, out } = await runCli('diagnose', join(folder, 'broken'), '--out', page)
    expect(status).toBe(1)
    expect(out).toMatch(/^1 problem, 1 critical: not finite\./)
    expect(out).toMatch(/^not finite +critical +11 +seen first at step 11/m)
    expect(readFileSync(page, 'utf8')).toContain('<h2>Problems</h2>')
  })

  it('--json prints what it found', async () => {
    const { status, out } = await runCli('diagnose', join(folder, 'broken'), '--json')
    expect(status).toBe(1)
    const { problems, steps } = JSON.parse(out)
    expect([problems[0].problem, problems[0].step, steps]).toEqual(['not finite', 11, 20])
  })

  it('refuses a folder that is not there, and a chip that nobody knows, with 2', async () => {
    for (const args of [[join(folder, 'none')], [join(folder, 'well'), '--chip', 'v5q']]) {
      const { status, error } = await runCli('diagnose', ...args)
      expect(status).toBe(2)
      expect(error).toMatch(/there is no such folder|unknown chip/)
    }
  })
})
