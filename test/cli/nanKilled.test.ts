import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { seeded } from 'tpu-toolkit/random'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundledCommand } from '../support/bundledCommand.js'
import { isLong } from '../support/long.js'
import { seed } from '../support/seed.js'

let home = ''
let [folder, command]: [string, string[]] = ['', []]
beforeAll(async () => {
  const bundled = await bundledCommand('nan-killed')
  home = bundled.home
  folder = join(home, 'runs')
  mkdirSync(folder)
  command = [bundled.main, 'nan', '--length', '8', '--steps', isLong ? '1500' : '300', '--json']
})
afterAll(() => rmSync(home, { recursive: true, force: true }))
const keeping = (file: string): string[] => [...command, '--checkpoint', file, '--checkpoint-every', '20']

/** Runs it, killed with signal 9 some milliseconds after a file is there, where one is named; what it printed where it was faster. */
function killed(args: readonly string[], after: number, file?: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let out = ''
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout.on('data', (text) => (out += text))
    child.on('error', reject)
    child.on('close', (code) => resolve(code === 0 ? out : undefined))
    const kill = (): void => {
      const isEarly = file !== undefined && !existsSync(file) && child.exitCode === null
      if (isEarly) setTimeout(kill, 2)
      else setTimeout(() => child.kill('SIGKILL'), after)
    }
    kill()
  })
}

describe(`nan --checkpoint (seed ${seed})`, () => {
  const times = isLong ? 20 : 2

  it(`killed ${times} times at random moments and started again, it ends with the same bytes`, async () => {
    const began = Date.now()
    const whole = spawnSync(process.execPath, keeping(join(folder, 'whole.json')), { encoding: 'utf8' })
    const duration = Date.now() - began
    expect([whole.status, whole.stderr]).toEqual([0, ''])
    const without = spawnSync(process.execPath, command, { encoding: 'utf8' })
    expect(without.stdout).toBe(whole.stdout)

    const file = join(folder, 'killed.json')
    const random = seeded(`nan killed ${seed}`)
    let went = 0
    for (let kills = 0; kills < times; kills++) {
      const out = await (kills % 2 === 0
        ? killed(keeping(file), (random() * duration) / 4, file)
        : killed(keeping(file), random() * duration))
      if (existsSync(file)) went++
      if (out === undefined) continue
      expect(out).toBe(whole.stdout)
      expect(readFileSync(file)).toEqual(readFileSync(join(folder, 'whole.json')))
      rmSync(file)
    }
    // Some of them were killed behind a checkpoint, or this shows nothing.
    expect(went).toBeGreaterThan(0)
    const end = spawnSync(process.execPath, keeping(file), { encoding: 'utf8' })
    expect([end.status, end.stdout]).toEqual([0, whole.stdout])
    expect(readFileSync(file)).toEqual(readFileSync(join(folder, 'whole.json')))
    // Only a process killed on the way leaves its temporary file.
    expect(
      readdirSync(folder).filter((name) => !/^(whole|killed)\.json$|^\.tpu-toolkit-.*\.tmp$/.test(name)),
    ).toEqual([])
  })
})
