import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OnTrial } from '../../experiments/failures/index.js'
import type { Trial } from '../../precision/index.js'
import { packageVersion } from '../../training/files/index.js'
import { BadInput } from '../io/badInput.js'

/** The trials of the searches of one examination, kept in a file while they run. */
export interface KeptTrials {
  /** Those that the file had, search by search. */
  readonly earlier: readonly (readonly Trial[])[]
  /** Keeps a trial; the first one of a search has the count 1. */
  readonly keep: OnTrial
  /** How many there are. */
  readonly count: () => number
  /** The searches have ended: nothing is left to go on from. */
  readonly end: () => void
}

interface Line {
  readonly search: number
  readonly trial: Omit<Trial, 'value'> & { readonly value: string }
}

/**
 * Keeps trials in the folder of a report: a line for the examination they are of, then one for each. With `resume` those
 * that are there are read; a last line that was torn is not.
 */
export function keptTrials(out: string, examination: string, resume: boolean): KeptTrials {
  const path = join(out, 'trials.jsonl')
  const head = JSON.stringify({ examination, version: packageVersion() })
  const lines = resume ? readLines(path, head) : []
  const earlier: Trial[][] = []
  for (const { search, trial } of lines) {
    earlier[search] = [...(earlier[search] ?? []), { ...trial, value: Number(trial.value) }]
  }
  let count = lines.length
  let search = -1
  return {
    earlier: Array.from(earlier, (list) => list ?? []),
    keep: (trial, number) => {
      if (search < 0) {
        writeFileSync(path, `${[head, ...lines.map((line) => JSON.stringify(line))].join('\n')}\n`)
      }
      if (number === 1) search++
      const line: Line = { search, trial: { ...trial, value: String(trial.value) } }
      appendFileSync(path, `${JSON.stringify(line)}\n`)
      count++
    },
    count: () => count,
    end: () => rmSync(path, { force: true }),
  }
}

function readLines(path: string, head: string): Line[] {
  if (!existsSync(path)) throw new BadInput(`no search was broken off here [${path}]`)
  const [first, ...rest] = readFileSync(path, 'utf8').split('\n')
  if (first !== head) {
    throw new BadInput(`the trials kept are of another examination [${first?.slice(0, 80)}]`)
  }
  const whole = rest.slice(0, -1)
  try {
    return whole.map((line) => JSON.parse(line) as Line)
  } catch {
    throw new BadInput(`the trials kept are damaged, begin anew without --resume [${path}]`)
  }
}
