import { join } from 'node:path'
import { draftFolder, type FolderDraft } from '../files/index.js'
import type { FileDigest } from './checkpointRecord.js'
import { exchange, type HostGroup } from './exchange.js'
import { fromJson, plainDataText } from './plainData.js'
import { stepFolder } from './record.js'
import type { Saver } from './saver.js'
import type { CheckpointContent, HostReport, Staged } from './stage.js'
import { recordOf } from './writeCheckpoint.js'
import { writeRecord } from './writeFiles.js'

/** The message of a host to the first one when its file is on the disk. */
interface SaveReport extends HostReport {
  readonly digests: readonly FileDigest[]
}

/**
 * Saves with the other hosts: the first one begins the folder, each writes its file, the first one says what the checkpoint is
 * and gives the folder its name. Where one fails, all throw, and nothing is left. The copy is made before this returns.
 */
export async function groupSave(
  group: HostGroup,
  thread: Saver,
  top: string,
  step: number,
  content: CheckpointContent,
  { files, report }: Staged,
): Promise<void> {
  let place: (at: { readonly folder: string }) => void = () => {}
  let giveUp: (error: unknown) => void = () => {}
  const target = new Promise<{ readonly folder: string }>((resolve, reject) => {
    place = resolve
    giveUp = reject
  })
  const written = thread.start(files, target)
  // Heard below, in its turn; an error before that is no unhandled rejection.
  written.catch(() => {})
  let draft: FolderDraft | undefined
  try {
    const folders = await exchange(group, `save ${step} folder`, () => {
      if (group.host === 0) draft = draftFolder(join(top, stepFolder(step)))
      return draft?.folder ?? ''
    })
    place({ folder: folders[0]! })
    const saved = await exchange(group, `save ${step} files`, async () => {
      const digests = await written
      return `{"report":${JSON.stringify({ ...report, hostState: null, digests })},"hostState":${plainDataText('save', report.hostState)}}`
    })
    await exchange(group, `save ${step} commit`, () => {
      if (!draft) return ''
      const reports = saved.map(readSaveReport)
      const record = recordOf('save', step, content, reports)
      writeRecord('save', draft.folder, { ...record, files: reports.map(({ digests }) => digests[0]!) })
      draft.commit()
      return ''
    })
  } catch (error) {
    giveUp(error)
    await written.catch(() => {})
    draft?.discard()
    throw error
  }
}

function readSaveReport(text: string): SaveReport {
  const { report, hostState }: { report: SaveReport; hostState: unknown } = JSON.parse(text)
  return { ...report, hostState: fromJson(hostState) }
}
