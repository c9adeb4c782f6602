import { Command } from 'commander'
import type { Remat, Split } from '../../planning/model/index.js'
import { strategyDiagram } from '../../planning/sharding/index.js'
import { htmlPage, htmlTable, type Section, textTable } from '../../report/index.js'
import { BadInput, mistakesAsBadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { openReportFile } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import { readName } from '../io/readNames.js'
import { readCount } from '../io/readNumber.js'
import type { Subcommand } from '../io/subcommand.js'
import { modelHelp, readModel } from '../planning/readModel.js'
import { readCosts } from './costs.js'
import { makePlan, type Plan, type PlanRequest } from './makePlan.js'
import { otherPlan } from './otherPlan.js'
import {
  addPipelineOptions,
  type PipelineGiven,
  pipelineSections,
  pipelineText,
  readPipeline,
} from './pipeline.js'
import { planFinding, planHead, planRows, shardingRows } from './planRows.js'
import {
  addServeOptions,
  checkNotServing,
  printServePlan,
  readServing,
  type ServeGiven,
} from './servePlan.js'

interface Given extends PipelineGiven, ServeGiven {
  readonly slice: string
  readonly batch?: string
  readonly sequence: string
  readonly data?: string
  readonly fsdp?: string
  readonly tensor?: string
  readonly expert?: string
  readonly params: string
  readonly remat: string
  readonly save?: string
  readonly offload?: string
  readonly every?: string
  readonly context?: string
  readonly program?: string
  readonly chip?: string
  readonly function?: string
  readonly claims?: boolean
  readonly costs?: string
  readonly json?: boolean
  readonly out?: string
}

/** `plan`: a training run on a slice before it is rented. Exit status 1 where the model does not fit. */
export const planCommand: Subcommand = (terminal, exit) =>
  addServeOptions(addPipelineOptions(new Command('plan')))
    .description(
      'Plans the training of a model on a slice, or with --serve serving: memory, sharding, the bound and time of a step, with the assumptions.',
    )
    .argument('[model]', modelHelp)
    .option('--slice <name>', 'v5p-128, v6e-256, tpu7x:4x4x4 ...', 'v5p-128')
    .option('--batch <n>', 'sequences of a step; default: the most that fit')
    .option('--sequence <n>', 'tokens of a sequence', '4096')
    .option('--data <n>', 'data parallelism: replicas of the model, default 1')
    .option('--fsdp <n>', 'devices that share parameters and batch, default the remaining ones')
    .option('--tensor <n>', 'devices that share heads and the inner width of MLPs, default 1')
    .option('--expert <n>', 'devices that share experts, default 1')
    .option('--params <dtype>', 'float32 (the default of MaxText) or bfloat16', 'float32')
    .option(
      '--remat <policy>',
      'what is stored for the backward pass: everything, dots, dots_with_no_batch_dims or block',
      'block',
    )
    .option(
      '--save <names>',
      'with block: what is stored too, q,k,v,attention,o,gate,up,down or the names of MaxText',
    )
    .option(
      '--offload <names>',
      'with block: what is stored in the memory of the host, the same names and input',
    )
    .option('--every <n>', 'with block: layers that are computed again together')
    .option('--context <n>', 'devices that share the positions of a sequence, default 1')
    .option(
      '--costs <file>',
      'JSON: what a chip draws and costs, { "v5p": { "watts": ..., "dollarsPerHour": ... } }',
    )
    .option('--program <file>', 'in place of a model: the operations of a .mlir file, on --chip')
    .option('--chip <name>', 'with --program: v5e, v5p, v6e ...; default v5p')
    .option('--function <name>', 'with --program: a function of the module; default main')
    .option('--claims', 'in place of a model: tables of published toolkits beside what is computed here')
    .option('--json', 'print one JSON object')
    .option('--out <file>', 'write an HTML page')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit plan llama3-8b --slice v6e-64\n  tpu-toolkit plan llama3-70b --slice v5p-1024 --batch 1024 --tensor 4 --out plan.html\n  tpu-toolkit plan family=mamba2,D=2048,L=48 --slice v5e-64\n  tpu-toolkit plan llama3-70b --slice v5p-128 --pipeline 4 --microbatches 32 --schedule interleaved\n  tpu-toolkit plan qwen3-32b --serve --slice v6e-4 --batch 64 --cache int8 --chunk 2048\n  tpu-toolkit plan --program step.mlir --chip v5p\n  tpu-toolkit plan --claims',
    )
    .action((model: string | undefined, given: Given, command: Command) => {
      const other = otherPlan(model, given, command, terminal)
      if (other !== undefined) return exit(other)
      const text = model ?? ''
      const report = openReportFile({ ...given, terminal })
      if (given.serve) {
        if (given.pipeline !== undefined) {
          throw new BadInput(`--pipeline is for training, not for --serve [${given.pipeline.slice(0, 50)}]`)
        }
        const { slice, json = false } = given
        const request = {
          model: text,
          config: readModel(text),
          slice,
          split: readSplit(given),
          ...readServing(given),
        }
        exit(printServePlan(terminal, request, { json, report }) ? 0 : 1)
        return
      }
      checkNotServing(given)
      const plan = mistakesAsBadInput('findOptimalBatchSize', () => makePlan(readRequest(text, given)))
      const { memory, step } = planRows(plan)
      const head = planHead(plan)
      if (given.json) {
        terminal.out(jsonText(withoutMesh(plan)))
      } else {
        const tables = [memory, step].map((rows) => textTable(columns, rows, { width: terminal.width }))
        const parts = [
          head.join('\n'),
          ...['On each device:', tables[0], ...pipelineText(plan, terminal.width), 'A step:', tables[1]],
          ...['Each parameter, split over the ways named:', spread(plan, terminal.width)],
          ['Assumed:', ...plan.assumptions.map((assumption) => `- ${assumption}`)].join('\n'),
        ]
        printWrapped(terminal, `${parts.join('\n\n')}\n`, { red: ['does not fit'], green: ['fits'] })
      }
      report?.write(page(plan, head))
      exit(plan.memory.fits ? 0 : 1)
    })

