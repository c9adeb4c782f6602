import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** The identity of a process, by which another process can check whether it still runs. */
export interface ProcessIdentity {
  readonly pid: number
  /** When it began, in clock ticks since the machine did; '' where the system does not say (it has no /proc). */
  readonly started: string
  /** The numbering of processes that the pid belongs to; '' where the system does not say. */
  readonly namespace: string
  /** Which start of the machine; '' where the system does not say. */
  readonly boot: string
  readonly host: string
}

let own: ProcessIdentity | undefined

/** This process, threads included. */
export function ownIdentity(): ProcessIdentity {
  own ??= {
    pid: process.pid,
    started: startOf('self') ?? '',
    namespace: textOr('', () => readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')),
    boot: textOr('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    host: hostname(),
  }
  return own
}

/**
 * Whether a process is over: true and false where that is known, undefined for one of another machine. A pid alone would
 * not do: it is given again, in a container that was restarted to the very next run. A machine, or a container, of the same
 * host name that was started again has none of its old processes.
 */
export function isOver({ pid, started, namespace, boot, host }: ProcessIdentity): boolean | undefined {
  const here = ownIdentity()
  if (host !== here.host) return undefined
  if (boot !== here.boot || namespace !== here.namespace) return true
  if (started === '') return !answers(pid)
  return startOf(pid) !== started
}

/** When a process began; undefined where there is none, or only its exit code is left. */
function startOf(pid: number | 'self'): string | undefined {
  const line = textOr('', () => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  // The name, in parentheses, may hold anything: what follows the last one counts. Field 3 is the state, 22 the start.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return line === '' || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function textOr(otherwise: string, read: () => string): string {
  try {
    return read()
  } catch {
    return otherwise
  }
}
