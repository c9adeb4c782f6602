import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Beside this file, or, where it runs compiled in build/benchmarks/optimizer, beside its source.
const beside = fileURLToPath(new URL('peers.py', import.meta.url))
const script = existsSync(beside)
  ? beside
  : fileURLToPath(new URL('../../../benchmarks/optimizer/peers.py', import.meta.url))
const oneThread = {
  OMP_NUM_THREADS: '1',
  OPENBLAS_NUM_THREADS: '1',
  MKL_NUM_THREADS: '1',
  XLA_FLAGS: '--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1',
}

/** A line for each other library that the Python named in TPU_TOOLKIT_PYTHON (or python3) has. */
export function adamwPeers(n: number): string[] {
  const python = process.env['TPU_TOOLKIT_PYTHON'] ?? 'python3'
  const run = spawnSync(python, [script, String(n)], {
    encoding: 'utf8',
    env: { ...process.env, ...oneThread },
  })
  if (run.status !== 0)
    return [`no peers: name a Python with optax or torch in TPU_TOOLKIT_PYTHON [${python}]`]
  const found = JSON.parse(run.stdout) as { name: string; ns: number }[]
  return found.map(({ name, ns }) => `${name.padEnd(42)} ${ns.toFixed(2)}`)
}
