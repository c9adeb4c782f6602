import { modelNamed, type PipelineOptions, pipelineStages } from 'tpu-toolkit/model'
import { trainingStep } from 'tpu-toolkit/roofline'
import { describe, expect, it } from 'vitest'

const llama = modelNamed('llama3-8b')
const options = { slice: 'v5p-64', batch: 256, sequence: 4096 } as const

/** 1F1B with a time for each stage: when the last backward pass of the first stage ends. */
function makespan(times: readonly number[], microbatches: number): number {
  const [p, f] = [times.length, times.map((time) => time / 3)]
  const ends = new Map<string, number>()
  const orders = f.map((_, rank) => {
    const order: string[] = []
    const warm = Math.min(microbatches, p - 1 - rank)
    for (let i = 0; i < warm; i++) order.push(`F${i}`)
    for (let i = warm; i < microbatches; i++) order.push(`F${i}`, `B${i - warm}`)
    for (let i = microbatches - warm; i < microbatches; i++) order.push(`B${i}`)
    return order
  })
  const free = f.map(() => 0)
  for (let round = 0; round < 2 * microbatches * p + p; round++) {
    orders.forEach((order, rank) => {
      const job = order[0]
      if (job === undefined) return
      const from = job.startsWith('F')
        ? rank === 0
          ? 0
          : ends.get(`${job} ${rank - 1}`)
        : rank === p - 1
          ? ends.get(`F${job.slice(1)} ${rank}`)
          : ends.get(`${job} ${rank + 1}`)
      if (from === undefined) return
      order.shift()
      const end = Math.max(from, free[rank] ?? 0) + (job.startsWith('F') ? 1 : 2) * (f[rank] ?? 0)
      free[rank] = end
      ends.set(`${job} ${rank}`, end)
    })
  }
  return Math.max(...free)
}

describe('trainingStep with a pipeline', () => {
  it.each([
    [2, 4],
    [4, 8],
    [8, 8],
    [8, 64],
  ])(
    '%i stages and %i microbatches: the compute term is what 1F1B takes with these stages, and no longer',
    (p, m) => {
      const plain = trainingStep(llama, options)
      const piped = trainingStep(llama, { ...options, pipeline: { stages: p, microbatches: m } })
      const shares = pipelineStages(llama, { stages: p, microbatches: m, sequence: 4096 })
      const simulated = makespan(
        shares.map(({ flopsShare }) => (flopsShare * p) / m),
        m,
      )
      const longer = piped.seconds.compute / plain.seconds.compute
      expect(longer).toBeLessThanOrEqual(simulated + 1e-12)
      expect(longer).toBeGreaterThan(0.97 * simulated)
      expect(piped.lowerBoundSeconds / plain.lowerBoundSeconds).toBeCloseTo(longer, 12)
      expect(piped.pipeline?.waiting).toBeCloseTo(1 - 1 / longer, 12)
    },
  )

  it('is a bound, and says that no published run carries an estimate', () => {
    const { kind, estimateSeconds, tokensPerSecond, calibration, assumptions } = trainingStep(llama, {
      ...{ ...options, pipeline: { stages: 4, microbatches: 16 } },
    })
    expect([kind, estimateSeconds, tokensPerSecond]).toEqual(['bound', null, null])
    expect(calibration.points).toEqual([])
    expect(assumptions.join()).toContain('a bound, no estimate')
  })

  it('one stage is as without, but for the estimate', () => {
    const one: PipelineOptions = { stages: 1, microbatches: 1 }
    const piped = trainingStep(llama, { ...options, pipeline: one })
    expect(piped.seconds).toEqual(trainingStep(llama, options).seconds)
  })

  it('hands on the residual stream between groups of layers', () => {
    const at = (virtual: number): number =>
      trainingStep(llama, {
        ...{ ...options, split: { data: 8 }, pipeline: { stages: 4, microbatches: 8, virtual } },
      }).seconds.ici
    // 2 bytes of 4096 values a token, forward and back, on links of 90 GB/s each way; a torus of 4x4x2 in which nothing wraps.
    const tokens = (256 * 4096) / 8
    expect((at(4) - at(2)) / 2).toBeCloseTo((2 * 2 * tokens * 4096) / 3 / 90e9, 6)
  })

  it('options are checked', () => {
    expect(() => trainingStep(llama, { ...options, pipeline: { stages: 3, microbatches: 3 } })).toThrow(
      'nearest',
    )
    expect(() =>
      trainingStep(llama, { ...options, split: { fsdp: 3 }, pipeline: { stages: 4, microbatches: 4 } }),
    ).toThrow('v5p-64 has 8 in each of 4 stages')
  })
})
