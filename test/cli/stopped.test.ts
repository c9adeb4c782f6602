import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BundledCommand, bundledCommand } from '../support/bundledCommand.js'
import { isLong } from '../support/long.js'

// On a terminal of its own, which Python opens: what a user sees who presses Ctrl-C. Needs npm run build.
const folder = mkdtempSync(join(tmpdir(), 'stopped-'))
let bundled: BundledCommand
beforeAll(async () => {
  bundled = await bundledCommand('stopped')
})
afterAll(() => {
  for (const path of [folder, bundled.home]) rmSync(path, { recursive: true, force: true })
})

const program = `
import json, os, pty, select, signal, sys, time
how, node, *args = sys.argv[1:]
pid, fd = pty.fork()
if pid == 0: os.execvp(node, [node, *args])
seen, sent, began = b'', False, time.time()
while time.time() - began < 500:
    if select.select([fd], [], [], 0.1)[0]:
        try: part = os.read(fd, 65536)
        except OSError: break
        if not part: break
        seen += part
    if not sent and b' % ' in seen:
        sent = True
        if how == 'ctrl-c': os.write(fd, b'\\x03')
        else: os.kill(pid, signal.SIGTERM)
else: os.kill(pid, signal.SIGKILL)
print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.decode()]))
`

function stopped(how: 'ctrl-c' | 'sigterm', ...args: string[]): { status: number; seen: string } {
  const run = spawnSync('python3', ['-c', program, how, process.execPath, bundled.main, ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(run.stderr).toBe('')
  const [status, seen] = JSON.parse(run.stdout)
  return { status, seen }
}

/** The cursor is shown, and long lines are wrapped, after the last time that they were not. */
function expectRestored(seen: string): void {
  for (const [off, on] of [
    ['\u001b[?25l', '\u001b[?25h'],
    ['\u001b[?7l', '\u001b[?7h'],
  ] as const) {
    expect(seen.lastIndexOf(off)).toBeGreaterThanOrEqual(0)
    expect(seen.lastIndexOf(on)).toBeGreaterThan(seen.lastIndexOf(off))
  }
}

const cases: readonly (readonly [string[], RegExp])[] = [
  [
    ['nan'],
    /nan: stopped at \d+ %, step \d+; nothing is saved: use --checkpoint <file> to be able to resume/,
  ],
  [
    ['nan', '--checkpoint', 'run.json'],
    /nan: stopped at .*; up to 100 steps before, the run is saved in run\.json: the same/,
  ],
  [['sweep'], /sweep: stopped at 0 %, 0 of 1 runs; finished runs are in reports.sweep.rows\.jsonl: the same/],
  [['drift'], /drift: stopped at \d+ %, cumsum; nothing is written yet; --only and --length make it shorter/],
  [
    ['doctor', 'step2750'],
    /doctor: stopped at \d+ %, trial \d+, .*; \d+ trials are saved: resume by the same command with --resume/,
  ],
  [['gallery'], /gallery: stopped at \d+ %, [a-z-]+; nothing is written yet/],
  [['formats', '--measure'], /formats: stopped at \d+ %, [a-z]+; nothing is written yet/],
]

describe('Ctrl-C', () => {
  it.each(isLong ? cases : cases.slice(0, 3))(
    '%j gives the terminal back, says how to go on, and exits with 130',
    (args, says) => {
      const { status, seen } = stopped('ctrl-c', ...args)
      expect(status).toBe(130)
      expectRestored(seen)
      expect(seen).toMatch(says)
      expect(existsSync(join(folder, 'reports', args[0]!, 'index.html'))).toBe(false)
    },
  )

  it('SIGTERM does the same, with 143', () => {
    const { status, seen } = stopped('sigterm', 'nan')
    expect(status).toBe(143)
    expectRestored(seen)
    expect(seen).toContain('nan: stopped at ')
  })
})
