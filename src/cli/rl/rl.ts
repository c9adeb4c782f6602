import { Command } from 'commander'
import { BadInput } from '../io/badInput.js'
import { jsonText } from '../io/jsonText.js'
import { openReport } from '../io/openReport.js'
import { printWrapped } from '../io/printWrapped.js'
import type { Subcommand } from '../io/subcommand.js'
import type { Terminal } from '../io/terminal.js'
import { rlPage } from './rlPage.js'
import { type GivenRl, precisions, type RlRequest, readRl } from './rlRequest.js'
import { requestIn, rlRun } from './rlRun.js'
import { rlTask } from './rlTask.js'
import { rlText, saysNothingOfProfit, statisticsOf } from './rlText.js'

const actions = ['train', 'evaluate', 'resume']

/**
 * `rl`: trains agents by PPO, seed by seed, and holds them against baselines. Exit status 0; 1 when the report cannot be
 * written; 2 for options or a folder that cannot be taken.
 */
export const rlCommand: Subcommand = (terminal) =>
  new Command('rl')
    .description(
      `Trains agents by PPO and compares them with baselines: a cellular automaton that trades the S&P 500, or CartPole. ${saysNothingOfProfit} The state is saved after every update: a killed run resumes and ends with the same bytes.`,
    )
    .argument(
      '[action]',
      `${actions.join(', ')}: start or resume training; evaluate the saved agents again; resume only`,
      'train',
    )
    .option('--task <name>', 'trading, cartpole (default: trading)')
    .option('--seeds <n>', 'number of seeds (default: 10 for trading, 1 for cartpole)')
    .option(
      '--steps <n>',
      'steps of all environments together, for each seed (default: 4096 for trading, 100000 for cartpole)',
    )
    .option('--precision <dtype>', `dtype of the network: ${precisions.join(', ')} (default: float32)`)
    .option('--fee <share>', 'share of the traded amount (default: 0.001)')
    .option('--json', 'print one JSON object instead of the table')
    .option('--out <folder>', 'folder of the states and the report', 'reports/rl')
    .addHelpText(
      'after',
      '\nExamples:\n  tpu-toolkit rl\n  tpu-toolkit rl train --precision bfloat16 --out reports/rl-bf16\n  tpu-toolkit rl train --task cartpole --out reports/cartpole\n  tpu-toolkit rl resume --out reports/rl',
    )
    .action(async (action: string, given: GivenRl) => {
      if (!actions.includes(action)) throw new BadInput(`there are ${actions.join(', ')} [${action}]`)
      if (action !== 'train') refuseOthers(action, given)
      const request = action === 'train' ? readRl(given) : requestIn(given.out)
      await run(request, given, action === 'evaluate', terminal)
    })

/** What a kept run was asked for is not asked again. */
function refuseOthers(action: string, { task, seeds, steps, precision, fee }: GivenRl): void {
  const said = Object.entries({ task, seeds, steps, precision, fee }).find(([, value]) => value !== undefined)
  if (said) {
    throw new BadInput(`rl ${action} reads its options from the folder, leave out --${said[0]} [${said[1]}]`)
  }
}

async function run(
  request: RlRequest,
  { json, out }: GivenRl,
  judge: boolean,
  terminal: Terminal,
): Promise<void> {
  const report = openReport({ out, ...(json && { json }), terminal })
  terminal.ifStopped?.(`the state is saved in ${out}: the same command, or rl resume, continues`)
  const rows = await rlRun(request, out, terminal, judge)
  const { beside, facts } = rlTask(request)
  const against = beside(rows.map((row) => row.figures))
  if (json) {
    terminal.out(
      jsonText({
        note: saysNothingOfProfit,
        request,
        facts,
        rows,
        statistics: statisticsOf(rows),
        beside: against,
      }),
    )
  } else {
    printWrapped(terminal, rlText(rows, against, terminal.width))
  }
  report.write({ 'index.html': rlPage(request, rows, against, facts) })
}
