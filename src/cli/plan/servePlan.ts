import type { Command } from 'commander'
import { bytesText, percentText, readable, secondsText } from '../../base/text/index.js'
import type { PeakDType, StoredDType } from '../../planning/hardware/index.js'
import type { ModelConfig, Split } from '../../planning/model/index.js'
import {
  type ServingPlan,
  type ServingPlanOptions,
  type SpeculativeOptions,
  servingPlan,
} from '../../planning/roofline/index.js'
import { htmlPage, htmlTable, textTable } from '../../report/index.js'
import { BadInput, mistakesAsBadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import type { OpenReport } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import { readName } from '../io/readNames.js'
import { readCount } from '../io/readNumber.js'
import type { Terminal } from '../io/terminal.js'
import { readModel } from '../planning/readModel.js'
import type { PlanRow } from './planRows.js'

/** The options of serving, as they stand on the command line. */
export interface ServeGiven {
  readonly serve?: boolean
  readonly input?: string
  readonly output?: string
  readonly weights?: string
  readonly cache?: string
  readonly chunk?: string
  readonly drafted?: string
  readonly accept?: string
  readonly draft?: string
}

/** Adds the options of serving to the command. */
export function addServeOptions(command: Command): Command {
  return command
    .option('--serve', 'plan serving instead of training; --batch is then the requests at once, default 32')
    .option('--input <n>', 'with --serve: tokens of a prompt, default 1024')
    .option('--output <n>', 'with --serve: tokens of an answer, default 1024')
    .option(
      '--weights <dtype>',
      'with --serve: of weights and products, bfloat16, int8, float8_e4m3fn or int4',
    )
    .option('--cache <dtype>', 'with --serve: of keys and values, bfloat16, int8, float8_e4m3fn or float32')
    .option('--chunk <n>', 'with --serve: tokens of a prompt that are computed in a step of decoding')
    .option('--drafted <n>', 'with --serve: tokens drafted in a step of speculative decoding')
    .option(
      '--accept <rates>',
      'with --drafted: the chance that a drafted token is accepted, or one rate a position: 0.7,0.6',
    )
    .option('--draft <model>', 'with --drafted: the model that drafts; without it drafting takes no time')
}

const storedDtypes = [
  'bfloat16',
  'int8',
  'float8_e4m3fn',
  'int4',
  'float32',
] as const satisfies readonly StoredDType[]

const serveOptions = ['input', 'output', 'weights', 'cache', 'chunk', 'drafted', 'accept', 'draft'] as const

/** Throws where options of serving stand without it. */
export function checkNotServing(given: ServeGiven): void {
  const named = serveOptions.find((name) => given[name] !== undefined)
  if (named !== undefined) throw new BadInput(`--${named} belongs to --serve [no --serve]`)
}

/** What is served: the options of `servingPlan`, without the slice and the split. */
export function readServing(
  given: ServeGiven & { readonly batch?: string },
): Omit<ServingPlanOptions, 'slice' | 'split'> {
  const weightsDtype = readName('dtype', given.weights ?? 'bfloat16', [
    'bfloat16',
    'int8',
    'float8_e4m3fn',
    'int4',
  ])
  // Products with 4-bit weights are in bfloat16.
  const dtype: PeakDType = weightsDtype === 'int4' ? 'bfloat16' : weightsDtype
  const speculative = readSpeculative(given)
  return {
    ...{
      batch: readCount('batch', given.batch ?? '32', 1),
      input: readCount('input', given.input ?? '1024', 1),
    },
    ...{ output: readCount('output', given.output ?? '1024', 1), dtype, weightsDtype },
    cacheDtype: readName('dtype', given.cache ?? 'bfloat16', storedDtypes),
    ...(given.chunk === undefined ? {} : { chunk: readCount('chunk', given.chunk, 1) }),
    ...(speculative === undefined ? {} : { speculative }),
  }
}

function readSpeculative({ drafted, accept, draft }: ServeGiven): SpeculativeOptions | undefined {
  if (drafted === undefined) {
    if (accept !== undefined || draft !== undefined) {
      throw new BadInput(
        '--accept and --draft belong to --drafted, the tokens drafted in a step [no --drafted]',
      )
    }
    return undefined
  }
  if (accept === undefined) {
    throw new BadInput('--drafted without --accept, such as --accept 0.7 [no --accept]')
  }
  const rates = accept.split(',').map(Number)
  if (rates.some((share) => !(share >= 0 && share <= 1))) {
    throw new BadInput(`--accept takes chances from 0 to 1, such as 0.7,0.6 [${accept.slice(0, 50)}]`)
  }
  const tokens = readCount('drafted', drafted, 1)
  if (rates.length > 1 && rates.length !== tokens) {
    throw new BadInput(
      `--accept has one chance, or one for each drafted token [${rates.length} for ${tokens}]`,
    )
  }
  return {
    tokens,
    acceptance: rates.length === 1 ? (rates[0] ?? Number.NaN) : rates,
    ...(draft === undefined ? {} : { draft: readModel(draft) }),
  }
}

/** What is served, where, and how it is written. */
export interface ServeRequest extends Omit<ServingPlanOptions, 'slice' | 'split'> {
  readonly model: string
  readonly config: ModelConfig
  readonly slice: string
  readonly split: Split
}

const columns = [{ key: 'what' }, { key: 'value', align: 'right' }, { key: 'note' }] as const

/** Plans serving and prints it; whether it fits. */
export function printServePlan(
  terminal: Terminal,
  { model, config, ...options }: ServeRequest,
  { json, report }: { readonly json: boolean; readonly report: OpenReport<string> | undefined },
): boolean {
  const { split, ...rest } = options
  const asked = Object.keys(split).length === 0 ? rest : { ...rest, split }
  const plan = mistakesAsBadInput('servingPlan', () => servingPlan(config, asked))
  const rows = serveRows(plan, asked)
  const title = `${model} served on ${plan.slice.name} (${plan.slice.chips} chips of ${plan.slice.topology.join('x')}): ${asked.batch} requests at once, prompts of ${asked.input} tokens, answers of ${asked.output}`
  if (json) {
    terminal.out(jsonText({ model, ...plan }))
  } else {
    const table = textTable(columns, rows, { width: terminal.width })
    const assumed = ['Assumed:', ...plan.assumptions.map((line) => `- ${line}`)].join('\n')
    printWrapped(terminal, `${title}\n\n${table}\n\n${assumed}\n`)
  }
  report?.write(
    htmlPage({
      title,
      lead: leadOf(plan),
      sections: [
        { id: 'serving', title: 'Serving', html: htmlTable(columns, rows) },
        { id: 'assumed', title: 'Assumed', paragraphs: plan.assumptions },
      ],
    }),
  )
  return plan.memory.fits
}

const rate = (tokens: number): string => readable(Math.round(tokens))

function leadOf({ kind, tokensPerSecondBound, tokensPerSecondEstimate }: ServingPlan): string {
  const [least, most] = tokensPerSecondEstimate ?? []
  const expected =
    kind === 'bound' || least === undefined || most === undefined
      ? 'no published figure to estimate from'
      : `${rate(least)} to ${rate(most)} by published servers`
  return `At most ${rate(tokensPerSecondBound)} generated tokens a second; ${expected}.`
}

/** The lines of a plan of serving, for the terminal and the page. */
export function serveRows(plan: ServingPlan, { batch }: Pick<ServingPlanOptions, 'batch'>): PlanRow[] {
  const { memory, atOnce, prefill, decode, tokensPerSecondEstimate: estimate, reached, slice } = plan
  const { weights, cache } = memory.perDevice
  const chips = (tokens: number): string => `${rate(tokens / slice.chips)} a chip`
  const row = (what: string, value: string, note: string = ''): PlanRow => ({ what, value, note })
  const term = (name: 'compute' | 'ici' | 'draft', seconds: number): PlanRow[] =>
    seconds === 0
      ? []
      : [row(`of it ${name}`, secondsText(seconds), decode.boundBy === name ? 'bounds the step' : '')]
  return [
    row('weights on a device', bytesText(weights), percentText(weights / memory.usableBytesPerDevice)),
    row('caches on a device', bytesText(cache), percentText(cache / memory.usableBytesPerDevice)),
    row(
      'in all',
      bytesText(memory.bytesPerDevice),
      memory.fits
        ? `fits: ${bytesText(memory.usableBytesPerDevice)} available to programs`
        : `does not fit in ${bytesText(memory.usableBytesPerDevice)}: ${atOnce} of ${batch} requests are served at once`,
    ),
    row(
      'first token',
      secondsText(prefill.seconds),
      `one prompt alone at peak rates${prefill.chunks > 1 ? `, in ${prefill.chunks} chunks` : ''}`,
    ),
    row('step of decoding', secondsText(decode.seconds), `${atOnce} requests at peak rates`),
    ...term('compute', decode.compute),
    row(
      'of it weights and caches',
      secondsText(decode.weights + decode.cache),
      decode.boundBy === 'hbm' ? 'bounds the step' : '',
    ),
    ...term('ici', decode.ici),
    ...term('draft', decode.draft),
    row(
      'next token',
      secondsText(decode.secondsPerToken),
      decode.tokens > 1 ? `${Number(decode.tokens.toPrecision(3))} tokens a step` : '',
    ),
    row(
      'tokens a second, bound',
      rate(plan.tokensPerSecondBound),
      `no server exceeds it; ${chips(plan.tokensPerSecondBound)}`,
    ),
    row('at peak rates', rate(plan.tokensPerSecondAtPeak), chips(plan.tokensPerSecondAtPeak)),
    row(
      'estimate',
      estimate === null ? '-' : `${rate(estimate[0])} to ${rate(estimate[1])}`,
      reached === null
        ? 'a bound alone: no published figure, see the assumptions'
        : `${percentText(reached.least)} to ${percentText(reached.most)} of that at peak rates, as ${reached.runs.length} published runs`,
    ),
  ]
}
