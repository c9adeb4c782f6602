import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkNumber, checkOptions, checkPath, type OptionTable } from '../../../base/options/index.js'
import { isOver, ownIdentity, type ProcessIdentity } from './processIdentity.js'
import { resolvedPath } from './resolvedPath.js'
import { sweepTemporaryFiles, temporaryName } from './temporaryFiles.js'
import { writeFully } from './writeFully.js'

/** A lock that this process holds. */
export interface FileLock {
  /** Gives it back; a second call does nothing. */
  release(): void
}

/** How a file is locked. */
export interface LockOptions {
  /** What errors begin with. Default 'lockFile'. */
  readonly op?: string
}

/** How a lock is waited for. */
export interface WaitOptions extends LockOptions {
  /** How long, in milliseconds, while another process holds it. Default 60,000. */
  readonly wait?: number
}

/** What a file of the lock says. */
interface Claim extends ProcessIdentity {
  /** No two claims have the same. */
  readonly token: string
}

const lockNames: OptionTable<LockOptions> = { op: 'optional' }
const waitNames: OptionTable<WaitOptions> = { op: 'optional', wait: 'optional' }

/**
 * Locks a file for one writer among processes that do the same: `path.lock` beside it names the holder. A lock whose
 * process is gone, killed or with its machine, is taken over, by exactly one of those who try.
 *
 * Node has no lock that the system releases, and one that is kept fresh by a timer (proper-lockfile's) looks abandoned
 * while its process computes. So a claim names its process by pid and time of start, and is never changed: who finds it
 * abandoned links a claim of its own, complete, under the name `path.lock.<token of the abandoned one>`, which only one can;
 * the last claim of that chain holds the lock. To release is to remove the first claim, then the others.
 *
 * Throws    RangeError where a process holds it that runs, this one included, or one of another machine, of which that
 *           cannot be known: its message names the file to remove when that machine is done.
 *
 * @example const lock = lockFile('/dev/shm/tpu-toolkit-example')
 * lockFile('/dev/shm/tpu-toolkit-example', { op: 'f' }) // throws f: this process is writing the file already [/dev/shm/tpu-toolkit-example]
 * lock.release() // undefined
 */
export function lockFile(path: string | URL, options: LockOptions = {}): FileLock {
  checkPath('lockFile', path)
  checkOptions('lockFile', options, lockNames)
  const { op = 'lockFile' } = options
  const target = resolvedPath(path)
  const lock = tryLock(target)
  if ('release' in lock) return lock
  throw refusal(op, target, lock)
}

/**
 * The same, after every other holder has released it; waiting is not first come, first served.
 *
 * Throws    as `lockFile`, after `wait`.
 */
export async function waitForLock(path: string | URL, options: WaitOptions = {}): Promise<FileLock> {
  checkPath('waitForLock', path)
  checkOptions('waitForLock', options, waitNames)
  const { op = 'waitForLock', wait = 60_000 } = options
  checkNumber(op, 'wait', wait, 0)
  const target = resolvedPath(path)
  const until = performance.now() + wait
  for (let pause = 1; ; pause = Math.min(2 * pause, 50)) {
    const lock = tryLock(target)
    if ('release' in lock) return lock
    if (performance.now() >= until) throw refusal(op, target, lock)
    // Not all at the same moment again.
    await sleep(pause * (0.5 + Math.random()))
  }
}

function refusal(op: string, target: string, { holder, file }: Held): RangeError {
  if (holder === undefined) {
    return new RangeError(`${op}: a lock that names no process, remove it if nobody writes [${file}]`)
  }
  if (holder.host !== ownIdentity().host) {
    return new RangeError(
      `${op}: locked by process ${holder.pid} of the machine ${holder.host}, remove the lock if that is over [${file}]`,
    )
  }
  if (holder.pid === process.pid) {
    return new RangeError(`${op}: this process is writing the file already [${target}]`)
  }
  return new RangeError(`${op}: process ${holder.pid} is writing the file [${target}]`)
}

/** The holder of a lock that is taken, and the file that names it; undefined if the file names none. */
interface Held {
  readonly holder: ProcessIdentity | undefined
  readonly file: string
}

/** The lock, or its holder. */
function tryLock(target: string): FileLock | Held {
  const first = `${target}.lock`
  const folder = dirname(first)
  sweepTemporaryFiles(folder)
  const token = randomBytes(8).toString('hex')
  const written = writtenClaim(folder, { ...ownIdentity(), token })
  try {
    for (;;) {
      const taken = followChain(first, written)
      if (taken !== 'again') return taken
    }
  } finally {
    rmSync(written, { force: true })
  }
}

/** Walks the chain to its end and takes that, or says who holds it; 'again' where it changed on the way. */
function followChain(first: string, written: string): FileLock | Held | 'again' {
  const chain: string[] = []
  let file = first
  let begin: string | undefined
  while (!linked(written, file)) {
    const claim = readClaim(file)
    if (claim === 'gone') return 'again'
    if (claim === undefined || isOver(claim) !== true) return { holder: claim, file }
    begin ??= claim.token
    chain.push(file)
    file = `${first}.${claim.token}`
  }
  if (begin === undefined) {
    removeLeftClaims(first)
  } else {
    // Where the chain was released meanwhile, a name that had become free was taken and nothing else.
    const now = readClaim(first)
    if (typeof now !== 'object' || now.token !== begin) {
      rmSync(file, { force: true })
      return 'again'
    }
  }
  let held = true
  return {
    release: () => {
      if (held) for (const name of [...chain, file]) rmSync(name, { force: true })
      held = false
    },
  }
}

/** A claim as a file that is on disk whole before it gets a name that counts. */
function writtenClaim(folder: string, claim: Claim): string {
  const name = temporaryName(folder)
  const handle = openSync(name, 'wx')
  try {
    writeFully(handle, Buffer.from(JSON.stringify(claim)))
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  return name
}

/** Gives the written claim this name, unless something has it. */
function linked(written: string, file: string): boolean {
  try {
    linkSync(written, file)
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') return false
    // A file system without links: a copy that is not there whole at once, but made by one only.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error
    try {
      copyFileSync(written, file, constants.COPYFILE_EXCL)
      return true
    } catch (thrown) {
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return false
      throw thrown
    }
  }
}

/** The claim in a lock file; undefined if it contains none. */
function readClaim(file: string): Claim | 'gone' | undefined {
  let claim: Partial<Claim> | null
  try {
    claim = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'gone' : undefined
  }
  const { pid, started, namespace, boot, host, token } = claim ?? {}
  const isText = (value: unknown): value is string => typeof value === 'string'
  if (typeof pid !== 'number' || !isText(token) || !/^[\da-f]{16}$/.test(token)) return undefined
  if (!isText(started) || !isText(namespace) || !isText(boot) || !isText(host)) return undefined
  return { pid, started, namespace, boot, host, token }
}

/** Claims that a process left behind which was killed while it released: none of a chain that begins now. */
function removeLeftClaims(first: string): void {
  const [folder, name] = [dirname(first), basename(first)]
  for (const other of readdirSync(folder)) {
    if (other.startsWith(`${name}.`) && /^[\da-f]{16}$/.test(other.slice(name.length + 1))) {
      rmSync(join(folder, other), { force: true })
    }
  }
}
