import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { isOver, ownIdentity, type ProcessIdentity } from './processIdentity.js'

const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)

/** A new name for a file or folder in this folder that says who writes it: `.tpu-toolkit-<writer>-<random>.tmp`. */
export function temporaryName(folder: string): string {
  return join(folder, `.tpu-toolkit-${writerOf(ownIdentity())}-${randomBytes(8).toString('hex')}.tmp`)
}

/** A process as part of a name; machine and start of the machine as the beginnings of their digests. */
function writerOf({ pid, started, namespace, boot, host }: ProcessIdentity): string {
  return [pid, started || 'x', namespace || 'x', boot === '' ? 'x' : short(boot), short(host)].join('-')
}

const pattern = /^\.tpu-toolkit-(\d+)-(\d+|x)-(\d+|x)-([\da-f]{8}|x)-([\da-f]{8})-[\da-f]{16}\.tmp$/

/** When a folder was swept last, and how long that took. */
const swept = new Map<string, { at: number; took: number }>()

/**
 * Removes the temporary files and folders that processes left in a folder when they were killed. Those of processes that run, and of
 * other machines, stay.
 *
 * Cost      lists the folder, but not again before a hundred times as long has passed as that took.
 */
export function sweepTemporaryFiles(folder: string): void {
  const began = performance.now()
  const last = swept.get(folder)
  if (last && began - last.at < 100 * last.took) return
  try {
    for (const name of readdirSync(folder)) {
      if (isLeft(name)) rmSync(join(folder, name), { force: true, recursive: true })
    }
  } catch {
    // A folder that cannot be listed, or a file that cannot be removed: what is to be written will tell.
  }
  if (swept.size > 1000) swept.clear()
  swept.set(folder, { at: began, took: performance.now() - began })
}

function isLeft(name: string): boolean {
  const [, pid, started, namespace, boot, host] = pattern.exec(name) ?? []
  if (pid === undefined || host !== short(hostname())) return false
  const here = ownIdentity()
  const plain = (text: string | undefined): string => (text === undefined || text === 'x' ? '' : text)
  const sameBoot = plain(boot) === (here.boot === '' ? '' : short(here.boot))
  return (
    isOver({
      pid: Number(pid),
      started: plain(started),
      namespace: plain(namespace),
      boot: sameBoot ? here.boot : 'another',
      host: here.host,
    }) === true
  )
}
