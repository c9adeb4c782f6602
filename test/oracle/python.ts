import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readText, root } from '../support/project.js'

/** TPU_TOOLKIT_PYTHON, or the checkout's .venv, made with the pinned packages where it is missing. */
function findPython(): string {
  const named = process.env['TPU_TOOLKIT_PYTHON']
  if (named) return named
  const python = `${root}.venv/bin/python`
  if (!existsSync(python)) run('python3', ['-m', 'venv', `${root}.venv`])
  if (spawnSync(python, ['-c', 'import ml_dtypes, numpy']).status !== 0) {
    const pinned = readText('scripts/golden/requirements.txt')
      .split('\n')
      .filter((line) => /^(numpy|ml_dtypes)==/.test(line))
    run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...pinned])
  }
  return python
}

function run(command: string, args: readonly string[], input?: Uint8Array): Buffer {
  const done = spawnSync(command, args, { input: input ?? new Uint8Array(), maxBuffer: 2 ** 30 })
  if (done.status !== 0) {
    const reason = done.error?.message ?? done.stderr.toString().trim().split('\n').at(-1)
    throw new Error(
      `test:oracle: no answer; TPU_TOOLKIT_PYTHON names a Python with ml_dtypes [${command}: ${reason}]`,
    )
  }
  return done.stdout
}

const python = findPython()
const script = `${root}test/oracle/answers.py`

/** What answers.py says to a question about a format, as bytes of their own. */
export function ask(question: string, format: string, ...operands: ArrayBufferView[]): ArrayBuffer {
  const bytes = Buffer.concat(
    operands.map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength)),
  )
  return new Uint8Array(run(python, [script, question, format], bytes)).buffer
}

/** What answers. */
export const versions: string = JSON.parse(run(python, [script, 'versions']).toString())
