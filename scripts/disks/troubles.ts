import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensure, filesOf, newFolder, type Running, started, until } from '../harness.js'
import { preamble, type Victim } from './victims.js'

/** What happens to a program and its disk. `top` is a folder of its own. Throws where something is lost; gives what was said. */
export type Trouble = (victim: Victim, top: string) => Promise<string>

/** A trouble that this machine can make, or why it cannot. */
export interface NamedTrouble {
  readonly name: string
  /** How it is made, or why it cannot be. */
  readonly how: string
  readonly make: Trouble | undefined
}

const system = (command: string, ...args: string[]): { ok: boolean; said: string } => {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  return { ok: status === 0, said: error?.message ?? stderr ?? '' }
}

const must = (command: string, ...args: string[]): void => {
  const { ok, said } = system(command, ...args)
  ensure(ok, `${command} ${args.join(' ')}: ${said}`)
}

/** Whether this process may mount: root does, or one that `unshare -rm` made so. */
export function mayMount(top: string): boolean {
  const place = newFolder(top, 'try')
  const { ok } = system('mount', '-t', 'tmpfs', '-o', 'size=64k', 'tpu-toolkit', place)
  if (ok) must('umount', place)
  rmSync(place, { recursive: true })
  return ok
}

/** A program whose disk fails, a folder for it, and the bytes of a run that nothing happened to. */
interface Work {
  readonly victim: Victim
  readonly top: string
  readonly whole: string
}

type Attempted = (work: Work) => Promise<string>

interface Setting {
  readonly pause?: number
  readonly env?: Readonly<Record<string, string>>
  /** Bytes that a file may have. */
  readonly limit?: number
}

function begun(
  { victim: { name, program }, top }: Omit<Work, 'whole'>,
  folder: string,
  { pause = 0, env = {}, limit }: Setting = {},
): Running {
  const script = join(top, `${name}.mjs`)
  writeFileSync(script, `${preamble}${program}`)
  const args = [script, folder, String(pause)]
  if (limit === undefined) return started(args, { env })
  const shell = `trap '' XFSZ; ulimit -f ${Math.ceil(limit / 1024)}; exec "$0" "$@"`
  return started(['-c', shell, process.execPath, ...args], { env, command: 'bash' })
}

const linesOf = (one: Running): string[] => one.printed().split('\n').filter(Boolean)
/** How far a program said that it is. */
const farOf = (one: Running): number => Math.max(0, ...linesOf(one).map(Number).filter(Number.isFinite))
/** Waits until it is so far, or over. */
const reached = (one: Running, n: number): Promise<void> => until(one, () => farOf(one) >= n)
/** Waits for its end: the last line that it said. */
const lastOf = async (one: Running): Promise<string> => one.ended.then(() => linesOf(one).at(-1) ?? '')

/** The bytes of a run that nothing happens to. */
async function undisturbed(victim: Victim, top: string): Promise<string> {
  const folder = newFolder(top, 'whole')
  const last = await lastOf(begun({ victim, top }, folder))
  ensure(last === 'end', `without any trouble: ${last}`)
  const files = filesOf(folder)
  rmSync(folder, { recursive: true })
  return files
}

/** What was said to be there is, and nothing else; begun again it ends with the bytes of a run that nothing happened to. */
async function goesOn(work: Work, folder: string, said: number): Promise<void> {
  const there = work.victim.found(folder)
  ensure(there >= said, `${said} was said to be there, ${there} is`)
  const last = await lastOf(begun(work, folder))
  ensure(last === 'end', `begun again: ${last}`)
  ensure(filesOf(folder) === work.whole, 'other bytes than without the trouble')
  ensureTidy(folder)
}

/** Nothing is left in a folder: a lock may be, of a program that ended with an error and gave nothing back. */
function ensureTidy(folder: string, locks: 'with locks' | 'without locks' = 'without locks'): void {
  const left = locks === 'with locks' ? /\.tmp$/ : /\.(tmp|lock)$/
  const strays = readdirSync(folder).filter((name) => left.test(name))
  ensure(strays.length === 0, `left behind: ${strays.join(', ')}`)
}

