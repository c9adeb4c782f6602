import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Step2750Data } from 'tpu-toolkit/step2750'
import type { PythonAnswer } from '#cli'
import { askPeer } from '../peers/askPeer.js'

/** What the NumPy program prints. */
export interface PeerRun {
  readonly firstNonFiniteStep: number | null
  readonly steps: number
  readonly seconds: number
  readonly lossBits: readonly string[]
}

/** The naive run on these data by the Python of TPU_TOOLKIT_PYTHON (or python3), or why there is none. */
export function numpyStep2750({ x, y, length }: Step2750Data, lr: number): PythonAnswer<PeerRun> {
  const folder = mkdtempSync(join(tmpdir(), 'step2750-'))
  try {
    const codes = join(folder, 'codes.bin')
    writeFileSync(codes, Buffer.concat([x, y].map((array) => Buffer.from(array.buffer))))
    return askPeer<PeerRun>('step2750', codes, '--length', String(length), '--lr', String(lr))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
