import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { mayMount, troubles } from '../../scripts/disks/troubles.js'
import { victims } from '../../scripts/disks/victims.js'

const top = mkdtempSync(join(tmpdir(), 'disks-'))
afterAll(() => rmSync(top, { recursive: true, force: true }))
// Of each kind the way that this machine has: a real disk where it may mount one, else a limit of files.
const [full] = troubles(mayMount(top), false)
const folder = (name: string): string => {
  mkdirSync(join(top, name))
  return join(top, name)
}

describe('programs on disks that fail (npm run test:disks makes more of them)', () => {
  it(`train on a full disk, ${full!.how}, says so, keeps the last checkpoint and goes on when there is room`, async () => {
    const train = victims.find(({ name }) => name === 'train')!
    expect(await full!.make!(train, folder('full'))).toMatch(/^(ENOSPC|EFBIG) after \d+$/)
  })
})
