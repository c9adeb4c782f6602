import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
  type Sink,
  serveMetrics,
} from 'tpu-toolkit/monitor'
import { tensor } from 'tpu-toolkit/tensor'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { statusUnder } from '../support/statusUnder.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'monitor-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Keeps what is written to stderr until `end`. */
function failing() {
  const lines: string[] = []
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  return { samples: [] as Sample[], lines, end: () => spy.mockRestore() }
}

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

  it('goes on where a sink throws or rejects, and reports each sink once', async () => {
    const { samples, lines, end } = failing()
    const later: Sink = { write: () => Promise.reject(new Error('late')) as never, close: () => undefined }
    const throwing: Sink = {
      write: () => {
        throw new Error('disk full')
      },
      close: () => Promise.reject(new Error('not closed')),
    }
    const last: Sink = { write: (sample) => void samples.push(sample), close: () => void samples.push() }
    const { onStep, onEnd } = monitor({ ...quiet, sinks: [throwing, later, last] })
    onStep({ step: 1, metrics: { loss: 1 } })
    onStep({ step: 2, metrics: { loss: 2 } })
    await onEnd()
    end()
    expect(samples.map(({ step }) => step)).toEqual([1, 2])
    expect(lines.sort()).toEqual([
      'monitor: a sink failed, the run continues [disk full]\n',
      'monitor: a sink failed, the run continues [late]\n',
    ])
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

  const stepsOf = (path: string): number[] =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).step)
  const write = async (path: string, steps: readonly number[]): Promise<void> => {
    const { onStep, onEnd } = monitor({ ...quiet, sinks: [jsonLines(path)] })
    for (const step of steps) onStep({ step, metrics: { loss: step } })
    await onEnd()
  }

  it('has every step once after a run that was killed went on from an earlier step', async () => {
    const path = join(folder, 'run.jsonl')
    await write(path, [1, 2, 3, 4, 5])
    // A process that is killed may leave half a line.
    appendFileSync(path, '{"step":6,"ti')
    await write(path, [4, 5, 6])
    expect(stepsOf(path)).toEqual([1, 2, 3, 4, 5, 6])
    await write(path, [7])
    expect(stepsOf(path)).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  it('leaves what is there where a run begins at step 1, and where the lines are not its own', async () => {
    const path = join(folder, 'run.jsonl')
    await write(path, [1, 2, 3])
    await write(path, [1, 2])
    expect(stepsOf(path)).toEqual([1, 2, 3, 1, 2])
    // Only the lines of the last run.
    await write(path, [2])
    expect(stepsOf(path)).toEqual([1, 2, 3, 1, 2])
    writeFileSync(path, 'a note of mine\n{"a":1}\n')
    await write(path, [9])
    expect(readFileSync(path, 'utf8')).toMatch(/^a note of mine\n\{"a":1\}\n\{"step":9/)
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

  it('answers GET and HEAD under the names of this machine alone', async () => {
    const server = await serveMetrics({ port: 0 })
    expect(await statusUnder('evil.example', server.url)).toBe(421)
    expect(await statusUnder('localhost', server.url)).toBe(200)
    for (const method of ['POST', 'DELETE']) expect((await fetch(server.url, { method })).status).toBe(405)
    await server.close()
  })

  it('exports the first of the metrics with one exported name, and names the others once', async () => {
    const server = await serveMetrics({ port: 0 })
    const { lines, end } = failing()
    const { onStep, onEnd } = monitor({ ...quiet, sinks: [server] })
    const taken = { stepsTotal: 7, stepDurationSeconds: 7, effective_bits: 7 }
    for (const step of [1, 2]) {
      onStep({ step, metrics: { 'acc@1': step, 'acc/1': 9, точность: 3, потери: 4, ...taken, '': 5 } })
    }
    end()
    const text = await (await fetch(server.url)).text()
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        'tpu_toolkit_train_acc_1 2',
        'tpu_toolkit_train__ 3',
        'tpu_toolkit_train_steps_total 2',
      ]),
    )
    expect(text).not.toMatch(/^tpu_toolkit_train.* [479]$/m)
    expect(lines).toEqual([
      'serveMetrics: acc/1 is not exported, its name is that of acc@1 [tpu_toolkit_train_acc_1]\n',
      'serveMetrics: потери is not exported, its name is that of точность [tpu_toolkit_train__]\n',
      'serveMetrics: stepsTotal is not exported, its name is that of step [tpu_toolkit_train_steps_total]\n',
      'serveMetrics: stepDurationSeconds is not exported, its name is that of the histogram of stepSeconds [tpu_toolkit_train_step_duration_seconds]\n',
      'serveMetrics: effective_bits is not exported, its name is that of effectiveBits [tpu_toolkit_train_effective_bits]\n',
    ])
    await onEnd()
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
