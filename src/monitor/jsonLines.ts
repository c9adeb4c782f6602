import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeFully } from '../files/index.js'
import { checkPath } from '../options/index.js'
import type { Sample, Sink } from './sink.js'

/**
 * A sink that writes a line of JSON for each sample: { "step", "time", "values", "nonFinite" }. NaN and infinities, which JSON lacks,
 * are the strings "NaN", "Infinity" and "-Infinity". Lines are appended, whole; those of a tenth of a second together, also when the
 * process ends, unless it is killed.
 *
 * Throws    what the file system throws, at the first sample.
 *
 * @example typeof jsonLines('run.jsonl').write // function
 */
export function jsonLines(path: string | URL): Sink {
  checkPath('jsonLines', path)
  let handle: number | undefined
  let waiting = ''
  let written = -Infinity
  const open = (): number => {
    mkdirSync(dirname(path instanceof URL ? fileURLToPath(path) : path), { recursive: true })
    process.on('exit', flush)
    return openSync(path, 'a')
  }
  const flush = (): void => {
    if (handle === undefined || waiting === '') return
    const text = waiting
    waiting = ''
    writeFully(handle, Buffer.from(text))
    written = performance.now()
  }
  return {
    write(sample) {
      handle ??= open()
      waiting += `${lineOf(sample)}\n`
      if (performance.now() - written > 100) flush()
    },
    close() {
      flush()
      process.off('exit', flush)
      if (handle !== undefined) closeSync(handle)
      handle = undefined
    },
  }
}

/** A replacer is asked for every value: only where there is something to replace. */
function lineOf(sample: Sample): string {
  for (const name in sample.values) {
    if (Number.isFinite(sample.values[name])) continue
    return JSON.stringify(sample, (_, value: unknown) =>
      typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
    )
  }
  return JSON.stringify(sample)
}
