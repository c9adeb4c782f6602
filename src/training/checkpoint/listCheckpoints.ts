import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { checkPath } from '../../base/options/index.js'
import type { CheckpointRecord } from './checkpointRecord.js'
import { type Depth, inspectCheckpoint, isMissing } from './inspectCheckpoint.js'
import type { CheckpointFacts } from './keep.js'
import { stepFolder, stepOfFolder } from './record.js'
import { recordFile } from './recordText.js'
import { resolvedFolder } from './resolvedFolder.js'

/** A checkpoint of a folder, or why it is refused. */
export interface ListedCheckpoint extends CheckpointFacts {
  /** The problem of the checkpoint; undefined for an intact one. */
  readonly refused?: string
}

/**
 * The checkpoints of a folder in the order of their steps, refused ones among them; other files are passed over. None where
 * there is no such folder.
 *
 * Cost      reads each checkpoint.json and the sizes of the files; not their bytes.
 *
 * @example listCheckpoints('/dev/shm/no-such-folder') // []
 */
export function listCheckpoints(folder: string | URL): ListedCheckpoint[] {
  checkPath('listCheckpoints', folder)
  const top = resolvedFolder(folder)
  return stepsIn(top).map((step) => {
    try {
      const { metrics } = recordAt(top, step, 'sizes')
      return { step, metrics }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return { step, metrics: {}, refused: error.message }
    }
  })
}

/** The steps that have a folder. */
export function stepsIn(top: string): number[] {
  try {
    return readdirSync(top)
      .flatMap((name) => stepOfFolder(name) ?? [])
      .sort((a, b) => a - b)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** What the checkpoint of a step says; a RangeError says why it is refused, beginning with 'is'. */
export function recordAt(top: string, step: number, depth: Depth): CheckpointRecord {
  const record = inspectCheckpoint(join(top, stepFolder(step)), depth)
  if (record.step !== step) throw new RangeError(`is of another step, ${record.step}`)
  return record
}

/** The error for a checkpoint that is refused: what is wrong, and the last good one, every byte of it looked at. */
export function refusal(op: string, top: string, step: number, why: string): RangeError {
  const good = stepsIn(top)
    .filter((other) => other !== step)
    .reverse()
    .find((other) => isWhole(top, other))
  const advice = good === undefined ? 'there is no other good one' : `the last good one is of step ${good}`
  return new RangeError(
    `${op}: the checkpoint of step ${step} ${why}; ${advice} [${join(top, stepFolder(step))}]`,
  )
}

/** The error for a folder that has no checkpoint to read. */
export function noneThere(op: string, top: string): RangeError {
  if (existsSync(join(top, recordFile))) {
    return new RangeError(`${op}: this is one checkpoint, give the folder that it is in [${top}]`)
  }
  return new RangeError(`${op}: there is no checkpoint [${top}]`)
}

function isWhole(top: string, step: number): boolean {
  try {
    recordAt(top, step, 'bytes')
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
