import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { filesOf, preamble, type Victim } from './victims.js'

/** What happens to a program and its disk. `top` is a folder of its own. Throws where something is lost; gives what was said. */
export type Trouble = (victim: Victim, top: string) => Promise<string>

/** A trouble that this machine can make, or why it cannot. */
export interface NamedTrouble {
  readonly name: string
  /** How it is made, or why it cannot be. */
  readonly how: string
  readonly make: Trouble | undefined
}

const ensure = (condition: boolean, what: string): void => {
  if (!condition) throw new Error(what)
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
  const place = join(top, 'try')
  mkdirSync(place)
  const { ok } = system('mount', '-t', 'tmpfs', '-o', 'size=64k', 'tpu-toolkit', place)
  if (ok) must('umount', place)
  rmSync(place, { recursive: true })
  return ok
}

interface Running {
  readonly child: ChildProcess
  /** How far it said that it is. */
  readonly said: () => number
  /** Its end: the last line that it said. */
  readonly ended: Promise<string>
  /** Waits until it is so far, or over. */
  readonly far: (n: number) => Promise<void>
}

interface Setting {
  readonly pause?: number
  readonly env?: Readonly<Record<string, string>>
  /** Bytes that a file may have. */
  readonly limit?: number
}

function begun(
  { name, program }: Victim,
  top: string,
  folder: string,
  { pause = 0, env = {}, limit }: Setting = {},
): Running {
  const script = join(top, `${name}.mjs`)
  writeFileSync(script, `${preamble}${program}`)
  const args = [script, folder, String(pause)]
  const shell = `trap '' XFSZ; ulimit -f ${limit === undefined ? '' : Math.ceil(limit / 1024)}; exec "$0" "$@"`
  const [command, all] =
    limit === undefined ? [process.execPath, args] : ['bash', ['-c', shell, process.execPath, ...args]]
  const child = spawn(command, all, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } })
  const lines: string[] = []
  const heard = (): string => lines.at(-1) ?? ''
  child.stdout.on('data', (data: Buffer) => lines.push(...data.toString().split('\n').filter(Boolean)))
  const ended = once(child, 'close').then(heard)
  let over = false
  ended.finally(() => {
    over = true
  })
  const said = (): number => Math.max(0, ...lines.map(Number).filter(Number.isFinite))
  const far = async (n: number): Promise<void> => {
    while (!over && said() < n) await sleep(5)
  }
  return { child, said, ended, far }
}

/** The bytes of a run that nothing happens to. */
async function undisturbed(victim: Victim, top: string): Promise<string> {
  const folder = join(top, 'whole')
  mkdirSync(folder)
  const last = await begun(victim, top, folder).ended
  ensure(last === 'end', `without any trouble: ${last}`)
  const files = filesOf(folder)
  rmSync(folder, { recursive: true })
  return files
}

/** What was said to be there is, and nothing else; begun again it ends with the bytes of a run that nothing happened to. */
async function goesOn(
  victim: Victim,
  top: string,
  folder: string,
  said: number,
  whole: string,
): Promise<void> {
  const there = victim.found(folder)
  ensure(there >= said, `${said} was said to be there, ${there} is`)
  const last = await begun(victim, top, folder).ended
  ensure(last === 'end', `begun again: ${last}`)
  ensure(filesOf(folder) === whole, 'other bytes than without the trouble')
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
  const disk = join(top, 'disk')
  mkdirSync(disk)
  must('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tpu-toolkit', disk)
  try {
    return await work(disk)
  } finally {
    must('umount', '-l', disk)
  }
}

/** The error with which a program ends: it says one of these codes. */
async function refusedWith(running: Running, codes: RegExp): Promise<string> {
  const last = await running.ended
  ensure(last.startsWith('! ') && codes.test(last), `it does not say what is wrong [${last}]`)
  return codes.exec(last)![0]
}

const fullDisk: Trouble = async (victim, top) => {
  const whole = await undisturbed(victim, top)
  return onDisk(top, victim.room, async (disk) => {
    const running = begun(victim, top, disk)
    const code = await refusedWith(running, /ENOSPC/)
    ensureTidy(disk, 'with locks')
    must('mount', '-o', 'remount,size=8m', disk)
    await goesOn(victim, top, disk, running.said(), whole)
    return `${code} after ${running.said()}`
  })
}

/** As a full disk, without one: a file may not have more bytes. */
const limited: Trouble = async (victim, top) => {
  const whole = await undisturbed(victim, top)
  const folder = join(top, 'limited')
  mkdirSync(folder)
  const running = begun(victim, top, folder, { limit: victim.name === 'sweep' ? 8192 : 40 * 1024 })
  const code = await refusedWith(running, /EFBIG/)
  ensureTidy(folder, 'with locks')
  await goesOn(victim, top, folder, running.said(), whole)
  return `${code} after ${running.said()}`
}

