import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { processTerminal, readCount, runCommand, type Subcommand } from 'tpu-toolkit/io'
import { htmlPage, htmlTable, textTable } from 'tpu-toolkit/report'
import { type Line, type SeedResult, tableOf, trainedSeed } from './experiment.js'

interface Options {
  readonly seeds: string
  readonly steps: string
  readonly out: string
  readonly json?: true
}

const statement =
  'This shows numerics: that a run repeats to the byte, goes on to the byte, and what it is to be held against. It states no profit, and none follows from it.'

const about = `Trains automata along 60 days of 20 features as policies that sell, hold or buy, by PPO in bfloat16 on real prices (S&P 500,
2000 to 2020): batches of 2,048 decisions, gradients added up in eight parts. Each seed is played on what it was trained on and on what
it was not, beside baselines. Stopped at any moment, the same call goes on to the same bytes. ${statement}`

const columns = [
  { key: 'part' },
  { key: 'policy' },
  { key: 'equity', header: '1 became' },
  { key: 'low', header: '10 %' },
  { key: 'high', header: '90 %' },
  { key: 'drawdown' },
  { key: 'turnover' },
]

const command: Subcommand = (terminal) =>
  new Command('bench:trading')
    .description(about)
    .option('--seeds <n>', 'seeds, from 1 on', '10')
    .option('--steps <n>', 'decisions in training, of each seed', '8192')
    .option('--out <folder>', 'where runs are kept, and the table and page', 'reports/trading')
    .option('--json', 'print { "seeds": [{ "seed", "hash", "outcomes" }], "table" }')
    .action(({ seeds, steps, out, json }: Options) => {
      mkdirSync(out, { recursive: true })
      const count = readCount('seeds', seeds, 1)
      const length = readCount('steps', steps, 1)
      const results: SeedResult[] = []
      for (let seed = 1; seed <= count; seed++) {
        const result = trainedSeed(seed, length, out, (_, update, updates) => {
          if (!json) terminal.error(`seed ${seed}, update ${update} of ${updates}\n`)
        })
        results.push(result)
        if (!json) terminal.out(`seed ${String(seed).padStart(2)}   ${result.hash}\n`)
      }
      const table = tableOf(results)
      const text = `${JSON.stringify({ seeds: results, table }, null, 2)}\n`
      writeFileSync(join(out, 'results.json'), text)
      writeFileSync(join(out, 'index.html'), pageOf(results, table))
      terminal.out(
        json
          ? text
          : `${textTable(
              columns,
              table.map((line) => ({ ...line })),
            )}\n${statement}\n`,
      )
    })

function pageOf(results: readonly SeedResult[], table: readonly Line[]): string {
  return htmlPage({
    title: 'Automata that trade, as numerics',
    lead: statement,
    sections: [
      {
        id: 'table',
        title: 'Beside baselines',
        paragraphs: [
          'What 1 became after fees of 0.1 %: of the automata the middle seed, a tenth from the bottom and from the top; of random policies that trade as often the same. A result near what knows tomorrow would be a leak.',
        ],
        html: htmlTable(
          columns,
          table.map((line) => ({ ...line })),
        ),
      },
      {
        id: 'bits',
        title: 'The bits of each run',
        paragraphs: ['The sha256 of all parameters: the same key, settings and prices give the same.'],
        html: htmlTable(
          [{ key: 'seed' }, { key: 'hash' }],
          results.map(({ seed, hash }) => ({ seed, hash })),
        ),
      },
    ],
  })
}

process.exitCode = await runCommand(command, process.argv.slice(2), processTerminal())
