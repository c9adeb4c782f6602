import { round } from 'tpu-toolkit/formats'
import {
  ablate,
  type Checkpoint,
  type CheckpointStore,
  drawData,
  experiments,
  runStep2750,
  type Step2750Options,
  type Step2750Record,
  step2750Options,
} from 'tpu-toolkit/step2750'
import { describe, expect, it } from 'vitest'

const steps = (records: readonly Step2750Record[]): number[] => records.map(({ step }) => step)
const from = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i)

describe('runStep2750', () => {
  it('records steps 1 ... 5, every 100th, and the last 11', () => {
    const { records, loss, stepsRun } = runStep2750({ steps: 230, length: 8 })
    expect(steps(records)).toEqual([...from(1, 5), 100, 200, ...from(220, 230)])
    expect([loss.length, stepsRun]).toEqual([230, 230])
    for (const { step, loss: recorded } of records) expect(recorded).toBe(loss[step - 1])
  })

  it('goes on with zeroNans, records the last finite step and 20 from the first other one', () => {
    const { records, firstNonFiniteStep, nonFiniteSteps, explanation } = runStep2750({
      lr: 2e-3,
      steps: 450,
      zeroNans: true,
    })
    const first = firstNonFiniteStep!
    expect(nonFiniteSteps).toBe(450 - first + 1)
    expect(steps(records)).toEqual(expect.arrayContaining(from(first - 1, first + 19)))
    expect(explanation.text).toMatch(
      /NaN gradients became 0 and the run went on: of \d+ recorded steps behind it \d+ have no finite loss/,
    )
  })

  it('draws the same data for the same seed and other data for another', () => {
    const data = (options: Step2750Options) => drawData(step2750Options({ length: 16, ...options }))
    expect(data({ seed: 3 })).toEqual(data({ seed: 3 }))
    expect(data({ seed: 3 }).x).not.toEqual(data({ seed: 4 }).x)
  })

  it.each(Object.keys(experiments) as (keyof typeof experiments)[])(
    'of experiment %s begins with the step that the experiment says',
    (experiment) => {
      const { records } = runStep2750({ experiment, steps: 1, length: 64, dtype: 'float32' })
      const { start } = experiments[experiment]
      expect(records[0]!.A).toBeCloseTo(-start.rate, 5)
      const clock = round(experiments[experiment].clock(0, 64).at(-1)!, 'bfloat16')
      expect(records[0]!.dt).toBeCloseTo(Math.log1p(Math.exp(clock) * Math.expm1(start.step)), 5)
    },
  )

  it('refuses options that make no run, naming them', () => {
    const refused = (options: object, message: string): void =>
      expect(() => runStep2750(options)).toThrow(new RangeError(`step2750: ${message}`))
    refused({ steps: 0 }, 'steps is not a whole number from 1 to 1000000 [0]')
    refused({ steps: 1.5 }, 'steps is not a whole number from 1 to 1000000 [1.5]')
    refused({ lr: Number.NaN }, 'lr is not a positive number [NaN]')
    refused({ lr: Infinity }, 'lr is not a positive number [Infinity]')
    refused({ seed: -1 }, 'seed is not a whole number from 0 to 4294967295 [-1]')
    refused({ length: 0 }, 'length is not a whole number from 1 to 4096 [0]')
    refused({ gap: 0 }, 'gap is not a positive number [0]')
    refused({ experiment: 'uniform', gap: 3 }, 'experiment uniform has no gap [3]')
    refused(
      { form: 'scan' },
      'unknown form, there are recurrence, factorized, clamped, pairwise, pairwise-mask-after, segsum, chunked [scan]',
    )
    expect(() => runStep2750({ dtype: 'float4_e2m1fn' })).toThrow(/unknown dtype.*\[float4_e2m1fn\]$/)
    expect(() =>
      runStep2750({ steps: 1, length: 8 }, { data: drawData(step2750Options({ length: 9 })) }),
    ).toThrow(new RangeError('step2750: the data have 9 positions a row [8]'))
  })
})

