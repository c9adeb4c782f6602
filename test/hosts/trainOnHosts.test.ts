import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCheckpoint } from 'tpu-toolkit/checkpoint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** What trainOnHosts.mjs does: written in JavaScript, since it is a program too. */
interface Program {
  trainOnHosts(
    options: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly ended: string; readonly step: number }>
}
const file = new URL('./trainOnHosts.mjs', import.meta.url)

let top = ''
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'hosts-'))
})
afterAll(() => rmSync(top, { recursive: true }))

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** A run on hosts of this process; the last one, where `killed` is given, is a process of its own that is killed in that step. */
async function run(folder: string, hosts: number, steps: number, killed?: number) {
  const { trainOnHosts }: Program = await import(file.href)
  const options = { coordinator: `127.0.0.1:${await freePort()}`, hosts, folder, steps }
  const here = Array.from({ length: killed === undefined ? hosts : hosts - 1 }, (_, host) =>
    trainOnHosts({ ...options, host }),
  )
  if (killed !== undefined) {
    const child = spawn(process.execPath, [
      fileURLToPath(file),
      JSON.stringify({ ...options, host: hosts - 1, killed }),
    ])
    await once(child, 'close')
  }
  return Promise.all(here)
}

const files = (folder: string, step: string): string[] =>
  readdirSync(join(folder, step)).map(
    (name) => `${name} ${readFileSync(join(folder, step, name)).toString('hex')}`,
  )

describe('train on hosts', () => {
  it('where one is killed the others keep the last whole step and go on with the bytes of a run that was not disturbed', async () => {
    const [whole, torn] = [join(top, 'whole'), join(top, 'torn')]
    await run(whole, 3, 14)
    const lost = await run(torn, 3, 14, 7)
    for (const { ended, step } of lost) expect([ended, step]).toEqual(['host lost', 6])
    // By one host alone, so of one file. The save of step 4, by all three, may have been under way.
    expect(readdirSync(join(torn, 'step-00000006'))).toEqual(['checkpoint.json', 'host-0.safetensors'])
    expect(readCheckpoint(torn).state).toMatchObject({ data: { position: 72, pending: [] } })
    for (const { ended, step } of await run(torn, 3, 14)) expect([ended, step]).toEqual(['steps', 14])
    for (const step of ['step-00000008', 'step-00000012', 'step-00000014']) {
      expect(files(torn, step), step).toEqual(files(whole, step))
    }
    expect(readdirSync(torn).filter((name) => !name.startsWith('step-'))).toEqual([])
  })

  it('where one is killed the others may go on without it', async () => {
    const folder = join(top, 'without')
    for (const { ended, step } of await run(folder, 3, 14, 7)) expect([ended, step]).toEqual(['host lost', 6])
    expect(await run(folder, 2, 10)).toMatchObject([{ ended: 'steps', step: 10 }, { step: 10 }])
    expect(readCheckpoint(folder).state).toMatchObject({ data: { position: 120, pending: [] } })
    expect(readdirSync(join(folder, 'step-00000010')).length).toBe(3)
    expect(readdirSync(folder).filter((name) => !name.startsWith('step-'))).toEqual([])
  })

  it('goes on with another number of hosts, at the same place in the data', async () => {
    const folder = join(top, 'fewer')
    await run(folder, 3, 6)
    expect(await run(folder, 2, 10)).toMatchObject([{ ended: 'steps', step: 10 }, { step: 10 }])
    expect(await run(folder, 1, 12)).toMatchObject([{ ended: 'steps', step: 12 }])
    expect(readdirSync(join(folder, 'step-00000008')).length).toBe(3)
    expect(readCheckpoint(folder).state).toMatchObject({ data: { position: 144, pending: [] } })
  })
})
