import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { covarianceSpectrum, max, type Tensor } from 'tpu-toolkit'
import { gallery } from 'tpu-toolkit/failures'
import { recorded } from 'tpu-toolkit/precision'
import { afterAll, describe, expect, it } from 'vitest'
import { doctorCases } from '../../src/cli/doctor/doctorCases.js'
import { keptTrials } from '../../src/cli/doctor/keptTrials.js'
import { isLong } from '../support/long.js'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const remedies: Readonly<Record<string, readonly string[]>> = {
  softmax: ['sub#0', 'sum#0'],
  'layer-norm': ['mean#0', 'mean#1'],
  covariance: ['mean#0', 'sub#0', 'matmul#0'],
  adamw: ['w'],
  'ones-stall': ['cumsum#0'],
  'neumaier-stall': ['cumsum#0'],
  'loss-metric-stuck': ['cumsum#0'],
  'decay-above-one': ['cumsum#0'],
  'mask-after-exp': ['exp'],
  'decay-rounds-to-one': ['exp', 'mul'],
  'gradient-accumulation': ['add'],
  'update-under-half-ulp': ['sub'],
  'ema-stall': ['add'],
  'rope-positions-alias': ['cast#0', 'mul#0'],
  'rope-score-drifts': ['mul#0', 'cast#2', 'mul#1'],
  'router-changes-experts': ['matmul#0'],
  'layer-norm-fast-variance': ['mean#0', 'mean#1'],
  'log-softmax-collapse': ['sum#0'],
  'negative-variance': ['mean#0'],
  'vq-wrong-codes': ['square', 'sum', 'matmul', 'mul', 'sub'],
  'codebook-size-stalls': ['add'],
  'fsq-indices-collide': ['sum'],
  'automaton-stands-still': ['add'],
  'covariance-loses-rank': ['mean#0'],
}

/** What a case's narrow run comes to, where the failure of the same name reads the same number. */
const readings: Readonly<Record<string, readonly [string, (output: Tensor) => unknown]>> = {
  'ones-stall': ['sum', (x) => x.toNumbers().at(-1)],
  'neumaier-stall': ['sum', (x) => x.toNumbers().at(-1)],
  'loss-metric-stuck': ['total', (x) => x.toNumbers().at(-1)],
  'decay-above-one': ['maxDecay', (x) => max(x).item()],
  'mask-after-exp': ['nanGradients', (x) => x.toNumbers().filter(Number.isNaN).length],
  'gradient-accumulation': ['gradient', (x) => x.item()],
  'update-under-half-ulp': ['weight', (x) => x.item()],
  'log-softmax-collapse': ['firstZero', (x) => x.toNumbers().indexOf(0) / 4],
  'negative-variance': ['variance', (x) => x.item()],
  'covariance-loses-rank': ['rank', (x) => covarianceSpectrum(x).rank],
}

/** Whose runs are the longest: the long run examines them too. */
const longest = ['ema-stall', 'codebook-size-stalls', 'layer-norm-fast-variance']

describe('doctor, its cases', () => {
  it('are those of the gallery that wider operations cure, beside its own', () => {
    const names = doctorCases.map(({ id }) => id)
    for (const { id, cure } of gallery) expect(names.includes(id), id).toBe(!('none' in cure))
    expect(new Set(names).size).toBe(names.length)
  })

  const examined = doctorCases.filter(({ id }) => isLong || !longest.includes(id))
  it.each(examined.map((known) => ({ id: known.id, known })))(
    '$id: fails as the gallery says, is met by the remedy, no part of which can go, and by nothing cheaper',
    ({ id, known }) => {
      const { shadow, findings } = known.examine(() => {})
      const reading = readings[id]
      if (reading) {
        const [name, read] = reading
        const naive = gallery.find((failure) => failure.id === id)!.run().naive
        expect(read(recorded(shadow.program, shadow.program.outputs[0]!))).toBe(naive[name])
      }
      for (const { tuning } of findings) {
        expect(tuning.tried.find(({ wide }) => wide.length === 0)?.met).toBe(false)
        expect([tuning.met, tuning.least, tuning.wide]).toEqual([true, true, remedies[id]])
        const failing = tuning.tried.filter(({ met }) => !met).map(({ wide }) => [...wide].sort().join())
        for (const name of tuning.wide) {
          expect(failing).toContain(
            tuning.wide
              .filter((other) => other !== name)
              .sort()
              .join(),
          )
        }
      }
    },
  )
})

