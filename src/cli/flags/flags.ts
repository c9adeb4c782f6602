import { Command } from 'commander'
import { type ChipName, chip, chipNames } from '../../planning/hardware/index.js'
import {
  debuggingTips,
  type Environment,
  explainFlags,
  type FlagAssignments,
  flagLevels,
  lintFlags,
  xlaFlags,
} from '../../planning/xla/index.js'
import { htmlPage, htmlTable, textTable } from '../../report/index.js'
import { BadInput, mistakesAsBadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { openReportFile } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import { readName } from '../io/readNames.js'
import type { Subcommand } from '../io/subcommand.js'

interface Given {
  readonly level: string
  readonly experts?: boolean
  readonly wideSums?: boolean
  readonly dump?: string
  readonly keep?: boolean
  readonly lint?: boolean
  readonly explain?: boolean
  readonly tips?: boolean
  readonly json?: boolean
  readonly out?: string
}

/** `flags`: the environment variables for a generation, what each flag does, and what is wrong with those that are set. */
export const flagsCommand: Subcommand = (terminal) =>
  new Command('flags')
    .description('Prints the flags of libtpu and XLA for a generation, or checks those that are set.')
    .argument('[generation]', chipNames.join(', '))
    .option('--level <name>', flagLevels.join(', '), 'standard')
    .option('--experts', 'the model is a mixture of experts')
    .option('--wide-sums', 'sum bfloat16 gradients in float32')
    .option('--dump <folder>', 'write the HLO of every compiled program to the folder')
    .option('--keep', 'append to the current LIBTPU_INIT_ARGS and XLA_FLAGS')
    .option('--lint', 'check the current LIBTPU_INIT_ARGS and XLA_FLAGS')
    .option('--explain', 'describe each flag, as far as documented')
    .option('--tips', 'list variables for debugging')
    .option('--json', 'print one JSON object instead')
    .option('--out <file>', 'write an HTML page')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit flags v5p\n  eval "$(tpu-toolkit flags v6e --keep)"\n  tpu-toolkit flags v5e --level aggressive --explain\n  LIBTPU_INIT_ARGS=--xla_tpu_bf16_reduction=false tpu-toolkit flags --lint\n  tpu-toolkit flags --tips',
    )
    .action((generation: string | undefined, given: Given) => {
      const asked = generation === undefined ? undefined : readGeneration(generation)
      if (asked === undefined && !given.lint && !given.tips) {
        throw new BadInput(`needs a generation: ${chipNames.join(', ')} [none]`)
      }
      const report = openReportFile({ ...given, terminal })
      const environment = asked === undefined || given.lint ? {} : assignments(asked, given)
      const flags = explainFlags({ ...environment })
      const findings = given.lint
        ? lintFlags(process.env, asked === undefined ? {} : { hardware: asked })
        : []
      const tips = given.tips
        ? debuggingTips.map((tip) => ({
            ...tip,
            set: Object.keys(tip.set).length === 0 ? '' : shell(tip.set),
          }))
        : []
      if (given.json) {
        terminal.out(
          jsonText({
            environment,
            flags,
            ...(given.lint ? { findings } : {}),
            ...(given.tips ? { tips } : {}),
          }),
        )
      } else {
        const width = { width: terminal.width }
        if (given.lint) {
          printWrapped(
            terminal,
            findings.length === 0
              ? 'Nothing is wrong with them.\n'
              : `${textTable(findingColumns, rows(findings), width)}\n`,
          )
        } else if (given.explain) {
          printWrapped(terminal, `${textTable(flagColumns, rows(flags), width)}\n`)
        } else if (asked !== undefined) {
          terminal.out(`${shell(environment)}\n`)
        }
        if (given.tips) printWrapped(terminal, `${textTable(tipColumns, rows(tips), width)}\n`)
      }
      const sections = [
        { id: 'flags', title: 'Flags', html: htmlTable(flagColumns, rows(flags)) },
        {
          id: 'findings',
          title: 'What is wrong with those set',
          html: htmlTable(findingColumns, rows(findings)),
        },
        { id: 'tips', title: 'When something is wrong', html: htmlTable(tipColumns, rows(tips)) },
      ]
      report?.write(
        htmlPage({
          title: asked === undefined ? 'Flags' : `Flags for TPU ${asked}`,
          lead: 'Set them before jax is imported: both variables are read once. Names that libtpu does not know end the process.',
          sections: sections.filter(
            (_, i) => [asked !== undefined && !given.lint, given.lint, given.tips][i],
          ),
        }),
      )
    })

const readGeneration = (text: string): ChipName => mistakesAsBadInput('chip', () => chip(text).name)

function assignments(hardware: ChipName, given: Given): FlagAssignments {
  return mistakesAsBadInput('xlaFlags', () =>
    xlaFlags({
      hardware,
      level: readName('level', given.level, flagLevels),
      mixtureOfExperts: given.experts ?? false,
      reductions: given.wideSums ? 'float32' : 'default',
      ...(given.dump === undefined ? {} : { dumpTo: given.dump }),
      ...(given.keep ? { set: process.env, allowUnlisted: true } : {}),
    }),
  )
}

/** Variables as a shell exports them. */
function shell(environment: Environment | FlagAssignments): string {
  const variables = Object.entries(environment)
  if (variables.length === 0) return '# nothing to set'
  return variables
    .map(([name, value]) => `export ${name}='${String(value).replace(/'/g, "'\\''")}'`)
    .join('\n')
}

const rows = <T extends object>(list: readonly T[]): Record<string, string>[] =>
  list.map((one) => ({ ...one }) as Record<string, string>)

const flagColumns = [
  { key: 'variable' },
  { key: 'name' },
  { key: 'value' },
  { key: 'text', header: 'what it does', prose: true },
]
const findingColumns = [
  { key: 'variable' },
  { key: 'text', header: 'set' },
  { key: 'effect' },
  { key: 'message', header: 'why', prose: true },
  { key: 'instead' },
]
const tipColumns = [
  { key: 'symptom', prose: true },
  { key: 'set', prose: true },
  { key: 'why', prose: true },
]
