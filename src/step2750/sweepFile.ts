import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { writeFileAtomic } from '../files/index.js'
import type { Step2750Run } from './step2750Options.js'
import { runKey } from './sweepGrid.js'
import type { SweepRow } from './sweepRow.js'

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
 * off is taken away again, and every whole line is kept. One process at a time: a lock beside the file names it.
 *
 * Error     RangeError for a file of another kind, a line that is damaged, a row that is there twice, and a file that
 *           another process is writing; the file is left as it is.
 */
export function openSweepFile(path: string): SweepFile {
  const unlock = lock(path)
  try {
    if (!existsSync(path)) writeFileAtomic(path, header)
    const text = readFileSync(path, 'utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const rows = rowsIn(whole, path)
    if (whole.length < text.length) truncateSync(path, Buffer.byteLength(whole))
    const handle = openSync(path, 'a')
    return {
      rows,
      append(row) {
        const kept: SweepRow = JSON.parse(JSON.stringify(row))
        writeSync(handle, lineOf(kept))
        fsyncSync(handle)
        rows.set(runKey(kept.options), kept)
      },
      sort(grid) {
        const first = grid.map(runKey).filter((key) => rows.has(key))
        const order = [...new Set([...first, ...rows.keys()])]
        const sorted = header + order.map((key) => lineOf(rows.get(key)!)).join('')
        if (sorted !== readFileSync(path, 'utf8')) writeFileAtomic(path, sorted)
      },
      close() {
        closeSync(handle)
        unlock()
      },
    }
  } catch (thrown) {
    unlock()
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
    return check === checkOf(row) ? row : undefined
  } catch {
    return undefined
  }
}

function checkOf(row: SweepRow): string {
  return createHash('sha256').update(JSON.stringify(row)).digest('hex').slice(0, 16)
}

/** Takes the lock or throws. A lock whose process is gone was left by a kill, and is taken over. */
function lock(path: string): () => void {
  const file = `${path}.lock`
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      return () => rmSync(file, { force: true })
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
    }
    const holder = Number(readFileSync(file, 'utf8'))
    if (holder > 0 && isAlive(holder))
      throw new RangeError(`sweep: process ${holder} is writing it, or remove the lock [${file}]`)
    rmSync(file, { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM'
  }
}
