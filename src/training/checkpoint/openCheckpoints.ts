import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  checkArray,
  checkFlag,
  checkFunction,
  checkInteger,
  checkOptions,
  checkPath,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import type { Tree, Treelike } from '../../tensors/tree/index.js'
import { draftFolder, lockFile, removeFolder } from '../files/index.js'
import { checkGroup, type HostGroup } from './exchange.js'
import { groupSave } from './groupSave.js'
import { isMissing } from './inspectCheckpoint.js'
import { type CheckpointFacts, type KeepRule, unwanted } from './keep.js'
import { listCheckpoints, stepsIn } from './listCheckpoints.js'
import { type ReadCheckpointOptions, type RestoredCheckpoint, restored } from './readCheckpoint.js'
import { stepFolder } from './record.js'
import { resolvedFolder } from './resolvedFolder.js'
import { saver } from './saver.js'
import { type CheckpointContent, stage } from './stage.js'
import { checkNext, recordOf } from './writeCheckpoint.js'

/** How checkpoints are kept. */
export interface CheckpointsOptions {
  /** A checkpoint stays as long as one of these rules wants it, and the newest always. Default: all stay. */
  readonly keep?: readonly KeepRule[]
  /** The hosts that save together, each its own file. Default: this process alone. */
  readonly group?: HostGroup
  /** By path, whether each host of the group has only its own rows of a tensor. Default: all have all of it. */
  readonly sharded?: (path: string) => boolean
  /** Whether this process writes; else it only reads. Default true. */
  readonly write?: boolean
}

const names: OptionTable<CheckpointsOptions> = {
  ...{ keep: 'optional', group: 'optional', sharded: 'optional', write: 'optional' },
}

/** The checkpoints of a folder, with exclusive write access. */
export interface Checkpoints {
  /** The folder, from the root on. */
  readonly folder: string
  /** The whole ones in the order of their steps. */
  list(): readonly CheckpointFacts[]
  /**
   * Saves: done when the tensors are copied; the disk has them when `wait` is. One save is under way at a time: the next
   * waits for it, and throws what became of it, instead of saving, where it was not written.
   */
  save(step: number, content: CheckpointContent): Promise<void>
  /** Waits for the save that is under way, and throws what became of it where it was not written. */
  wait(): Promise<void>
  /** Reads one, as `readCheckpoint` does, once no save is under way. */
  restore<P extends Treelike = Tree>(options?: ReadCheckpointOptions<P>): Promise<RestoredCheckpoint<P>>
  /** Removes the checkpoints after a step, so that a run can restart from there. */
  removeAfter(step: number): Promise<void>
  /** Waits, ends the thread that writes, and lets others write. */
  close(): Promise<void>
}

/**
 * Opens a folder of checkpoints for one writer, a run that is over having been no more than a checkpoint too few: what it left
 * half-written is removed. Saves go on in a thread while the run does.
 *
 * Throws    RangeError where another process writes there.
 * Cost      `save` copies the tensors into memory that is kept for it, and does nothing else with them.
 */
export function openCheckpoints(folder: string | URL, options: CheckpointsOptions = noOptions): Checkpoints {
  const op = 'openCheckpoints'
  checkPath(op, folder)
  checkOptions(op, options, names, { positional: 'keep' })
  const { keep = [], group, sharded, write = true } = options
  checkArray(op, 'keep', keep)
  for (const rule of keep) checkFunction(op, 'a rule of keep', rule)
  if (sharded !== undefined) checkFunction(op, 'sharded', sharded)
  checkFlag(op, 'write', write)
  checkGroup(op, group)
  const top = resolvedFolder(folder)
  const leads = group === undefined || group.host === 0
  if (write) mkdirSync(top, { recursive: true })
  const lock = write && leads ? lockFile(join(top, 'checkpoints'), { op }) : undefined
  const thread = saver()
  let last = stepsIn(top).at(-1)
  let underway: Promise<void> = Promise.resolve()
  let closed = false

  const begin = (step: number, content: CheckpointContent): Promise<unknown> => {
    if (group) {
      const staged = stage('save', content, { host: group.host, hosts: group.hosts, sharded })
      return groupSave(group, thread, top, step, content, staged)
    }
    const { files, report } = stage('save', content, { host: 'all', hosts: 1 })
    const record = recordOf('save', step, content, [report])
    const path = join(top, stepFolder(step))
    const draft = draftFolder(path)
    return thread.start(files, { folder: draft.folder, commit: { path, record } }).catch((error: unknown) => {
      draft.discard()
      throw error
    })
  }

  // The whole ones, read once: nobody else writes here. Files go in a thread of the system's: of large ones that takes as long as
  // their copy.
  let known: CheckpointFacts[] | undefined
  const prune = async ({ step, metrics }: CheckpointFacts): Promise<void> => {
    if (!leads || keep.length === 0) return
    known ??= listCheckpoints(top).filter((one) => one.refused === undefined && one.step < step)
    known = [...known, { step, metrics }]
    const old = new Set(unwanted(known, keep))
    known = known.filter((one) => !old.has(one.step))
    await Promise.all([...old].map(removed))
  }
  /** One that somebody else has removed is gone as well. */
  const removed = async (step: number): Promise<void> => {
    try {
      await removeFolder(join(top, stepFolder(step)))
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }

  // What is asked of the checkpoints happens in the order in which it was asked, also by who does not wait.
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
    if (closed) return Promise.reject(new RangeError(`${name}: the checkpoints were closed [${top}]`))
    const mine = turn.then(async () => {
      const before = underway
      underway = Promise.resolve()
      await before
      return work()
    })
    turn = mine.catch(() => {})
    return mine
  }

  return {
    folder: top,
    list: () => listCheckpoints(top).filter(({ refused }) => refused === undefined),
    save: (step, content) =>
      inTurn('save', () => {
        checkInteger('save', 'step', step)
        if (!write) throw new RangeError(`save: these checkpoints are only read [${top}]`)
        checkNext('save', last, step)
        const begun = begin(step, content)
        const { metrics = {} } = content
        last = step
        underway = begun.then(
          () => prune({ step, metrics }),
          (error: unknown) => {
            last = stepsIn(top).at(-1)
            throw notSaved(step, top, error)
          },
        )
        // Heard by the next save or wait; until then it is no unhandled rejection.
        underway.catch(() => {})
      }),
    wait: () => inTurn('wait', () => {}),
    restore: (reading = noOptions) => inTurn('restore', () => restored('restore', top, reading)),
    removeAfter: (step) =>
      inTurn('removeAfter', async () => {
        checkInteger('removeAfter', 'step', step)
        if (!leads || !write) return
        for (const later of stepsIn(top).reverse()) {
          if (later > step) await removed(later)
        }
        known = undefined
        last = stepsIn(top).at(-1)
      }),
    close: async () => {
      if (closed) return
      const done = inTurn('close', () => {})
      closed = true
      try {
        await done
      } finally {
        await thread.stop()
        lock?.release()
      }
    },
  }
}

function notSaved(step: number, top: string, cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new Error(`save: the checkpoint of step ${step} was not written, ${why} [${top}]`, { cause })
}
