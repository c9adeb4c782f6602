import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCheckpoint } from 'tpu-toolkit/checkpoint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { folderPath } from '../../scripts/folders.js'

let top = ''
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'disk-'))
})
afterAll(() => rmSync(top, { recursive: true }))

const dist = (folder: string): string =>
  new URL(`../../dist/${folderPath(folder)}/index.js`, import.meta.url).href

/** What a program prints that saves in a folder, run by a line of the shell. */
function printed(program: string, folder: string, shell = 'node "$0" "$1"'): string {
  const script = join(top, 'program.mjs')
  writeFileSync(
    script,
    `import { openCheckpoints, writeCheckpoint } from '${dist('checkpoint')}'
import { zeros } from '${dist('tensor')}'
const folder = process.argv[2]
${program}`,
  )
  const { stdout, stderr } = spawnSync('bash', ['-c', shell, script, folder], { encoding: 'utf8' })
  return stdout + stderr
}

describe('a disk that takes no more', () => {
  // A file that may not grow beyond 64 KiB fails in the midst of a write, as on a full disk.
  it('is said at the next call, keeps what was there, leaves nothing, and the run goes on', () => {
    const folder = join(top, 'full')
    const program = `
const checkpoints = openCheckpoints(folder)
await checkpoints.save(1, { tensors: { x: zeros([100]) } })
await checkpoints.save(2, { tensors: { x: zeros([100000]) } })
await checkpoints.wait().catch((error) => console.log(error.message))
await checkpoints.save(3, { tensors: { x: zeros([100]) } })
await checkpoints.close()`
    const said = printed(program, folder, `trap '' XFSZ; ulimit -f 64; exec node "$0" "$1"`)
    expect(said).toMatch(
      /^save: the checkpoint of step 2 was not written, EFBIG: file too large, write \[.*full\]\n$/,
    )
    expect(readdirSync(folder)).toEqual(['step-00000001', 'step-00000003'])
    expect(readCheckpoint(folder).tensors).toMatchObject({ x: { shape: [100] } })
  })

  it('that is read-only is said before the run begins', () => {
    const folder = mkdtempSync(join(top, 'only-'))
    chmodSync(top, 0o755)
    chmodSync(folder, 0o555)
    // Root writes anywhere: it becomes somebody else first.
    const program = `
if (process.getuid() === 0) process.setuid(65534)
for (const open of [() => openCheckpoints(folder), () => writeCheckpoint(folder, 1, { tensors: {} })]) {
  try { open() } catch (error) { console.log(error.code) }
}`
    expect(printed(program, folder)).toBe('EACCES\nEACCES\n')
    expect(readdirSync(folder)).toEqual([])
  })
})
