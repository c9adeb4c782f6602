import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { summarise, type Timing } from './measure.js'

// Beside this file, or, where it runs compiled in build/benchmarks/speed, beside its source.
const beside = fileURLToPath(new URL('peers.py', import.meta.url))
const script = existsSync(beside)
  ? beside
  : fileURLToPath(new URL('../../../benchmarks/speed/peers.py', import.meta.url))
const oneThread = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1' }

/** Why there are no peers to compare with. */
export class PeersError extends Error {}

function ask<T>(question: string): T {
  const python = process.env['TPU_TOOLKIT_PYTHON'] ?? 'python3'
  const run = spawnSync(python, [script, question], {
    encoding: 'utf8',
    env: { ...process.env, ...oneThread },
  })
  if (run.status !== 0) {
    const reason = run.error?.message ?? run.stderr.trim().split('\n').at(-1) ?? ''
    const advice = '--peers needs a Python with numpy and ml_dtypes, name it in TPU_TOOLKIT_PYTHON'
    throw new PeersError(`bench:speed: ${advice} [${python}: ${reason}]`)
  }
  return JSON.parse(run.stdout) as T
}

/** The versions that answer; throws PeersError where they are missing. */
export const peerVersions = (): string => ask<string>('versions')

/** NumPy + ml_dtypes' times for an operation. */
export const peerTiming = (op: string, n: number): Timing => ({ op, n, ...summarise(ask<number[]>(op)) })