const readOnly: Trouble = async (victim, top) => {
  const whole = await undisturbed(victim, top)
  return onDisk(top, 2 ** 23, async (disk) => {
    // A disk that has a file open for writing does not become read-only: whoever holds one is refused at its beginning.
    const holds = victim.name === 'sweep'
    if (holds) must('mount', '-o', 'remount,ro', disk)
    const running = begun(victim, top, disk, { pause: 20 })
    await running.far(4)
    for (let tries = 0; !holds && !system('mount', '-o', 'remount,ro', disk).ok; tries++) {
      ensure(tries < 1000, 'the disk does not become read-only')
    }
    const code = await refusedWith(running, /EROFS/)
    must('mount', '-o', 'remount,rw', disk)
    await goesOn(victim, top, disk, running.said(), whole)
    return `${code} after ${running.said()}`
  })
}

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
const removed: Trouble = async (victim, top) => {
  const whole = await undisturbed(victim, top)
  const folder = join(top, 'removed')
  mkdirSync(folder)
  const running = begun(victim, top, folder, { pause: 20 })
  await running.far(4)
  await taken(folder)
  const code = await refusedWith(running, /ENOENT/)
  ensure(!existsSync(folder), 'the folder is there again')
  mkdirSync(folder)
  await goesOn(victim, top, folder, 0, whole)
  return `${code} after ${running.said()}`
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
const fakedDate: Trouble = async (victim, top) => {
  const whole = await undisturbed(victim, top)
  const clock = join(top, 'clock.mjs')
  writeFileSync(clock, clockFile)
  const folder = join(top, 'clock')
  mkdirSync(folder)
  const last = await begun(victim, top, folder, { env: { NODE_OPTIONS: `--import ${clock}` } }).ended
  ensure(last === 'end' && filesOf(folder) === whole, `other bytes by another clock [${last}]`)
  return 'the same bytes'
}

const fakeTime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'

/** The system's clock jumps forth and back while a program runs, as the library has it; files get such times too. */
const jumpingClock: Trouble = async (victim, top) => {
  const whole = await undisturbed(victim, top)
  const offset = join(top, 'offset')
  writeFileSync(offset, '+0')
  const folder = join(top, 'jumps')
  mkdirSync(folder)
  const running = begun(victim, top, folder, {
    pause: 20,
    env: {
      ...{ LD_PRELOAD: fakeTime, FAKETIME_TIMESTAMP_FILE: offset, FAKETIME_NO_CACHE: '1' },
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  })
  for (const [n, jump] of ['+400d', '-800d', '-1h', '+3000d'].entries()) {
    await running.far(2 * n + 2)
    writeFileSync(offset, jump)
  }
  const last = await running.ended
  ensure(last === 'end' && filesOf(folder) === whole, `other bytes after a jump of the clock [${last}]`)
  return 'the same bytes'
}

/** Every write stops for a while: of a file system that is frozen, or of a process that is stopped. */
const frozen =
  (freezes: boolean): Trouble =>
  async (victim, top) => {
    const whole = await undisturbed(victim, top)
    const disk = join(top, 'frozen')
    mkdirSync(disk)
    const image = join(top, 'image')
    if (freezes) {
      must('truncate', '-s', '16M', image)
      must('mkfs.ext4', '-q', '-m', '0', image)
      must('mount', '-o', 'loop', image, disk)
      rmSync(join(disk, 'lost+found'), { recursive: true })
    }
    try {
      const running = begun(victim, top, disk, { pause: 20 })
      await running.far(4)
      if (freezes) {
        must('fsfreeze', '-f', disk)
      } else {
        running.child.kill('SIGSTOP')
      }
      const before = running.said()
      await sleep(1500)
      const during = running.said()
      if (freezes) {
        must('fsfreeze', '-u', disk)
      } else {
        running.child.kill('SIGCONT')
      }
      const last = await running.ended
      ensure(last === 'end' && filesOf(disk) === whole, `other bytes after a stop [${last}]`)
      return `the same bytes; from ${before} to ${during} meanwhile`
    } finally {
      if (freezes) must('umount', '-l', disk)
    }
  }

/** The troubles of this machine. */
export function troubles(mounts: boolean, freezes: boolean): readonly NamedTrouble[] {
  const jumps = existsSync(fakeTime)
  return [
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
}

/** Whether a file system can be made and frozen. */
export function mayFreeze(top: string): boolean {
  const [image, place] = [join(top, 'image'), join(top, 'try')]
  mkdirSync(place)
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
