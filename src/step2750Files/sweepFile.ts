import { createHash } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs'
import { lockFile, writeFileAtomic, writeFully } from '../files/index.js'
import { runKey, type Step2750Run, type SweepRow } from '../step2750/index.js'

/** An open file of results. */
export interface SweepFile {
  /** What it holds, by `runKey`, in the order of the file. */
  readonly rows: ReadonlyMap<string, SweepRow>
  /** Adds a row; when this returns the row is on disk. */
  append(row: SweepRow): void
  /** Puts the rows of these runs first, in their order: the bytes no longer tell in which order the runs ended. */
  sort(grid: readonly Step2750Run[]): void
  close(): void
}

const header = '{"file":"tpu-toolkit sweep","version":1}\n'

/**
 * Opens a file of results, which is made where it is missing: a line that says what it is, then a line of JSON for each
 * row, with a checksum, written and synced in one piece. A process may be killed at any moment: a last line that was cut
 * off, by a kill or by a full disk, is taken away again, and every whole line is kept. One process at a time, by `lockFile`.
 *
 * Throws    RangeError for a file of another kind, a line that is damaged, a row that is there twice, and a file that
 *           another process is writing; the file is left as it is.
 */
export function openSweepFile(path: string): SweepFile {
  const lock = lockFile(path, { op: 'sweep' })
  let handle: number | undefined
  try {
    if (!existsSync(path)) writeFileAtomic(path, header)
    const text = readFileSync(path)
    // As many bytes as are good: what is behind them is of a write that was cut off.
    let size = text.lastIndexOf(0x0a) + 1
    const rows = rowsIn(text.toString('utf8', 0, size), path)
    handle = openSync(path, 'r+')
    if (size < text.length) ftruncateSync(handle, size)
    return {
      rows,
      append(row) {
        const kept: SweepRow = JSON.parse(JSON.stringify(row))
        const line = Buffer.from(lineOf(kept))
        try {
          writeFully(handle!, line, size)
          fsyncSync(handle!)
        } catch (error) {
          // The next row is written over what came through, and what it leaves of that is taken away.
          ftruncateSync(handle!, size)
          throw error
        }
        size += line.length
        rows.set(runKey(kept.options), kept)
      },
      sort(grid) {
        const first = grid.map(runKey).filter((key) => rows.has(key))
        const order = [...new Set([...first, ...rows.keys()])]
        const sorted = header + order.map((key) => lineOf(rows.get(key)!)).join('')
        if (sorted === readFileSync(path, 'utf8')) return
        writeFileAtomic(path, sorted)
        // The path is another file now: rows go to that one.
        closeSync(handle!)
        handle = openSync(path, 'r+')
        size = Buffer.byteLength(sorted)
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

function rowsIn(text: string, path: string): Map<string, SweepRow> {
  if (!text.startsWith(header)) throw new RangeError(`sweep: not a file of results [${path}]`)
  const rows = new Map<string, SweepRow>()
  const lines = text.split('\n').slice(1, -1)
  for (const [i, line] of lines.entries()) {
    const row = readLine(line)
    if (row === undefined) throw new RangeError(`sweep: line ${i + 2} is damaged [${path}]`)
    const key = runKey(row.options)
    if (rows.has(key)) throw new RangeError(`sweep: line ${i + 2} repeats a row [${path}]`)
    rows.set(key, row)
  }
  return rows
}

function lineOf(row: SweepRow): string {
  return `${JSON.stringify({ ...row, check: checkOf(row) })}\n`
}

function readLine(line: string): SweepRow | undefined {
  try {
    const { check, ...row } = JSON.parse(line)
    // Throws where they are no options of a run.
    runKey(row.options)
    return check === checkOf(row) ? row : undefined
  } catch {
    return undefined
  }
}

function checkOf(row: SweepRow): string {
  return createHash('sha256').update(JSON.stringify(row)).digest('hex').slice(0, 16)
}
