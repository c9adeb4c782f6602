import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from '../support/runCli.js'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'drift-main-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(...args: string[]): { status: number | null; out: string; error: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'drift', ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  return { status, out: stdout, error: stderr }
}

describe('dist/cli/main.js drift, as tsc -b leaves it', () => {
  it('exits 2 with one line on standard error for an unknown option', () =>
    expect(run('--fast')).toEqual({ status: 2, out: '', error: "drift: unknown option '--fast'\n" }))

  it('--json prints the same bytes as in this process, and no progress bar where nobody watches', async () => {
    const args = ['--json', '--only', 'cumsum,ema', '--length', '64', '--seed', '3']
    const first = run(...args)
    const second = await runCli('drift', ...args, '--out', join(folder, 'here'))
    expect(first.status).toBe(0)
    expect(second.out).toBe(first.out)
    expect(JSON.parse(first.out)).toMatchObject({ benchmark: 'drift', dtype: 'bfloat16', seed: 3 })
    expect(first.error).toMatch(
      /^drift: measuring 2 operations\nWritten: .*index\.html, .*drift\.json, .*drift\.csv\n$/,
    )
  })
})
