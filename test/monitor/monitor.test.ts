import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Alert,
  eventFile,
  exportedName,
  jsonLines,
  metrics,
  monitor,
  type Sample,
  serveMetrics,
} from 'tpu-toolkit/monitor'
import { tensor } from 'tpu-toolkit/tensor'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'monitor-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const quiet = { memory: false, onAlert: () => undefined, now: () => 1000 }

describe('monitor', () => {
  it('hands each step on, counters as totals', () => {
    const samples: Sample[] = []
    const sink = { write: (sample: Sample) => void samples.push(sample), close: () => undefined }
    const { onStep } = monitor({ ...quiet, sinks: [sink], tokensPerStep: 128, every: 0 })
    onStep({ step: 1, metrics: { loss: 2, accuracy: 0.5 }, seconds: { step: 0.1, data: 0.25 } })
    onStep({ step: 2, metrics: { loss: Number.NaN }, seconds: { step: 0.2, data: 0.5 } })
    const base = { time: 1000 }
    expect(samples).toEqual([
      {
        ...{ ...base, step: 1, nonFinite: {} },
        values: {
          loss: 2,
          accuracy: 0.5,
          step: 1,
          tokens: 128,
          stepSeconds: 0.1,
          dataSeconds: 0.25,
          nonFinite: 0,
        },
      },
      {
        ...{ ...base, step: 2, nonFinite: { loss: 1 } },
        values: { loss: Number.NaN, step: 2, tokens: 256, stepSeconds: 0.2, dataSeconds: 0.75, nonFinite: 1 },
      },
    ])
  })

  it('looks at the parameters every so many steps', () => {
    const samples: Sample[] = []
    const sink = { write: (sample: Sample) => void samples.push(sample), close: () => undefined }
    const { onStep } = monitor({ ...quiet, sinks: [sink], every: 2 })
    const at = (w: readonly number[]) => ({ params: { w: tensor(w) } })
    onStep({ step: 1, metrics: {}, point: at([1, 2]), before: at([0, 2]) })
    onStep({ step: 2, metrics: {}, point: at([1, Number.NaN]), before: at([1, 2]) })
    onStep({ step: 4, metrics: {}, point: at([1, Number.NaN]), before: at([0, Number.NaN]) })
    expect(samples[0]!.values).toEqual({ step: 1, nonFinite: 0 })
    expect(samples[1]!.values).toMatchObject({ step: 2, paramNorm: 1, unchanged: 0.5, nonFinite: 1 })
    expect(samples[2]!.nonFinite).toEqual({ 'params.w': 2 })
  })

  it('says what is wrong when it begins', () => {
    const told: Alert[] = []
    const { onStep } = monitor({ memory: false, onAlert: (alert) => told.push(alert), now: () => 5 })
    onStep({ step: 1, metrics: { loss: 1 } })
    onStep({ step: 2, metrics: { loss: Number.NaN } })
    onStep({ step: 3, metrics: { loss: Number.NaN } })
    const lines = told.map(({ rule, step, firing }) => `${rule.alert} ${step} ${firing}`)
    expect(lines).toEqual(['LossNotFinite 2 true', 'LossIsNaN 2 true'])
  })

  it.each([
    [{ every: -1 }, 'monitor: every is not a whole number, 0 or more [-1]'],
    [{ sinks: [{}] } as never, 'monitor: a sink'],
    [{ evry: 1 } as never, 'monitor: unknown option'],
  ])('refuses %o', (options, message) => {
    expect(() => monitor(options)).toThrow(message)
  })
})

describe('jsonLines', () => {
  it('appends a line for each sample, NaN as a string', async () => {
    const path = join(folder, 'deep', 'run.jsonl')
    for (const loss of [1, Number.NaN]) {
      const { onStep, onEnd } = monitor({ ...quiet, sinks: [jsonLines(path)] })
      onStep({ step: 1, metrics: { loss } })
      await onEnd()
    }
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).values.loss)).toEqual([1, 'NaN'])
  })
})

describe('eventFile', () => {
  it('writes one file, a header and a record for each value', async () => {
    const { onStep, onEnd } = monitor({ ...quiet, sinks: [eventFile(folder)] })
    onStep({ step: 1, metrics: { loss: 1 } })
    onStep({ step: 300, metrics: { loss: Number.NaN } })
    await onEnd()
    const [name, ...others] = readdirSync(folder)
    expect(others).toEqual([])
    expect(name).toMatch(/^events\.out\.tfevents\.1000\./)
    const bytes = readFileSync(join(folder, name!))
    let records = 0
    for (let at = 0; at < bytes.length; records++) at += 16 + Number(bytes.readBigUInt64LE(at))
    expect(records).toBe(1 + 3 + 3)
  })
})

describe('serveMetrics', () => {
  it('serves gauges, counters by leaf and the time of steps', async () => {
    const server = await serveMetrics({ port: 0, run: 'mine' })
    const { onStep, onEnd } = monitor({ ...quiet, sinks: [server] })
    const text = async (): Promise<string> => (await fetch(server.url)).text()
    expect(await text()).toContain('tpu_toolkit_train_nonfinite_total{where="loss",run="mine"} 0')
    onStep({ step: 7, metrics: { loss: 2, accuracy: 0.5 }, seconds: { step: 0.02, data: 0 } })
    onStep({ step: 8, metrics: { loss: Number.NaN }, seconds: { step: 0.02, data: 0 } })
    const lines = (await text()).split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        'tpu_toolkit_train_loss{run="mine"} Nan',
        'tpu_toolkit_train_accuracy{run="mine"} 0.5',
        'tpu_toolkit_train_steps_total{run="mine"} 8',
        'tpu_toolkit_train_nonfinite_total{where="loss",run="mine"} 1',
        'tpu_toolkit_train_step_duration_seconds_count{run="mine"} 2',
      ]),
    )
    expect((await fetch(server.url.replace('metrics', 'other'))).status).toBe(404)
    const port = Number(new URL(server.url).port)
    await expect(serveMetrics({ port })).rejects.toThrow('EADDRINUSE')
    await onEnd()
    await expect(fetch(server.url)).rejects.toThrow()
  })

  it.each([
    [{ port: 70000 }, 'serveMetrics: port is not a whole number from 0 to 65535 [70000]'],
    [{ prt: 1 } as never, 'serveMetrics: unknown option'],
  ])('refuses %o', async (options, message) => {
    await expect(serveMetrics(options)).rejects.toThrow(message)
  })
})

describe('names for Prometheus', () => {
  it.each(Object.entries(metrics))('%s keeps its conventions', (name, { kind, exported, help }) => {
    expect(exportedName(name)).toBe(`tpu_toolkit_${exported}`)
    expect(exported).toMatch(/^[a-z][a-z0-9_]*$/)
    expect(exported.endsWith('_total')).toBe(kind === 'counter')
    expect(help).not.toMatch(/\.$/)
    if (help.startsWith('Share')) expect(exported).toMatch(/_ratio$/)
  })
})
