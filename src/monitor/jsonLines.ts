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
  let waiting: Sample[] = []
  let written = -Infinity
  const open = (): number => {
    mkdirSync(dirname(path instanceof URL ? fileURLToPath(path) : path), { recursive: true })
    process.on('exit', flush)
    return openSync(path, 'a')
  }
  const flush = (): void => {
    if (handle === undefined || waiting.length === 0) return
    const samples = waiting
    waiting = []
    // All of them at once: a line by itself, between two steps, takes twice as long.
    writeFully(handle, Buffer.from(linesOf(samples)))
  }
  return {
    write(sample) {
      handle ??= open()
      waiting.push(sample)
      // By the samples' own time, which is known already; a clock that stands still holds nothing up for long.
      if (Math.abs(sample.time - written) <= 0.1 && waiting.length < most) return
      flush()
      written = sample.time
    },
    close() {
      flush()
      process.off('exit', flush)
      if (handle !== undefined) closeSync(handle)
      handle = undefined
    },
  }
}

/** Samples that wait at most. */
const most = 5000

/** What `JSON.stringify` makes of each, but that names, which are the same from line to line, are made into text once. */
function linesOf(samples: readonly Sample[]): string {
  const names: string[] = []
  const keys: string[] = []
  let text = ''
  for (const { step, time, values, nonFinite } of samples) {
    text += `{"step":${step},"time":${numberText(time)},"values":{`
    let i = 0
    for (const name in values) {
      if (names[i] !== name) {
        names[i] = name
        keys[i] = `${i === 0 ? '' : ','}${JSON.stringify(name)}:`
      }
      text += keys[i++]! + numberText(values[name]!)
    }
    text += `},"nonFinite":${JSON.stringify(nonFinite)}}\n`
  }
  return text
}

/** A number as JSON has it, or as text where JSON has none. */
function numberText(value: number): string {
  return value - value === 0 ? `${value}` : `"${value}"`
}
