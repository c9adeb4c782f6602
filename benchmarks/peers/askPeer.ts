import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { askPython, type PythonAnswer } from '#cli'

/** Asks a Python program of this folder, `<name>.py`, with the Python named in TPU_TOOLKIT_PYTHON (or python3). */
export function askPeer<T>(name: string, ...args: string[]): PythonAnswer<T> {
  // Beside this file, or, where it runs compiled in build/benchmarks/peers, beside its source.
  const beside = fileURLToPath(new URL(`${name}.py`, import.meta.url))
  const source = fileURLToPath(new URL(`../../../benchmarks/peers/${name}.py`, import.meta.url))
  return askPython<T>([existsSync(beside) ? beside : source, ...args])
}

/** What to do where there is no peer, with what Python says. */
export function noPeer(libraries: string, why: string): string {
  return `no peers: name a Python with ${libraries} in TPU_TOOLKIT_PYTHON [${why}]`
}
