import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { QueueFailed, type QueueRunner, queueRunner } from '../../adapters/queue/index.js'
import {
  type RecipeResults,
  type RecipeRun,
  recipeNames,
  recipe as recipeOf,
  resultsOf,
} from '../../experiments/recipes/index.js'
import { runSweep, TrialFailed } from '../../experiments/sweep/index.js'
import { BadInput } from '../io/badInput.js'
import { CannotWrite, openReport } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import type { Subcommand } from '../io/subcommand.js'
import type { Terminal } from '../io/terminal.js'
import { recipeCsv, recipeJson } from './recipeJson.js'
import { recipePage } from './recipePage.js'
import { type GivenRecipe, type RecipeRequest, readRecipe } from './recipeRequest.js'
import { recipeList, recipeMarkdown, recipeText } from './recipeText.js'

/**
 * `recipe`: a published recipe of low-precision training with and without each of its ingredients. Exit status 0; 1 when a run fails or the
 * results cannot be written; 2 for options or a file of results that cannot be taken.
 */
export const recipeCommand: Subcommand = (terminal, exit) =>
  new Command('recipe')
    .description(
      'Reproduces a published recipe of low-precision training at a small size: trains with and without each ingredient over several seeds, in worker threads, and says whether the order that the source reports is seen. Without a name it lists the recipes. Finished runs are kept: a killed command resumes with the same options.',
    )
    .argument('[name]', recipeNames.join(', '))
    .option('--quick', 'a smaller size, under a minute')
    .option('--width <features>', 'features of the model, a multiple of 32; default: 64')
    .option('--layers <n>', 'blocks of the model; default: 2')
    .option('--steps <n>', 'training steps; default: depends on the recipe')
    .option('--seeds <n>', 'runs of each arm; default: 3')
    .option('--workers <n>', 'worker threads', String(availableParallelism()))
    .option('--json', 'print one JSON object instead of the tables')
    .option('--markdown', 'print the tables as Markdown')
    .option(
      '--out <folder>',
      'folder of rows.jsonl, index.html, recipe.json and recipe.csv; default: reports/recipe-<name>',
    )
    .optionsGroup('Many machines:')
    .option(
      '--queue <address>',
      'postgres://user@host:5432/name, from which `tpu-toolkit worker` takes the runs',
    )
    .option('--queue-name <name>', 'name under which rows are stored; default: recipe, the version')
    .option('--retry-failed', 'retry runs that were set aside after three failures')
    .option('--patience <seconds>', 'give up after this time without a connection; default: 600')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit recipe\n  tpu-toolkit recipe nvfp4 --quick\n  tpu-toolkit recipe deepseek-fp8 --width 128 --steps 2000 --seeds 5',
    )
    .action(async (name: string | undefined, given: GivenRecipe) => {
      if (name === undefined) printWrapped(terminal, `${recipeList(terminal.width)}\n`)
      else exit(await run(readRecipe(name, given), terminal))
    })

async function run(request: RecipeRequest, terminal: Terminal): Promise<number> {
  const { name, sizes, out, json, markdown } = request
  const report = openReport({ out, json: json || markdown, terminal })
  const path = join(out, 'rows.jsonl')
  terminal.ifStopped?.(`finished runs are in ${path}: the same command resumes`)
  let results: RecipeResults
  try {
    results = resultsOf(recipeOf(name), sizes, await runs(request, path, terminal))
  } catch (thrown) {
    if (thrown instanceof TrialFailed || thrown instanceof QueueFailed) {
      terminal.error(
        `recipe: ${thrown.message.replace(/^queueRunner: /, '')}; finished runs are in ${path}: the same command resumes\n`,
      )
      return 1
    }
    if (thrown instanceof RangeError) throw new BadInput(thrown.message.replace(/^(sweep|queueRunner): /, ''))
    if (!(thrown instanceof Error && 'syscall' in thrown)) throw thrown
    throw new CannotWrite(`cannot write the results [${thrown.message.slice(0, 100)}]`)
  }
  if (json) terminal.out(recipeJson(results))
  else if (markdown) terminal.out(recipeMarkdown(results))
  else printWrapped(terminal, recipeText(results, terminal.width), { bold: [results.verdict] })
  report.write({
    'index.html': recipePage(results),
    'recipe.json': recipeJson(results),
    'recipe.csv': recipeCsv(results),
  })
  return 0
}

/** Runs what the file does not have yet. */
async function runs(request: RecipeRequest, path: string, terminal: Terminal): Promise<RecipeRun[]> {
  const { space, workers } = request
  const runner = await queued(request, terminal)
  try {
    const { rows } = await runSweep({
      ...{ experiment: 'recipe', space, path, workers },
      ...(runner ? { runner } : {}),
      onRow: (done, total) => terminal.progress?.(done, total, `${done} of ${total} runs`),
    })
    return rows.map(({ row }) => row as unknown as RecipeRun)
  } finally {
    await runner?.close()
    for (const why of runner?.failed.values() ?? []) {
      terminal.error(`set aside, it failed 3 times: ${why}\n`)
    }
  }
}

/** What puts the runs into a database, where one is named. */
async function queued({ queue }: RecipeRequest, terminal: Terminal): Promise<QueueRunner | undefined> {
  if (queue === undefined) return undefined
  const log = (text: string): void => terminal.error(`recipe: ${text}\n`)
  return queueRunner({ ...queue, experiment: 'recipe', log })
}
