import { answerPage } from '../../parts/workerScope.js'
import { blobSource } from './blobSource.js'
import type { FileAsked, FileTold } from './fileMessages.js'
import { waysOf } from './fileWays.js'
import { openTensors } from './openTensors.js'
import { quantizeTensors } from './quantizeTensors.js'
import { sampleFile } from './sampleFile.js'

answerPage<FileAsked, FileTold>(({ file, schemes, way }, tell) => {
  const began = performance.now()
  const source = blobSource(file ?? new Blob([sampleFile() as Uint8Array<ArrayBuffer>]))
  let [bytes, said] = [0, began]
  const counted = {
    size: source.size,
    read: (position: number, n: number) => {
      bytes += n
      const now = performance.now()
      if (now - said > 200) {
        said = now
        // Each tensor is read twice: first for its largest magnitude, from which scales come.
        tell({ read: { bytes, of: 2 * source.size } })
      }
      return source.read(position, n)
    },
  }
  const opened = openTensors(counted)
  tell({ opened: { bytes: source.size, tensors: opened.tensors.length, kind: opened.kind } })
  const totals = quantizeTensors(opened, waysOf(schemes, way), tell)
  tell({ done: { totals, milliseconds: performance.now() - began } })
})
