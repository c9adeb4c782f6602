import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { draftFolder } from 'tpu-toolkit/files'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let top = ''
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'draft-'))
})
afterAll(() => rmSync(top, { recursive: true }))

/** Writes files into a folder until there is none. */
const writer = `
const { writeFileSync } = require('node:fs')
const { workerData } = require('node:worker_threads')
try {
  for (let i = 0; i < 20000; i++) writeFileSync(workerData + '/' + i, 'x')
} catch {}
`

describe('draftFolder', () => {
  it('appears whole with its name, or not at all', () => {
    const made = draftFolder(join(top, 'made'))
    writeFileSync(join(made.folder, 'a'), 'x')
    expect(readdirSync(top)).not.toContain('made')
    made.commit()
    expect(readdirSync(top)).toEqual(['made'])
    expect(readdirSync(join(top, 'made'))).toEqual(['a'])
    rmSync(join(top, 'made'), { recursive: true })
  })

  it('discarded leaves nothing, also where another thread goes on writing files into it', async () => {
    for (let round = 0; round < 10; round++) {
      const draft = draftFolder(join(top, 'discarded'))
      const worker = new Worker(writer, { eval: true, workerData: draft.folder })
      const over = once(worker, 'exit')
      while (readdirSync(draft.folder).length < 20) await setImmediate()
      draft.discard()
      await over
      expect(readdirSync(top)).toEqual([])
    }
  })
})
