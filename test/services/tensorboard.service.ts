import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventFile, monitor } from 'tpu-toolkit/monitor'
import { expect, it } from 'vitest'

const reader = `
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
read = EventAccumulator(sys.argv[1])
read.Reload()
print(json.dumps({tag: [[e.step, e.wall_time, repr(e.value)] for e in read.Scalars(tag)] for tag in read.Tags()['scalars']}))
`

it('TensorBoard reads eventFile back, NaN and infinities and long steps included', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tensorboard-'))
  try {
    let time = 1.7e9
    const run = monitor({
      ...{ sinks: [eventFile(folder)], memory: false, every: 0, onAlert: () => undefined },
      now: () => (time += 0.5),
    })
    const losses = [2.5, Number.NaN, Infinity, -Infinity, 2 ** -140]
    const steps = [1, 128, 16384, 2 ** 31, 2 ** 40]
    for (const [i, loss] of losses.entries()) run.onStep({ step: steps[i]!, metrics: { loss } })
    await run.onEnd()
    const python = process.env['TPU_TOOLKIT_PYTHON'] ?? 'python3'
    const { status, stdout, stderr } = spawnSync(python, ['-c', reader, folder], { encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    const read = JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, [number, number, string][]>
    expect(Object.keys(read).sort()).toEqual(['loss', 'nonFinite', 'step'])
    expect(read['loss']!.map(([step]) => step)).toEqual(steps)
    expect(read['loss']!.map(([, at]) => at)).toEqual(steps.map((_, i) => 1.7e9 + 0.5 * (i + 1)))
    expect(read['loss']!.map(([, , value]) => Number(value.replace('inf', 'Infinity')))).toEqual(losses)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
