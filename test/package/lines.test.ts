import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const script = resolve('scripts/lines.mjs')
let cwd: string

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'lines-'))
  git('init', '-q')
  write('src/tensors/add.ts', 100)
  write('src/index.ts', 3)
  write('wasm/dot.ts', 100)
  commit()
})
afterEach(() => rmSync(cwd, { recursive: true }))

const git = (...args: string[]): string => execFileSync('git', args, { cwd, encoding: 'utf8' })
function write(path: string, lines: number): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true })
  writeFileSync(join(cwd, path), Array.from({ length: lines }, (_, i) => `${path} ${i}\n`).join(''))
}
function commit(): void {
  git('add', '.')
  git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '-m', 'x')
}
const lines = (...args: string[]): ReturnType<typeof spawnSync> =>
  spawnSync(process.execPath, [script, ...args], { cwd, encoding: 'utf8' })

describe('lines.mjs', () => {
  test('counts and compares nothing where there is no commit before', () => {
    const { status, stdout } = lines()
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^src +3\nsrc\/tensors +100\nwasm +100\n.*203\n/),
    ])
  })

  test('passes growth of 3 %, refuses more, and takes it with a changeset', () => {
    write('src/tensors/add.ts', 103)
    commit()
    expect(lines().status).toBe(0)
    write('wasm/dot.ts', 104)
    commit()
    const { status, stdout, stderr } = lines()
    expect(status).toBe(1)
    expect(stdout).toMatch(/wasm +104 +\+4\ntotal +210 +\+4\n/)
    expect(stderr).toContain('without a changeset [wasm]')
    write('.changeset/dot.md', 1)
    git('add', '.')
    expect(lines().status).toBe(0)
    expect(lines('nowhere').status).toBe(1)
  })

  test('takes a move between wings for no growth', () => {
    mkdirSync(join(cwd, 'src/numbers'))
    renameSync(join(cwd, 'wasm/dot.ts'), join(cwd, 'src/numbers/dot.ts'))
    commit()
    const { status, stdout } = lines()
    expect([status, stdout]).toEqual([0, expect.stringMatching(/src\/numbers +100 +\+0\n/)])
  })
})
