import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Step2750Data } from 'tpu-toolkit/step2750'

// Beside this folder, or, where it runs compiled in build/benchmarks/step2750, beside its source.
const beside = fileURLToPath(new URL('../peers/step2750.py', import.meta.url))
const script = existsSync(beside)
  ? beside
  : fileURLToPath(new URL('../../../benchmarks/peers/step2750.py', import.meta.url))
const oneThread = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1' }

/** What the NumPy program prints. */
export interface PeerRun {
  readonly firstNonFiniteStep: number | null
  readonly steps: number
  readonly seconds: number
  readonly lossBits: readonly string[]
}

/** The naive run on these data by the Python of TPU_TOOLKIT_PYTHON (or python3), or why there is none. */
export function numpyStep2750(
  { x, y, length }: Step2750Data,
  lr: number,
): PeerRun | { readonly why: string } {
  const python = process.env['TPU_TOOLKIT_PYTHON'] ?? 'python3'
  const folder = mkdtempSync(join(tmpdir(), 'step2750-'))
  try {
    const codes = join(folder, 'codes.bin')
    writeFileSync(codes, Buffer.concat([x, y].map((array) => Buffer.from(array.buffer))))
    const run = spawnSync(python, [script, codes, '--length', String(length), '--lr', String(lr)], {
      encoding: 'utf8',
      env: { ...process.env, ...oneThread },
    })
    if (run.status !== 0)
      return { why: `${python}: ${run.error?.message ?? run.stderr.trim().split('\n').at(-1) ?? ''}` }
    return JSON.parse(run.stdout) as PeerRun
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
