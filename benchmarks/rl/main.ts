import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { BadInput, jsonText, processTerminal, readCount, runCommand, type Subcommand } from '#cli'
import { learned, type Row } from './learn.js'
import { switches } from './switches.js'
import { tablePage, tableText } from './table.js'

interface Options {
  readonly full?: true
  readonly seeds?: string
  readonly steps?: string
  readonly only?: string
  readonly out: string
  readonly json?: true
}

const names = switches.map(({ name }) => name)

const command: Subcommand = (terminal) =>
  new Command('bench:rl')
    .description(
      'PPO on CartPole-v1 with one place after the other rounded to few bits, beside the runs of a JAX program. Runs that the folder holds are not run again: a bench that was killed goes on.',
    )
    .option('--full', 'every switch, 8 seeds, 100,000 steps: about 50 minutes of one core')
    .option('--seeds <n>', 'how many (default: 1)')
    .option('--steps <n>', 'of all environments (default: 20000)')
    .option('--only <names>', `of ${names.join(', ')} (default: f32,bf16-net,bf16-params)`)
    .option('--out <folder>', 'where rows.jsonl and index.html go', 'reports/rl-bench')
    .option('--json', 'print { "rows": [...] } instead of the table')
    .action((given: Options) => {
      const seeds = readCount('seeds', given.seeds ?? (given.full ? '8' : '1'), 1)
      const steps = readCount('steps', given.steps ?? (given.full ? '100000' : '20000'), 256)
      const chosen = given.only?.split(',') ?? (given.full ? names : ['f32', 'bf16-net', 'bf16-params'])
      const unknown = chosen.find((name) => !names.includes(name))
      if (unknown !== undefined) throw new BadInput(`--only: there are ${names.join(', ')} [${unknown}]`)
      mkdirSync(given.out, { recursive: true })
      const path = join(given.out, 'rows.jsonl')
      const held = existsSync(path) ? rowsIn(path) : []
      // Without a last line that was cut off, or the next would be written behind it.
      writeFileSync(path, held.map((row) => `${JSON.stringify(row)}\n`).join(''))
      const rows: Row[] = []
      const all = switches.filter(({ name }) => chosen.includes(name))
      const runs = all.flatMap((each) => Array.from({ length: seeds }, (_, seed) => ({ each, seed })))
      for (const [i, { each, seed }] of runs.entries()) {
        const known = held.find((row) => row.name === each.name && row.seed === seed && row.steps === steps)
        const row =
          known ??
          learned(each, seed, steps, (done, of) =>
            terminal.progress?.(i * of + done, runs.length * of, `${each.name}, seed ${seed}`),
          )
        if (!known) appendFileSync(path, `${JSON.stringify(row)}\n`)
        rows.push(row)
      }
      terminal.out(given.json ? jsonText({ rows }) : tableText(rows, terminal.width))
      writeFileSync(join(given.out, 'index.html'), tablePage(rows, steps))
    })

/** The rows of a file; a last one that was cut off is not one. */
function rowsIn(path: string): Row[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row)
}

process.exitCode = await runCommand(command, process.argv.slice(2), processTerminal())
