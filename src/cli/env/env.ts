import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { arena } from '../../numbers/simd/index.js'
import { textTable } from '../../report/index.js'
import { packageVersion } from '../../training/files/index.js'
import { askPython } from '../io/askPython.js'
import { jsonText } from '../io/jsonText.js'
import { printWrapped } from '../io/printWrapped.js'
import type { Subcommand } from '../io/subcommand.js'

/** One part of the surroundings that something here makes use of. */
interface Part {
  readonly part: string
  /** A version, `yes`, or null where it is not there. */
  readonly found: string | null
  readonly serves: string
}

/** `env`: which optional parts are there. */
export const envCommand: Subcommand = (terminal) =>
  new Command('env')
    .description(
      'Lists the available optional parts: WebAssembly SIMD, threads, TensorFlow.js, Python peers.',
    )
    .option('--json', 'print one JSON object instead of the table')
    .addHelpText('after', '\nExample:\n  TPU_TOOLKIT_PYTHON=.venv/bin/python tpu-toolkit env')
    .action((given: { readonly json?: boolean }) => {
      const parts = [...machine(), ...packages(), ...python()]
      if (given.json) {
        terminal.out(jsonText({ parts }))
      } else {
        const columns = [{ key: 'part' }, { key: 'found' }, { key: 'serves' }]
        printWrapped(terminal, `${textTable(columns, rows(parts), { width: terminal.width })}\n`, {
          yellow: ['not found'],
        })
      }
    })

function rows(parts: readonly Part[]): Record<string, string>[] {
  return parts.map(({ part, found, serves }) => ({ part, found: found ?? 'not found', serves }))
}

function machine(): Part[] {
  const threads = availableParallelism()
  return [
    { part: 'tpu-toolkit', found: packageVersion(), serves: 'this package' },
    { part: 'node', found: process.versions.node, serves: '20.19 or newer' },
    {
      part: 'WebAssembly SIMD',
      found: arena('simd') ? 'yes' : null,
      serves: 'long arrays; without it plain JavaScript',
    },
    { part: 'worker threads', found: `${threads} at once`, serves: 'sweep, pipeline, replay' },
  ]
}

function packages(): Part[] {
  const require = createRequire(import.meta.url)
  // setup:tfjs-node puts it beside node_modules.
  const paths = [process.cwd(), join(process.cwd(), '.tfjs-node'), fileURLToPath(import.meta.url)]
  const version = (name: string): string | null => {
    try {
      return (require(require.resolve(`${name}/package.json`, { paths })) as { version: string }).version
    } catch {
      return null
    }
  }
  return [
    { part: '@tensorflow/tfjs', found: version('@tensorflow/tfjs'), serves: 'tpu-toolkit/tfjs' },
    {
      part: '@tensorflow/tfjs-node',
      found: version('@tensorflow/tfjs-node'),
      serves: 'tpu-toolkit/tfjs, natively',
    },
  ]
}

const peers = ['numpy', 'ml_dtypes', 'jax', 'optax', 'torch', 'safetensors']

/** Versions of the packages that benchmarks compare with, in one run of Python. */
function python(): Part[] {
  const name = process.env['TPU_TOOLKIT_PYTHON'] ?? 'python3'
  const program = `
import importlib.metadata as m, json, sys
def version(name):
    try: return m.version(name)
    except m.PackageNotFoundError: return None
print(json.dumps([sys.version.split()[0]] + [version(n) for n in ${JSON.stringify(peers)}]))`
  const answer = askPython<(string | null)[]>(['-c', program], { timeout: 30_000 })
  const found = 'value' in answer ? answer.value : []
  return ['python', ...peers].map((part, i) => ({
    part: i === 0 ? `Python (${name})` : `  ${part}`,
    found: found[i] ?? null,
    serves: i === 0 ? 'benchmarks beside other libraries; TPU_TOOLKIT_PYTHON names another' : 'a peer',
  }))
}
