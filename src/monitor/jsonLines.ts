import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeFully } from '../files/index.js'
import { checkPath } from '../options/index.js'
import type { Sink } from './sink.js'

/**
 * A sink that writes a line of JSON for each sample: { "step", "time", "values", "nonFinite" }. NaN and infinities, which JSON lacks,
 * are the strings "NaN", "Infinity" and "-Infinity". Lines are appended, whole.
 *
 * Throws    what the file system throws, at the first sample.
 *
 * @example typeof jsonLines('run.jsonl').write // function
 */
export function jsonLines(path: string | URL): Sink {
  checkPath('jsonLines', path)
  let handle: number | undefined
  const open = (): number => {
    mkdirSync(dirname(path instanceof URL ? fileURLToPath(path) : path), { recursive: true })
    return openSync(path, 'a')
  }
  return {
    write(sample) {
      handle ??= open()
      const text = JSON.stringify(sample, (_, value: unknown) =>
        typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
      )
      writeFully(handle, Buffer.from(`${text}\n`))
    },
    close() {
      if (handle !== undefined) closeSync(handle)
      handle = undefined
    },
  }
}
