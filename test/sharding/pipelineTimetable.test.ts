import fc from 'fast-check'
import { type PipelineOptions, pipelineSchedule } from 'tpu-toolkit/model'
import { pipelineDiagram, pipelineTimetable } from 'tpu-toolkit/sharding'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

interface Job {
  readonly backward: boolean
  readonly layer: number
  readonly microbatch: number
}

/**
 * A pipeline event by event, without the library's code. Groups of layers are numbered through the whole model. GPipe: all forward
 * passes, then all backward ones. 1F1B and interleaved: the rule of Megatron-LM's schedules.py for the k-th step, with the
 * warm-up by rank.
 */
function simulate(
  { stages: p, microbatches: m, schedule, virtual: v = 1 }: PipelineOptions,
  f: number,
  b: number,
) {
  const done = new Map<string, number>()
  const name = ({ backward, layer, microbatch }: Job): string => `${backward}/${layer}/${microbatch}`
  const needs = ({ backward, layer, microbatch }: Job): Job[] => {
    if (!backward) return layer === 0 ? [] : [{ backward, layer: layer - 1, microbatch }]
    const own = { backward: false, layer, microbatch }
    return layer === p * v - 1 ? [own] : [own, { backward, layer: layer + 1, microbatch }]
  }
  const todo: Job[][] = Array.from({ length: p }, (_, rank) => {
    const of = (backward: boolean): Job[] => {
      const jobs: Job[] = []
      for (let k = 0; k < m * v; k++) {
        if (schedule === 'interleaved') {
          const inGroup = k % (p * v)
          const chunk = backward ? v - 1 - Math.trunc(inGroup / p) : Math.trunc(inGroup / p)
          jobs.push({
            backward,
            layer: chunk * p + rank,
            microbatch: Math.trunc(k / (p * v)) * p + (inGroup % p),
          })
        } else {
          const chunk = backward ? v - 1 - Math.trunc(k / m) : Math.trunc(k / m)
          jobs.push({ backward, layer: chunk * p + rank, microbatch: k % m })
        }
      }
      return jobs
    }
    const [forward, backward] = [of(false), of(true)]
    if (schedule === 'gpipe') return [...forward, ...backward]
    const first = schedule === '1f1b' ? p - rank - 1 : (p - rank - 1) * 2 + (v - 1) * p
    const jobs: Job[] = forward.splice(0, first)
    while (forward.length > 0) jobs.push(...forward.splice(0, 1), ...backward.splice(0, 1))
    return [...jobs, ...backward]
  })
  const busyUntil = todo.map(() => 0)
  const held = todo.map(() => 0)
  const most = todo.map(() => 0)
  let makespan = 0
  while (todo.some((jobs) => jobs.length > 0)) {
    // The next event: the earliest start among the stages' next jobs.
    let [chosen, at] = [-1, Number.POSITIVE_INFINITY]
    todo.forEach((jobs, rank) => {
      const job = jobs[0]
      if (job === undefined) return
      const ready = needs(job).map((one) => done.get(name(one)) ?? Number.POSITIVE_INFINITY)
      const start = Math.max(busyUntil[rank] ?? 0, ...ready)
      if (start < at) [chosen, at] = [rank, start]
    })
    const job = todo[chosen]?.shift()
    if (job === undefined) throw new Error('a deadlock')
    const end = at + (job.backward ? b : f)
    done.set(name(job), end)
    busyUntil[chosen] = end
    makespan = Math.max(makespan, end)
    held[chosen] = (held[chosen] ?? 0) + (job.backward ? -1 : 1)
    most[chosen] = Math.max(most[chosen] ?? 0, held[chosen] ?? 0)
  }
  return { makespan, most }
}

const pipelines = fc
  .record({
    stages: fc.integer({ min: 1, max: 6 }),
    groups: fc.integer({ min: 1, max: 4 }),
    virtual: fc.integer({ min: 2, max: 4 }),
    schedule: fc.constantFrom('gpipe' as const, '1f1b' as const, 'interleaved' as const, 'circular' as const),
  })
  .map(({ stages, groups, virtual, schedule }): PipelineOptions => {
    if (schedule === 'interleaved') return { stages, schedule, virtual, microbatches: stages * groups }
    if (schedule === 'circular') {
      return { stages, schedule: 'gpipe', virtual, microbatches: stages + groups - 1 }
    }
    return { stages, schedule, microbatches: groups * 2 - 1 }
  })