/** Runs on a disk of its own of so many bytes. */
async function onDisk<T>(top: string, bytes: number, work: (disk: string) => Promise<T>): Promise<T> {
  const disk = newFolder(top, 'disk')
  must('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tpu-toolkit', disk)
  try {
    return await work(disk)
  } finally {
    must('umount', '-l', disk)
  }
}

/** The error with which a program ends: it says one of these codes. */
async function refusedWith(running: Running, codes: RegExp): Promise<string> {
  const last = await lastOf(running)
  ensure(last.startsWith('! ') && codes.test(last), `it does not say what is wrong [${last}]`)
  return codes.exec(last)![0]
}

const fullDisk: Attempted = (work) =>
  onDisk(work.top, work.victim.room, async (disk) => {
    const running = begun(work, disk)
    const code = await refusedWith(running, /ENOSPC/)
    ensureTidy(disk, 'with locks')
    must('mount', '-o', 'remount,size=8m', disk)
    await goesOn(work, disk, farOf(running))
    return `${code} after ${farOf(running)}`
  })

/** As a full disk, without one: a file may not have more bytes. */
const limited: Attempted = async (work) => {
  const folder = newFolder(work.top, 'limited')
  const running = begun(work, folder, { limit: work.victim.name === 'sweep' ? 8192 : 40 * 1024 })
  const code = await refusedWith(running, /EFBIG/)
  ensureTidy(folder, 'with locks')
  await goesOn(work, folder, farOf(running))
  return `${code} after ${farOf(running)}`
}

const readOnly: Attempted = (work) =>
  onDisk(work.top, 2 ** 23, async (disk) => {
    // A disk that has a file open for writing does not become read-only: whoever holds one is refused at its beginning.
    const holds = work.victim.name === 'sweep'
    if (holds) must('mount', '-o', 'remount,ro', disk)
    const running = begun(work, disk, { pause: 20 })
    await reached(running, 4)
    for (let tries = 0; !holds && !system('mount', '-o', 'remount,ro', disk).ok; tries++) {
      ensure(tries < 1000, 'the disk does not become read-only')
    }
    const code = await refusedWith(running, /EROFS/)
    must('mount', '-o', 'remount,rw', disk)
    await goesOn(work, disk, farOf(running))
    return `${code} after ${farOf(running)}`
  })

/** Removes a folder that somebody writes into. */
async function taken(folder: string): Promise<void> {
  for (let tries = 0; existsSync(folder); tries++) {
    try {
      rmSync(folder, { recursive: true })
    } catch (error) {
      if (tries === 1000) throw error
      await sleep(1)
    }
  }
}

/** The folder is taken away, and what was in it with it. */
const removed: Attempted = async (work) => {
  const folder = newFolder(work.top, 'removed')
  const running = begun(work, folder, { pause: 20 })
  await reached(running, 4)
  await taken(folder)
  const code = await refusedWith(running, /ENOENT/)
  ensure(!existsSync(folder), 'the folder is there again')
  mkdirSync(folder)
  await goesOn(work, folder, 0)
  return `${code} after ${farOf(running)}`
}

const clockFile = `
let calls = 0
const Real = Date
const jumped = () => Real.now() + (calls++ % 2 === 0 ? 1 : -1) * 400 * 86400000
globalThis.Date = class extends Real {
  constructor(...args) { super(...(args.length === 0 ? [jumped()] : args)) }
  static now() { return jumped() }
}`

/** Date jumps by years with every call. */
const fakedDate: Attempted = async (work) => {
  const { top, whole } = work
  const clock = join(top, 'clock.mjs')
  writeFileSync(clock, clockFile)
  const folder = newFolder(top, 'clock')
  const last = await lastOf(begun(work, folder, { env: { NODE_OPTIONS: `--import ${clock}` } }))
  ensure(last === 'end' && filesOf(folder) === whole, `other bytes by another clock [${last}]`)
  return 'the same bytes'
}

const fakeTime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'

