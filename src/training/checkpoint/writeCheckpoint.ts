import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  checkInteger,
  checkOptions,
  checkPath,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { draftFolder } from '../files/index.js'
import type { CheckpointRecord } from './checkpointRecord.js'
import { stepsIn } from './listCheckpoints.js'
import { stepFolder } from './record.js'
import { resolvedFolder } from './resolvedFolder.js'
import { type CheckpointContent, joinReports, type Staged, stage } from './stage.js'
import { commitFiles } from './writeFiles.js'

/** How a checkpoint is written by one process. */
export interface WriteCheckpointOptions {
  /** In how many files, as if so many hosts had written: rows of each tensor divided evenly. Default 1. */
  readonly hosts?: number
}

const names: OptionTable<WriteCheckpointOptions> = { hosts: 'optional' }

/**
 * Writes a checkpoint into the folder `step-...` of a folder, which is made where it is not there: the safetensors files, then
 * checkpoint.json, each synced, under another name, and all of it renamed into place. At every moment, a power cut included,
 * the checkpoint is there whole or not at all.
 *
 * Throws    RangeError for a step that is saved already, or before the last one that is: remove those first; for what could not
 *           be read again.
 * Cost      no copy of the tensors in memory; returns when the disk has them.
 */
export function writeCheckpoint(
  folder: string | URL,
  step: number,
  content: CheckpointContent,
  options: WriteCheckpointOptions = noOptions,
): void {
  const op = 'writeCheckpoint'
  checkPath(op, folder)
  checkInteger(op, 'step', step)
  checkOptions(op, options, names, { positional: 'hosts' })
  const { hosts = 1 } = options
  checkInteger(op, 'hosts', hosts, 1, 1024)
  const top = resolvedFolder(folder)
  checkNext(op, stepsIn(top).at(-1), step)
  const staged = stage(op, content, { host: 'all', hosts })
  mkdirSync(top, { recursive: true })
  const record = recordOf(op, step, content, [staged.report])
  const path = join(top, stepFolder(step))
  const draft = draftFolder(path)
  try {
    commitFiles(op, draft.folder, path, staged.files, record)
  } catch (error) {
    draft.discard()
    throw error
  }
}

/** Throws unless a step is after the last saved one. */
export function checkNext(op: string, last: number | undefined, step: number): void {
  if (last === undefined || step > last) return
  const why = step === last ? 'this step is saved already' : 'a later step is saved, remove it first'
  throw new RangeError(`${op}: ${why} [${step}, last ${last}]`)
}

/** The record of what hosts reported, without their files' digests. */
export function recordOf(
  op: string,
  step: number,
  { state = null, metrics = {} }: Omit<CheckpointContent, 'tensors'>,
  reports: readonly Staged['report'][],
): Omit<CheckpointRecord, 'files'> {
  return {
    step,
    metrics,
    state,
    hostStates: reports.map(({ hostState }) => hostState),
    outline: reports[0]!.outline,
    tensors: joinReports(op, reports),
  }
}
