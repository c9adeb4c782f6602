import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { grid, makeTrial, type TrialRow } from 'tpu-toolkit/sweep'
import { describe, expect, it } from 'vitest'
import { serveSweep } from '../../src/cli/sweep/serveSweep.js'
import type { SweepRequest } from '../../src/cli/sweep/sweepRequest.js'
import { statusUnder } from '../support/statusUnder.js'

const request: SweepRequest = {
  sweep: {
    experiment: './mine.mjs',
    space: { lr: [1, 2, 3], '</script>': ['<b>'] },
    search: grid(),
    metric: 'loss',
  },
  name: '<i>mine.mjs',
  count: 3,
  plain: false,
  out: 'out',
  json: false,
}
const row = (lr: number): TrialRow => ({ trial: makeTrial({ lr }), row: { loss: lr * 2 } })

/** Reads events until one of this name, and gives all that came. */
async function events(response: Response, last: string): Promise<string[]> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(`event: ${last}\n`)) {
    const { done, value } = await reader.read()
    if (done) break
    text += value
  }
  await reader.cancel()
  return text.split('\n\n').filter((part) => part !== '')
}

describe('serveSweep', () => {
  it('serves the page, the rows that were held, each new one as it comes, and the end', async () => {
    const live = await serveSweep(request, 0)
    expect(live.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
    live.onHeld([row(1)])
    live.onRow(1, 3)
    const page = await (await fetch(live.url)).text()
    expect(page).toContain('Sweep of &lt;i&gt;mine.mjs')
    expect(page).not.toContain('<b>')
    expect(page.match(/<\/script>/g)?.length).toBe(2)
    expect(page).not.toMatch(/https?:\/\/(?!www\.w3\.org)/)
    const heard = events(await fetch(`${live.url}events`), 'end')
    live.onReport(makeTrial({ lr: 2 }, 9), 4, { loss: 5 })
    live.onRow(2, 3, row(2))
    expect(await (await fetch(`${live.url}rows.json`)).json()).toEqual(
      [1, 2].map((lr) => ({ params: { lr }, steps: null, row: { loss: lr * 2 } })),
    )
    // One that lost the connection says which row it had last.
    const again = events(await fetch(`${live.url}events`, { headers: { 'last-event-id': '1' } }), 'end')
    await live.close()
    expect(await heard).toEqual([
      'event: progress\ndata: {"done":1,"total":3}',
      'event: row\nid: 1\ndata: {"params":{"lr":1},"steps":null,"row":{"loss":2}}',
      'event: report\ndata: {"params":{"lr":2},"steps":9,"step":4,"metrics":{"loss":5}}',
      'event: row\nid: 2\ndata: {"params":{"lr":2},"steps":null,"row":{"loss":4}}',
      'event: progress\ndata: {"done":2,"total":3}',
      'event: end\ndata: {"done":2,"total":3}',
    ])
    expect((await again).map((part) => /id: \d/.exec(part)?.[0])).toEqual([undefined, 'id: 2', undefined])
    await expect(fetch(live.url)).rejects.toThrow()
  })

  it('answers what is not there, and what is not reading, by status', async () => {
    const live = await serveSweep(request, 0)
    expect((await fetch(`${live.url}rows`)).status).toBe(404)
    expect((await fetch(live.url, { method: 'POST' })).status).toBe(405)
    expect((await fetch(live.url, { method: 'HEAD' })).status).toBe(200)
    await live.close()
  })

  it('answers nothing under another name than those of this machine', async () => {
    const live = await serveSweep(request, 0)
    expect(await statusUnder('evil.example', live.url)).toBe(421)
    expect(await statusUnder('localhost:1', live.url)).toBe(200)
    await live.close()
  })

  it('a port that another program has is one line', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    await expect(serveSweep(request, port)).rejects.toThrow(
      new RegExp(`^cannot serve at port ${port} \\[.*EADDRINUSE.*\\]$`),
    )
    other.close()
  })
})
