import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { recipeNames } from 'tpu-toolkit/recipes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BundledCommand, bundledCommand } from '../support/bundledCommand.js'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'recipe-cli-'))
let bundled: BundledCommand
beforeAll(async () => {
  bundled = await bundledCommand('recipe')
})
afterAll(() => {
  for (const path of [folder, bundled.home]) rmSync(path, { recursive: true, force: true })
})

const tiny = ['--quick', '--steps', '2', '--seeds', '1', '--workers', '1']
const files = ['rows.jsonl', 'index.html', 'recipe.json', 'recipe.csv']

function start(out: string, ...args: string[]) {
  return spawn(process.execPath, [bundled.main, 'recipe', 'rl-mismatch', '--out', out, ...tiny, ...args])
}

async function finish(child: ReturnType<typeof start>) {
  let [out, error] = ['', '']
  child.stdout.on('data', (text) => (out += text))
  child.stderr.on('data', (text) => (error += text))
  const [status] = await once(child, 'close')
  return { status, out, error }
}

const bytesOf = (out: string): string[] => files.map((name) => readFileSync(join(out, name), 'utf8'))

describe('recipe', () => {
  it('lists the recipes', async () => {
    const { status, out, error } = await runCli('recipe')
    expect([status, error]).toEqual([0, ''])
    for (const name of recipeNames) expect(out).toMatch(new RegExp(`^${name} `, 'm'))
  })

  it('prints tables and verdict, writes page, JSON and CSV; killed and begun again it ends with the same bytes', async () => {
    const whole = join(folder, 'whole')
    const run = await finish(start(whole, '--json'))
    expect(run.status).toBe(0)
    expect(run.error).toContain('Written: ')
    const json = JSON.parse(run.out)
    expect(run.out).toBe(readFileSync(join(whole, 'recipe.json'), 'utf8'))
    expect(Object.keys(json)).toEqual([
      'recipe',
      'title',
      'claim',
      'sources',
      'measures',
      'sizes',
      'verdict',
      'claims',
      'arms',
      'rows',
    ])
    expect(json.sizes).toEqual({ width: 32, layers: 1, steps: 2, seeds: 1 })
    expect(Object.keys(json.claims[0])).toEqual(['text', 'answer', 'difference', 'error'])
    expect(Object.keys(json.arms[0])).toEqual([
      'name',
      'about',
      'loss',
      'spread',
      'difference',
      'differenceError',
      'losses',
      'broken',
      'bits',
    ])
    expect(json.rows.map((row: { arm: string; seed: number }) => [row.arm, row.seed]).slice(0, 3)).toEqual([
      ['float32', 0],
      ['float16', 0],
      ['bfloat16', 0],
    ])
    expect(json.rows[0].curve.length).toBe(2)
    const [, page, , table] = bytesOf(whole)
    expect(page).toContain('Where the bits went')
    expect(page).toContain(json.verdict)
    expect(table!.split('\n')[0]).toBe('recipe,arm,seed,loss,nonFiniteStep')
    expect(table!.split('\n').length).toBe(6)

    const killed = join(folder, 'killed')
    const child = start(killed)
    const rows = join(killed, 'rows.jsonl')
    const lines = (): number => (existsSync(rows) ? readFileSync(rows, 'utf8').split('\n').length : 0)
    // A header and a row at least; three more are missing.
    while (child.exitCode === null && lines() < 3) await wait(2)
    child.kill('SIGKILL')
    await once(child, 'close')
    expect(existsSync(join(killed, 'recipe.json'))).toBe(false)
    const again = await finish(start(killed, '--markdown'))
    expect(again.status).toBe(0)
    expect(bytesOf(killed)).toEqual(bytesOf(whole))
    expect(again.out).toMatch(/^\| arm \| loss \| /)
    expect(again.out).toContain('Verdict (width 32, layers 1, 2 steps, seed 0')
  })

  it.each([
    [['nvfp5'], 'unknown recipe [nvfp5], did you mean nvfp4, there are'],
    [['nvfp4', '--width', '40'], 'width is no multiple of 32 [40]'],
    [['nvfp4', '--steps', '0'], '--steps is not a whole number from 1 to 100000 [0]'],
    [['nvfp4', '--seeds', 'x'], '--seeds is not a whole number'],
    [['nvfp4', '--lr', '1'], "unknown option '--lr'"],
    [['nvfp4', '--queue-name', 'x'], '--queue-name says nothing without --queue'],
  ])('refuses %j', async (args, message) => {
    const { status, out, error } = await runCli('recipe', ...args, '--out', join(folder, 'refused'))
    expect([status, out]).toEqual([2, ''])
    expect(error).toContain(message)
    expect(existsSync(join(folder, 'refused'))).toBe(false)
  })
})
