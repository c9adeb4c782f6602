import { modelNamed, type PipelineOptions } from 'tpu-toolkit/model'
import { lint, type PlanFinding, planTraining, type StepDescription, tpuConfig } from 'tpu-toolkit/plan'
import { mesh, shardingStrategy } from 'tpu-toolkit/sharding'
import { describe, expect, it } from 'vitest'

const llama = modelNamed('llama3-70b')
const config = tpuConfig({ version: 'v5p', chips: 32, axes: { pipeline: 4, fsdp: 8 } })
const found = (pipeline: PipelineOptions, rest: StepDescription = {}): PlanFinding[] =>
  lint(config, llama, { ...rest, pipeline }).filter(({ rule }) => rule.startsWith('pipeline'))

describe('the rules of pipelines', () => {
  it('find nothing wrong with many microbatches and stages alike', () => {
    expect(found({ stages: 4, microbatches: 64 })).toEqual([])
    expect(lint(config, llama)).toEqual([])
  })

  it('pipeline-bubble: above a tenth, with the microbatches that bring it there', () => {
    const [bubble] = found({ stages: 4, microbatches: 8 })
    expect(bubble?.rule).toBe('pipeline-bubble')
    expect(bubble?.evidence).toContain('27.3 % of the step')
    expect(bubble?.remedy).toContain('28 microbatches or more')
    expect(found({ stages: 4, microbatches: 28 })).toEqual([])
    expect(found({ stages: 4, microbatches: 24 }).length).toBe(1)
    expect(found({ stages: 4, microbatches: 16, virtual: 2 })).toEqual([])
  })

  it('pipeline-divides: the mesh, the layers, the microbatches, the batch', () => {
    expect(found({ stages: 8, microbatches: 64 })[0]?.evidence).toBe('8 stages, 4 on the mesh')
    const odd = lint(config, { ...modelNamed('gemma3-27b') }, { pipeline: { stages: 4, microbatches: 64 } })
    expect(odd.find(({ rule }) => rule === 'pipeline-divides')?.remedy).toBe('nearest 2 in all')
    expect(found({ stages: 4, microbatches: 30, virtual: 2 })[0]?.remedy).toMatch(/^nearest (28|32)$/)
    const rows = found({ stages: 4, microbatches: 64 }, { batch: 500, sequence: 4096 })
    expect([rows[0]?.rule, rows[0]?.remedy]).toEqual(['pipeline-divides', 'a batch of 512'])
    expect(found({ stages: 4, microbatches: 64 }, { batch: 512, sequence: 4096 })).toEqual([])
  })

  it('pipeline-stages: a vocabulary that makes the last stage slow', () => {
    const small = { family: 'decoder', D: 1024, F: 4096, L: 8, N: 16, V: 128256 } as const
    const slow = lint(config, small, { pipeline: { stages: 4, microbatches: 64 } })
    expect(slow.find(({ rule }) => rule === 'pipeline-stages')?.evidence).toMatch(/^stage 4 of 4 has/)
  })

  it('pipeline-in-flight: gpipe holds them all', () => {
    const [note] = found({ stages: 4, microbatches: 64, schedule: 'gpipe' })
    expect([note?.rule, note?.severity]).toEqual(['pipeline-in-flight', 'note'])
  })

  it('memory is that of the fullest stage', () => {
    const step = { batch: 4096, sequence: 8192, pipeline: { stages: 4, microbatches: 32 } }
    expect(lint(config, llama, { ...step, batch: 32 * 8 }).some(({ rule }) => rule === 'memory')).toBe(false)
    const everything = tpuConfig({
      ...{ version: 'v5p', chips: 32, axes: { pipeline: 4, fsdp: 8 }, remat: 'everything' },
    })
    expect(lint(everything, llama, step).some(({ rule }) => rule === 'memory')).toBe(true)
  })
})

describe('the strategy pipeline', () => {
  const devices = mesh({ shape: [4, 2, 4], axisNames: ['stage', 'fsdp', 'tensor'] })
  const table = shardingStrategy(devices, llama, { strategy: ['pipeline', 'fsdp', 'tensor'] })

  it('gives each stage its own layers, and the rest to all', () => {
    const rowOf = (name: string) => table.parameters.find((one) => one.name === name)
    expect(rowOf('layer.mlp.up')).toMatchObject({ copies: 80, copiesPerDevice: 20, replicas: 1 })
    expect(rowOf('embedding')).toMatchObject({ copies: 1, copiesPerDevice: 1, replicas: 4 })
    expect(rowOf('embedding')?.notes.join()).toContain('of no layer')
    expect(table.batch).toEqual([['fsdp']])
  })

  it('names layers that do not divide', () => {
    const three = mesh({ shape: [3], axisNames: ['pipeline'] })
    expect(() => shardingStrategy(three, llama, { strategy: 'pipeline' })).toThrow(
      '80 layers do not divide over pipeline of 3, nearest pipeline of 2',
    )
  })
})

describe('planTraining with a pipeline', () => {
  it('has the stages, the mesh and the bound', () => {
    const plan = planTraining(llama, {
      ...{ slice: 'v5p-64', sequence: 4096, split: { tensor: 2 }, pipeline: { stages: 4, microbatches: 16 } },
    })
    expect(plan.memory.stages?.length).toBe(4)
    expect(plan.batch % (16 * 4)).toBe(0)
    expect(plan.step.kind).toBe('bound')
    if (typeof plan.sharding === 'string') throw new Error(plan.sharding)
    expect(plan.sharding.mesh.axisNames).toEqual(['pipeline', 'fsdp', 'tensor'])
    expect(plan.sharding.mesh.shape).toEqual([4, 4, 2])
  })
})