const columns = [{ key: 'what' }, { key: 'value', align: 'right' }, { key: 'note' }] as const

const parameterColumns = [
  { key: 'parameter' },
  { key: 'shape' },
  { key: 'on', header: 'split over' },
  { key: 'each', header: 'on each device' },
  { key: 'replicas' },
  { key: 'note' },
]

function spread(plan: Plan, width: number | undefined): string {
  const { sharding } = plan
  return typeof sharding === 'string' ? sharding : textTable(parameterColumns, shardingRows(plan), { width })
}

/** The plan as JSON has it: a mesh of thousands of devices says nothing that its split does not. */
function withoutMesh(plan: Plan): object {
  const { sharding } = plan
  if (typeof sharding === 'string') return plan
  const { parameters, batch, residual } = sharding
  return { ...plan, sharding: { parameters, batch, residual } }
}

function shardingSection(plan: Plan): Section {
  const { sharding } = plan
  const [id, title] = ['sharding', 'Each parameter']
  if (typeof sharding === 'string') return { id, title, paragraphs: [sharding] }
  const caption = 'What one device holds of each parameter, by the ways that split it.'
  const html = htmlTable(parameterColumns, shardingRows(plan))
  const details = [{ summary: `All ${sharding.parameters.length} parameters`, html }]
  return { id, title, figures: [{ svg: strategyDiagram(sharding), caption }], details }
}

function page(plan: Plan, [title = '', ...rest]: readonly string[]): string {
  const { memory, step } = planRows(plan)
  return htmlPage({
    title,
    lead: rest.join(' '),
    sections: [
      { id: 'memory', title: 'On each device', finding: planFinding(plan), html: htmlTable(columns, memory) },
      ...pipelineSections(plan),
      { id: 'step', title: 'A step', html: htmlTable(columns, step) },
      shardingSection(plan),
      { id: 'assumed', title: 'Assumed', paragraphs: plan.assumptions },
    ],
  })
}

/** The ways of each kind of parallelism that are asked for. */
function readSplit({ data, fsdp, tensor, expert, context }: Given): Split {
  const ways = Object.entries({ data, fsdp, tensor, expert, context }).flatMap(([name, count]) =>
    count === undefined ? [] : [[name, readCount(name, count, 1)] as const],
  )
  return Object.fromEntries(ways)
}

function readRequest(text: string, given: Given): PlanRequest {
  return {
    ...{ model: text, config: readModel(text), slice: given.slice, split: readSplit(given) },
    ...readPipeline(given),
    sequence: readCount('sequence', given.sequence, 1),
    paramsDtype: readName('dtype', given.params, ['bfloat16', 'float32']),
    ...(given.batch === undefined ? {} : { batch: readCount('batch', given.batch, 1) }),
    remat: readRemat(given),
    ...(given.costs === undefined ? {} : { costs: readCosts(given.costs) }),
  }
}

/** The policy: a name, or for block the names of what is kept besides. */
function readRemat({ remat, save, offload, every }: Given): Remat {
  const policy = readName('policy', remat, [
    'everything',
    'dots',
    'dots_with_no_batch_dims',
    'block',
  ] as const)
  const listed = (text: string | undefined): string[] =>
    text === undefined ? [] : text.split(',').map((name) => name.trim())
  if (save === undefined && offload === undefined && every === undefined) return policy
  if (policy !== 'block') {
    throw new BadInput(`--save, --offload and --every belong to --remat block [${policy}]`)
  }
  return {
    ...{ save: listed(save), offload: listed(offload) },
    ...(every === undefined ? {} : { every: readCount('every', every, 1) }),
  }
}