describe('doctor', () => {
  it('prints where the bits went and what to run wide, and writes the page', async () => {
    const out = join(folder, 'softmax')
    const { status, out: text, error } = await runCli('doctor', 'softmax', '--out', out)
    expect([status, error]).toEqual([0, ''])
    expect(text).toMatch(
      /^softmax of 8 rows of 64 logits with deviation 4\nThe result is off by 4\.\d+ bits in its worst element/,
    )
    expect(text).toContain("softmax(x, { internal: 'float32' })")
    expect(text).toContain('6 operations beside float64\n')
    expect(text.split('\n').length).toBeLessThanOrEqual(41)
    expect(text).toContain('met with 2 of 4 in float32: 1; with none 4.17, with all ')
    expect(text).toMatch(/\n {2}sub#0, without it 4\.087 \(\S+:\d+:\d+\)\n/)
    expect(text).toContain('no cheaper set will do')
    expect(text).toMatch(/pytorch-autocast +yes +0 +4 /)
    expect(text.endsWith(`Written: ${join(out, 'index.html')}\n`)).toBe(true)
    const page = readFileSync(join(out, 'index.html'), 'utf8')
    expect(page).toContain('<h1>The precision doctor: softmax</h1>')
    expect(page).toContain('aria-label="Operations by how far their worst element is off"')
    expect(page).toContain('no cheaper set will do')
  })

  it('reads a module: f and inputs, with a target that no policy can meet, within a screen', async () => {
    const out = join(folder, 'module')
    const { status, out: text, error } = await runCli('doctor', 'test/support/doctor/loss.mjs', '--out', out)
    expect([status, error]).toEqual([1, ''])
    expect(text).toMatch(
      /^a spread, and its log\nOutput small is off by \S+ bits .*\nOutput spread is off by /,
    )
    expect(text).toMatch(
      / {2}variance\(x, \{ axis: -1, internal: 'float32' \}\)\n.* at loss\.mjs:5:\d+; x is x|variance/,
    )
    expect(text).toContain('wanted: maxRelative at most 0.001\nno policy with outputs of this dtype can: ')
    expect(text).toContain(' already, about half an ulp\n2 trials\n')
    expect(text.split('\n').length).toBeLessThanOrEqual(41)
    const page = readFileSync(join(out, 'index.html'), 'utf8')
    expect(page).toContain('What to write instead')
    expect(page).toContain('loss.mjs:5:')
  })

  it('leaves out lines by a comment, and by --ignore', async () => {
    const path = 'test/support/doctor/loss.mjs'
    const out = join(folder, 'ignored')
    const { out: text } = await runCli('doctor', path, '--out', out)
    expect(text).not.toContain('log1p')
    expect(text).not.toContain('loss.mjs:6:')
    const { out: less } = await runCli(
      'doctor',
      path,
      '--out',
      out,
      '--ignore',
      'loss.mjs:5',
      '--ignore',
      'x.mjs',
    )
    expect(less).toContain('nothing to write otherwise')
    expect(less).not.toContain('loss.mjs:5:')
    expect(readFileSync(join(out, 'index.html'), 'utf8')).not.toContain('loss.mjs:5:')
  })

  it('reads a training step: what it left unchanged comes first, gradients against their size', async () => {
    const out = join(folder, 'step')
    const { status, out: text, error } = await runCli('doctor', 'test/support/doctor/step.mjs', '--out', out)
    expect([status, error]).toEqual([0, ''])
    expect(text).toMatch(/\nverdict: 98\.\d % of w1 \(and 2 more\) is unchanged by its update, /)
    expect(text).toMatch(/\n +0\.\d+ % +\d\.\d % {2}w1, of size /)
    expect(text).toContain('Output grads.w1 is off by ')
    expect(text.split('\n').length).toBeLessThanOrEqual(41)
    const page = readFileSync(join(out, 'index.html'), 'utf8')
    expect(page).toContain('What the step did to its parameters')
    expect(page).toContain('Gradients against their own size')
  })

  it('says in one line what a module lacks, or where it fails', async () => {
    const cases: [string, string][] = [
      ['none.mjs', 'no such file [none.mjs]'],
      [
        'test/support/doctor/misnamed.mjs',
        'misnamed.mjs does not export inputs, a tree of tensors that f is run on, is input meant as inputs? [f, input]',
      ],
    ]
    for (const [path, message] of cases) {
      const { status, out, error } = await runCli('doctor', path, '--out', join(folder, 'none'))
      expect([status, out]).toEqual([2, ''])
      expect(error.replace('tree of tensors that exp is', 'tree of tensors that f is')).toBe(
        `doctor: ${message}\n`,
      )
    }
    const broken = await runCli('doctor', 'test/support/doctor/broken.mjs', '--out', join(folder, 'broken'))
    expect(broken.status).toBe(2)
    expect(broken.error).toMatch(/^doctor: broken\.mjs:4:\d+: the model is not here\n$/)
  })

  it('--json prints one object; the file is told on the other stream', async () => {
    const { status, out, error } = await runCli(
      'doctor',
      'ones-stall',
      '--json',
      '--out',
      join(folder, 'json'),
    )
    const { experiment, shadow, findings } = JSON.parse(out)
    expect([status, experiment, findings[0].tuning.wide]).toEqual([0, 'ones-stall', ['cumsum#0']])
    expect(shadow.operations[0].op).toBe('cumsum')
    expect(findings[0].tuning.tried.length).toBe(2)
    expect(error).toBe(`Written: ${join(folder, 'json', 'index.html')}\n`)
  })

  // The same search as test/step2750/tuneStep2750.test.ts.
  if (isLong) {
    it('step2750 with a rate that breaks within 40 steps: the running sum must be wide', async () => {
      const args = ['--lr', '2.4e-2', '--steps', '40', '--json', '--out', join(folder, 'step2750')]
      const { out } = await runCli('doctor', 'step2750', ...args)
      const { findings } = JSON.parse(out)
      expect(findings[0].tuning).toMatchObject({ met: true, wide: ['cumsum#0'] })
      expect(findings[0].tuning.narrowest).toBeLessThan(40)
    })
  }

  it('takes one line and status 2 for what it does not know, and writes nothing', async () => {
    const out = join(folder, 'none')
    const known = ['step2750', ...doctorCases.map(({ id }) => id)].join(', ')
    const cases: [string[], string][] = [
      [['soft'], `unknown experiment [soft], there are ${known}`],
      [['constructor'], `unknown experiment [constructor], there are ${known}`],
      [
        ['ring-all-reduce'],
        'no wider operation cures this: the partial sums live in a collective, between devices, and not in operations of one program [ring-all-reduce]',
      ],
      [['softmax', '--steps', '3'], '--steps is for step2750 [softmax]'],
      [['softmax', '--lr', '3'], '--lr is for step2750 [softmax]'],
      [['step2750', '--steps', 'many'], '--steps is not a number [many]'],
      [['step2750', '--steps', '0'], 'steps is not a whole number from 1 to 1000000 [0]'],
      [[], "missing required argument 'experiment'"],
    ]
    for (const [args, message] of cases) {
      const { status, out: text, error } = await runCli('doctor', ...args, '--out', out)
      expect([status, text]).toEqual([2, ''])
      expect(error).toBe(`doctor: ${message}\n`)
    }
    expect(existsSync(out)).toBe(false)
  })

  it('ends with 1 where the report cannot be written', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const { status, error } = await runCli('doctor', 'ones-stall', '--out', join(file, 'below'))
    expect(status).toBe(1)
    expect(error).toMatch(/^doctor: cannot write .* \[ENOTDIR/)
  })
})

describe('doctor --resume', () => {
  const known = doctorCases.find(({ id }) => id === 'softmax')!
  const out = mkdtempSync(join(folder, 'resume-'))
  const args = ['doctor', 'softmax', '--json', '--out', out]

  it('goes on from the trials that a run which was stopped left behind, and leaves none', async () => {
    const whole = await runCli(...args)
    const { tuning } = JSON.parse(whole.out).findings[0]
    expect(existsSync(join(out, 'trials.jsonl'))).toBe(false)
    // As a run that was stopped after its fourth trial, at a torn line.
    const kept = keptTrials(out, known.title, false)
    for (const [i, trial] of tuning.tried.slice(0, 4).entries()) kept.keep(trial, i + 1)
    const path = join(out, 'trials.jsonl')
    writeFileSync(path, `${readFileSync(path, 'utf8')}{"search":0,"tri`)
    expect(keptTrials(out, known.title, true).earlier).toEqual([tuning.tried.slice(0, 4)])
    const again = await runCli(...args, '--resume')
    expect(again.status).toBe(whole.status)
    expect(JSON.parse(again.out)).toEqual(JSON.parse(whole.out))
    expect(existsSync(path)).toBe(false)
  })

  it('keeps results that are not finite, and each search of several', () => {
    const trial = { wide: ['a'], stage: 'ends', value: Number.NaN, met: false } as const
    const kept = keptTrials(out, 'x', false)
    kept.keep(trial, 1)
    kept.keep({ ...trial, value: Infinity }, 2)
    kept.keep(trial, 1)
    const { earlier, count } = keptTrials(out, 'x', true)
    expect(earlier).toEqual([[trial, { ...trial, value: Infinity }], [trial]])
    expect(count()).toBe(3)
  })

  it('refuses trials of another examination, and to go on from nothing', async () => {
    keptTrials(out, 'x', false).keep({ wide: [], stage: 'ends', value: 1, met: false }, 1)
    const other = await runCli(...args, '--resume')
    expect([other.status, other.error]).toEqual([2, expect.stringContaining('of another examination [')])
    rmSync(join(out, 'trials.jsonl'))
    const none = await runCli(...args, '--resume')
    expect([none.status, none.error]).toEqual([2, expect.stringContaining('no search was broken off here [')])
  })
})
