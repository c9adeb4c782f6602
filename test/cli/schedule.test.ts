import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { doublingRestartsSchedule, wsdSchedule } from 'tpu-toolkit/schedule'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'schedule-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function points(...args: string[]): Promise<{ step: number; rate: number }[]> {
  return JSON.parse((await runCli('schedule', ...args, '--json')).out).points
}

describe('schedule', () => {
  it('schedule draws one line of 60 blocks, a table, and the steps of the restarts', async () => {
    const { status, out, error } = await runCli('schedule')
    expect({ status, error }).toEqual({ status: 0, error: '' })
    const [line = ''] = out.split('\n')
    expect([...line]).toHaveLength(60)
    expect(out).toContain('Restarts at step 4266, 10798, 23862.')
  })

  it('--json gives the rates of the schedule itself', async () => {
    const restarts = doublingRestartsSchedule({
      ...{ peakValue: 3e-4, warmupSteps: 1000, totalSteps: 50000, cycles: 4 },
    })
    for (const { step, rate } of await points()) expect(rate).toBe(restarts(step))
    const wsd = wsdSchedule({ peakValue: 1, warmupSteps: 10, stableSteps: 80, decaySteps: 10 })
    const told = await points('wsd', '--peak', '1', '--warmup', '10', '--steps', '100')
    expect(told.map(({ step }) => step)).toEqual(Array.from({ length: 101 }, (_, step) => step))
    for (const { step, rate } of told) expect(rate).toBe(wsd(step))
  })

  it.each([
    'warmup-cosine',
    'cosine',
    'linear',
    'exponential',
    'inverse-sqrt',
    'linear-onecycle',
    'cosine-onecycle',
  ])('schedule %s never passes its peak and reaches it', async (name) => {
    const rates = (await points(name, '--steps', '100', '--warmup', '10')).map(({ rate }) => rate)
    expect(Math.max(...rates)).toBeCloseTo(3e-4, 12)
  })

  it('--out writes an SVG file and says where', async () => {
    const path = join(folder, 'plot.svg')
    const { status, out } = await runCli('schedule', 'cosine', '--out', path)
    expect(status).toBe(0)
    expect(out).toContain(`Written: ${path}`)
    expect(readFileSync(path, 'utf8')).toMatch(/^<svg/)
  })

  it('--out makes the folder of its file, and is refused with 1 where it cannot, before anything is printed', async () => {
    const path = join(folder, 'none', 'plot.svg')
    expect((await runCli('schedule', '--out', path)).status).toBe(0)
    expect(existsSync(path)).toBe(true)
    const { status, out, error } = await runCli('schedule', '--out', join(path, 'below.svg'))
    expect([status, out]).toEqual([1, ''])
    expect(error).toMatch(/^schedule: cannot write .*below\.svg \[E(EXIST|NOTDIR)/)
    expect((await runCli('schedule', '--out', folder)).error).toMatch(
      /^schedule: cannot write, this is a folder \[/,
    )
  })

  it.each([
    [['saw'], 'unknown schedule [saw], there are doubling-restarts, warmup-cosine, '],
    [['--steps', '0'], '--steps is not a whole number, 1 or more [0]'],
    [['--steps', '1.5'], '--steps is not a whole number, 1 or more [1.5]'],
    [['--peak', 'x'], '--peak is not a number [x]'],
    [['--peak', ''], '--peak is not a number []'],
    [['--cycles', '20'], '20 cycles need at least 1048575 steps after the warm-up [49000]'],
    [['wsd', '--warmup', '60000'], 'wsdSchedule: '],
  ])('schedule %j exits 2 with one line', async (args, says) => {
    const { status, out, error } = await runCli('schedule', ...args)
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(error).toMatch(/^schedule: [^\n]+\n$/)
    expect(error).toContain(says)
  })
})
