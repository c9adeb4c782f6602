import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { BadInput, processTerminal, runCommand, type Subcommand } from '#cli'
import { askPeer, noPeer } from '../peers/askPeer.js'
import { precisions, type Run, trained } from './decoder.js'
import { layerTable } from './layers.js'

interface Options {
  readonly steps: string
  readonly peers: boolean
  readonly json?: true
  readonly layers?: true
}

interface Peer {
  readonly float64: readonly number[]
  readonly float32: readonly number[]
  readonly milliseconds: number
  readonly squares: readonly number[]
}

const about = `Trains a decoder (2 layers, d 128, T 128, batch 8) on the pages of docs, in one precision after the other: the loss of
every tenth step, the least time of a step. Beside it jax.jit in float64 and float32, one thread, from the same weights and
windows (TPU_TOOLKIT_PYTHON: a Python with jax and optax), and how far the last weights in float64 are from its.`

const command: Subcommand = (terminal) =>
  new Command('bench:gpt')
    .description(about)
    .option('--steps <n>', 'training steps', '40')
    .option('--no-peers', 'without jax')
    .option(
      '--layers',
      'instead: what the precision doctor lets each layer of a trained decoder be rounded to',
    )
    .option('--json', 'print { "runs": [{ "name", "losses", "milliseconds", "squares" }], "peer" }')
    .action(({ steps: given, peers, json, layers }: Options) => {
      const steps = Number(given)
      if (!Number.isInteger(steps) || steps < 1) {
        throw new BadInput(`--steps is no whole number from 1 [${given}]`)
      }
      const text = textOfPages()
      if (layers) {
        terminal.out(layerTable(text, steps))
        return
      }
      const peer = peers ? askJax(text, steps) : undefined
      const runs: (Run & { readonly name: string })[] = []
      for (const precision of precisions) {
        const { params: _, ...run } = { name: precision.name, ...trained(precision, text, steps) }
        runs.push(run)
        if (!json) terminal.out(lineOf(run.name, run.losses, run.milliseconds))
      }
      const answer = peer && 'value' in peer ? peer.value : undefined
      if (json) {
        terminal.out(`${JSON.stringify({ runs, peer: answer ?? null }, null, 2)}\n`)
      } else if (answer) {
        terminal.out(lineOf('jax.jit, float32', answer.float32, answer.milliseconds))
        terminal.out(lineOf('jax.jit, float64', answer.float64))
        const [exact] = runs
        const off = Math.max(
          ...exact!.losses.map((loss, i) => Math.abs(loss - answer.float64[i]!)),
          ...exact!.squares.map((square, i) => Math.abs(square / answer.squares[i]! - 1)),
        )
        terminal.out(`Losses and weights in float64 are within ${off.toPrecision(2)} of jax's.\n`)
      } else if (peer && 'why' in peer) {
        terminal.out(`${noPeer('jax and optax', peer.why)}\n`)
      }
    })

/** The pages of this repository, one after the other. */
function textOfPages(): Uint8Array {
  const folder = new URL('../../../docs/', import.meta.url)
  const pages = readdirSync(folder).filter((name) => name.endsWith('.md'))
  return Buffer.concat(pages.sort().map((name) => readFileSync(new URL(name, folder))))
}

function askJax(text: Uint8Array, steps: number): ReturnType<typeof askPeer<Peer>> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-gpt-'))
  try {
    const file = join(folder, 'text')
    writeFileSync(file, text)
    return askPeer<Peer>('gpt', file, String(steps))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function lineOf(name: string, losses: readonly number[], milliseconds?: number): string {
  const shown = losses.filter((_, i) => i % 10 === 0 || i === losses.length - 1)
  const curve = shown.map((loss) => loss.toFixed(4).padStart(8)).join('')
  return `${name.padEnd(26)}${curve}${milliseconds === undefined ? '' : `   ${milliseconds.toFixed(1)} ms a step`}\n`
}

process.exitCode = await runCommand(command, process.argv.slice(2), processTerminal())
