import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatNames } from 'tpu-toolkit/formats'
import { afterAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/experiments/drift/operations.js'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'drift-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const call = (...args: string[]) => runCli('drift', ...args)

const small = ['--length', '16,64', '--out', join(folder, 'small')]
const seven = ['--seed', '7', '--length', '16,64', '--out', join(folder, 'seven')]
const names = operations.map((operation) => operation.name)

describe('drift, options', () => {
  it('--help names every option, operation and format, on standard output', async () => {
    const { status, out, error } = await call('--help')
    expect({ status, error }).toEqual({ status: 0, error: '' })
    const words = ['--only', '--length', '--dtype', '--seed', '--json', '--out', ...names, ...formatNames]
    expect(words.filter((word) => !out.includes(word))).toEqual([])
  })

  it.each([
    [['--speed'], "unknown option '--speed'"],
    [['cumsum'], 'too many arguments'],
    [['--only'], 'argument missing'],
    [['--only', 'cumsun'], 'unknown op [cumsun], did you mean cumsum, there are cumsum, sum,'],
    [['--only', 'cumsum,,sum'], 'unknown op []'],
    [['--dtype', 'bf16'], 'unknown format [bf16], did you mean bfloat16, there are bfloat16,'],
    [['--length', '0'], '--length is not a whole number from 2 to 1048576 [0]'],
    [['--length', '16,1.5'], '[1.5]'],
    [['--length', '-16'], '[-16]'],
    [['--length', ''], '[]'],
    [['--length', '16,'], '[]'],
    [['--length', '1e3'], '[1e3]'],
    [['--length', '1048577'], '[1048577]'],
    [['--seed', '-1'], '--seed is not a whole number from 0 to 4294967295 [-1]'],
    [['--seed', '4294967296'], '[4294967296]'],
    [['--seed', 'x'], '[x]'],
  ])('%j exits 2 with one line on standard error', async (args, says) => {
    const { status, out, error } = await call(...args)
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(error).toMatch(/^drift: [^\n]+\n$/)
    expect(error).toContain(says)
  })

  it('--out into a path that cannot be a folder exits 1 with one line', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const { status, error } = await call('--only', 'sum', '--length', '16', '--out', join(file, 'inside'))
    expect(status).toBe(1)
    expect(error).toMatch(/^drift: cannot write [^\n]* \[[^\n]+\]\n$/)
  })
})