describe('a pipeline, against an event simulation', () => {
  it('has the bubble and the microbatches in flight of its schedule', () => {
    fc.assert(
      fc.property(
        pipelines,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        (options, f, b) => {
          const { bubble, inFlight, idleShare, virtual, microbatches } = pipelineSchedule(options)
          const { makespan, most } = simulate(options, f, b)
          const busy = microbatches * virtual * (f + b)
          expect(makespan / busy - 1).toBeCloseTo(bubble, 12)
          expect(1 - busy / makespan).toBeCloseTo(idleShare, 12)
          expect(most).toEqual(inFlight.map((count) => Math.round(count * virtual)))
          const times = { forward: f * virtual, backward: b * virtual }
          expect(pipelineTimetable({ ...options, ...times }).makespan).toBeCloseTo(makespan, 9)
        },
      ),
      { seed, numRuns: 100 },
    )
  })

  it('its timetable does every pass once, one at a time, and none before what it needs', () => {
    fc.assert(
      fc.property(pipelines, (options) => {
        const { stages, schedule } = pipelineTimetable(options)
        const ends = new Map(
          stages.flatMap((own, stage) =>
            own.map(({ pass, group, microbatch, end }) => [
              `${pass} ${group * stages.length + stage} ${microbatch}`,
              end,
            ]),
          ),
        )
        expect(ends.size).toBe(2 * stages.length * schedule.virtual * schedule.microbatches)
        stages.forEach((own, stage) => {
          own.forEach(({ pass, group, microbatch, start }, i) => {
            if (i > 0) expect(start).toBeGreaterThanOrEqual(own[i - 1]?.end ?? 0)
            const place = group * stages.length + stage
            const before = pass === 'forward' ? place - 1 : place + 1
            const needed = ends.get(`${pass} ${before} ${microbatch}`)
            if (needed !== undefined) expect(start).toBeGreaterThanOrEqual(needed)
          })
        })
      }),
      { seed, numRuns: 60 },
    )
  })
})

// GPipe, section 2: O((K - 1) / (M + K - 1)) of the time is bubble. Megatron-LM (arXiv:2104.04473), section 2.2: (p - 1) / m of the
// ideal time, interleaved (p - 1) / (v m); at most p microbatches in flight. Korthikanti et al. (arXiv:2205.05198), section 4.2:
// interleaved the first stage holds the activations of L (1 + (p - 1) / (p v)) layers, 1F1B of L.
describe('the published formulas', () => {
  it.each([
    [4, 8],
    [8, 32],
    [6, 6],
  ])('%i stages and %i microbatches', (p, m) => {
    const plain = pipelineSchedule({ stages: p, microbatches: m, schedule: 'gpipe' })
    expect(plain.idleShare).toBeCloseTo((p - 1) / (m + p - 1), 14)
    expect(pipelineSchedule({ stages: p, microbatches: m }).bubble).toBeCloseTo((p - 1) / m, 14)
    expect(pipelineSchedule({ stages: p, microbatches: m }).inFlight[0]).toBe(p)
    expect(plain.inFlight).toEqual(Array.from({ length: p }, () => m))
  })

  it('interleaved: less bubble, more memory', () => {
    const [p, m, v] = [4, 16, 2]
    const { bubble, inFlight } = pipelineSchedule({ stages: p, microbatches: m, virtual: v })
    expect(bubble).toBe((p - 1) / (v * m))
    expect(inFlight[0]).toBe(p * (1 + (p - 1) / (p * v)))
  })
})

describe('what is refused', () => {
  it('names the nearest that is not', () => {
    expect(() => pipelineSchedule({ stages: 4, microbatches: 6, virtual: 2 })).toThrow(
      'nearest 8 [6 over 4 stages]',
    )
    expect(() => pipelineSchedule({ stages: 4, microbatches: 8, schedule: '1f1b', virtual: 2 })).toThrow(
      'nearest schedule interleaved [virtual 2]',
    )
    expect(() =>
      pipelineSchedule({ stages: 4, microbatches: 8, schedule: 'interleaved', virtual: 1 }),
    ).toThrow('nearest schedule 1f1b')
    expect(() => pipelineSchedule({ stages: 4, microbatches: 2, schedule: 'gpipe', virtual: 2 })).toThrow(
      'nearest 4',
    )
    expect(() => pipelineSchedule({ stages: 0, microbatches: 2 })).toThrow(RangeError)
    // @ts-expect-error: no such schedule
    expect(() => pipelineSchedule({ stages: 4, microbatches: 8, schedule: '1f1d' })).toThrow(
      'did you mean 1f1b',
    )
    expect(() => pipelineTimetable({ stages: 4, microbatches: 8, forward: 0 })).toThrow(RangeError)
  })
})

describe('pipelineDiagram', () => {
  it('has a box for every pass', () => {
    const svg = pipelineDiagram({ stages: 4, microbatches: 8, virtual: 2 })
    expect(svg.match(/<rect/g)?.length).toBe(2 * 4 * 8 * 2 + 2)
    expect(svg).toContain('<title>interleaved: 4 stages, 8 microbatches')
  })
})
