import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkPath } from '../../base/options/index.js'
import { stateFromTree, stateToTree } from '../../optimizer/index.js'
import { Tensor } from '../../tensors/tensor/index.js'
import { jsonObject, treeFromJson, treeToJson, writeFileAtomic } from '../../training/files/index.js'
import {
  type Checkpoint,
  type CheckpointStore,
  firstPoint,
  type Step2750Data,
  type Step2750Record,
  type Step2750Run,
} from '../step2750/index.js'

const kind = 'tpu-toolkit step2750 checkpoint'
const version = 1

/**
 * A file that a run is kept in: a text of JSON with every bit, a version and a checksum.
 *
 * Throws    RangeError, when the run reads it, for a folder that is not there, a file of another kind, a damaged one and one of
 *           another run; the file is left as it is.
 *
 * @example Object.keys(checkpointFile('run.json')) // ['read', 'write']
 */
export function checkpointFile(path: string): CheckpointStore {
  checkPath('checkpointFile', path)
  return {
    read: (data, run) => readCheckpoint(path, data, run),
    write: (checkpoint, data, run) => writeCheckpoint(path, checkpoint, data, run),
  }
}

/** Writes a checkpoint: JSON with every bit, a version and a checksum, whole or not at all. */
function writeCheckpoint(
  path: string,
  { point, loss, ...rest }: Checkpoint,
  data: Step2750Data,
  run: Step2750Run,
): void {
  const tensors = treeToJson(
    {
      loss: new Tensor('float32', [loss.length], loss),
      params: { ...point.params },
      state: stateToTree(point.state),
    },
    { bits: 'base64' },
  )
  const content = JSON.stringify({ run, data: digestOf(data), step: point.step, ...rest, tensors })
  const head = { kind, version, sha256: sha256(content) }
  writeFileAtomic(path, `${JSON.stringify(head).slice(0, -1)},"content":${content}}\n`)
}

/** Reads a checkpoint of this run; undefined where there is no file. What does not fit is a RangeError. */
function readCheckpoint(path: string, data: Step2750Data, run: Step2750Run): Checkpoint | undefined {
  const refuse = (why: string): RangeError => new RangeError(`step2750: ${why} [${path}]`)
  if (!existsSync(dirname(path))) throw refuse('there is no folder for the checkpoint')
  if (!existsSync(path)) return undefined
  if (!statSync(path).isFile()) throw refuse('the checkpoint is no file')
  const file = jsonObject(readFileSync(path, 'utf8'))
  if (file?.['kind'] !== kind) throw refuse('the file is no checkpoint of this command')
  if (file['version'] !== version) {
    throw refuse(`the checkpoint has version ${String(file['version'])}, not ${version}`)
  }
  // Text of JSON.stringify, so that reading and writing it again gives the same text.
  if (file['sha256'] !== sha256(JSON.stringify(file['content']))) {
    throw refuse('the checkpoint is damaged, its checksum differs')
  }
  const content = file['content'] as Record<string, unknown>
  const theirs = content['run'] as Record<string, unknown>
  for (const [name, value] of Object.entries(run)) {
    if (name !== 'steps' && theirs[name] !== value) {
      throw refuse(`the checkpoint is of another run, ${name} ${String(theirs[name])}, not ${String(value)}`)
    }
  }
  if (content['data'] !== digestOf(data)) throw refuse('the checkpoint is of another run, on other data')
  const step = content['step'] as number
  if (step > run.steps) throw refuse(`the checkpoint is ${step} steps on, more than ${run.steps}`)
  const tensors = treeFromJson(content['tensors']) as unknown as Record<'loss' | 'params' | 'state', never>
  return {
    point: {
      step,
      params: tensors.params,
      state: stateFromTree(tensors.state, firstPoint(data, run).state),
    },
    loss: (tensors.loss as Tensor).data as Float32Array,
    kept: content['kept'] as Step2750Record[],
    tail: content['tail'] as Step2750Record[],
    firstNonFiniteStep: content['firstNonFiniteStep'] as number | null,
    nonFiniteSteps: content['nonFiniteSteps'] as number,
  }
}

function digestOf({ rows, length, x, y, clock, init }: Step2750Data): string {
  const hash = createHash('sha256').update(`${rows} ${length}`)
  for (const array of [x, y, clock, init]) {
    hash.update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
  }
  return hash.digest('hex')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
