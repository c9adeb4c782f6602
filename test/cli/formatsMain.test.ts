import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from '../support/runCli.js'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'formats-main-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('dist/cli/main.js formats --measure, as tsc -b leaves it', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [main, 'formats', '--measure', ...args], { cwd: folder, encoding: 'utf8' })

  it('exits 2 with one line on standard error for an unknown option', () =>
    expect(run('--fast')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: "formats: unknown option '--fast'\n",
    }))
  it('--json prints the same bytes as in this process, training included', async () => {
    const args = ['--json', '--only', 'mxfp4', '--data', 'normal,weights', '--seed', '3']
    const first = run(...args)
    const second = await runCli('formats', '--measure', ...args, '--out', join(folder, 'here'))
    expect(first.status).toBe(0)
    expect(second.out).toBe(first.stdout)
    expect(JSON.parse(first.stdout)).toMatchObject({ benchmark: 'formats', seed: 3 })
    expect(first.stderr).toMatch(/^Written: .*index\.html, .*formats\.json, .*formats\.csv\n$/)
  })
})
