import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { seeded } from 'tpu-toolkit/random'
import { folderPath } from './folders.js'

// What the scripts that kill programs, or take their disks away, have in common.

/** Throws an error of this text where the condition does not hold. */
export function ensure(condition: boolean, what: string): void {
  if (!condition) throw new Error(what)
}

/** The options of a script of kills: --kills, --seed, --only, and those given here with their defaults. */
export function killOptions(name: string, kills: string, more: Readonly<Record<string, string>> = {}) {
  const text = (value: string) => ({ type: 'string', default: value }) as const
  const own = {
    kills: text(kills),
    seed: text(String(Date.now() % 2 ** 31)),
    only: { type: 'string' },
  } as const
  const others = Object.fromEntries(Object.entries(more).map(([key, value]) => [key, text(value)]))
  const values = parseArgs({ options: { ...own, ...others } }).values as Record<string, string | undefined>
  return { values, kills: Number(values['kills']), random: seeded(`${name} ${values['seed']}`) }
}

// Tests run these files as they are, the scripts in build/scripts.
const root = new URL(import.meta.url.endsWith('.ts') ? '../' : '../../', import.meta.url)
/** The address of a built file of the package. */
export const built = (path: string): URL => new URL(`dist/${path}`, root)
/** What a program written here imports a folder of the package by. */
export const dist = (folder: string): string => built(`${folderPath(folder)}/index.js`).href

/** A program that runs. */
export interface Running {
  readonly child: ChildProcess
  /** When it last printed something, as Date.now. */
  readonly heard: () => number
  /** All that it printed. */
  readonly printed: () => string
  /** Its end, with all that it printed. */
  readonly ended: Promise<string>
  readonly over: () => boolean
}

/** How a program is started. */
export interface StartOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
  /** Default: Node. */
  readonly command?: string
  /** Collects the error stream too. Default: it is this process's. */
  readonly errors?: boolean
}

/** Starts a program and collects what it prints; `env` is added to this process's. */
export function started(args: readonly string[], options: StartOptions = {}): Running {
  const { command = process.execPath, errors = false, ...how } = options
  const stdio = ['ignore', 'pipe', errors ? 'pipe' : 'inherit'] as const
  const child = spawn(command, args, { ...how, stdio: [...stdio], env: { ...process.env, ...how.env } })
  let [printed, heard] = ['', Date.now()]
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data: Buffer) => {
      printed += data.toString()
      heard = Date.now()
    })
  }
  const ended = once(child, 'close').then(() => printed)
  const over = (): boolean => child.exitCode !== null || child.signalCode !== null
  return { child, heard: () => heard, printed: () => printed, ended, over }
}

/** Waits until a condition holds, or the program is over. */
export async function until(one: Running, condition: () => boolean): Promise<void> {
  while (!one.over() && !condition()) await sleep(5)
}

/** A port of this machine that is free. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Every file of a folder, with its content. */
export function filesOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => `${path.slice(folder.length)} ${readFileSync(path).toString('base64')}`)
    .join('\n')
}

/** Runs work on a new temporary folder, which is removed, and ends this process: with 1 where some work failed. */
export async function inFolder(name: string, work: (top: string, attempt: Attempt) => Promise<void>) {
  const top = mkdtempSync(join(tmpdir(), `${name}-`))
  let bad = 0
  try {
    await work(top, async (head, one, failed = '') => {
      try {
        console.log(`${head} ${await one()}`)
      } catch (error) {
        bad++
        console.log(`${head} ${failed}${error instanceof Error ? error.message : String(error)}`)
      }
    })
  } finally {
    rmSync(top, { recursive: true, force: true, maxRetries: 5 })
  }
  process.exit(bad === 0 ? 0 : 1)
}

/** Prints what the work gives behind a head, or what went wrong. */
export type Attempt = (head: string, work: () => Promise<string> | string, failed?: string) => Promise<void>

/** A new folder. */
export function newFolder(top: string, name: string): string {
  const folder = join(top, name)
  mkdirSync(folder)
  return folder
}
