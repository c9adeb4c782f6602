import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { matmul, zeros } from 'tpu-toolkit'
import { writeCheckpoint } from 'tpu-toolkit/checkpoint'
import { jsonLines, type Sample } from 'tpu-toolkit/monitor'
import { chromeTrace, diagnose, productsOf, profile, type RunRecord, readRun } from 'tpu-toolkit/profile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const steps = 400

/** A run whose metrics are functions of the step; a step a second. */
function samplesOf(values: (step: number) => Readonly<Record<string, number>>, apart = 1): Sample[] {
  return Array.from({ length: steps }, (_, i) => ({
    ...{ step: i + 1, time: 1000 + i * apart, values: { step: i + 1, ...values(i + 1) }, nonFinite: {} },
  }))
}

const healthy = (step: number): Readonly<Record<string, number>> => ({
  ...{
    loss: 1 / step,
    stepSeconds: 1,
    dataSeconds: 0.01 * step,
    checkpointSeconds: 0.1 * Math.floor(step / 100),
  },
  ...{
    unchanged: 0.1,
    updatesLost: 0.05,
    gradUnderflow: 0,
    lossScale: 1024,
    codebookUsage: 0.9,
    programs: 2,
    effectiveBits: 6,
    'effectiveBits/w': 6,
    'effectiveBits/v': 7,
  },
})

const whole: RunRecord = {
  samples: samplesOf(healthy),
  checkpoints: [{ step: 400, time: 1399 }],
  products: [{ m: 512, k: 256, n: 256, count: 1, microseconds: 1 }],
  environment: { LIBTPU_INIT_ARGS: '--xla_enable_async_all_gather=auto' },
  chip: 'v5p',
}

const changed = (values: (step: number) => Readonly<Record<string, number>>): RunRecord => ({
  ...whole,
  samples: samplesOf((step) => ({ ...healthy(step), ...values(step) })),
})

describe('diagnose', () => {
  it('diagnose(run) finds nothing in a run that is well, and has looked at all of it', () => {
    const { problems, notRecorded, looked, steps: count, from, to } = diagnose(whole)
    expect([problems, notRecorded, count, from, to]).toEqual([[], [], steps, 1, steps])
    expect(looked).toHaveLength(12)
  })

  it('diagnose(run) says what the run did not record', () => {
    const { problems, looked, notRecorded } = diagnose({ samples: samplesOf(() => ({ loss: 1 })) })
    expect([problems, looked]).toEqual([[], ['NaN and infinities']])
    expect(notRecorded).toHaveLength(11)
  })

  it('diagnose(run) gives no advice about updates from the first NaN on: a NaN that stays is no lost update', () => {
    const run = changed((step) =>
      step < 200 ? {} : { loss: Number.NaN, unchanged: 1, updatesLost: 1, gradUnderflow: 1 },
    )
    expect(diagnose(run).problems.map(({ problem }) => problem)).toEqual(['not finite'])
    expect(diagnose(run).looked).toHaveLength(12)
  })

  const thrash = (step: number): number => 2 ** (8 + (Math.floor(step / 10) % 2))
  const broken: readonly [string, RunRecord, number | undefined, RegExp][] = [
    ['not finite', changed((step) => ({ loss: step < 250 ? 1 : Number.NaN })), 250, /step 250: loss NaN/],
    ['parameters stand still', changed((step) => ({ unchanged: step < 100 ? 0 : 0.99 })), 100, /^99 %/],
    ['updates lost', changed((step) => ({ updatesLost: step / 400 })), 121, /75 % of the updates/],
    ['gradients underflow', changed(() => ({ gradUnderflow: 0.2 })), 1, /^20 % of the gradients/],
    [
      'bits of gradients lost',
      changed((step) => ({ effectiveBits: 400 / step - 1, 'effectiveBits/v': 400 / step - 1 })),
      134,
      /^0.33\d* bits of the gradients are right, the fewest in v /,
    ],
    [
      'loss scale thrashes',
      changed((step) => ({ lossScale: thrash(step) })),
      20,
      /fell 20 times in 399 steps/,
    ],
    ['loss scale thrashes', changed((step) => ({ lossScale: 2 ** -step })), 2, /now$/],
    ['dead codes', changed((step) => ({ codebookUsage: step < 50 ? 0.8 : 0.25 })), 50, /^75 % of the codes/],
    ['waits for data', changed((step) => ({ dataSeconds: step })), undefined, /^50 % of the time/],
    ['compiles again and again', changed((step) => ({ programs: step })), 201, /^199 programs .* 400 in all/],
    ['checkpoints too slow', changed((step) => ({ checkpointSeconds: step * 0.25 })), undefined, /^20 %/],
    [
      'checkpoints too rare',
      { samples: samplesOf(() => ({ loss: 1 }), 10), checkpoints: [] },
      undefined,
      /3.99e9|3,990 s without one, there is none/,
    ],
    [
      'checkpoint refused',
      { ...whole, checkpoints: [{ step: 7, time: 1200, refused: 'is torn' }] },
      7,
      /is torn/,
    ],
    [
      'products leave the matrix unit empty',
      { ...whole, products: [{ m: 512, k: 64, n: 100, count: 8, microseconds: 1 }] },
      undefined,
      /\[512, 64\] x \[64, 100\] fills 39 %/,
    ],
    ['flags', { ...whole, environment: { LIBTPU_INIT_ARGS: '--xla_nonsense=1' } }, undefined, /xla_nonsense/],
  ]
  it.each(broken)(
    'diagnose(run) finds %s, with its evidence and a remedy, and nothing else',
    (problem, run, step, evidence) => {
      const { problems } = diagnose(run)
      expect(problems.map((each) => each.problem)).toEqual([problem])
      expect(problems[0]!.step).toBe(step)
      expect(problems[0]!.evidence).toMatch(evidence)
      expect(problems[0]!.remedy.length).toBeGreaterThan(10)
    },
  )

  it('diagnose(run) names the last good checkpoint before a NaN, and the leaves that have it', () => {
    const run = changed((step) => ({ loss: step < 250 ? 1 : Number.NaN }))
    const samples = run.samples.map((sample) =>
      sample.step < 200 ? sample : { ...sample, nonFinite: { 'params.w': 3 } },
    )
    const checkpoints = [100, 199, 300].map((step) => ({ step, time: 1000 + step }))
    const [first] = diagnose({ ...run, samples, checkpoints }).problems
    expect([first!.step, first!.severity]).toEqual([200, 'critical'])
    expect(first!.evidence).toContain('params.w 3')
    expect(first!.remedy).toContain('of step 199')
  })

  it('diagnose(run) finds no compiling again in two programs of the later half, or in fewer than one in 100 steps', () => {
    const found = (programs: number, apart = 1) => {
      const run = changed((step) => ({ programs: step < 300 ? 1 : 1 + programs }))
      const samples = run.samples.map((sample) => ({ ...sample, step: apart * sample.step }))
      return diagnose({ ...run, samples }).problems.length
    }
    expect([found(2), found(3), found(3, 2), found(3, 1.5)]).toEqual([0, 1, 0, 1])
  })

  it('diagnose(run) takes a counter that fell for a run that was begun again', () => {
    const run = changed((step) => ({ dataSeconds: 0.01 * (step % 200), programs: 1 + (step > 200 ? 1 : 0) }))
    expect(diagnose(run).problems).toEqual([])
  })
})

