import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HostGroup, hostRows, openCheckpoints, readCheckpoint } from 'tpu-toolkit/checkpoint'
import { arange, reshape, slice, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let top = ''
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'group-'))
})
afterAll(() => rmSync(top, { recursive: true }))

/** Hosts of one process that hear each other. */
function groupOf(hosts: number): HostGroup[] {
  const calls = new Map<string, { texts: string[]; heard: ((texts: string[]) => void)[]; came: number }>()
  return Array.from({ length: hosts }, (_, host) => ({
    host,
    hosts,
    allGather: (name, text) =>
      new Promise((resolve) => {
        const call = calls.get(name) ?? { texts: [], heard: [], came: 0 }
        calls.set(name, call)
        call.texts[host] = text
        call.heard.push(resolve)
        call.came++
        if (call.came === hosts) {
          calls.delete(name)
          for (const hear of call.heard) hear(call.texts)
        }
      }),
  }))
}

const whole = reshape(arange(0, 28), [7, 4])
const rowsFor = (host: number, hosts: number): Tensor => {
  const { start, end } = hostRows(whole.shape, host, hosts)
  return slice(whole, [[start, end]])
}

describe('hosts that save together', () => {
  it.each([
    [2, 3],
    [3, 2],
    [4, 1],
  ])('%i hosts save, of their own rows too, and %i restore', async (saving, restoring) => {
    const folder = join(top, `${saving}-${restoring}`)
    const sharded = (path: string): boolean => path === 'own'
    const shared = tensor([1, 2, 3])
    await Promise.all(
      groupOf(saving).map(async (group) => {
        const checkpoints = openCheckpoints(folder, { group, sharded })
        const tensors = { own: rowsFor(group.host, saving), shared, count: tensor(3, { dtype: 'int32' }) }
        await checkpoints.save(1, { tensors, state: 'all', hostState: { host: group.host, nan: Number.NaN } })
        await checkpoints.close()
      }),
    )
    const { tensors, hostStates } = readCheckpoint(folder)
    expect(tensors).toEqual({ own: whole, shared, count: tensor(3, { dtype: 'int32' }) })
    expect(hostStates).toEqual(Array.from({ length: saving }, (_, host) => ({ host, nan: Number.NaN })))
    for (let host = 0; host < restoring; host++) {
      const part = readCheckpoint(folder, { part: { host, hosts: restoring } }).tensors
      expect(part).toEqual({ own: rowsFor(host, restoring), shared, count: tensor(3, { dtype: 'int32' }) })
    }
    expect(readdirSync(folder)).toEqual(['step-00000001'])
    expect(readdirSync(join(folder, 'step-00000001')).length).toBe(saving + 1)
  })

  it('where one has other tensors all hear of it, and nothing is left', async () => {
    const folder = join(top, 'other')
    const outcomes = await Promise.all(
      groupOf(2).map(async (group) => {
        const checkpoints = openCheckpoints(folder, { group })
        await checkpoints.save(1, {
          tensors: { x: tensor([group.host, 1], { dtype: group.host === 0 ? 'float32' : 'bfloat16' }) },
        })
        return checkpoints.close().catch((error: Error) => error.message)
      }),
    )
    expect(outcomes[0]).toMatch(
      /step 1 was not written, save: hosts have different tensors at x \[float32 \[2\] \/ bfloat16 \[2\]\]/,
    )
    expect(outcomes[1]).toMatch(
      /step 1 was not written, save: host 0 failed \[save: hosts have different tensors/,
    )
    expect(readdirSync(folder)).toEqual([])
  })
})
