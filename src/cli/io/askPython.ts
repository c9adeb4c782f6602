import { spawnSync } from 'node:child_process'
import { checkArray, checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'

/** What a Python program answered, or why it did not. */
export type PythonAnswer<T> = { readonly value: T } | { readonly why: string }

/** One thread, as what it is measured beside. */
const oneThread = {
  OMP_NUM_THREADS: '1',
  OPENBLAS_NUM_THREADS: '1',
  MKL_NUM_THREADS: '1',
  XLA_FLAGS: '--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1',
}

/** How long Python may take. */
export interface PythonOptions {
  /** Milliseconds. Default: as long as it wants. */
  readonly timeout?: number
}

const names: OptionTable<PythonOptions> = { timeout: 'optional' }

/**
 * Runs the Python named in TPU_TOOLKIT_PYTHON, or python3, with these arguments and reads the JSON that it prints. Libraries
 * that would use more than one thread are set to one.
 */
export function askPython<T>(args: readonly string[], options: PythonOptions = noOptions): PythonAnswer<T> {
  checkArray('askPython', 'args', args)
  checkOptions('askPython', options, names)
  const { timeout } = options
  const python = process.env['TPU_TOOLKIT_PYTHON'] ?? 'python3'
  const { status, stdout, stderr, error } = spawnSync(python, args, {
    encoding: 'utf8',
    env: { ...process.env, ...oneThread },
    maxBuffer: 2 ** 28,
    ...(timeout === undefined ? {} : { timeout }),
  })
  if (status === 0 && stdout.trim() !== '') return { value: JSON.parse(stdout) as T }
  if (status === 0) return { why: `${python}: printed nothing` }
  const why = error?.message ?? stderr.trim().split('\n').at(-1) ?? ''
  return { why: `${python}: ${why}` }
}
