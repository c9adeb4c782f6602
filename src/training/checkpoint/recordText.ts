import { createHash } from 'node:crypto'
import type { CheckpointRecord } from './checkpointRecord.js'
import { plainDataText } from './plainData.js'

// Read by the thread that writes, which begins the faster the less it loads: nothing of other folders is imported here.

/** What a checkpoint.json says that it is. */
export const kind = 'tpu-toolkit checkpoint'

/** The version of the layout that is written, and the newest that is read. */
export const version = 1

/** The file that says what a checkpoint is, written last. */
export const recordFile = 'checkpoint.json'

/** The text of checkpoint.json: what it is, and the content behind its own checksum. */
export function recordText(op: string, record: CheckpointRecord): string {
  const content = [
    `"step":${record.step}`,
    `"metrics":${plainDataText(op, record.metrics)}`,
    `"state":${plainDataText(op, record.state)}`,
    `"hostStates":${plainDataText(op, record.hostStates)}`,
    `"tree":${JSON.stringify(record.outline)}`,
    `"tensors":${JSON.stringify(Object.fromEntries(record.tensors))}`,
    `"files":${JSON.stringify(record.files)}`,
  ].join(',')
  return `{"kind":"${kind}","version":${version},"sha256":"${sha256(`{${content}}`)}","content":\n{${content}}}\n`
}

/** The digest of a text. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