/** The system's clock jumps forth and back while a program runs, as the library has it; files get such times too. */
const jumpingClock: Attempted = async (work) => {
  const { top, whole } = work
  const offset = join(top, 'offset')
  writeFileSync(offset, '+0')
  const folder = newFolder(top, 'jumps')
  const running = begun(work, folder, {
    pause: 20,
    env: {
      ...{ LD_PRELOAD: fakeTime, FAKETIME_TIMESTAMP_FILE: offset, FAKETIME_NO_CACHE: '1' },
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  })
  for (const [n, jump] of ['+400d', '-800d', '-1h', '+3000d'].entries()) {
    await reached(running, 2 * n + 2)
    writeFileSync(offset, jump)
  }
  const last = await lastOf(running)
  ensure(last === 'end' && filesOf(folder) === whole, `other bytes after a jump of the clock [${last}]`)
  return 'the same bytes'
}

/** Every write stops for a while: of a file system that is frozen, or of a process that is stopped. */
const frozen =
  (freezes: boolean): Attempted =>
  async (work) => {
    const { top, whole } = work
    const disk = newFolder(top, 'frozen')
    const image = join(top, 'image')
    if (freezes) {
      must('truncate', '-s', '16M', image)
      must('mkfs.ext4', '-q', '-m', '0', image)
      must('mount', '-o', 'loop', image, disk)
      rmSync(join(disk, 'lost+found'), { recursive: true })
    }
    try {
      const running = begun(work, disk, { pause: 20 })
      await reached(running, 4)
      if (freezes) {
        must('fsfreeze', '-f', disk)
      } else {
        running.child.kill('SIGSTOP')
      }
      const before = farOf(running)
      await sleep(1500)
      const during = farOf(running)
      if (freezes) {
        must('fsfreeze', '-u', disk)
      } else {
        running.child.kill('SIGCONT')
      }
      const last = await lastOf(running)
      ensure(last === 'end' && filesOf(disk) === whole, `other bytes after a stop [${last}]`)
      return `the same bytes; from ${before} to ${during} meanwhile`
    } finally {
      if (freezes) must('umount', '-l', disk)
    }
  }

/** The troubles of this machine. */
export function troubles(mounts: boolean, freezes: boolean): readonly NamedTrouble[] {
  const jumps = existsSync(fakeTime)
  const all: { readonly name: string; readonly how: string; readonly make: Attempted | undefined }[] = [
    mounts
      ? { name: 'full', how: 'a tmpfs too small', make: fullDisk }
      : { name: 'full', how: 'a limit of files: this process may not mount', make: limited },
    {
      name: 'read-only',
      how: mounts ? 'a tmpfs mounted anew' : 'this process may not mount',
      make: mounts ? readOnly : undefined,
    },
    { name: 'removed', how: 'the folder under the run', make: removed },
    { name: 'date', how: 'Date jumps by years at every call', make: fakedDate },
    {
      name: 'clock',
      how: jumps ? 'libfaketime, jumps by years' : 'libfaketime is not installed (apt-get install faketime)',
      make: jumps ? jumpingClock : undefined,
    },
    {
      name: 'stopped',
      how: freezes ? 'an ext4 frozen for 1.5 s' : 'the process for 1.5 s: this one may freeze no file system',
      make: frozen(freezes),
    },
  ]
  return all.map(({ make, ...one }) => ({
    ...one,
    make: make && (async (victim, top) => make({ victim, top, whole: await undisturbed(victim, top) })),
  }))
}

/** Whether a file system can be made and frozen. */
export function mayFreeze(top: string): boolean {
  const [image, place] = [join(top, 'image'), newFolder(top, 'try')]
  const ok =
    system('truncate', '-s', '8M', image).ok &&
    system('mkfs.ext4', '-q', image).ok &&
    system('mount', '-o', 'loop', image, place).ok
  const freezes = ok && system('fsfreeze', '-f', place).ok && system('fsfreeze', '-u', place).ok
  if (ok) must('umount', place)
  rmSync(place, { recursive: true })
  rmSync(image, { force: true })
  return freezes
}
