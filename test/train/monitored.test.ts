import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { add, matmul, mean, square, sub, type Tensor, tensor, zeros } from 'tpu-toolkit'
import { grad } from 'tpu-toolkit/autodiff'
import { type Alert, defaultAlerts, jsonLines, monitor, type Sample } from 'tpu-toolkit/monitor'
import { sgd } from 'tpu-toolkit/optimizer'
import { diagnose, readRun } from 'tpu-toolkit/profile'
import { type Key, normal } from 'tpu-toolkit/random'
import { descend, train } from 'tpu-toolkit/train'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'monitored-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

interface Batch {
  readonly x: Tensor
  readonly y: Tensor
}
const dtype = 'bfloat16'
const loss = ({ w }: { w: Tensor }, { x, y }: Batch): Tensor => mean(square(sub(matmul(x, w), y)))
const target = tensor([[1], [2], [3], [4]], { dtype })
const data = (_: number, key: Key): Batch => {
  const x = tensor(normal(key, 32), { shape: [8, 4], dtype })
  return { x, y: matmul(x, target) }
}

/** A run whose samples and alerts are kept. */
async function watched(learningRate: number, begin: Tensor, steps: number) {
  const samples: Sample[] = []
  const alerts: Alert[] = []
  const optimizer = sgd({ learningRate })
  const points: { before: Tensor; after: Tensor; batch: Batch }[] = []
  let batch: Batch | undefined
  const descent = descend({ init: () => ({ w: begin }), loss, optimizer, health: 10 })
  await train({
    ...descent,
    data: (step: number, key: Key) => {
      batch = data(step, key)
      return batch
    },
    steps,
    callbacks: [
      {
        onStep: ({ point, before }) =>
          void points.push({ before: before.params.w, after: point.params.w, batch: batch! }),
      },
    ],
    monitor: monitor({
      ...{ every: 10, memory: false, onAlert: (alert: Alert) => alerts.push(alert) },
      alerts: defaultAlerts.map((rule) => ({ ...rule, for: 0 })),
      sinks: [
        jsonLines(join(folder, 'run.jsonl')),
        { write: (sample) => void samples.push(sample), close: () => undefined },
      ],
    }),
    signals: [],
  })
  return { samples, alerts, points }
}

describe('train with monitor', () => {
  it('train(bfloat16, nearest) tells how many updates were lost, and the alert fires: near the end all of them', async () => {
    const { samples, alerts, points } = await watched(1e-4, add(target, 0.25), 40)
    const looked = samples.filter(({ values }) => 'updatesLost' in values)
    expect(looked.map(({ step }) => step)).toEqual([10, 20, 30, 40])
    for (const { step, values } of looked) {
      // Counted again, from the states themselves.
      const { before, after, batch } = points[step - 1]!
      const gradient = grad((w: Tensor) => loss({ w }, batch))(before)
      const moving = gradient.toNumbers().map((g) => (g === 0 ? 0 : 1))
      const still = before.toNumbers().map((w, i) => (w === after.toNumbers()[i] ? 1 : 0))
      const lost = moving.filter((moves, i) => moves === 1 && still[i] === 1).length
      expect(values['updatesLost']).toBe(lost / moving.filter((moves) => moves === 1).length)
      expect(values['gradNorm']).toBeCloseTo(Math.hypot(...gradient.toNumbers()), 12)
    }
    expect(samples.at(-1)!.values['unchanged']).toBe(1)
    expect(alerts.map(({ rule, firing }) => [rule.alert, firing])).toContainEqual(['UpdatesLost', true])
    const found = diagnose(readRun(folder)).problems.map(({ problem }) => problem)
    expect(found).toEqual(['parameters stand still', 'updates lost'])
  })

  it('train(a rate that is too large) fires when the loss is no number any more, at that step', async () => {
    const { samples, alerts } = await watched(30, zeros([4, 1], { dtype }), 60)
    const first = samples.find(({ values }) => !Number.isFinite(values['loss']!))!
    expect(first.step).toBeLessThan(60)
    const told = alerts.filter(({ firing }) => firing).map(({ rule, step }) => [rule.alert, step])
    expect(told).toContainEqual(['LossNotFinite', first.step])
    const [problem] = diagnose(readRun(folder)).problems
    expect([problem!.problem, problem!.severity]).toEqual(['not finite', 'critical'])
    expect(problem!.step).toBeLessThanOrEqual(first.step)
  })

  it('train(health) makes the same steps, bit for bit, as one that nobody looks at', async () => {
    const { points } = await watched(1e-2, zeros([4, 1], { dtype }), 20)
    const { point } = await train({
      ...descend({
        init: () => ({ w: zeros([4, 1], { dtype }) }),
        loss,
        optimizer: sgd({ learningRate: 1e-2 }),
      }),
      ...{ data, steps: 20, signals: [] },
    })
    expect(points.at(-1)!.after.toBits()).toEqual(point.params.w.toBits())
  })
})
