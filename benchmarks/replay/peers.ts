import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Beside this file, or, where it runs compiled in build/benchmarks/replay, beside its source.
const beside = fileURLToPath(new URL('peers.py', import.meta.url))
const script = existsSync(beside)
  ? beside
  : fileURLToPath(new URL('../../../benchmarks/replay/peers.py', import.meta.url))

/** Microseconds of a call, and which of our measurements it is beside. */
export interface PeerTime {
  readonly name: string
  readonly of: string
  readonly min: number
  readonly median: number
}

/** Times of NumPy and cpprb, as far as the Python named in TPU_TOOLKIT_PYTHON (or python3) has them. */
export function peerTimes(): PeerTime[] {
  const python = process.env['TPU_TOOLKIT_PYTHON'] ?? 'python3'
  const env = { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1' }
  const run = spawnSync(python, [script], { encoding: 'utf8', env })
  if (run.status === 0) return JSON.parse(run.stdout) as PeerTime[]
  console.log(`no peers: name a Python with numpy, and cpprb, in TPU_TOOLKIT_PYTHON [${python}]`)
  return []
}
