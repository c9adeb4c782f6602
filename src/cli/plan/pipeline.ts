import type { Command } from 'commander'
import { bytesText, percentText } from '../../base/text/index.js'
import type { PipelineOptions } from '../../planning/model/index.js'
import { pipelineDiagram } from '../../planning/sharding/index.js'
import { htmlTable, type Section, textTable } from '../../report/index.js'
import { BadInput } from '../io/badInput.js'
import { readName } from '../io/readNames.js'
import { readCount } from '../io/readNumber.js'
import type { Plan } from './makePlan.js'

/** The options of a pipeline, as they stand on the command line. */
export interface PipelineGiven {
  readonly pipeline?: string
  readonly microbatches?: string
  readonly schedule?: string
  readonly virtual?: string
}

/** Adds the options of pipeline parallelism to the command. */
export function addPipelineOptions(command: Command): Command {
  return command
    .option(
      '--pipeline <n>',
      'stages that share the layers; --fsdp, --tensor and so on are then of each stage',
    )
    .option('--microbatches <n>', 'with --pipeline: parts of the batch, default 4 for each stage')
    .option('--schedule <name>', 'with --pipeline: gpipe, 1f1b or interleaved, default 1f1b')
    .option('--virtual <n>', 'with --pipeline: groups of layers in each stage, default 1, of interleaved 2')
}

/** The pipeline that is asked for, if any. */
export function readPipeline({ pipeline, microbatches, schedule, virtual }: PipelineGiven): {
  readonly pipeline?: PipelineOptions
} {
  if (pipeline === undefined) {
    const named = Object.entries({ microbatches, schedule, virtual }).find(([, value]) => value !== undefined)
    if (named) throw new BadInput(`--${named[0]} belongs to --pipeline, the number of stages [no --pipeline]`)
    return {}
  }
  const stages = readCount('pipeline', pipeline, 1)
  return {
    pipeline: {
      stages,
      microbatches: microbatches === undefined ? 4 * stages : readCount('microbatches', microbatches, 1),
      ...(schedule === undefined
        ? {}
        : { schedule: readName('schedule', schedule, ['gpipe', '1f1b', 'interleaved'] as const) }),
      ...(virtual === undefined ? {} : { virtual: readCount('virtual', virtual, 1) }),
    },
  }
}

const columns = [
  { key: 'stage', align: 'right' },
  { key: 'layers', align: 'right' },
  { key: 'inFlight', header: 'in flight', align: 'right' },
  { key: 'activations', align: 'right' },
  { key: 'all', header: 'in all', align: 'right' },
  { key: 'note' },
] as const

function stageRows({ memory }: Plan): Record<string, string | number>[] {
  return (memory.stages ?? []).map(({ stage, layers, inFlight, perDevice, bytesPerDevice }) => ({
    ...{ stage: stage + 1, layers, inFlight, activations: bytesText(perDevice.activations) },
    ...{ all: bytesText(bytesPerDevice), note: percentText(bytesPerDevice / memory.usableBytesPerDevice) },
  }))
}

function summary({ step: { pipeline } }: Plan): string {
  if (pipeline === undefined) return ''
  const { schedule, stages, microbatches, virtual, idleShare, waiting } = pipeline
  const groups = virtual > 1 ? `, ${virtual} groups of layers in each stage` : ''
  return `Pipeline ${schedule}: ${stages} stages, ${microbatches} microbatches${groups}. Stages wait ${percentText(waiting)} of the step, ${percentText(idleShare)} if all took the same time.`
}

/** What the terminal says of the stages: nothing without a pipeline. */
export function pipelineText(plan: Plan, width: number | undefined): readonly string[] {
  if (plan.step.pipeline === undefined) return []
  return [summary(plan), textTable(columns, stageRows(plan), { width })]
}

/** Stages times microbatches that a diagram still shows. */
const drawn = 2000

/** The stages as a section of the page: a table, and every pass of a step. */
export function pipelineSections(plan: Plan): readonly Section[] {
  const { pipeline } = plan.step
  if (pipeline === undefined) return []
  const { stages, microbatches, schedule, virtual } = pipeline
  const darker = virtual > 1 ? ' Later groups of layers are darker.' : ''
  const caption = `A step: a row for each stage, time to the right, a backward pass twice as long as a forward pass; where nothing is drawn the stage waits.${darker}`
  return [
    {
      ...{ id: 'pipeline', title: 'Stages', paragraphs: [summary(plan)] },
      ...(stages * microbatches * virtual > drawn
        ? {}
        : { figures: [{ svg: pipelineDiagram({ stages, microbatches, schedule, virtual }), caption }] }),
      html: htmlTable(columns, stageRows(plan)),
    },
  ]
}
