import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TrialRow, Watcher } from '../../experiments/sweep/index.js'
import { readOnlyServer } from '../../training/http/index.js'
import { CannotWrite } from '../io/openReport.js'
import { livePage } from './livePage.js'
import type { SweepRequest } from './sweepRequest.js'

/** A page that shows a sweep's course while it runs. */
export interface LiveSweep {
  readonly url: string
  readonly onHeld: NonNullable<Watcher['onHeld']>
  readonly onRow: NonNullable<Watcher['onRow']>
  readonly onReport: NonNullable<Watcher['onReport']>
  /** Tells the pages that it is over, and ends the server. */
  close(): Promise<void>
}

/**
 * Serves the course of a sweep to this machine alone: `/`, a page; `/events`, server-sent events: `row` for each row, with its
 * number, from which a page that lost the connection goes on; `progress`, `report` (a trial under way), `end`; `/rows.json`.
 * Rejects where the port cannot be had.
 */
export async function serveSweep(request: SweepRequest, port: number): Promise<LiveSweep> {
  const page = livePage(request)
  const rows: string[] = []
  let progress = JSON.stringify({ done: 0, total: request.count })
  const listeners = new Set<ServerResponse>()
  const tell = (event: string, data: string, id?: number): void => {
    for (const response of listeners) response.write(eventText(event, data, id))
  }
  const add = ({ trial: { params, steps }, row }: TrialRow): void => {
    rows.push(JSON.stringify({ params, steps: steps ?? null, row }))
    tell('row', rows.at(-1)!, rows.length)
  }
  const server = readOnlyServer('127.0.0.1', ({ url = '/', method, headers }, response) => {
    const [path] = url.split('?', 1)
    const answer = (status: number, type: string, text: string): void => {
      response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' })
      response.end(method === 'HEAD' ? undefined : text)
    }
    if (path === '/') return answer(200, 'text/html', page)
    if (path === '/favicon.ico') return answer(200, 'image/x-icon', '')
    if (path === '/rows.json') return answer(200, 'application/json', `[${rows.join(',\n')}]\n`)
    if (path !== '/events') return answer(404, 'text/plain', 'there is no such page\n')
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    })
    if (method === 'HEAD') return response.end()
    const seen = Number(headers['last-event-id'] ?? 0)
    const from = Number.isInteger(seen) && seen > 0 ? Math.min(seen, rows.length) : 0
    response.write(eventText('progress', progress))
    for (let i = from; i < rows.length; i++) response.write(eventText('row', rows[i]!, i + 1))
    listeners.add(response)
    return response.on('close', () => listeners.delete(response))
  })
  const url = await listen(server, port)
  return {
    url,
    onHeld: (held) => held.forEach(add),
    onRow: (done, total, last) => {
      if (last !== undefined) add(last)
      progress = JSON.stringify({ done, total })
      tell('progress', progress)
    },
    onReport: ({ params, steps }, step, metrics) =>
      tell('report', JSON.stringify({ params, steps: steps ?? null, step, metrics })),
    close: async () => {
      tell('end', progress)
      await Promise.all([...listeners].map((response) => new Promise<void>((done) => response.end(done))))
      const closed = new Promise((done) => server.close(done))
      // A browser keeps its connections.
      server.closeAllConnections()
      await closed
    },
  }
}

function eventText(event: string, data: string, id?: number): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: Error) =>
      reject(new CannotWrite(`cannot serve at port ${port} [${error.message.slice(0, 100)}]`)),
    )
    server.listen(port, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    })
  })
}