describe('runStep2750 explains', () => {
  it('a cliff: which addition was lost, when it no longer was, which exponent overflowed, where Inf met 0', () => {
    const { firstNonFiniteStep: first, explanation, records } = runStep2750({ lr: 2e-3 })
    const [before, after] = explanation.clocks
    expect([before?.step, after?.step]).toEqual([first! - 1, first])
    // Every addition behind the gap is lost, then the first of them no longer is.
    expect(before!.lost).toBe(127)
    expect(before!.example!.position).toBe(1)
    expect(before!.example!.dt).toBeLessThanOrEqual(before!.example!.halfUlp)
    expect(after!.example!.dt).toBeGreaterThan(after!.example!.halfUlp)
    expect([before!.csEnd, after!.csEnd]).toEqual([before!.example!.s, 32])
    expect(after!.exact - before!.exact).toBeLessThan(0.5)
    expect(after!.span).toBe(records.at(-1)!.span)
    const { event } = explanation
    expect([event!.op, event!.kind, event!.value]).toEqual(['exp', 'overflow', Infinity])
    expect(event!.operands[0]![0]).toBeGreaterThan(event!.threshold!)
    expect(event!.chain.find(({ kind }) => kind !== undefined)).toMatchObject({
      op: 'matmul',
      kind: '0 * Inf',
    })
    expect(explanation.text).toContain(`Step ${first} is the first whose loss or gradient is not finite.`)
    expect(explanation.text).toContain('127 of 127 additions change nothing')
    expect(explanation.text).toMatch(/additions stopped being lost: cs_end went from 16\.\d+ to 32/)
  })

  it('another form with that form, the mask after the exp: Inf above the diagonal times 0', () => {
    const { explanation } = runStep2750({ form: 'pairwise-mask-after', lr: 2e-3 })
    const { event } = explanation
    const [row, column] = event!.at as [number, number]
    expect([event!.op, column > row]).toEqual(['exp', true])
    expect(event!.chain.find(({ kind }) => kind === '0 * Inf')).toMatchObject({ op: 'mul' })
  })

  it('another dtype with that dtype: float16 overflows at the first step, past 11.09', () => {
    const { explanation, firstNonFiniteStep } = runStep2750({ dtype: 'float16' })
    expect(firstNonFiniteStep).toBe(1)
    expect(explanation.event!.threshold).toBeCloseTo(Math.log(65504), 12)
    expect(explanation.clocks).toHaveLength(1)
  })

  it('a clean run as clean, with what its sums lose', () => {
    const naive = runStep2750({ steps: 3 }).explanation
    expect(naive.event).toBeNull()
    expect(naive.text).toMatch(
      /^Clean: the loss and every gradient of 3 steps are finite\.\nStep 3: 127 of 127/,
    )
    const stable = runStep2750({ steps: 3, cumsum: 'stable' }).explanation
    expect(stable.text).toMatch(/\nStep 3: cs_end = 19\.\d+ where the steps add up to 19\.\d+; A = -7/)
    expect(runStep2750({ steps: 3, form: 'segsum' }).explanation.text).toBe(
      'Clean: the loss and every gradient of 3 steps are finite.',
    )
  })
})

describe('runStep2750 with a checkpoint', () => {
  it('goes on from what the store holds, and ends with the same bits; the store may be memory', () => {
    const options: Step2750Options = { steps: 30, length: 16, lr: 1e-2 }
    let held: Checkpoint | undefined
    let writes = 0
    const checkpoint: CheckpointStore = {
      read: () => held,
      write: (content) => {
        held = { ...content, loss: content.loss.slice() }
        writes++
      },
    }
    runStep2750({ ...options, steps: 13 }, { checkpoint, checkpointEvery: 5 })
    expect([writes, held?.point.step]).toEqual([3, 13])
    const seen: number[] = []
    expect(runStep2750(options, { checkpoint, onStep: (step) => seen.push(step) })).toEqual(
      runStep2750(options),
    )
    expect(seen).toEqual(from(14, 30))
  })

  it('says what a store is, where it is handed something else', () => {
    const notAStore: object = { path: 'run.json' }
    expect(() => runStep2750({ steps: 1 }, { checkpoint: notAStore as CheckpointStore })).toThrow(TypeError)
  })
})

describe('ablate', () => {
  it('gives every row its first NaN, the median of its last finite losses and its largest span', () => {
    const rows = [
      { name: 'naive', options: {} },
      { name: 'stable', options: { cumsum: 'stable' as const } },
    ]
    const seen = new Set<number>()
    const [naive, stable] = ablate({ lr: 2e-3, steps: 400 }, { rows, onStep: (row) => seen.add(row) })
    const alone = runStep2750({ lr: 2e-3, steps: 400 })
    expect(naive!.firstNonFiniteStep).toBe(alone.firstNonFiniteStep)
    expect(naive!.largestSpan).toBe(alone.records.at(-1)!.span)
    const last = [...alone.loss].slice(-101, -1).sort((a, b) => a - b)
    expect(naive!.medianLoss).toBe((last[49]! + last[50]!) / 2)
    expect(stable).toMatchObject({ firstNonFiniteStep: null, nonFiniteSteps: 0, stepsRun: 400 })
    expect([...seen]).toEqual([0, 1])
  })
})
