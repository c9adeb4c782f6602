import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { latest } from 'tpu-toolkit/checkpoint'
import { writeSafetensors } from 'tpu-toolkit/files'
import { drawPicture, type GrowthOptions, type GrowthPoint, growth, SamplePool } from 'tpu-toolkit/nca'
import { key } from 'tpu-toolkit/random'
import { textTable } from 'tpu-toolkit/report'
import { cast } from 'tpu-toolkit/tensor'
import { train } from 'tpu-toolkit/train'
import { processTerminal, readCount, readInteger, runCommand, type Subcommand } from '#cli'
import { arithmetics, moments, outcomeOf } from './arithmetics.js'
import { pageOf } from './page.js'
import { standsStill } from './standStill.js'

interface Options {
  readonly steps: string
  readonly seed: string
  readonly out: string
  readonly json?: true
}

const about = `Trains a neural cellular automaton to grow a flower of 24 x 24 cells from one cell and to heal it, then runs it with
weights of bfloat16 in several arithmetics: the loss as it grows, damaged and healed, and the share of updates that rounding takes.
Writes a page with pictures, and the weights. A training that was stopped goes on in the same folder.`

/** Smaller than what was published: 12 channels, 64 features, batches of 4, 32 to 48 steps. */
const options: GrowthOptions = {
  target: drawPicture('flower'),
  ...{ channels: 12, hidden: 64, batch: 4, poolSize: 256, steps: [32, 40, 48], damaged: 2, slowerFrom: 2000 },
}

/** The means of the last 50 losses, step by step, and those losses. */
interface Curve {
  readonly recent: readonly number[]
  readonly losses: readonly number[]
}

function withLoss({ recent, losses }: Curve, loss: number): Curve {
  const last = [...recent, loss].slice(-50)
  return { recent: last, losses: [...losses, last.reduce((sum, each) => sum + each, 0) / last.length] }
}

/** A point as a checkpoint takes it: the pool as the tensor that it holds. */
function kept({ pool, ...rest }: GrowthPoint) {
  return { ...rest, pool: pool.states }
}

const command: Subcommand = (terminal, report) =>
  new Command('bench:nca')
    .description(about)
    .option('--steps <n>', 'training steps', '2500')
    .option('--seed <n>', 'seed of the training', '1')
    .option('--out <folder>', 'where the page and the weights go', 'reports/nca')
    .option(
      '--json',
      'print { "steps", "loss", "seconds", "arithmetics": [{ "name", "lost", "losses" }], "stands" }',
    )
    .action(async (given: Options) => {
      const steps = readCount('steps', given.steps, 1)
      const seed = readInteger('seed', given.seed, 0, 2 ** 31)
      mkdirSync(given.out, { recursive: true })
      const { start, step } = growth(options)
      const from = process.cpuUsage()
      const seconds = (): number => {
        const { user, system } = process.cpuUsage(from)
        return (user + system) / 1e6
      }
      const { point, ended } = await train({
        init: () => ({ ...kept(start(key(seed))), curve: { recent: [], losses: [] } as Curve }),
        step: ({ pool, curve, ...rest }) => {
          const [next, { loss }] = step({ ...rest, pool: new SamplePool(pool) })
          return { ...kept(next), curve: withLoss(curve, loss), loss }
        },
        ...{ data: () => null, plain: ['curve'], steps },
        checkpoint: {
          ...{ folder: join(given.out, 'checkpoints'), every: 100, keep: [latest(1)] },
          settings: { seed, ...options, target: 'flower' },
        },
        callbacks: [
          {
            onStep: (record) => {
              if (given.json || (record.step % 100 > 0 && record.step < steps)) return
              const mean = record.point.curve.losses.at(-1)!.toFixed(5)
              terminal.out(
                `step ${String(record.step).padStart(5)}   loss ${mean}   ${seconds().toFixed(0)} s of a processor\n`,
              )
            },
          },
        ],
      })
      if (ended === 'signal') {
        terminal.error('bench:nca: stopped; the same command goes on\n')
        report(130)
        return
      }
      const { losses } = point.curve
      const trained = seconds()
      const { w1, b1, w2, b2 } = point.params
      const params = {
        w1: cast(w1, 'bfloat16'),
        b1: cast(b1, 'bfloat16'),
        w2: cast(w2, 'bfloat16'),
        b2: cast(b2, 'bfloat16'),
      }
      const outcomes = arithmetics.map((arithmetic) => outcomeOf(arithmetic, params, options.target))
      const stands = [0.01, 0.003, 0.001, 0.0003].map(standsStill)
      const facts = {
        cells: '24 x 24',
        channels: '12',
        'training steps': steps.toLocaleString('en'),
        'processor time': `${trained.toFixed(0)} s`,
        seed: String(seed),
      }
      writeFileSync(
        join(given.out, 'index.html'),
        pageOf({ target: options.target, facts, losses, outcomes, stands }),
      )
      writeSafetensors(join(given.out, 'flower.safetensors'), params)
      if (given.json) {
        const rows = outcomes.map(({ arithmetic, lost, losses: each }) => {
          return {
            name: arithmetic.name,
            lost,
            losses: Object.fromEntries(each.map((l, i) => [moments[i]!, l])),
          }
        })
        const result = { steps, loss: losses.at(-1), seconds: trained, arithmetics: rows, stands }
        terminal.out(`${JSON.stringify(result, null, 2)}\n`)
        return
      }
      terminal.out(
        `${textTable(
          [
            { key: 'name', header: 'arithmetic' },
            { key: 'lost', header: 'lost' },
            ...moments.map((name, i) => ({ key: `loss${i}`, header: name })),
          ],
          outcomes.map(({ arithmetic, lost, losses: each }) => ({
            name: arithmetic.name,
            lost: `${(100 * lost).toFixed(1)} %`,
            ...Object.fromEntries(each.map((loss, i) => [`loss${i}`, loss.toFixed(4)])),
          })),
        )}\n${textTable(
          ['scale', 'state', 'lost', 'bfloat16', 'float32', 'random'].map((name) => ({ key: name })),
          stands.map((stand) => ({ ...stand })),
        )}\n${join(given.out, 'index.html')}\n`,
      )
    })

process.exitCode = await runCommand(command, process.argv.slice(2), processTerminal())