describe('readRun', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'run with spaces-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('readRun(folder) reads what monitor, train and profile wrote, a NaN and a line cut off among it', () => {
    const top = join(folder, 'whole')
    const sink = jsonLines(pathToFileURL(join(top, 'run.jsonl')))
    sink.write({
      step: 1,
      time: 10,
      values: { loss: Number.NaN, x: Number.NEGATIVE_INFINITY },
      nonFinite: { loss: 1 },
    })
    sink.close()
    writeFileSync(join(top, 'run.jsonl'), '{"step":2,"ti', { flag: 'a' })
    writeCheckpoint(join(top, 'checkpoints'), 7, { tensors: { w: zeros([2]) } })
    const measured = profile(() => matmul(zeros([2, 3]), zeros([3, 4])), { runs: 1 })
    writeFileSync(join(top, 'trace.json'), JSON.stringify(chromeTrace(measured)))
    writeFileSync(join(top, 'environment.json'), '{"XLA_FLAGS":"--x"}')
    const { samples, checkpoints, products, environment } = readRun(top)
    expect(samples.map(({ step, values }) => [step, values])).toEqual([
      [1, { loss: Number.NaN, x: Number.NEGATIVE_INFINITY }],
    ])
    expect(checkpoints!.map(({ step, refused }) => [step, refused])).toEqual([[7, undefined]])
    expect(Math.abs(checkpoints![0]!.time - Date.now() / 1000)).toBeLessThan(3600)
    const [own] = productsOf(measured)
    expect(products).toEqual([{ ...own, microseconds: expect.closeTo(own!.microseconds, 2) as number }])
    expect(environment).toEqual({ XLA_FLAGS: '--x' })
  })

  it('readRun(folder) refuses a folder with nothing of a run, and a line that is no sample', () => {
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    expect(() => readRun(empty)).toThrow('readRun: there is nothing of a run')
    writeFileSync(join(empty, 'a.jsonl'), '{"step":1}\n')
    expect(() => readRun(empty)).toThrow('readRun: a line is no sample of jsonLines')
    writeFileSync(join(empty, 'a.jsonl'), 'hello\n')
    expect(() => readRun(empty)).toThrow('readRun: this is no JSON')
  })
})