describe('drift, results', async () => {
  const json = async (seed: string) => (await call('--json', '--seed', seed, ...small)).out
  const first = (await call('--json', ...seven)).out
  const parsed = JSON.parse(first) as {
    dtype: string
    ops: { op: string; lengths: number[]; finding: string }[]
    rows: Record<string, string | number | null>[]
  }

  it('--json gives the same bytes for the same seed', async () => expect(await json('7')).toBe(first))
  it('--json gives other numbers for another seed', async () => {
    const other = (JSON.parse(await json('8')) as typeof parsed).rows
    const differing = new Set(
      other.filter((row, i) => row['maxAbs'] !== parsed.rows[i]!['maxAbs']).map((row) => row['input']),
    )
    expect([...differing].sort()).toEqual(
      expect.arrayContaining(['lognormal', 'normal', 'softplus-normal', 'uniform']),
    )
    expect(differing).not.toContain('earthquakes')
  })
  it('--json prints nothing but JSON on standard output, of every operation and length', () => {
    expect(parsed.ops.map(({ op }) => op)).toEqual(names)
    expect(parsed.ops.every(({ lengths }) => lengths.join() === '16,64')).toBe(true)
    for (const name of names) {
      expect(parsed.rows.filter((row) => row['op'] === name).length).toBeGreaterThan(3)
    }
  })
  it('every finding is a sentence with numbers in it and none missing', () => {
    for (const { op, finding } of parsed.ops) {
      expect(finding, op).toMatch(/\d/)
      expect(finding, op).not.toMatch(/undefined|unknown|NaN|nan|\s-[\s,.]/)
    }
  })
  it('every error with an a-priori bound keeps it', () => {
    const bounded = parsed.rows.filter((row) => row['bound'] !== null)
    expect(bounded.length).toBeGreaterThan(100)
    expect(bounded.filter(({ bound, maxAbs }) => !(maxAbs !== null && maxAbs! <= bound!))).toEqual([])
  })

  it('every stable result is within one ulp of the correctly rounded one', () => {
    const stable = parsed.rows.filter((row) => row['role'] === 'stable')
    expect(new Set(stable.map((row) => row['op'])).size).toBe(names.length)
    expect(stable.filter((row) => !(Number(row['maxUlps']) <= 1))).toEqual([])
  })
  it('ratios are those of the columns they stand for', () => {
    const trial = (row: (typeof parsed.rows)[number]) =>
      [row['op'], row['variant'], row['input'], row['length']].join()
    const stable = new Map(
      parsed.rows.filter((row) => row['role'] === 'stable').map((row) => [trial(row), row]),
    )
    for (const row of parsed.rows) {
      const than = Number(stable.get(trial(row))?.['maxAbs'])
      expect(row['vsStable']).toBe(than > 0 ? Number(row['maxAbs']) / than : null)
      if (row['bound']) expect(row['ofBound']).toBe(Number(row['maxAbs']) / Number(row['bound']))
    }
  })
  it('norm rel is the relative error where there is one element, and SQNR is the same in dB', () => {
    const sums = parsed.rows.filter((row) => row['op'] === 'sum' && Number(row['maxRel']) > 0)
    expect(sums.length).toBeGreaterThan(10)
    for (const { normRel, maxRel } of sums) {
      expect(Math.abs(Number(normRel) / Number(maxRel) - 1)).toBeLessThan(4 * 2 ** -52)
    }
    const off = parsed.rows.filter((row) => Number(row['normRel']) > 0)
    expect(off.length).toBeGreaterThan(sums.length)
    for (const { normRel, sqnr } of off) expect(sqnr).toBeCloseTo(-20 * Math.log10(Number(normRel)), 9)
    // No signal-to-noise ratio without noise: Infinity, which JSON has none of.
    for (const row of parsed.rows.filter(({ rms }) => rms === 0)) {
      expect([row['normRel'], row['sqnr']]).toEqual([0, null])
    }
  })
  it('--length takes lengths in any order, each once', async () => {
    const { out } = await call(
      '--json',
      '--only',
      'sum',
      '--length',
      '64,16,64',
      '--out',
      join(folder, 'small'),
    )
    expect((JSON.parse(out) as typeof parsed).ops[0]?.lengths).toEqual([16, 64])
  })
  it('prints the longest length with the growth up to it where no length is asked for', async () => {
    const { out } = await call('--only', 'sum', '--all', '--out', join(folder, 'long'))
    expect(out).toMatch(/^Sum in bfloat16, at length 65,536; growth: max abs from length 16 on/)
    expect(out).toMatch(/^ones +sequential +65,280 .* [▁-█·]{13}$/m)
    expect(out.match(/^ones /gm)).toHaveLength(8)
  })

  it('--only runs the named operations in the order of the report', async () => {
    const { out } = await call('--json', '--only', 'softmax,cumsum', ...small)
    expect((JSON.parse(out) as typeof parsed).ops.map(({ op }) => op)).toEqual(['cumsum', 'softmax'])
  })

  it('writes drift.json equal to what --json prints, and drift.csv with the same rows', () => {
    expect(readFileSync(join(folder, 'seven', 'drift.json'), 'utf8')).toBe(first)
    const [heading, ...lines] = readFileSync(join(folder, 'seven', 'drift.csv'), 'utf8')
      .trimEnd()
      .split('\n')
    const keys = heading!.split(',')
    expect(lines).toHaveLength(parsed.rows.length)
    const at = keys.indexOf('rms')
    expect(lines.map((line) => line.split(',')[at])).toEqual(
      parsed.rows.map((row) => String(row['rms'] ?? 'NaN')),
    )
  })

  it('writes a page with a section for each operation, plots in it, and no missing number', () => {
    const html = readFileSync(join(folder, 'seven', 'index.html'), 'utf8')
    for (const name of names) {
      const section = html.slice(html.indexOf(`<section id="${name}">`)).split('</section>')[0]!
      expect(section.match(/<svg/g)?.length, name).toBeGreaterThan(0)
    }
    // The script that sorts tables has a NaN of its own.
    expect(html.replace(/<script>.*?<\/script>/s, '')).not.toMatch(/undefined|NaN|\[object/)
    expect(html.replaceAll('http://www.w3.org/', '')).not.toMatch(/https?:|<script\s|src=/)
  })

  it('prints the finding of each operation, and without --all no table', async () => {
    const { out } = await call('--only', 'cumsum,ema', '--seed', '7', ...small)
    const of = (name: string) => parsed.ops.find(({ op }) => op === name)!.finding
    expect(out).toContain(`\n${of('cumsum')}\n`)
    expect(out).toContain(`\n${of('ema')}\n`)
    expect(out).not.toMatch(/^earthquakes |─/m)
  })
  it('prints a table for each operation, one row for each way and length', async () => {
    const { out, error } = await call('--only', 'cumsum', '--all', ...small)
    expect(error).toBe('drift: measuring 1 operation\n')
    expect(out).toMatch(/^Cumulative sum in bfloat16/)
    expect(out.match(/^earthquakes /gm)).toHaveLength(14)
    expect(out).toMatch(
      /^input +way +length +max abs +max rel +rms +norm rel +SQNR dB +max ulps +(stall at +)?bound +of bound +vs stable$/m,
    )
  })
})

describe('drift, known facts', async () => {
  const { out } = await call(
    '--json',
    '--only',
    'cumsum,sum',
    '--length',
    '128,1024',
    '--out',
    join(folder, 'facts'),
  )
  const { rows } = JSON.parse(out) as { rows: Record<string, string | number | null>[] }
  const find = (op: string, input: string, way: string, length: number) =>
    rows.find(
      (row) => row['op'] === op && row['input'] === input && row['way'] === way && row['length'] === length,
    )!

  it('a bfloat16 sum of ones stalls at 256, with Neumaier at 512, with Kahan never', () => {
    expect(find('cumsum', 'ones', 'sequential', 1024)).toMatchObject({
      stallIndex: 256,
      last: 256,
      lastBits: '4380',
    })
    expect(find('cumsum', 'ones', 'neumaier', 1024)).toMatchObject({ last: 512 })
    expect(find('cumsum', 'ones', 'kahan', 1024)).toMatchObject({ stallIndex: null, last: 1024 })
  })
  it('128 times 0.1 is 13.5625 sequentially, 12.9375 in rows of 16, 12.8125 associatively', () => {
    const last = (way: string) => find('cumsum', 'constant 0.1', way, 128)['last']
    expect([last('sequential'), last('blocked 16'), last('associative')]).toEqual([13.5625, 12.9375, 12.8125])
  })

  it('500 steps of AdamW: the drift of drift.json, .487 to nearest, .00613 with Kahan and master copy; 95 % stalled', async () => {
    const args = ['--json', '--only', 'optimizer', '--length', '500', '--out', join(folder, 'optimizer')]
    const steps = (
      JSON.parse((await call(...args)).out) as { rows: Record<string, string | number | null>[] }
    ).rows
    const of = (way: string) => steps.find((row) => row['way'] === way)!
    const key = JSON.parse(
      readFileSync(new URL('../golden/optimizer/drift.json', import.meta.url), 'utf8'),
    ) as { runs: Record<string, Record<string, number>> }
    expect(of('float32 state')['maxAbs']).toBeCloseTo(
      key.runs['bf16_nearest_f32state']!['max_param_drift_vs_f64']!,
      12,
    )
    expect(of('kahan')['maxAbs']).toBeCloseTo(key.runs['bf16_kahan_f32state']!['max_param_drift_vs_f64']!, 12)
    expect(of('master copy')['maxAbs']).toBeCloseTo(
      key.runs['bf16_master_f32state']!['bf16_view_max_drift']!,
      12,
    )
    // The key's naive run is in XLA's arithmetic; no operation of it meets a subnormal number.
    expect(of('all in the dtype')['maxAbs']).toBeCloseTo(
      key.runs['bf16_optax_naive']!['max_param_drift_vs_f64']!,
      12,
    )
    expect(Number(of('stochastic')['maxAbs'])).toBeLessThan(0.15)
    expect(of('float32 state')['stallShare']).toBe(61 / 64)
  })
  it('a bfloat16 target with tau 0.996 stops after one step from 0.5 toward 1', async () => {
    const args = ['--json', '--only', 'target', '--length', '256', '--out', join(folder, 'target')]
    const steps = (
      JSON.parse((await call(...args)).out) as { rows: Record<string, string | number | null>[] }
    ).rows
    expect(steps.find((row) => row['variant'] === 'tau = 0.996' && row['way'] === 'naive')).toMatchObject({
      stallIndex: 1,
      last: 0.50390625,
    })
  })
  it('around a ring of 1,024 the sum of gradients of mean 1 is a tenth off or more, up a tree an ulp or two', async () => {
    const args = ['--json', '--only', 'allreduce', '--length', '1024', '--out', join(folder, 'ring')]
    const sums = (JSON.parse((await call(...args)).out) as { rows: Record<string, string | number | null>[] })
      .rows
    const of = (way: string) => sums.find((row) => row['way'] === way && row['input'] === 'mean 1')!
    expect(Number(of('ring')['maxRel'])).toBeGreaterThan(0.1)
    // Both directions halve the bytes of a link, not the number of additions.
    expect(Number(of('ring both ways')['maxRel'])).toBeGreaterThan(0.1)
    expect(Number(of('tree')['maxUlps'])).toBeLessThanOrEqual(2)
    expect(of('ring in float32')['maxUlps']).toBe(0)
  })
  it('the error round a ring grows with its size, and stays inside its bound', async () => {
    const args = [
      '--json',
      '--only',
      'allreduce',
      '--length',
      '16,64,256,1024',
      '--out',
      join(folder, 'rings'),
    ]
    const { rows } = JSON.parse((await call(...args)).out) as { rows: Record<string, string | number>[] }
    for (const way of ['ring', 'ring both ways']) {
      const rings = rows.filter((row) => row['way'] === way && row['input'] === 'mean 1')
      const errors = rings.map((row) => Number(row['maxAbs']))
      expect(errors).toHaveLength(4)
      expect(errors).toEqual([...errors].sort((a, b) => a - b))
      for (const row of rings) expect(Number(row['maxAbs'])).toBeLessThanOrEqual(Number(row['bound']))
    }
  })
  it('eager chains of bfloat16 drift where a fusion rounds once, and in float16 jit changes nothing', async () => {
    const run = async (dtype: string) => {
      const args = [
        '--json',
        '--only',
        'fused',
        '--dtype',
        dtype,
        '--length',
        '4,64',
        '--out',
        join(folder, dtype),
      ]
      const { rows } = JSON.parse((await call(...args)).out) as {
        rows: Record<'way' | 'maxAbs' | 'lastBits' | 'variant' | 'length', string | number>[]
      }
      const of = (way: string) => rows.filter((row) => row.way === way)
      return { eager: of('eager'), fused: of('fused') }
    }
    const narrow = await run('bfloat16')
    expect(narrow.eager).toHaveLength(4)
    for (const [i, row] of narrow.eager.entries()) {
      expect(Number(row.maxAbs)).toBeGreaterThan(3 * Number(narrow.fused[i]!.maxAbs))
    }
    const wide = await run('float16')
    expect(wide.eager.map(({ lastBits, maxAbs }) => [lastBits, maxAbs])).toEqual(
      wide.fused.map(({ lastBits, maxAbs }) => [lastBits, maxAbs]),
    )
  })
})
