import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runTpuToolkit } from '../../src/cli/program.js'
import { runCli } from '../support/runCli.js'

const home = mkdtempSync(join(tmpdir(), 'rl-cli-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const small = ['rl', 'train', '--task', 'cartpole', '--steps', '512', '--seeds', '2', '--json']

/** Every file that is kept, its bytes as text. */
function kept(folder: string): Record<string, string> {
  const top = join(folder, 'checkpoints')
  const files = readdirSync(top, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  return Object.fromEntries(
    files
      .filter(({ name }) => name.endsWith('.safetensors') || name.endsWith('.json'))
      .map((file) => {
        const path = join(file.parentPath, file.name)
        return [path.slice(top.length), readFileSync(path, 'latin1')]
      }),
  )
}

/** The same command, stopped by an error in the middle of an update. */
async function stoppedAt(after: number, out: string): Promise<void> {
  let calls = 0
  const ignore = () => {}
  const progress = () => {
    if (++calls === after) throw new Error('stopped')
  }
  await runTpuToolkit([...small, '--out', out], { out: ignore, error: ignore, progress }).catch(ignore)
}

describe('tpu-toolkit rl', () => {
  it('stopped in any update and started again, it ends with the same bytes', async () => {
    const whole = join(home, 'whole')
    const { status, out } = await runCli(...small, '--out', whole)
    expect(status).toBe(0)
    const broken = join(home, 'broken')
    for (const after of [2, 3, 1]) await stoppedAt(after, broken)
    const end = await runCli('rl', 'resume', '--json', '--out', broken)
    expect([end.status, end.out]).toEqual([0, out])
    expect(kept(broken)).toEqual(kept(whole))
    expect(Object.keys(kept(whole)).length).toBe(2)

    const judged = await runCli('rl', 'evaluate', '--json', '--out', whole)
    expect(judged.out).toBe(out)
    const { rows, note } = JSON.parse(out)
    expect(rows.map((row: { seed: number }) => row.seed)).toEqual([0, 1])
    expect(rows[0].curve.length).toBe(2)
    expect(rows[0].figures).not.toEqual(rows[1].figures)
    expect(note).toContain('nothing about profit')
    expect(readFileSync(join(whole, 'index.html'), 'utf8')).toContain('nothing about profit')
  })

  it('refuses another run in the same folder, and options that a kept run has already', async () => {
    const whole = join(home, 'whole')
    const other = await runCli('rl', '--task', 'cartpole', '--steps', '768', '--out', whole)
    expect([other.status, other.error]).toEqual([
      2,
      expect.stringContaining('another run is kept in this folder'),
    ])
    const again = await runCli('rl', 'resume', '--steps', '3', '--out', whole)
    expect([again.status, again.error]).toEqual([2, expect.stringContaining('leave out --steps')])
  })

  it.each([
    [['rl', 'trade'], 'there are train, evaluate, resume [trade]'],
    [['rl', '--task', 'cartpol'], 'did you mean cartpole'],
    [['rl', '--precision', 'bf16'], 'unknown precision [bf16]'],
    [['rl', '--fee', '2'], '--fee is no number from 0 to 1 [2]'],
    [['rl', '--seeds', '0'], '--seeds is not a whole number, 1 or more [0]'],
    [['rl', 'resume', '--out', join(home, 'nothing')], 'there is no run in this folder'],
  ])('%j is refused: %s', async (args, said) => {
    const { status, error } = await runCli(...args)
    expect([status, error]).toEqual([2, expect.stringContaining(said)])
  })
})
