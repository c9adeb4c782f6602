import { closeSync, mkdirSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPath } from '../../base/options/index.js'
import { writeFully } from '../files/index.js'
import type { Sample, Sink } from './sink.js'

/**
 * A sink that writes a line of JSON for each sample: { "step", "time", "values", "nonFinite" }. NaN and infinities, which JSON lacks,
 * are the strings "NaN", "Infinity" and "-Infinity". Lines are appended, whole; those of a tenth of a second together, also when the
 * process ends, unless it is killed. A run whose first step is later than 1 goes on with a run that was stopped: the lines of that step and
 * of later ones at the end of the file are removed, so that each step is there once. A run from step 1 on is another run.
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
  const open = (step: number): number => {
    mkdirSync(dirname(path instanceof URL ? fileURLToPath(path) : path), { recursive: true })
    cutBack(path, step)
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
      handle ??= open(sample.step)
      waiting.push(sample)
      // By the samples' own time, which is known already; a clock that stalls holds nothing up for long.
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

/** Removes a last line that is cut off, and the lines at the end that a run which goes on at `step` writes again. */
function cutBack(path: string | URL, step: number): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return
  const bytes = readFileSync(path)
  let end = bytes.lastIndexOf(10) + 1
  // What somebody else wrote stays as it is.
  if (!'{"step":'.startsWith(bytes.toString('latin1', end, end + 8))) return
  while (step > 1 && end > 1) {
    const start = bytes.lastIndexOf(10, end - 2) + 1
    const found = /^\{"step":(\d+),"time":/.exec(bytes.toString('latin1', start, start + 40))
    if (!found || Number(found[1]) < step) break
    end = start
  }
  truncateSync(path, end)
}

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
