import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs'
import { terminalText } from '../../base/text/index.js'
import { jsonObject, lockFile, writeFileAtomic, writeFully } from '../../training/files/index.js'
import type { Json, Row } from './experiment.js'
import { makeTrial, type Params, type Trial } from './trial.js'

/** A trial that is done, and what it came to. */
export interface TrialRow {
  readonly trial: Trial
  readonly row: Row
}

/** An open file of results. */
export interface RowsFile {
  /** What it holds, by the trials' keys, in the order of the file. */
  readonly rows: ReadonlyMap<string, TrialRow>
  /** Adds a row; when this returns the row is on disk. */
  append(trial: Trial, row: Row): void
  /** Puts the rows of these trials first, in their order: the bytes no longer tell in which order they ended. */
  sort(trials: readonly Trial[]): void
  close(): void
}

/** What the first line of a file says beside that it is one: whose results they are. Nothing for what is built in. */
export type RowsHead = Readonly<Record<string, Json>>

const kind = { file: 'tpu-toolkit sweep', version: 1 }

/**
 * Opens a file of results, which is made where it is missing: a line that says what it is, then a line of JSON for each
 * row, with a checksum, written and synced in one piece. A process may be killed at any moment: a last line that was cut
 * off, by a kill or by a full disk, is taken away again, and every whole line is kept. One process at a time, by `lockFile`.
 *
 * Throws    RangeError for a file of another kind, or of another experiment or search, a line that is damaged, a row that is
 *           there twice, and a file that another process is writing; the file is left as it is.
 */
export function openRowsFile(path: string, head: RowsHead): RowsFile {
  const header = `${JSON.stringify({ ...kind, ...head })}\n`
  const lock = lockFile(path, { op: 'sweep' })
  let handle: number | undefined
  try {
    if (!existsSync(path)) writeFileAtomic(path, header)
    const text = readFileSync(path)
    // As many bytes as are good: what is behind them is of a write that was cut off.
    let size = text.lastIndexOf(0x0a) + 1
    const whole = text.toString('utf8', 0, size)
    if (!whole.startsWith(header)) throw new RangeError(`sweep: ${difference(whole, head)} [${path}]`)
    const rows = rowsIn(whole, path)
    handle = openSync(path, 'r+')
    if (size < text.length) ftruncateSync(handle, size)
    const inOrder = (keys: Iterable<string>): string =>
      header + [...keys].map((key) => lineOf(rows.get(key)!)).join('')
    // The path is another file then: rows go to that one.
    const replace = (content: string): void => {
      writeFileAtomic(path, content)
      closeSync(handle!)
      handle = openSync(path, 'r+')
      size = Buffer.byteLength(content)
    }
    return {
      rows,
      append(trial, row) {
        // Somebody has removed the file: what would be written to it is in no folder. All rows are here, and go back.
        if (fstatSync(handle!).nlink === 0) {
          if (existsSync(path)) {
            throw new RangeError(`sweep: another file has the place of this one [${path}]`)
          }
          replace(inOrder(rows.keys()))
        }
        const bytes = Buffer.from(lineOf({ trial, row }))
        try {
          writeFully(handle!, bytes, size)
          fsyncSync(handle!)
        } catch (error) {
          // The next row is written over what came through, and what it leaves of that is taken away.
          ftruncateSync(handle!, size)
          throw error
        }
        size += bytes.length
        rows.set(trial.key, { trial, row })
      },
      sort(trials) {
        const first = trials.map(({ key }) => key).filter((key) => rows.has(key))
        const order = [...new Set([...first, ...rows.keys()])]
        const sorted = inOrder(order)
        if (!existsSync(path) || sorted !== readFileSync(path, 'utf8')) replace(sorted)
      },
      close() {
        if (handle !== undefined) closeSync(handle)
        handle = undefined
        lock.release()
      },
    }
  } catch (thrown) {
    if (handle !== undefined) closeSync(handle)
    lock.release()
    throw thrown
  }
}

/** The head of a file of results; undefined where there is no such file, or it is none. */
export function headOf(path: string): RowsHead | undefined {
  if (!existsSync(path)) return undefined
  const { file, version, ...head } = jsonObject(readFileSync(path, 'utf8').split('\n', 1)[0] ?? '') ?? {}
  return file === kind.file && version === kind.version ? (head as RowsHead) : undefined
}

/** What a file is instead of the results that were looked for. */
function difference(text: string, head: RowsHead): string {
  const found = jsonObject(text.split('\n', 1)[0] ?? '')
  if (found?.['file'] !== kind.file) return 'not a file of results'
  const { file: _, version, ...theirs } = found
  if (version !== kind.version) return `results of version ${said(version)}, which this one does not know`
  const other = 'take another path for these'
  if (theirs['experiment'] !== head['experiment']) {
    return `results of another experiment, ${said(theirs['experiment'] ?? 'step2750')}: ${other}`
  }
  if (theirs['digest'] !== head['digest']) {
    return `the text of ${String(head['experiment'])} has changed since these results: ${other}, or remove them`
  }
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(head)])]
  const name = names.find((one) => JSON.stringify(theirs[one]) !== JSON.stringify(head[one]))!
  return `results of another search, ${said(name)} was ${said(JSON.stringify(theirs[name] ?? null))}: ${other}`
}

/** What stands in a file, which may be anybody's. */
function said(value: unknown): string {
  return terminalText(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none'))
}

function rowsIn(text: string, path: string): Map<string, TrialRow> {
  const rows = new Map<string, TrialRow>()
  const lines = text.split('\n').slice(1, -1)
  for (const [i, line] of lines.entries()) {
    const row = readLine(line)
    if (row === undefined) throw new RangeError(`sweep: line ${i + 2} is damaged [${path}]`)
    if (rows.has(row.trial.key)) throw new RangeError(`sweep: line ${i + 2} repeats a row [${path}]`)
    rows.set(row.trial.key, row)
  }
  return rows
}

function lineOf({ trial: { params, steps }, row }: TrialRow): string {
  const line = { options: params, ...(steps === undefined ? {} : { atSteps: steps }), ...row }
  return `${JSON.stringify({ ...line, check: checkOf(line) })}\n`
}

function readLine(text: string): TrialRow | undefined {
  const { check, ...line } = jsonObject(text) ?? {}
  if (check !== checkOf(line)) return undefined
  const { options, atSteps, ...row } = line
  try {
    return { trial: makeTrial(options as Params, atSteps as number | undefined), row: row as Row }
  } catch {
    return undefined
  }
}

function checkOf(line: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(JSON.stringify(line)).digest('hex').slice(0, 16)
}
