import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gallery } from 'tpu-toolkit/failures'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { runTpuToolkit } from '../../src/cli/program.js'
import { readText, root } from '../support/project.js'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'gallery-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (...args: string[]): ReturnType<typeof runCli> => runCli('gallery', ...args)

describe('gallery', () => {
  it('--only takes the failures named, in the order of the gallery', async () => {
    const { status, out } = await run('--only', 'ema-stall, ones-stall', '--out', join(folder, 'two'))
    expect(status).toBe(0)
    expect([...out.matchAll(/^(\S+): /gm)].map(([, id]) => id)).toEqual([
      'ones-stall',
      'ema-stall',
      'Written',
    ])
    expect(out).toMatch(/ones-stall .* sum 256, last change 256 .* sum 1,024 .* holds +3 of 3/)
  })

  it('--json prints one object; what is not finite is null, and the file is told on the other stream', async () => {
    const { status, out, error } = await run(
      '--json',
      '--only',
      'eps-underflow',
      '--out',
      join(folder, 'json'),
    )
    const { failures } = JSON.parse(out)
    expect(status).toBe(0)
    expect(failures[0]).toMatchObject({
      id: 'eps-underflow',
      naive: { eps: 0, parameter: null, firstNaNStep: 1 },
      verdict: { holds: true },
      source: 'https://github.com/google-deepmind/optax/issues/1754',
    })
    expect(
      failures[0].repairs.map((repair: { verdict: { holds: boolean } }) => repair.verdict.holds),
    ).toEqual([false, false, false])
    expect(failures[0].figure.series[0].points.length).toBeGreaterThan(10)
    expect(error).toBe(`Written: ${join(folder, 'json', 'index.html')}\n`)
  })

  it('ends with 1 where a verdict does not hold, and where a repair does not repair', async () => {
    const ones = gallery[0]!
    const sound = ones.run()
    const failing = { ...sound, verdict: { holds: false, text: 'Nothing.' } }
    vi.spyOn(ones, 'run').mockReturnValue(failing)
    const first = await run('--only', 'ones-stall', '--out', join(folder, 'fails'))
    expect(first.status).toBe(1)
    expect(first.out).toMatch(/does not hold +3 of 3/)
    vi.spyOn(ones, 'run').mockReturnValue(sound)
    const second = await run('--only', 'ones-stall', '--out', join(folder, 'fails'))
    expect(second.status).toBe(1)
    expect(second.out).toMatch(/holds +0 of 3/)
    vi.restoreAllMocks()
  })

  it('ends with 1 and one line where the report cannot be written', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const { status, error } = await run('--only', 'ones-stall', '--out', file)
    expect(status).toBe(1)
    expect(error).toMatch(/^gallery: cannot write [^\n]* \[EEXIST.*\]\n$/)
  })

  it.each([
    [['--only', 'nope'], /^gallery: unknown failure \[nope\], there are ones-stall, .*, [a-z0-9-]+\n$/],
    [['--only', ''], /^gallery: unknown failure \[\], there are /],
    [['--only'], /^gallery: option '--only <ids>' argument missing\n$/],
    [['--nope'], /^gallery: unknown option '--nope'\n$/],
    [['more'], /^gallery: too many arguments.*\n$/],
    [['--json', '--docs'], /^gallery: --json and --docs exclude each other\n$/],
  ])('%j is bad input: one line and status 2', async (args, line) => {
    const { status, out, error } = await run(...args)
    expect([status, out]).toEqual([2, ''])
    expect(error).toMatch(line)
  })

  it('--help says what the options are', async () => {
    const { status, out } = await run('--help')
    expect(status).toBe(0)
    for (const option of ['--only <ids>', '--json', '--docs', '--out <folder>']) expect(out).toContain(option)
  })
})

describe('the program', () => {
  const terminal = (seen: string[]) => ({
    out: (text: string) => seen.push(text),
    error: (text: string) => seen.push(text),
  })

  it('without a subcommand prints the help, with an unknown one says so: status 2', async () => {
    const [help, unknown]: [string[], string[]] = [[], []]
    expect(await runTpuToolkit([], terminal(help))).toBe(2)
    expect(help.join('')).toMatch(/^ {2}gallery +failures/m)
    expect(await runTpuToolkit(['nope'], terminal(unknown))).toBe(2)
    const sections = [...readText('docs/command.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
    expect(unknown).toEqual([`tpu-toolkit: unknown command, there are ${sections.join(', ')} [nope]\n`])
  })

  it('main.js is that program (built by npm run build)', () => {
    const main = `${root}dist/cli/main.js`
    const done = spawnSync(process.execPath, [main, 'gallery', '--only', 'nope'], { encoding: 'utf8' })
    expect(done.status).toBe(2)
    expect(done.stderr).toMatch(/^gallery: unknown failure \[nope\]/)
  })
})
