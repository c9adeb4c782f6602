import { readdirSync, readFileSync } from 'node:fs'
import { nextUp, round } from 'tpu-toolkit/formats'
import { chip } from 'tpu-toolkit/hardware'
import { blockMap, causalMask, stridedMask, windowMask } from 'tpu-toolkit/kernels'
import { modelNamed } from 'tpu-toolkit/model'
import { criticalIntensity, operationBounds } from 'tpu-toolkit/roofline'
import { runStep2750 } from 'tpu-toolkit/step2750'
import { cycles } from 'tpu-toolkit/systolic'
import { cumsum, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { labGroups, labSections } from '../../lab/shell/sections.js'
import { root } from '../support/project.js'

const titles = readdirSync(`${root}docs`)
  .filter((name) => name.endsWith('.md'))
  .map((name) => /^# (.+)$/m.exec(readFileSync(`${root}docs/${name}`, 'utf8'))?.[1])

describe('the openings of the sections', () => {
  it.each(labSections.map((section) => [section.id, section] as const))(
    '#%s: a question, symbols, three experiments, a prediction with one right answer, a guide that there is',
    (_, { group, opening }) => {
      expect(labGroups).toContain(group)
      expect(opening.question).toMatch(/^[A-Z].*\?$/)
      expect(opening.symbols.length).toBeGreaterThan(2)
      expect(new Set(opening.experiments.map(({ name }) => name)).size).toBe(3)
      const { answers, right } = opening.prediction
      expect(new Set(answers).size).toBe(answers.length)
      expect(answers[right]).toBeDefined()
      expect(titles).toContain(opening.guide)
    },
  )

  it('asks about the run of the guide, whose answers are those of the library', () => {
    const { explanation, firstNonFiniteStep } = runStep2750({ lr: 2.75e-3, steps: 330, dtype: 'float16' })
    expect([firstNonFiniteStep, explanation.event?.operands[0]?.[0]]).toEqual([1, 27.75])
    for (const changed of [{ cumsum: 'stable' }, { form: 'segsum' }] as const) {
      expect(runStep2750({ lr: 2.75e-3, steps: 330, ...changed }).firstNonFiniteStep).toBe(null)
    }
    expect(runStep2750({ lr: 2.75e-3, steps: 330, zeroNans: true }).firstNonFiniteStep).toBe(275)
  })

  it('says of numbers and sums what the library computes', () => {
    expect(round(500, 'float8_e4m3fn')).toBeNaN()
    expect([round(464, 'float8_e4m3fn'), round(0.001, 'float8_e4m3fn')]).toEqual([448, 2 ** -9])
    expect(nextUp(1, 'bfloat16')).toBe(1.0078125)
    const twice = 1 + 2 ** -8 + 2 ** -40
    expect([round(twice, 'bfloat16'), round(Math.fround(twice), 'bfloat16')]).toEqual([1.0078125, 1])
    const end = (
      value: number,
      dtype: 'bfloat16' | 'float8_e4m3fn',
      order: 'sequential' | 'pairwise' | 'kahan',
    ) =>
      cumsum(
        tensor(
          Float64Array.from({ length: 1024 }, () => value),
          { dtype },
        ),
        { order, accumulate: dtype },
      )
        .toNumbers()
        .at(-1)
    expect(end(0.1, 'bfloat16', 'sequential')).toBe(32)
    expect(end(0.1, 'bfloat16', 'kahan')).toBe(102.5)
    expect(end(1, 'float8_e4m3fn', 'sequential')).toBe(16)
    expect(end(1, 'bfloat16', 'pairwise')).toBe(1024)
  })

  it('says of masks, chips and a matrix unit what the library computes', () => {
    const map = (mask: Parameters<typeof blockMap>[0], block: number) =>
      blockMap(mask, { tq: 1024, tk: 1024, blockQ: block, blockK: block })
    const [small, large] = [map(causalMask(), 8), map(windowMask({ left: 255, right: 0 }), 512)]
    expect([small.saved.toFixed(3), small.wasted.toFixed(3)]).toEqual(['0.496', '0.007'])
    expect([large.skipped, large.wasted.toFixed(3)]).toEqual([1, '0.708'])
    const strided = map(stridedMask({ stride: 128 }), 128)
    expect([strided.skipped, map(causalMask(), 128).skipped, strided.wasted.toFixed(3)]).toEqual([
      28,
      28,
      '0.992',
    ])
    expect((['v5p', 'v5e'] as const).map((name) => criticalIntensity(chip(name)).toFixed(0))).toEqual([
      '166',
      '241',
    ])
    const rows = operationBounds(modelNamed('llama3-8b'), {
      ...{ chip: 'v5p', pass: 'forward', batch: 256, sequence: 1, context: 4096 },
    })
    const of = (wanted: string) => rows.find(({ name }) => name === wanted)!
    expect([of('layer.attention').boundBy, of('layer.attention').intensity.toFixed(0)]).toEqual(['hbm', '4'])
    expect([of('layer.mlp.up').boundBy, of('layer.mlp.up').intensity.toFixed(0)]).toEqual(['compute', '237'])
    const counted = cycles({ dataflow: 'ws', rows: 3, columns: 3, m: 8, n: 4, k: 4 })
    expect([counted.rowFolds * counted.columnFolds, counted.mappingEfficiency.toFixed(1)]).toEqual([
      4,
      '44.4',
    ])
  })
})
