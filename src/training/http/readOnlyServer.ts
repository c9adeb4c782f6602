import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { checkFunction, checkText } from '../../base/options/index.js'

/** Requests of one connection that wait for their answers; a browser sends the next one after the answer. */
const mostWaiting = 8

/** Connections at a time. */
const mostConnections = 256

/** The interfaces that only this machine reaches. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i

/**
 * A server of pages and numbers that are only read, for the interface `host`. It answers GET and HEAD, and other methods with 405. On an
 * interface that only this machine reaches it answers only requests that name it so (localhost, 127.0.0.1, [::1]), and others with 421: a page
 * whose own name was made to lead here (DNS rebinding) reads nothing. A connection with more than 8 requests that wait is cut.
 *
 * @example readOnlyServer('127.0.0.1', (request, response) => response.end(request.url)).listening // false
 */
export function readOnlyServer(
  host: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  checkText('readOnlyServer', 'host', host)
  checkFunction('readOnlyServer', 'answer', answer)
  const waiting = new WeakMap<Socket, number>()
  const server = createServer((request, response) => {
    const { method, socket, headers } = request
    const count = (waiting.get(socket) ?? 0) + 1
    if (count > mostWaiting) {
      socket.destroy()
      return
    }
    waiting.set(socket, count)
    response.once('close', () => waiting.set(socket, waiting.get(socket)! - 1))
    const refuse = (status: number, why: string, more: Readonly<Record<string, string>> = {}): void => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...more }).end(`${why}\n`)
    }
    if (method !== 'GET' && method !== 'HEAD') {
      refuse(405, 'this is only read', { allow: 'GET, HEAD' })
    } else if (loopback.test(host) && !loopback.test(headers.host?.replace(/:\d+$/, '') ?? '')) {
      refuse(421, 'this server answers to the names of this machine alone')
    } else {
      answer(request, response)
    }
  })
  server.maxConnections = mostConnections
  // An error of one connection, such as too many open files, ends nothing.
  server.on('error', () => undefined)
  return server
}
